"""A withdrawal, from the study to the caches, as the command line does it."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
import wave
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from platformdirs import user_config_path

from anonymize.local_files import file_traces
from anonymize.local_files.file_traces import FootageFile, find_footage_copies, names_person
from anonymize.local_files.study_encryption import encrypt_study as encrypt_with_caches
from anonymize.withdrawal import withdrawal
from anonymize.withdrawal.withdrawal_certificate import read_certificates, write_certificate
from app.cli.main import greenroom as command
from project.encryption.encryption_key import is_encrypted
from project.entities.study_records import Json
from project.erasure.erasure import Footage
from project.erasure.subject_terms import IdentifyingTerms
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.session.settings import Settings, load_settings, log_path, save_settings, view_path
from project.session.trust_store import TrustKind, add_trusted, containing_folders, read_trusted
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
        done = CliRunner().invoke(command, ["withdraw", str(path), "P01", *options])
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
    assert "confirmed" in greenroom("withdraw", study, "P01", code=2)
    greenroom("withdraw", study, "P99", "--yes", code=2)
    assert [file.name for file in study.parent.iterdir()] == ["study.greenroom"]
    assert SPOKEN.encode() in study.read_bytes()


def test_a_backup_that_cannot_be_read_stops_it_before_anything_is_removed(lab: Path, greenroom: Terminal) -> None:
    broken = broken_backup(lab)
    before = everything(lab.parent, cache_folder())
    told = greenroom("withdraw", lab, "P01", "--dry-run")
    for named in ("clips/one.mp4", "bak-1", f"{broken}: "):
        assert named in told
    assert everything(lab.parent, cache_folder()) == before, "a dry run changes nothing"
    told = greenroom("withdraw", lab, "P01", "--yes", "--delete-footage", code=2)
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
    words = greenroom.json("withdraw", path, "P01", "--dry-run")["words"]
    assert words["found"] == {"annika": 1, "annikas": 1, "Annika": 1, "Rose": 2}
    assert words["left"] == {"rose": 1, "annikalein": 1}
    assert words["undecided"] == ["rose", "annikalein"]
    told = greenroom("withdraw", path, "P01", "--yes", code=2)
    assert "“rose”" in told
    assert "“annikalein”" in told
    assert b"then annika laughs" in path.read_bytes()
    greenroom("withdraw", path, "P01", "--yes", "--keep", "Rose", code=2)
    greenroom("withdraw", path, "P01", "--yes", "--keep", "Rose", "--keep", "annikalein")
    with Study.open(path, read_only=True) as study:
        left = [text for (text,) in study.rows("SELECT text FROM utterance WHERE text <> '' ORDER BY text")]
    assert left == ["a rose and annikalein", "the others"]


def test_paths_that_name_them_are_forgotten_and_others_stay(lab: Path, greenroom: Terminal) -> None:
    theirs, others = (lab.parent / name for name in (f"of {NAME.split()[0]}", "of somebody else"))
    study_id = id_of(lab)
    files: dict[str, Json] = {f"{study_id}/{file.name}": str(file / "own.toml") for file in (theirs, others)}
    recent = tuple(str(file / "old.greenroom") for file in (theirs, others))
    save_settings(Settings(recent=recent, scheme_files=files, theme="dark"))
    add_trusted(study_id, TrustKind.FOLDER, [str(theirs), str(others)])
    add_trusted(study_id, TrustKind.MODEL, [str(theirs / "small.gguf")])
    assert str(theirs / "small.gguf") in greenroom("withdraw", lab, "P01", "--dry-run")
    greenroom("withdraw", lab, "P01", "--yes", "--certificate", lab.with_name("proof"))
    assert holding([NAME, theirs.name], user_config_path("greenroom")) == []
    kept = load_settings()
    assert (kept.theme, kept.recent, [*kept.scheme_files.values()]) == ("dark", recent[1:], [str(others / "own.toml")])
    assert (read_trusted(study_id, TrustKind.FOLDER), read_trusted(study_id, TrustKind.MODEL)) == ((str(others),), ())
    said = json.loads(lab.with_name("proof.json").read_text())
    assert (said["forgotten_paths"], said["named_by_path"]) == (4, False)


def test_a_home_that_is_called_like_them_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    wording = IdentifyingTerms(["Anna"])
    paths = ("/home/anna/study.greenroom", "/home/anna/anna_1.mp4", "/media/anna/study.greenroom")
    assert [names_person(path, wording) for path in paths] == [False, True, True]


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
    told = greenroom("withdraw", path, NAME, "--yes", "--certificate", tmp_path / "of zquellbach", code=2)
    assert "name of the certificate" in told
    assert "rename it" in greenroom("withdraw", path, NAME, "--dry-run")
    assert greenroom.json("withdraw", path, NAME, "--yes", "--keep-rest")["named_by_path"] is True
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
    foreseen = greenroom.json("withdraw", lab, "P01", "--dry-run")
    assert foreseen["undecoded"] == [str(old)]
    assert sorted(foreseen["beside"]) == sorted(map(str, [*exports[:3], other]))
    said = greenroom.json("withdraw", lab, "P01", "--yes", "--delete-beside")
    assert [export.exists() for export in (*exports, other)] == [False, False, False, True, True]
    assert (said["deleted_beside"], said["beside"]["found"], said["beside"]["undecoded"]) == (3, 1, 1)
    assert any(problem.startswith(f"{old} is text in another encoding") for problem in said["problems"])
    assert "1 file of these with text that is neither UTF-8" in Path(said["certificate"]).read_text()


def test_a_backup_that_cannot_be_written_is_searched_with_the_files_beside(
    study: Path, greenroom: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    backup = Path(shutil.copyfile(study, study.with_name(f"{study.name}.bak-1")))

    def refuse(*_: object, **__: object) -> str:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(withdrawal, "erase_from_older_state", refuse)
    said = greenroom.json("withdraw", study, "P01", "--yes", "--keep-rest")
    assert (said["beside"]["found"], said["by_hand"]) == (1, 1)
    assert said["problems"] == [f"{backup} could not be removed: Read-only file system."]


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
    told = greenroom("withdraw", path, "P01", "--yes", "--keep-rest", code=2)
    assert "“study.greenroom” would still hold something of theirs: 1 in comment.text" in told
    assert "nothing is certified" in told
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
    greenroom("export", path, "--out", tmp_path / "all.jsonl", "--format", "jsonl")
    greenroom("withdraw", path, "P01", "--yes")
    assert "P01 withdrew" in greenroom("import", path, tmp_path / "all.jsonl", code=2)
    greenroom("merge", path, copy)
    assert b"quellbach" not in path.read_bytes().lower()
    assert check_study(path) == []
    spoken = tmp_path / "spoken.vtt"
    spoken.write_text("WEBVTT\n\n00:00:00.100 --> 00:00:00.900\n<v P01>call me Zyxanna\n")
    for words, more in ((("import",), ()), (("transcript", "import"), ("--replace",))):
        told = greenroom(*words, path, spoken, "--recording", "2", *more, code=2)
        assert "may bring back somebody who withdrew: " in told
        assert "“P01”" in told
        assert "“Zyxanna”" in told
        assert b"Zyxanna" not in path.read_bytes()
    greenroom("transcript", "import", path, spoken, "--recording", "2", "--replace", "--keep-rest")


def test_an_encrypted_study_stays_encrypted_with_its_backups(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, greenroom: Terminal
) -> None:
    make_keys_cheap(monkeypatch)
    backup = Path(shutil.copyfile(study, study.with_name(f"{study.name}.bak-1")))
    encrypt_study(study, "a long passphrase")
    greenroom("withdraw", study, "P01", "--yes")
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
    greenroom("withdraw", path, "P01", "--yes")
    assert backup.exists()
    assert check_study(backup) == []
    assert holding([SPOKEN, "secret place"], tmp_path) == []


def test_footage_linked_before_is_theirs_too_and_another_file_stays(lab: Path, greenroom: Terminal) -> None:
    first, now = lab.parent / "first take.mp4", lab.parent / "footage" / "1.mp4"
    first.write_bytes(b"the first take")
    cache(f"thumbnails/{fingerprint(first)}.png")
    with Study.open(lab) as study:
        link(study, "m1", first.name)
        link(study, "m1", "footage/1.mp4")
    now.write_bytes(b"something else")
    greenroom("withdraw", lab, "P01", "--yes", "--delete-footage")
    assert not first.exists()
    assert now.read_bytes() == b"something else"
    assert len([*(cache_folder() / "thumbnails").iterdir()]) == 1


def test_copies_under_names_of_their_own_are_named_and_left(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    (tmp_path / "before").mkdir()
    copies = [tmp_path / name for name in ("study of may.greenroom", "study.greenroom~", "before/study.greenroom")]
    for copy in copies:
        shutil.copyfile(study, copy)
    Study.create(tmp_path / "another.greenroom", "Another").close()
    foreseen = greenroom.json("withdraw", study, "P01", "--dry-run")
    assert sorted(foreseen["copies"]) == sorted(map(str, copies))
    told = greenroom("withdraw", study, "P01", "--yes", "--certificate", tmp_path / "proof")
    assert "before/study.greenroom is a copy of the study" in told
    assert json.loads((tmp_path / "proof.json").read_text())["study_copies"] == 3
    assert all(NAME.encode() in copy.read_bytes() for copy in copies)


def test_a_release_is_listed_for_whoever_withdraws_next_too(study: Path, greenroom: Terminal) -> None:
    with Study.open(study) as opened:
        with opened.step("Both are there"):
            opened.write("INSERT INTO appearance VALUES ('r1', 'P02')", ())
        for number, name in enumerate(("for the board", f"with {NAME}")):
            result = json.dumps({"output": name, "released": True, "outcomes": [NAME]})
            with opened.run_transaction():
                run = "INSERT INTO run VALUES (?, 'r1', 'release', '', ?, ?, '2026', '1')"
                opened.write_run(run, [(f"release{number}", json.dumps({"plan": NAME}), result)])
    listed = []
    for who in ("P01", "P02"):
        said = greenroom.json("withdraw", study, who, "--yes", "--certificate", study.with_name(f"{who} proof"))
        releases = [release for release in said["made"] if release["kind"] == "release"]
        listed.append([release["at"] for release in releases if release["recording"] == 1])
    assert listed[0] == listed[1]
    assert len(listed[0]) == 2
    assert check_study(study) == []
    assert NAME.encode() not in study.read_bytes()


def test_copies_with_annotations_alone_are_named(study: Path, tmp_path: Path, greenroom: Terminal) -> None:
    (tmp_path / "shared").mkdir()
    for name in ("for the board", f"of {NAME}"):
        greenroom("scrub", study, "--out", tmp_path / "shared" / f"{name}.greenroom")
    said = greenroom.json("withdraw", study, "P01", "--yes")
    assert [copy["name"] for copy in said["shared"]] == ["for the board.greenroom", ""]
    certificate = Path(said["certificate"]).read_text()
    assert "for the board.greenroom" in certificate
    assert NAME not in certificate
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
        told = greenroom("withdraw", lab, "P01", "--yes")
    os.close(held)
    assert [file.exists() for file in (left, busy)] == [False, True]
    assert [(folder / "all.mp4").exists() for folder in (killed, living, private)] == [False, True, True]
    for place in (busy, living):
        assert f"{place.name} is being written by another process" in told
    assert (lab.parent / "footage" / "1.mp4").exists()
    assert "must be deleted" in next(lab.parent.glob("*withdrawal of P01.md")).read_text()


@pytest.mark.parametrize("pointed", [False, True])
def test_a_study_of_a_stranger_deletes_no_file_outside_of_it(lab: Path, pointed: bool, greenroom: Terminal) -> None:
    outside = lab.parent.parent / "outside.mp4"
    outside.write_bytes(b"what a stranger knows the fingerprint of")
    with Study.open(lab) as study:
        link(study, "m1", "../outside.mp4")
    if pointed:
        add_trusted(id_of(lab), TrustKind.FOLDER, containing_folders(outside))
    greenroom("withdraw", lab, "P01", "--yes", "--delete-footage")
    assert outside.exists() is not pointed


def test_what_a_killed_reader_left_is_erased_by_encrypting(
    study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_keys_cheap(monkeypatch)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    left = tmp_path / "temporary" / "greenroom-scratch-abc"
    left.mkdir(parents=True)
    shutil.copyfile(study, left / "copy")
    encrypt_with_caches(study, lambda: "a long passphrase")
    assert is_encrypted(study)
    assert holding([NAME, SPOKEN], tmp_path) == []


def test_copies_of_the_footage_are_listed_whatever_they_are_called(lab: Path, greenroom: Terminal) -> None:
    clip = make_clip(lab.parent / "footage" / "real.mp4", size=(64, 48), frames=30)
    with Study.open(lab) as study:
        link(study, "m1", "footage/real.mp4")
    shutil.copyfile(clip, lab.parent / "session two.mov")
    shutil.copyfile(clip, lab.parent / "backup of monday")
    remuxed(clip, lab.parent / "clips" / "other.mkv")
    make_clip(lab.parent / "clips" / "somebody else.mp4", size=(80, 48), frames=30)
    names = ("session two.mov", "backup of monday", "other.mkv")
    foreseen = greenroom.json("withdraw", lab, "P01", "--dry-run")
    assert {Path(copy).name for copy in foreseen["footage_copies"]} == {*names}
    told = greenroom("withdraw", lab, "P01", "--yes", "--keep-rest", "--delete-footage")
    assert not clip.exists()
    for name in names:
        assert f"{name} begins with the same pictures or sound: delete it where it is theirs." in told
    certificate = next(lab.parent.glob("*withdrawal of P01.md")).read_text()
    assert "3 further files beside the study with the same pictures or sound at the beginning" in certificate
    assert not any(name in certificate for name in names)


def test_media_without_pictures_and_sound_are_no_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_traces, "stream_digest", lambda _: "")
    for name in ("a.mp4", "b.mp4"):
        (tmp_path / name).write_bytes(name.encode())
    footage = FootageFile(tmp_path / "a.mp4", Footage(1, "main", "a.mp4", "ab"), exists=True)
    assert find_footage_copies([footage], tmp_path, {footage.path}, ()) == []


def test_another_recording_that_begins_as_silent_is_no_copy(lab: Path, greenroom: Terminal) -> None:
    def silent_first(name: str, level: int) -> str:
        with wave.open(str(lab.with_name(name)), "wb") as file:
            file.setparams((1, 2, 16_000, 0, "NONE", ""))
            file.writeframes(bytes(2 * 64_000) + level.to_bytes(2, "little") * 64_000)
        return name

    with Study.open(lab) as study:
        link(study, "m1", silent_first("a.wav", 7))
        link(study, "m2", silent_first("b.wav", 9))
    silent_first("c.wav", 7)
    foreseen = greenroom.json("withdraw", lab, "P01", "--dry-run")
    assert [Path(copy).name for copy in foreseen["footage_copies"]] == ["c.wav"]


def test_certificates_are_found_by_a_pseudonym_that_others_have_too(study: Path, greenroom: Terminal) -> None:
    def add(statement: str, *values: object) -> None:
        with Study.open(study) as opened, opened.step("Edit"):
            opened.write(statement, values)

    add("UPDATE participant SET pseudonym = 'Anna' WHERE id = 'P01'")
    add("INSERT INTO private_word VALUES ('Anna', 'P02', 'person', 'P02')")
    greenroom("withdraw", study, "Anna", "--yes", "--keep-rest")
    assert "withdrew on" in greenroom("withdraw", study, "Anna")
    greenroom("withdraw", study, "P02", "--yes", "--keep-rest")
    add("INSERT INTO participant VALUES ('P09', 'P02', 'user', '')")
    greenroom("withdraw", study, "P02", "--yes", "--keep-rest")
    assert [certificate.withdrawn[:12] for certificate in read_certificates(study)] == ["participant ", "P02", "P02"]
    written = sorted(study.parent.glob("*, withdrawal of P02*"))
    again = greenroom.json("withdraw", study, "P02")
    assert again["certificates"] == [str(study.with_name(f"study, withdrawal of P02{n}.md")) for n in ("", " (1)")]
    assert sorted(study.parent.glob("*, withdrawal of P02*")) == written
    assert "2 people" in greenroom("withdraw", study, "P02", "--certificate", study.with_name("it.md"), code=2)


def test_a_certificate_is_written_again_from_the_study_in_the_place_of_no_other(
    study: Path, greenroom: Terminal
) -> None:
    with Study.open(study) as opened, opened.step("Rename"):
        opened.write("UPDATE participant SET pseudonym = ? WHERE pseudonym = 'P02'", (NAME.split()[1],))
    first = Path(greenroom.json("withdraw", study, "P01", "--yes", "--keep-rest")["certificate"])
    greenroom("withdraw", study, NAME.split()[1], "--yes", "--keep-rest")
    (kept, other) = read_certificates(study)
    assert (kept.withdrawn, other.withdrawn[:12]) == ("P01", "participant ")
    first.unlink()
    for name in (first.name, f"{first.stem}.json"):
        study.with_name(f".{name}.4711.unfinished").write_text("half of a certificate")
    killed = study.with_name(f".{study.name}.4fd6tmfu")
    killed.mkdir()
    (killed / "study.greenroom").write_bytes(study.read_bytes())
    assert "No participant" in greenroom("withdraw", study, "P01", "--dry-run", code=2)
    again = Path(greenroom.json("withdraw", study, "P01")["certificate"])
    assert again == first
    assert again.read_text().startswith("# Certificate of the withdrawal of P01\n")
    again.write_text("signed by hand")
    assert write_certificate(study, kept) == first.with_name(f"{first.stem} (1).md")
    assert "withdrew on" in greenroom("withdraw", study, NAME.split()[1])
    assert not killed.exists()
    assert [*study.parent.glob(".*.unfinished")] == []
