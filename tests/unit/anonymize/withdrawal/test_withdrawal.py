"""A withdrawal, from the study to the caches, as the command line does it."""

import fcntl
import hashlib
import json
import os
import shutil
import wave
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner
from platformdirs import user_config_path

from anonymize.local_files.file_traces import names_person
from anonymize.local_files.study_encryption import seal_study as seal_with_caches
from anonymize.withdrawal.withdrawal_certificate import (
    PendingCertificate,
    free_pending_path,
    list_pending,
    publish_pending,
)
from app.cli.main import greenroom
from project.encryption.container import is_sealed
from project.entities.study_records import Json
from project.erasure.mentions import IdentifyingTerms
from project.files.fingerprints import fingerprint
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.session.settings import Settings, load_settings, log_path, save_settings, view_path
from project.session.trust_store import TrustKind, add_trusted, containing_folders, read_trusted
from project.store.encryption_change import seal_study, unseal_study
from project.store.study import Study
from tests.builders.clips import make_clip
from tests.builders.full_study import NAME, SPOKEN, Full, forms
from tests.builders.terminal import Terminal
from tests.unit.media.test_stream_digest import remuxed
from tests.unit.project.test_withdrawing import made

CLIP, STRANGE = b"the clip that shows them", b"a clip of somebody else"


@pytest.fixture
def lab(tmp_path: Path) -> tuple[Path, Full]:
    """A study with its footage, a clip, backups and caches, each with something of theirs in it."""
    folder = tmp_path / "lab"
    (folder / "footage").mkdir(parents=True)
    (folder / "clips").mkdir()
    path, full = made(folder)
    (folder / "clips" / "one.mp4").write_bytes(CLIP)
    (folder / "clips" / "one.privacy.json").write_text("{}")
    (folder / "one.mp4").write_bytes(STRANGE)
    shutil.copyfile(path, path.with_name(f"{path.name}.bak-1"))
    with Study.open(path) as study:
        rows = study.rows("SELECT id, path, recording_id FROM medium ORDER BY recording_id")
        for number, (medium, place, recording) in enumerate(rows, 1):
            file = folder / str(place)
            file.write_bytes(b"footage" * 1000 + str(number).encode())
            with study.step("Relink"):
                study.write("UPDATE medium SET fingerprint = ? WHERE id = ?", (fingerprint(file), medium))
            for place in (f"thumbnails/{fingerprint(file)}.png", f"peaks-{fingerprint(file)}.npz"):
                _cache(place, NAME if number == 1 else "of somebody else")
            if number == 1:
                with study.run_transaction():
                    study.write_run(
                        "INSERT INTO run VALUES ('clip', ?, 'anonymize', 'blur', '{}', ?, '2026', '1')",
                        [(recording, json.dumps({"output": "one.mp4", "sha256": hashlib.sha256(CLIP).hexdigest()}))],
                    )
    for place in ("previews/a.npz", "renderings/key/frame.npz", "releases/key/clip.mp4", "faces/tmpabc.npz"):
        _cache(place)
    view_path(full_id(path)).parent.mkdir(parents=True, exist_ok=True)
    view_path(full_id(path)).write_text(NAME)
    log_path().write_text(f"an error about {NAME}\nanother error\n")
    return path, full


def broken_backup(path: Path) -> Path:
    """Leave a backup with something of theirs that nobody can open any more."""
    place = path.with_name(f"{path.name}.bak-2")
    place.write_bytes(path.read_bytes()[:5000] + NAME.encode())
    return place


def full_id(path: Path) -> str:
    with Study.open(path, read_only=True) as study:
        return study.id


def _cache(place: str, of: str = NAME) -> None:
    file = cache_folder() / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(of.encode())


def run(*arguments: object) -> tuple[int, str]:
    done = CliRunner().invoke(greenroom, ["withdraw", *map(str, arguments)])
    return done.exit_code, done.output


def everything(*folders: Path) -> dict[Path, bytes]:
    return {file: file.read_bytes() for folder in folders for file in folder.rglob("*") if file.is_file()}


