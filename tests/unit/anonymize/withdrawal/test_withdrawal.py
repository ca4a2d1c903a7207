"""A withdrawal, from the study to the caches, as the command line does it."""

import fcntl
import hashlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from anonymize.withdrawal.withdrawal_certificate import read_certificates, write_certificate
from app.cli.main import greenroom as command
from project.encryption.encryption_key import is_encrypted
from project.erasure.subject_terms import IdentifyingTerms
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.session.settings import log_path, view_path
from project.store.encryption_change import decrypt_study, encrypt_study
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
from tests.builders.clips import make_clip, remuxed
from tests.builders.full_study import FACTS, NAME, SPOKEN, forms, made
from tests.builders.terminal import Terminal

CLIP, STRANGE = b"the clip that shows them", b"a clip of somebody else"


def small(folder: Path) -> Path:
    """Make a study of two recordings: P01, who has a name, is in the first and P02 in the second."""
    path = folder / "study.greenroom"
    with Study.create(path, "A study") as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        study.write("INSERT INTO annotator VALUES ('a', 'Ada', 'person')", ())
        for number, text in ((1, SPOKEN), (2, "the others talk")):
            recording, who = f"r{number}", f"P0{number}"
            study.write("INSERT INTO recording VALUES (?, 'c', ?, ?, 60000000)", (recording, number, recording))
            study.write("INSERT INTO participant VALUES (?, ?, 'user', '')", (who, who))
            study.write("INSERT INTO appearance VALUES (?, ?)", (recording, who))
            spoken = (f"u{number}", recording, who, text)
            study.write("INSERT INTO utterance VALUES (?, ?, ?, 1, 9, ?, '[]', 1, 0)", spoken)
            medium = (f"m{number}", recording, f"footage/{number}.mp4", FACTS)
            study.write("INSERT INTO medium VALUES (?, ?, 'main', 0, 0, ?, 'ab', ?)", medium)
        study.write("INSERT INTO private_word VALUES (?, 'P01', 'person', 'P01')", (NAME,))
    return path


def surround(path: Path) -> None:
    """Give a study its footage, a clip, a backup, caches and a log, each with something of theirs in it."""
    folder = path.parent
    for name in ("footage", "clips"):
        (folder / name).mkdir()
    (folder / "clips" / "one.mp4").write_bytes(CLIP)
    (folder / "clips" / "one.privacy.json").write_text("{}")
    (folder / "one.mp4").write_bytes(STRANGE)
    shutil.copyfile(path, path.with_name(f"{path.name}.bak-1"))
    with Study.open(path) as study:
        rows = study.rows("SELECT id, path, recording_id FROM medium ORDER BY recording_id")
        for number, (medium, place, recording) in enumerate(rows, 1):
            file = folder / str(place)
            file.write_bytes(b"footage" * 1000 + str(number).encode())
            link(study, str(medium), str(place))
            for cached in (f"thumbnails/{fingerprint(file)}.png", f"peaks-{fingerprint(file)}.npz"):
                cache(cached, NAME if number == 1 else "of somebody else")
            if number == 1:
                result = json.dumps({"output": "one.mp4", "sha256": hashlib.sha256(CLIP).hexdigest()})
                with study.run_transaction():
                    run = "INSERT INTO run VALUES ('clip', ?, 'anonymize', 'blur', '{}', ?, '2026', '1')"
                    study.write_run(run, [(recording, result)])
    for place in ("previews/a.npz", "renderings/key/frame.npz", "releases/key/clip.mp4", "faces/tmpabc.npz"):
        cache(place)
    view = view_path(id_of(path))
    view.parent.mkdir(parents=True, exist_ok=True)
    view.write_text(NAME)
    log_path().write_text(f"an error about {NAME}\nanother error\n")


def link(study: Study, medium: str, place: str) -> None:
    """Let a medium of a study be a file beside it."""
    found = fingerprint(study.folder / place)
    with study.step("Relink"):
        study.write("UPDATE medium SET path = ?, fingerprint = ? WHERE id = ?", (place, found, medium))


