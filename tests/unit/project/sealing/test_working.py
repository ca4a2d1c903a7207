"""A sealed study while it is open: nothing in the clear on disk, nothing committed is lost."""

import errno
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.encryption.commit_log import log_path
from project.entities.study_records import Annotator
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.sharing.annotator_copy import AnnotatorShare, split_copy
from project.store.backups import backup_paths
from project.store.encryption_change import seal_study
from project.store.study import Study
from tests.builders.encrypted_study import PASSPHRASE, SECRET, found_on
from tests.contract.documentation import ROOT


@pytest.fixture
def sealed(path: Path) -> Path:
    seal_study(path, PASSPHRASE)
    return path


def _edit(study: Study, value: object) -> None:
    with study.step("Edit"):
        study.set_property("word", f"{SECRET} {value}")


def test_the_disk_never_holds_it_in_the_clear(sealed: Path, quick_and_alone: Path) -> None:
    disk = sealed.parent
    with Study.open(sealed) as study:
        assert study.get_property("secret") == SECRET
        assert (study.path, study.folder, study.read_only) == (sealed, disk, False)
        for number in range(30):
            _edit(study, number)
            assert found_on(disk) == []
        study.undo()
        assert found_on(quick_and_alone), "the test looks in the wrong place"
        cache_folder().joinpath("thumbnail").write_text(SECRET)
    assert found_on(disk.parent) == [], "something was left in the clear after closing"
    assert [path.name for path in disk.iterdir()] == [sealed.name]
    with Study.open(sealed) as study:
        assert study.get_property("word") == f"{SECRET} 28"
    assert check_study(sealed) == []


def test_a_private_folder_is_for_its_owner_alone(sealed: Path, quick_and_alone: Path) -> None:
    with Study.open(sealed):
        for place in quick_and_alone.rglob("*"):
            assert place.stat().st_mode & 0o077 == 0 or place.parent.stat().st_mode & 0o077 == 0, place
        (root,) = quick_and_alone.iterdir()
        assert root.stat().st_mode & 0o777 == 0o700
    root.chmod(0o755)
    with pytest.raises(UserError, match="private"):
        Study.open(sealed)
    root.chmod(0o700)


_KILLED = """
import os, sys
from pathlib import Path
from project.store.study import Study
study = Study.open(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    with study.step("Edit"):
        study.set_property("word", number)
    print(number, flush=True)
with study.step("Half"):
    study.set_property("word", "not committed")
    os.kill(os.getpid(), 9)
"""


@pytest.mark.parametrize(
    "edits", [pytest.param(0, marks=pytest.mark.soak), 2, pytest.param(40, marks=pytest.mark.soak)]
)
def test_nothing_committed_is_lost_when_it_is_killed(sealed: Path, tmp_path: Path, edits: int) -> None:
    words = tmp_path / "words"
    words.write_text(PASSPHRASE)
    environment = {**os.environ, passphrases.PASSPHRASE_FILE_VARIABLE: str(words)}
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(sealed), str(edits)],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -9, done.stderr
    assert found_on(sealed.parent) == []
    assert log_path(sealed).exists()
    with Study.open(sealed, read_only=True) as study:
        assert study.get_property("word") == (edits - 1 if edits else None)
    with Study.open(sealed) as study:
        assert study.get_property("word") == (edits - 1 if edits else None)
        _edit(study, "on")
        study.undo()
    assert check_study(sealed) == []
    assert not log_path(sealed).exists()


def test_what_a_killed_process_left_in_memory_goes_at_the_next_opening(sealed: Path, quick_and_alone: Path) -> None:
    left = quick_and_alone / f"greenroom-{os.getuid()}" / "left"
    with Study.open(sealed):
        pass
    left.mkdir()
    (left / "lock").touch()
    (left / "study.greenroom").write_text(SECRET)
    with Study.open(sealed):
        assert not left.exists()


@pytest.mark.parametrize("in_another_process", [False, True])
def test_two_openers_one_writes_and_the_other_sees_it(
    sealed: Path, monkeypatch: pytest.MonkeyPatch, in_another_process: bool
) -> None:
    with Study.open(sealed) as first:
        _edit(first, 1)
        if in_another_process:
            monkeypatch.setattr("project.files.temporary_files.find_decrypted_copy", lambda _: None)
        with Study.open(sealed) as second:
            assert second.read_only
            assert "open in another window" in second.read_only_reason
            assert second.get_property("word") == f"{SECRET} 1"
            _edit(first, 2)
            assert second.get_property("word") == f"{SECRET} {1 if in_another_process else 2}"
        _edit(first, 3)
    with Study.open(sealed) as again:
        assert again.get_property("word") == f"{SECRET} 3"