def holding(texts: list[str], *folders: Path) -> list[tuple[str, bytes]]:
    return [
        (str(file), form)
        for file, content in everything(*folders).items()
        for form in forms(texts)
        if form in content or form in str(file).encode()
    ]


def test_nothing_of_theirs_is_in_any_file_of_this_machine(lab: tuple[Path, Full]) -> None:
    path, full = lab
    broken = broken_backup(path)
    theirs = [*full.theirs, NAME, SPOKEN, full.id("P01")]
    places = (path.parent, cache_folder(), log_path().parent, view_path("x").parent)
    assert len({name for name, _ in holding(theirs, *places)}) > 8
    code, told = run(path, "P01", "--yes", "--delete-footage", "--erase-unreadable")
    assert code == 0, told
    assert holding(theirs, *places) == []
    assert check_study(path) == []
    assert check_study(path.with_name(f"{path.name}.bak-1")) == []
    assert not broken.exists()
    assert not (path.parent / "clips" / "one.mp4").exists()
    assert not (path.parent / "clips" / "one.privacy.json").exists()
    assert (path.parent / "one.mp4").read_bytes() == STRANGE
    assert "another error" in log_path().read_text()
    left = [*(cache_folder() / "thumbnails").iterdir()]
    assert [file.stem for file in left] == [_fingerprints(path)[0]]


def _fingerprints(path: Path) -> list[str]:
    with Study.open(path, read_only=True) as study:
        return [str(row[0]) for row in study.rows("SELECT fingerprint FROM medium")]