def cache(place: str, of: str = NAME) -> None:
    file = cache_folder() / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(of.encode())


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The small study alone."""
    return small(tmp_path)


@pytest.fixture
def lab(tmp_path: Path) -> Path:
    """The small study with all that lies around it."""
    (tmp_path / "lab").mkdir()
    path = small(tmp_path / "lab")
    surround(path)
    return path


def broken_backup(path: Path) -> Path:
    """Leave a backup with something of theirs that nobody can open any more."""
    place = path.with_name(f"{path.name}.bak-2")
    place.write_bytes(path.read_bytes()[:5000] + NAME.encode())
    return place


def id_of(path: Path) -> str:
    with Study.open(path, read_only=True) as study:
        return study.id


def everything(*folders: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()}


def holding(texts: list[str], *folders: Path) -> list[tuple[str, bytes]]:
    return [
        (str(file), form)
        for file, content in everything(*folders).items()
        for form in forms(texts)
        if form in content or form in str(file).encode()
    ]


@dataclass
class Withdrawn:
    """A study that used everything, after P01 withdrew from it with a certificate."""

    path: Path
    theirs: list[str]
    places: tuple[Path, ...]
    broken: Path
    certificate: dict[str, Any]
    plain: str
    log: str
    thumbnails: list[str]


@pytest.fixture(scope="module")
def withdrawn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Withdrawn]:
    base = tmp_path_factory.mktemp("withdrawn")
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(base / name))
        (base / "lab").mkdir()
        path, full = made(base / "lab")
        surround(path)
        broken = broken_backup(path)
        theirs = [*full.theirs, NAME, SPOKEN, full.id("P01")]
        places = (path.parent, cache_folder(), log_path().parent, view_path("x").parent)
        assert len({name for name, _ in holding(theirs, *places)}) > 8
        options = ["--yes", "--delete-footage", "--erase-unreadable", "--certificate", str(base / "proof"), "--json"]
        done = CliRunner().invoke(command, ["participant", "withdraw", str(path), "P01", *options])
        assert done.exit_code == 0, done.output
        thumbnails = [file.stem for file in (cache_folder() / "thumbnails").iterdir()]
        certificate = json.loads((base / "proof.json").read_text())
        plain, log = (base / "proof.md").read_text(), log_path().read_text()
        yield Withdrawn(path, theirs, places, broken, certificate, plain, log, thumbnails)


def test_nothing_of_theirs_is_in_any_file_of_this_machine(withdrawn: Withdrawn) -> None:
    path = withdrawn.path
    assert holding(withdrawn.theirs, *withdrawn.places) == []
    assert check_study(path) == []
    assert check_study(path.with_name(f"{path.name}.bak-1")) == []
    assert not withdrawn.broken.exists()
    assert not (path.parent / "clips" / "one.mp4").exists()
    assert not (path.parent / "clips" / "one.privacy.json").exists()
    assert (path.parent / "one.mp4").read_bytes() == STRANGE
    assert "another error" in withdrawn.log
    with Study.open(path, read_only=True) as study:
        assert withdrawn.thumbnails == [str(row[0]) for row in study.rows("SELECT fingerprint FROM medium")][:1]


def test_the_certificate_says_what_was_removed_and_what_is_left(withdrawn: Withdrawn) -> None:
    said = withdrawn.certificate
    assert said["withdrawn"] == "P01"
    assert said["sha256"] == hashlib.sha256(withdrawn.path.read_bytes()).hexdigest()
    assert said["removed"]["participant"] == [1, 0]
    assert said["clips"][0][1] == hashlib.sha256(CLIP).hexdigest()
    assert [(footage["recording"], footage["deleted"]) for footage in said["footage"]] == [(1, True)]
    assert {backup["what"] for backup in said["backups"]} == {"rewritten", "erased unread"}
    assert [sent["sha256"] for sent in said["sent"]] == ["aa1"]
    assert said["by_hand"] == 1
    assert "1 backup could not be read and was erased unread" in withdrawn.plain
    assert not [form for form in forms(withdrawn.theirs) if form in withdrawn.plain.encode()]


def test_nothing_is_removed_without_a_confirmation_or_of_nobody(study: Path, greenroom: Terminal) -> None:
    assert "needs a confirmation" in greenroom("participant", "withdraw", study, "P01", code=2)
    greenroom("participant", "withdraw", study, "P99", "--yes", code=2)
    assert [file.name for file in study.parent.iterdir()] == ["study.greenroom"]
    assert SPOKEN.encode() in study.read_bytes()


def test_a_backup_that_cannot_be_read_stops_it_before_anything_is_removed(lab: Path, greenroom: Terminal) -> None:
    broken = broken_backup(lab)
    before = everything(lab.parent, cache_folder())
    told = greenroom("participant", "withdraw", lab, "P01", "--dry-run")
    for named in ("clips/one.mp4", "bak-1", f"{broken}: "):
        assert named in told
    assert everything(lab.parent, cache_folder()) == before, "a dry run changes nothing"
    told = greenroom("participant", "withdraw", lab, "P01", "--yes", "--delete-footage", code=2)
    assert f"“{broken.name}”" in told
    assert "--erase-unreadable" in told
    after = everything(lab.parent, cache_folder())
    assert NAME.encode() in after.pop(lab)
    assert after == {file: content for file, content in before.items() if file != lab}


def test_words_of_their_name_are_found_and_what_is_like_them_is_decided(tmp_path: Path, greenroom: Terminal) -> None:
    path = tmp_path / "study.greenroom"
    with Study.create(path, "A study") as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        study.write("INSERT INTO recording VALUES ('r', 'c', 1, 'one', 60000000)", ())
        study.write("INSERT INTO participant VALUES ('p', 'P01', 'user', ''), ('q', 'P02', 'user', '')", ())
        study.write("INSERT INTO private_word VALUES ('Annika Rose', 'W', 'word', 'p')", ())
        texts = ("then annika laughs", "annikas mug", "a rose, for Rose", "a rose and annikalein", "the others")
        for number, text in enumerate(texts):
            row = (f"u{number}", "r", "q", number * 10, number * 10 + 9, text)
            study.write("INSERT INTO utterance VALUES (?, ?, ?, ?, ?, ?, '[]', 0, 1)", row)
    words = greenroom.json("participant", "withdraw", path, "P01", "--dry-run")["words"]
    assert words["found"] == {"annika": 1, "annikas": 1, "Annika": 1, "Rose": 2}
    assert words["left"] == {"rose": 1, "annikalein": 1}
    assert words["undecided"] == ["rose", "annikalein"]
    told = greenroom("participant", "withdraw", path, "P01", "--yes", code=2)
    assert "“rose”" in told
    assert "“annikalein”" in told
    assert b"then annika laughs" in path.read_bytes()
    greenroom("participant", "withdraw", path, "P01", "--yes", "--keep", "Rose", code=2)
    greenroom("participant", "withdraw", path, "P01", "--yes", "--keep", "Rose", "--keep", "annikalein")
    with Study.open(path, read_only=True) as study:
        left = [text for (text,) in study.rows("SELECT text FROM utterance WHERE text <> '' ORDER BY text")]
    assert left == ["a rose and annikalein", "the others"]


def test_a_certificate_never_holds_a_name_and_the_path_of_the_study_is_told_of(
    study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    path = study.rename(tmp_path / "Zyxanna.greenroom")
    request = {"recording_id": "r1", "texts": 1, "host": f"{NAME.split()[1].lower()}.example"}
    with Study.open(path) as opened:
        with opened.step("Rename"):
            opened.write("UPDATE participant SET pseudonym = ? WHERE pseudonym = 'P01'", (NAME,))
        with opened.run_transaction():
            opened.write_run("INSERT INTO egress VALUES ('e', '2026', ?, 'raw', 'yes', '')", [(json.dumps(request),)])
    shutil.copyfile(path, path.with_name(f"{path.name}.bak-1"))
    told = greenroom(
        "participant", "withdraw", path, NAME, "--yes", "--certificate", tmp_path / "of zquellbach", code=2
    )
    assert "name of the certificate" in told
    assert "rename it" in greenroom("participant", "withdraw", path, NAME, "--dry-run")
    assert greenroom.json("participant", "withdraw", path, NAME, "--yes", "--keep-rest")["named_by_path"] is True
    (kept,) = read_certificates(path)
    assert [request.host for request in kept.sent] == ["[removed]"]
    certificates = sorted(tmp_path.glob("*withdrawal of*"))
    assert len(certificates) == 2
    for file in certificates:
        assert file.name.startswith("study, withdrawal of participant-")
        assert not [part for part in NAME.split() if part.lower() in file.read_text().lower()]


def test_exports_beside_are_named_or_deleted_and_footage_of_others_is_not(lab: Path, greenroom: Terminal) -> None:
    exports = [lab.with_name(name) for name in ("table.csv", "zquellbach.txt", "book.xlsx", "others.csv")]
    for file, text in zip(exports, ("then zyxannaquellbach laughs", "x", "", "nobody"), strict=True):
        file.write_text(text)
    with zipfile.ZipFile(exports[2], "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("sheet1.xml", f"<v>{NAME}</v>")
    other = lab.with_name("zquellbach of others.mp4")
    other.write_bytes(b"footage")
    old = lab.with_name("old.csv")
    old.write_text("Zoë", "latin-1")
    foreseen = greenroom.json("participant", "withdraw", lab, "P01", "--dry-run")
    assert foreseen["undecoded"] == [str(old)]
    assert sorted(foreseen["beside"]) == sorted(map(str, [*exports[:3], other]))
    said = greenroom.json("participant", "withdraw", lab, "P01", "--yes", "--delete-beside")
    assert [export.exists() for export in (*exports, other)] == [False, False, False, True, True]
    assert (said["deleted_beside"], said["beside"]["found"], said["beside"]["undecoded"]) == (3, 1, 1)
    assert any(problem.startswith(f"{old} is text in another encoding") for problem in said["problems"])
    assert "1 file of these with text that is neither UTF-8" in Path(said["certificate"]).read_text()


def test_what_the_removal_missed_stops_the_withdrawal_and_nothing_is_certified(
    tmp_path: Path, greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, full = made(tmp_path)
    with Study.open(path) as study, study.step("Comment"):
        row = ("late", full.id("seg2"), full.id("ada"), "Zyxanna, whom it misses", "2026", 0)
        study.write("INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)", row)
    backup = Path(shutil.copyfile(path, path.with_name(f"{path.name}.bak-1")))
    before, matches = backup.read_bytes(), IdentifyingTerms.matches_text
    monkeypatch.setattr(
        IdentifyingTerms, "matches_text", lambda terms, text: "it misses" not in text and matches(terms, text)
    )
    told = greenroom("participant", "withdraw", path, "P01", "--yes", "--keep-rest", code=2)
    assert "“study.greenroom” would still contain the participant: 1 in comment.text" in told
    assert "no certificate was written" in told
    with Study.open(path, read_only=True) as study:
        assert ("P01",) in study.rows("SELECT pseudonym FROM participant")
    assert backup.read_bytes() == before
    assert not [*tmp_path.glob("*withdrawal of*")]


def test_neither_a_copy_nor_an_exported_file_brings_them_back(tmp_path: Path, greenroom: Terminal) -> None:
    path, full = made(tmp_path)
    copy = Path(shutil.copyfile(path, tmp_path / "copy.greenroom"))
    with Study.open(copy) as study, study.step("Comment"):
        row = ("late", full.id("seg2"), full.id("ada"), "zquellbach laughs, and so do the others", "2026", 0)
        study.write("INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)", row)
    with Study.open(path) as study, study.step("Give back"):
        study.write("DELETE FROM hold_out", ())
    greenroom("segment", "export", path, "--out", tmp_path / "all.jsonl", "--format", "jsonl")
    greenroom("participant", "withdraw", path, "P01", "--yes")
    assert "P01 withdrew" in greenroom("segment", "import", path, tmp_path / "all.jsonl", code=2)
    greenroom("study", "merge", path, copy)
    assert b"quellbach" not in path.read_bytes().lower()
    assert check_study(path) == []
    spoken = tmp_path / "spoken.vtt"
    spoken.write_text("WEBVTT\n\n00:00:00.100 --> 00:00:00.900\n<v P01>call me Zyxanna\n")
    for words, more in ((("segment", "import"), ()), (("speech", "import"), ("--replace",))):
        told = greenroom(*words, path, spoken, "--recording", "2", *more, code=2)
        assert "may contain personal information of a withdrawn participant: " in told
        assert "“P01”" in told
        assert "“Zyxanna”" in told
        assert b"Zyxanna" not in path.read_bytes()
    greenroom("speech", "import", path, spoken, "--recording", "2", "--replace", "--keep-rest")
    people = tmp_path / "people.csv"
    people.write_text("participant,friend\nP02,Zyxanna Quellbach\n")
    assert "“Zyxanna”" in greenroom("participant", "import", path, people, code=2)
    greenroom("participant", "import", path, people, "--keep-rest")


def test_an_encrypted_study_stays_encrypted_with_its_backups(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    make_keys_cheap(monkeypatch)
    backup = Path(shutil.copyfile(study, study.with_name(f"{study.name}.bak-1")))
    encrypt_study(study, "a long passphrase")
    greenroom("participant", "withdraw", study, "P01", "--yes")
    for file in (study, backup):
        assert is_encrypted(file)
        assert check_study(file) == []
    decrypt_study(study)
    assert holding([NAME, SPOKEN], tmp_path) == []
    assert b"the others talk" in study.read_bytes()


def test_a_backup_from_before_they_were_found_in_a_recording_loses_it_too(tmp_path: Path, greenroom: Terminal) -> None:
    path = tmp_path / "study.greenroom"
    with Study.create(path, "A study") as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        study.write("INSERT INTO recording VALUES ('r', 'c', 1, 'one', 60000000)", ())
        study.write("INSERT INTO medium VALUES ('m', 'r', 'main', 0, 0, 'secret place.mp4', 'ab', ?)", (FACTS,))
        study.write("INSERT INTO utterance VALUES ('u', 'r', NULL, 1, 9, ?, '[]', 0, 1)", (SPOKEN,))
    backup = Path(shutil.copyfile(path, path.with_name(f"{path.name}.bak-1")))
    with Study.open(path) as study, study.step("Say who it is"):
        study.write("INSERT INTO participant VALUES ('p', 'P01', 'user', '')", ())
        study.write("INSERT INTO appearance VALUES ('r', 'p')", ())
        study.write("UPDATE utterance SET participant_id = 'p'", ())
    greenroom("participant", "withdraw", path, "P01", "--yes")
    assert backup.exists()
    assert check_study(backup) == []
    assert holding([SPOKEN, "secret place"], tmp_path) == []


def test_footage_linked_before_is_theirs_too_and_no_other_file_is_deleted(lab: Path, greenroom: Terminal) -> None:
    first, now = lab.parent / "first take.mp4", lab.parent / "footage" / "1.mp4"
    first.write_bytes(b"the first take")
    cache(f"thumbnails/{fingerprint(first)}.png")
    outside = lab.parent.parent / "outside.mp4"
    outside.write_bytes(b"what a stranger knows the fingerprint of")
    with Study.open(lab) as study:
        link(study, "m1", "../outside.mp4")
        link(study, "m1", first.name)
        link(study, "m1", "footage/1.mp4")
    now.write_bytes(b"something else")
    greenroom("participant", "withdraw", lab, "P01", "--yes", "--delete-footage")
    assert not first.exists()
    assert now.read_bytes() == b"something else"
    assert outside.exists()
    assert len([*(cache_folder() / "thumbnails").iterdir()]) == 1


def test_copies_with_annotations_alone_are_named(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    (tmp_path / "shared").mkdir()
    greenroom("study", "scrub", study, "--out", tmp_path / "shared" / f"of {NAME}.greenroom")
    said = greenroom.json("participant", "withdraw", study, "P01", "--yes")
    assert [copy["name"] for copy in said["shared"]] == [""], "its name names them"
    assert NAME not in Path(said["certificate"]).read_text()
    assert NAME.encode() not in study.read_bytes()


def test_what_was_left_goes_and_neither_what_is_written_nor_linked(lab: Path, greenroom: Terminal) -> None:
    left, busy = (lab.parent / "clips" / f".greenroom-host-{name}.part.mp4" for name in ("left", "busy"))
    left.write_bytes(CLIP)
    busy.write_bytes(CLIP)
    killed, living = (lab.parent / f".greenroom-release-{name}" for name in ("killed", "living"))
    private = lab.parent.parent / "private"
    for folder in (killed, living, private):
        folder.mkdir()
        (folder / "all.mp4").write_bytes(CLIP)
    for name in (".study.greenroom.abcdefgh", ".study.x"):
        lab.with_name(name).symlink_to(private)
    for name in ("study (before version 2).greenroom", ".study.greenroom.file"):
        lab.with_name(name).symlink_to(private / "all.mp4")
    held = os.open(living, os.O_RDONLY)
    with busy.open("rb") as written:
        fcntl.flock(written, fcntl.LOCK_EX)
        fcntl.flock(held, fcntl.LOCK_EX)
        told = greenroom("participant", "withdraw", lab, "P01", "--yes")
    os.close(held)
    assert [file.exists() for file in (left, busy)] == [False, True]
    assert [(folder / "all.mp4").exists() for folder in (killed, living, private)] == [False, True, True]
    for place in (busy, living):
        assert f"{place.name} is being written by another process" in told
    assert (lab.parent / "footage" / "1.mp4").exists()
    assert "must be deleted" in next(lab.parent.glob("*withdrawal of P01.md")).read_text()


def test_copies_of_study_and_footage_are_listed_whatever_they_are_called(lab: Path, greenroom: Terminal) -> None:
    (lab.parent / "before").mkdir()
    copies = [lab.parent / name for name in ("study of may.greenroom", "study.greenroom~", "before/study.greenroom")]
    for copy in copies:
        shutil.copyfile(lab, copy)
    Study.create(lab.with_name("another.greenroom"), "Another").close()
    clip = make_clip(lab.parent / "footage" / "real.mp4", size=(64, 48), frames=30)
    with Study.open(lab) as study:
        link(study, "m1", "footage/real.mp4")
    shutil.copyfile(clip, lab.parent / "session two.mov")
    shutil.copyfile(clip, lab.parent / "backup of monday")
    remuxed(clip, lab.parent / "clips" / "other.mkv")
    make_clip(lab.parent / "clips" / "somebody else.mp4", size=(80, 48), frames=30)
    names = ("session two.mov", "backup of monday", "other.mkv")
    foreseen = greenroom.json("participant", "withdraw", lab, "P01", "--dry-run")
    assert {Path(copy).name for copy in foreseen["footage_copies"]} == {*names}
    assert sorted(foreseen["copies"]) == sorted(map(str, copies))
    told = greenroom("participant", "withdraw", lab, "P01", "--yes", "--keep-rest", "--delete-footage")
    assert not clip.exists()
    assert "before/study.greenroom is a copy of the study" in told
    assert all(NAME.encode() in copy.read_bytes() for copy in copies)
    for name in names:
        assert f"{name} begins with the same pictures or sound: delete it where it is theirs." in told
    certificate = next(lab.parent.glob("*withdrawal of P01.md")).read_text()
    assert "3 further files beside the study with the same pictures or sound at the beginning" in certificate
    assert not any(name in certificate for name in names)


def test_a_certificate_is_written_again_from_the_study_in_the_place_of_no_other(
    study: Path, greenroom: Terminal
) -> None:
    with Study.open(study) as opened, opened.step("Rename"):
        opened.write("UPDATE participant SET pseudonym = ? WHERE pseudonym = 'P02'", (NAME.split()[1],))
    first = Path(greenroom.json("participant", "withdraw", study, "P01", "--yes", "--keep-rest")["certificate"])
    greenroom("participant", "withdraw", study, NAME.split()[1], "--yes", "--keep-rest")
    (kept, other) = read_certificates(study)
    assert (kept.withdrawn, other.withdrawn[:12]) == ("P01", "participant ")
    first.unlink()
    assert "There is no participant" in greenroom("participant", "withdraw", study, "P01", "--dry-run", code=2)
    again = Path(greenroom.json("participant", "withdraw", study, "P01")["certificate"])
    assert again == first
    assert again.read_text().startswith("# Certificate of the withdrawal of P01\n")
    again.write_text("signed by hand")
    assert write_certificate(study, kept) == first.with_name(f"{first.stem} (1).md")
    assert "withdrew on" in greenroom("participant", "withdraw", study, NAME.split()[1])