def test_a_long_session_is_sealed_on_the_way(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.store.decrypted_copy._MAX_LOG_BYTES", 100_000)
    before = sealed.read_bytes()
    study = Study.open(sealed)
    reader = Study.open(sealed)
    for number in range(60):
        _edit(study, number)
        if number == 30:
            reader.close()
        assert reader._closed or reader.get_property("word") == f"{SECRET} {number}"
    assert sealed.read_bytes() != before
    assert log_path(sealed).stat().st_size < 20_000_000
    copy = sealed.with_name("copy.greenroom")
    copy.write_bytes(sealed.read_bytes())
    log_path(copy).write_bytes(log_path(sealed).read_bytes())
    with Study.open(copy, read_only=True) as killed:
        assert killed.get_property("word") == f"{SECRET} 59"
    study.close()
    with Study.open(sealed) as again:
        assert again.get_property("word") == f"{SECRET} 59"


def test_a_full_disk_refuses_the_edit_and_loses_none(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with Study.open(sealed) as study:
        _edit(study, 1)
        monkeypatch.setattr("project.encryption.commit_log._MIN_FREE_BYTES", 1 << 40)
        monkeypatch.setattr(os, "posix_fallocate", full)
        with pytest.raises(UserError, match="no room left"):
            _edit(study, 2)
        assert study.get_property("word") == f"{SECRET} 1"


def test_no_room_in_memory_is_told(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.files.temporary_files._free_bytes", lambda _: 1_000_000)
    with pytest.raises(UserError, match="in memory") as told:
        Study.open(sealed)
    assert "GREENROOM_SEALED_FOLDER" in told.value.hint
    assert [path.name for path in sealed.parent.iterdir()] == [sealed.name]


def test_the_passphrase_is_asked_until_it_fits_or_nobody_answers(sealed: Path) -> None:
    passphrases._keys.clear()
    asked: list[str] = []
    answers = iter(["wrong", PASSPHRASE])

    def ask(path: Path, why: str) -> str | None:
        asked.append(why)
        return next(answers, None)

    passphrases.set_asker(ask)
    with Study.open(sealed) as study:
        assert study.get_property("secret") == SECRET
    assert len(asked) == 2
    assert asked[0] == ""
    assert "not the passphrase" in asked[1]
    passphrases._keys.clear()
    with pytest.raises(UserError, match="no passphrase"):
        Study.open(sealed)


def test_caches_are_in_memory_while_it_is_open(sealed: Path, quick_and_alone: Path) -> None:
    usual = cache_folder()
    with Study.open(sealed):
        assert quick_and_alone in cache_folder().parents
        with Study.open(sealed, read_only=True):
            pass
        assert quick_and_alone in cache_folder().parents, "the second reader took the caches with it"
    assert cache_folder() == usual


def test_a_backup_of_a_sealed_study_is_sealed(sealed: Path) -> None:
    os.utime(sealed, (0, 0))
    with Study.open(sealed, backups=3) as study:
        _edit(study, 1)
    (backup,) = backup_paths(sealed)
    assert found_on(sealed.parent) == []
    with Study.open(backup, read_only=True) as before:
        assert before.get_property("word") is None
    for path in (sealed, backup):
        os.utime(path, (time.time() - 3600,) * 2)
    with Study.open(sealed, backups=3):
        pass
    with Study.open(sealed, backups=3):
        pass
    assert len(backup_paths(sealed)) == 2, "nothing was changed in between"


def test_a_copy_for_an_annotator_is_sealed_as_the_study(sealed: Path) -> None:
    annotator = Annotator("0198a000-0000-7000-8000-000000000001", "Bo")
    with Study.open(sealed) as study:
        with study.step("Introduce"):
            study.write("INSERT INTO annotator VALUES (?, ?, 'person')", (annotator.id, annotator.name))
        made = split_copy(study, AnnotatorShare(annotator, ()), sealed.with_name("copy"))
        assert found_on(sealed.parent) == []
    assert check_study(made.path) == []
    assert found_on(sealed.parent) == []