def test_the_certificate_says_what_was_removed_and_what_is_left(lab: tuple[Path, Full], tmp_path: Path) -> None:
    path, full = lab
    broken_backup(path)
    code, told = run(path, "P01", "--yes", "--erase-unreadable", "--certificate", tmp_path / "proof", "--json")
    assert code == 0, told
    said = json.loads((tmp_path / "proof.json").read_text())
    assert said["withdrawn"] == "P01"
    assert said["study"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    assert said["removed"]["participant"] == {"rows": 1, "blanked": 0}
    assert said["clips"][0]["sha256"] == hashlib.sha256(CLIP).hexdigest()
    assert [(one["recording"], one["deleted"]) for one in said["footage"]] == [(1, False)]
    assert {one["what"] for one in said["backups"]} == {"rewritten", "erased unread"}
    assert [one["sha256"] for one in said["elsewhere"]["sent"]] == ["aa1"]
    assert said["by_hand"] == 1
    plain = (tmp_path / "proof.md").read_text()
    assert "must be deleted" in plain
    assert "1 backup could not be read and was erased unread" in plain
    assert not [form for form in forms([*full.theirs, NAME, full.id("P01")]) if form in plain.encode()]


def test_a_dry_run_changes_nothing_and_names_the_files(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    before = everything(path.parent, cache_folder())
    code, told = run(path, "P01", "--dry-run")
    assert code == 0
    assert "clips/one.mp4" in told
    assert "bak-1" in told
    assert everything(path.parent, cache_folder()) == before


def test_a_backup_that_cannot_be_read_stops_it_before_anything_is_removed(
    lab: tuple[Path, Full], capsys: pytest.CaptureFixture[str]
) -> None:
    path, _ = lab
    broken = broken_backup(path)
    before = everything(path.parent, cache_folder())
    code, told = run(path, "P01", "--dry-run")
    assert (code, f"{broken}: " in told) == (0, True), told
    told = Terminal(capsys)("withdraw", path, "P01", "--yes", "--delete-footage", code=2)
    assert f"“{broken.name}”" in told
    assert "--erase-unreadable" in told
    after = everything(path.parent, cache_folder())
    assert NAME.encode() in after.pop(path)
    assert after == {file: content for file, content in before.items() if file != path}


def test_words_of_their_name_are_found_however_they_are_written_and_what_is_like_them_is_decided(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
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
    code, told = run(path, "P01", "--dry-run", "--json")
    assert code == 0, told
    words = json.loads(told)["words"]
    assert words["found"] == {"annika": 1, "annikas": 1, "Annika": 1, "Rose": 2}
    assert words["left"] == {"rose": 1, "annikalein": 1}
    assert words["undecided"] == ["rose", "annikalein"]
    told = Terminal(capsys)("withdraw", path, "P01", "--yes", code=2)
    assert "“rose”" in told
    assert "“annikalein”" in told
    assert b"then annika laughs" in path.read_bytes()
    Terminal(capsys)("withdraw", path, "P01", "--yes", "--keep", "Rose", code=2)
    code, told = run(path, "P01", "--yes", "--keep", "Rose", "--keep", "annikalein")
    assert code == 0, told
    with Study.open(path, read_only=True) as study:
        assert study.rows("SELECT text FROM utterance WHERE text <> '' ORDER BY text") == [
            ("a rose and annikalein",),
            ("the others",),
        ]


def test_paths_that_name_them_are_forgotten_and_others_stay(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    theirs, others = (path.parent / name for name in (f"of {NAME.split()[0]}", "of somebody else"))
    study_id = full_id(path)
    files: dict[str, Json] = {f"{study_id}/{file.name}": str(file / "own.toml") for file in (theirs, others)}
    recent = tuple(str(file / "old.greenroom") for file in (theirs, others))
    save_settings(Settings(recent=recent, scheme_files=files, theme="dark"))
    add_trusted(study_id, TrustKind.FOLDER, [str(theirs), str(others)])
    add_trusted(study_id, TrustKind.MODEL, [str(theirs / "small.gguf")])
    code, told = run(path, "P01", "--dry-run")
    assert str(theirs / "small.gguf") in told
    code, told = run(path, "P01", "--yes", "--certificate", path.with_name("proof"))
    assert code == 0, told
    assert holding([NAME, theirs.name], user_config_path("greenroom")) == []
    kept = load_settings()
    assert (kept.theme, kept.recent, [*kept.scheme_files.values()]) == ("dark", recent[1:], [str(others / "own.toml")])
    assert (read_trusted(study_id, TrustKind.FOLDER), read_trusted(study_id, TrustKind.MODEL)) == ((str(others),), ())
    said = json.loads(path.with_name("proof.json").read_text())
    assert (said["forgotten_paths"], said["elsewhere"]["named_by_path"]) == (4, False)


def test_a_home_that_is_called_like_them_is_the_users(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/anna")
    wording = IdentifyingTerms(["Anna"])
    paths = ("/home/anna/study.greenroom", "/home/anna/anna_1.mp4", "/media/anna/study.greenroom")
    assert [names_person(path, wording) for path in paths] == [False, True, True]


def test_a_study_whose_own_path_names_them_is_told_of_without_the_name(tmp_path: Path) -> None:
    made(tmp_path)
    path = Path(shutil.copyfile(tmp_path / "study.greenroom", tmp_path / f"{NAME}.greenroom"))
    (tmp_path / "study.greenroom").unlink()
    code, told = run(path, "P01", "--dry-run")
    assert "rename it" in told
    code, told = run(path, "P01", "--yes", "--certificate", tmp_path / "proof")
    assert code == 0, told
    assert json.loads((tmp_path / "proof.json").read_text())["elsewhere"]["named_by_path"] is True
    assert NAME not in (tmp_path / "proof.md").read_text()


def test_a_certificate_never_holds_a_pseudonym_that_is_a_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made(tmp_path)
    path = Path(shutil.move(tmp_path / "study.greenroom", tmp_path / "Zyxanna.greenroom"))
    with Study.open(path) as study, study.step("Rename"):
        study.write("UPDATE participant SET pseudonym = ? WHERE pseudonym = 'P01'", (NAME,))
    shutil.copyfile(path, path.with_name(f"{path.name}.bak-1"))
    greenroom_says = Terminal(capsys)
    told = greenroom_says("withdraw", path, NAME, "--yes", "--certificate", tmp_path / "of zquellbach", code=2)
    assert "name of the certificate" in told
    code, told = run(path, NAME, "--yes", "--keep-rest")
    assert code == 0, told
    certificates = sorted(tmp_path.glob("*withdrawal of*"))
    assert len(certificates) == 2
    for file in certificates:
        assert file.name.startswith("study, withdrawal of participant-")
        assert not [part for part in NAME.split() if part.lower() in file.read_text().lower()]


def test_exports_beside_the_study_are_named_or_deleted_and_footage_of_others_is_not(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    exports = [path.with_name(name) for name in ("table.csv", "zquellbach.txt", "book.xlsx", "others.csv")]
    for file, text in zip(exports, ("then zyxannaquellbach laughs", "x", "", "nobody"), strict=True):
        file.write_text(text)
    with zipfile.ZipFile(exports[2], "w", zipfile.ZIP_DEFLATED) as book:
        book.writestr("sheet1.xml", f"<v>{NAME}</v>")
    other = path.with_name("zquellbach of others.mp4")
    other.write_bytes(b"footage")
    code, told = run(path, "P01", "--dry-run", "--json")
    assert sorted(json.loads(told)["beside"]) == sorted(map(str, [*exports[:3], other]))
    code, told = run(path, "P01", "--yes", "--delete-beside", "--json")
    assert code == 0, told
    assert [export.exists() for export in (*exports, other)] == [False, False, False, True, True]
    said = json.loads(told)
    assert (said["deleted_beside"], said["searched"]["beside"]["found"]) == (3, 1)


def test_a_copy_that_comes_home_loses_other_spellings_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, full = made(tmp_path)
    copy = Path(shutil.copyfile(path, tmp_path / "copy.greenroom"))
    with Study.open(copy) as study, study.step("Comment"):
        row = ("late", full.id("seg2"), full.id("ada"), "zquellbach laughs, and so do the others", "2026", 0)
        study.write("INSERT INTO comment VALUES (?, ?, ?, ?, ?, ?)", row)
    greenroom_says = Terminal(capsys)
    greenroom_says("withdraw", path, "P01", "--yes")
    greenroom_says("merge", path, copy)
    assert b"quellbach" not in path.read_bytes().lower()
    assert check_study(path) == []


def test_without_a_confirmation_nothing_is_removed(lab: tuple[Path, Full]) -> None:
    path, full = lab
    code, told = run(path, "P01")
    assert code == 1 or "confirmed" in told
    assert holding([full.theirs[0]], path.parent)


def test_footage_that_is_not_what_was_added_is_never_deleted(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    with Study.open(path) as study:
        place = path.parent / str(study.rows("SELECT path FROM medium ORDER BY recording_id")[0][0])
    place.write_bytes(b"something else")
    run(path, "P01", "--yes", "--delete-footage")
    assert place.read_bytes() == b"something else"


def test_somebody_who_is_not_there_is_not_removed(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    code, _ = run(path, "P99", "--yes")
    assert code != 0
    assert not path.with_name("study, withdrawal of P99.md").exists()


def test_an_exported_file_does_not_bring_them_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = made(tmp_path)
    greenroom_says = Terminal(capsys)
    with Study.open(path) as study, study.step("Give back"):
        study.write("DELETE FROM hold_out", ())
    greenroom_says("export", path, "--out", tmp_path / "all.jsonl", "--format", "jsonl")
    greenroom_says("withdraw", path, "P01", "--yes")
    assert "P01 withdrew" in greenroom_says("import", path, tmp_path / "all.jsonl", code=2)


def test_a_sealed_study_stays_sealed_with_its_backups(tmp_path: Path) -> None:
    path, full = made(tmp_path)
    backup = Path(shutil.copyfile(path, path.with_name(f"{path.name}.bak-1")))
    seal_study(path, "a long passphrase")
    code, told = run(path, "P01", "--yes")
    assert code == 0, told
    assert is_sealed(path)
    assert is_sealed(backup)
    assert check_study(path) == []
    assert check_study(backup) == []
    unseal_study(path)
    assert holding([*full.theirs, NAME, SPOKEN, full.id("P01")], tmp_path) == []
    assert [text for text in full.others if text.encode() in path.read_bytes()]


def test_a_backup_from_before_they_were_found_in_a_recording_loses_it_too(tmp_path: Path) -> None:
    path = tmp_path / "study.greenroom"
    with Study.create(path, "A study") as study, study.step("Add"):
        study.write("INSERT INTO collection VALUES ('c', 'c', '')", ())
        study.write("INSERT INTO recording VALUES ('r', 'c', 1, 'one', 60000000)", ())
        study.write("INSERT INTO medium VALUES ('m', 'r', 'main', 0, 0, 'secret place.mp4', 'ab', ?)", (_FACTS,))
        study.write("INSERT INTO utterance VALUES ('u', 'r', NULL, 1, 9, ?, '[]', 0, 1)", (SPOKEN,))
    backup = Path(shutil.copyfile(path, path.with_name(f"{path.name}.bak-1")))
    with Study.open(path) as study, study.step("Say who it is"):
        study.write("INSERT INTO participant VALUES ('p', 'P01', 'user', '')", ())
        study.write("INSERT INTO appearance VALUES ('r', 'p')", ())
        study.write("UPDATE utterance SET participant_id = 'p'", ())
    code, told = run(path, "P01", "--yes")
    assert code == 0, told
    assert backup.exists()
    assert check_study(backup) == []
    assert holding([SPOKEN, "secret place"], tmp_path) == []


def test_footage_that_was_linked_before_is_theirs_too(lab: tuple[Path, Full]) -> None:
    path, full = lab
    folder = path.parent
    (folder / "first take.mp4").write_bytes(b"the first take")
    _cache(f"thumbnails/{fingerprint(folder / 'first take.mp4')}.png")
    with Study.open(path) as study:
        later = study.rows("SELECT path, fingerprint FROM medium WHERE id = ?", (full.id("med1"),))[0]
        for place, what in (("first take.mp4", fingerprint(folder / "first take.mp4")), later):
            with study.step("Relink"):
                study.write("UPDATE medium SET path = ?, fingerprint = ? WHERE id = ?", (place, what, full.id("med1")))
    code, told = run(path, "P01", "--yes", "--delete-footage")
    assert code == 0, told
    assert not (folder / "first take.mp4").exists()
    assert len([*(cache_folder() / "thumbnails").iterdir()]) == 1


def test_copies_under_names_of_their_own_are_named_and_left(tmp_path: Path) -> None:
    path, _ = made(tmp_path)
    (tmp_path / "before").mkdir()
    copies = [tmp_path / name for name in ("study of may.greenroom", "study.greenroom~", "before/study.greenroom")]
    for copy in copies:
        shutil.copyfile(path, copy)
    with Study.create(tmp_path / "another.greenroom", "Another"):
        pass
    code, told = run(path, "P01", "--dry-run", "--json")
    assert code == 0, told
    assert sorted(json.loads(told)["copies"]) == sorted(map(str, copies))
    code, told = run(path, "P01", "--yes", "--certificate", tmp_path / "proof")
    assert code == 0, told
    assert "before/study.greenroom is a copy of the study" in told
    assert json.loads((tmp_path / "proof.json").read_text())["elsewhere"]["copies_on_this_machine"] == 3
    assert all(NAME.encode() in copy.read_bytes() for copy in copies)


def test_a_release_is_listed_for_whoever_withdraws_next_too(lab: tuple[Path, Full]) -> None:
    path, full = lab
    with Study.open(path) as study:
        recording = full.id("rec1")
        assert ("P02",) in study.rows("SELECT pseudonym FROM participant")
        for number, name in enumerate(("for the board", f"with {NAME}")):
            result = json.dumps({"output": name, "released": True, "outcomes": [NAME]})
            with study.run_transaction():
                study.write_run(
                    "INSERT INTO run VALUES (?, ?, 'release', '', ?, ?, '2026', '1')",
                    [(f"release{number}", recording, json.dumps({"plan": NAME}), result)],
                )
    listed = []
    for who in ("P01", "P02"):
        code, told = run(path, who, "--yes", "--json", "--certificate", path.with_name(f"{who} proof"))
        assert code == 0, told
        made = json.loads(told)["elsewhere"]["releases"]
        listed.append([one["at"] for one in made if one["kind"] == "release" and one["recording"] == 1])
    assert listed[0] == listed[1]
    assert len(listed[0]) >= 2
    assert check_study(path) == []
    assert NAME.encode() not in path.read_bytes()


def test_copies_with_annotations_alone_are_named(lab: tuple[Path, Full], capsys: pytest.CaptureFixture[str]) -> None:
    path, _ = lab
    greenroom_says = Terminal(capsys)
    for name in ("for the board", f"of {NAME}"):
        greenroom_says("scrub", path, "--out", path.parent.parent / f"{name}.greenroom")
    code, told = run(path, "P01", "--yes", "--json")
    assert code == 0, told
    said = json.loads(told)
    assert [one["name"] for one in said["elsewhere"]["shared"]] == ["for the board.greenroom", ""]
    assert "for the board.greenroom" in Path(said["certificate"]).read_text()
    assert holding([NAME], path.parent) == []


def test_unfinished_renderings_of_killed_processes_go_and_those_that_are_written_stay(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    left, busy = (path.parent / "clips" / f".greenroom-host-{name}.part.mp4" for name in ("left", "busy"))
    left.write_bytes(CLIP)
    busy.write_bytes(CLIP)
    killed, living = (path.parent / f".greenroom-release-{name}" for name in ("killed", "living"))
    for folder in (killed, living):
        folder.mkdir()
        (folder / "all.mp4").write_bytes(CLIP)
    held = os.open(living, os.O_RDONLY)
    with busy.open("rb") as written:
        fcntl.flock(written, fcntl.LOCK_EX)
        fcntl.flock(held, fcntl.LOCK_EX)
        code, told = run(path, "P01", "--yes")
    os.close(held)
    assert code == 0, told
    assert (left.exists(), busy.exists()) == (False, True)
    assert ((killed / "all.mp4").exists(), (living / "all.mp4").exists()) == (False, True)
    for place in (busy, living):
        assert f"{place.name} is being written by another process" in told


@pytest.mark.parametrize("pointed", [False, True])
def test_a_study_from_a_stranger_deletes_no_file_outside_its_folder(lab: tuple[Path, Full], pointed: bool) -> None:
    path, full = lab
    outside = path.parent.parent / "outside.mp4"
    outside.write_bytes(b"what a stranger knows the fingerprint of")
    with Study.open(path) as study, study.step("Relink"):
        study.write(
            "UPDATE medium SET path = ?, fingerprint = ? WHERE id = ?",
            ("../outside.mp4", fingerprint(outside), full.id("med1")),
        )
    if pointed:
        add_trusted(full_id(path), TrustKind.FOLDER, containing_folders(outside))
    code, told = run(path, "P01", "--yes", "--delete-footage")
    assert code == 0, told
    assert outside.exists() is not pointed


def test_what_links_beside_a_study_lead_to_is_not_erased(lab: tuple[Path, Full]) -> None:
    path, _ = lab
    private = path.parent.parent / "private"
    private.mkdir()
    (private / "copy").write_text("mine")
    for name in (".study.greenroom.abcdefgh", ".study.x", "study (before version 2).greenroom"):
        path.with_name(name).symlink_to(private / "copy" if name.endswith(").greenroom") else private)
    path.with_name(".study.greenroom.file").symlink_to(private / "copy")
    code, told = run(path, "P01", "--yes")
    assert code == 0, told
    assert (private / "copy").read_text() == "mine"


def test_what_a_killed_reader_left_is_erased_where_a_study_is_sealed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, _ = made(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    left = tmp_path / "temporary" / "greenroom-scratch-abc"
    left.mkdir(parents=True)
    shutil.copyfile(path, left / "copy")
    seal_with_caches(path, lambda: "a long passphrase")
    assert is_sealed(path)
    assert holding([NAME, SPOKEN], tmp_path) == []


_FACTS = json.dumps(
    {"container": "mp4", "duration_us": 60_000_000, "size_bytes": 1, "video": None, "audio": None, "missing_us": 0}
)


def test_copies_of_the_footage_are_listed_whatever_they_are_called(lab: tuple[Path, Full]) -> None:
    path, full = lab
    clip = make_clip(path.parent / "footage" / "real.mp4", size=(64, 48), frames=30)
    with Study.open(path) as study, study.step("Relink"):
        study.write(
            "UPDATE medium SET path = 'footage/real.mp4', fingerprint = ? WHERE recording_id = ?",
            (fingerprint(clip), full.id("rec1")),
        )
    shutil.copyfile(clip, path.parent / "session two.mov")
    shutil.copyfile(clip, path.parent / "backup of monday")
    remuxed(clip, path.parent / "clips" / "other.mkv")
    make_clip(path.parent / "clips" / "somebody else.mp4", size=(80, 48), frames=30)
    names = ("session two.mov", "backup of monday", "other.mkv")
    code, told = run(path, "P01", "--dry-run", "--json")
    assert code == 0, told
    assert {Path(load).name for load in json.loads(told)["footage_copies"]} == {*names}
    code, told = run(path, "P01", "--yes", "--keep-rest", "--delete-footage")
    assert code == 0, told
    assert not clip.exists()
    for name in names:
        assert f"{name} begins with the same pictures or sound: delete it where it is theirs." in told
    certificate = next(path.parent.glob("*withdrawal of P01.md")).read_text()
    assert "3 further files beside the study with the same pictures or sound at the beginning" in certificate
    assert not any(name in certificate for name in names)


def _wave(path: Path, level: int) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, 16_000, 0, "NONE", ""))
        file.writeframes(bytes(2 * 64_000) + level.to_bytes(2, "little") * 64_000)
    return path


def test_another_recording_that_begins_as_silent_is_no_copy(lab: tuple[Path, Full]) -> None:
    path, full = lab
    theirs, other = (_wave(path.parent / f"{name}.wav", level) for level, name in ((7, "a"), (9, "b")))
    with Study.open(path) as study, study.step("Relink"):
        for file, recording in ((theirs, "rec1"), (other, "rec2")):
            study.write(
                "UPDATE medium SET path = ?, fingerprint = ? WHERE recording_id = ?",
                (file.name, fingerprint(file), full.id(recording)),
            )
    _wave(path.parent / "c.wav", 7)
    code, told = run(path, "P01", "--dry-run", "--json")
    assert code == 0, told
    assert [Path(load).name for load in json.loads(told)["footage_copies"]] == ["c.wav"]


def test_a_certificate_waits_in_the_place_of_no_other(tmp_path: Path) -> None:
    study = tmp_path / "study.greenroom"
    for number in (1, 2):
        PendingCertificate(free_pending_path(study), f"P0{number}", "2026", "Lab", "text", {}).store()
    (first, _) = list_pending(study)
    first.file.unlink()
    PendingCertificate(free_pending_path(study), "P03", "2027", "Lab", "text", {}).store()
    assert {certificate.person for certificate in list_pending(study)} == {"P02", "P03"}


def test_what_a_killed_writer_of_a_certificate_left_goes_when_it_is_written(tmp_path: Path) -> None:
    study = tmp_path / "lab.greenroom"
    waits = PendingCertificate(free_pending_path(study), "P01", "2026", "lab, withdrawal of P01", "text", {})
    left = [tmp_path / f".{file}.4711.sealing" for file in (waits.file.name, f"{waits.name}.json", f"{waits.name}.md")]
    for file in left:
        file.write_text("half of a certificate")
    waits.store()
    written = waits.publish()
    assert sorted(tmp_path.iterdir()) == sorted(written)


def test_what_a_killed_withdrawal_left_beside_the_study_goes_with_the_next_command(lab: tuple[Path, Full]) -> None:
    study, _ = lab
    left = study.with_name(f".{study.name}.4fd6tmfu")
    left.mkdir()
    (left / "study.greenroom").write_bytes(study.read_bytes())
    publish_pending(study)
    assert not left.exists()
