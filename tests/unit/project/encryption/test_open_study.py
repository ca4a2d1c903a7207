"""An encrypted study while it is open: nothing in the clear on disk, nothing committed is lost."""

import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from project.encryption import passphrases
from project.entities.study_records import Annotator
from project.errors import UserError
from project.files.temporary_files import cache_folder
from project.integrity.integrity_check import check_study
from project.sharing.annotator_copy import AnnotatorShare, split_copy
from project.store.backups import backup_paths
from project.store.encryption_change import encrypt_study
from project.store.study import Study
from tests.builders.encrypted_study import PASSPHRASE, SECRET, found_on
from tests.contract.documentation import ROOT


@pytest.fixture
def encrypted(path: Path) -> Path:
    encrypt_study(path, PASSPHRASE)
    return path


def _edit(study: Study, value: object) -> None:
    with study.step("Edit"):
        study.set_property("word", f"{SECRET} {value}")


def test_the_disk_never_holds_it_in_the_clear(encrypted: Path, memory: Path) -> None:
    disk, seen = encrypted.parent, set[str]()
    with Study.open(encrypted) as study:
        assert study.get_property("secret") == SECRET
        assert (study.path, study.folder, study.read_only) == (encrypted, disk, False)
        for number in range(10):
            _edit(study, number)
            assert found_on(disk) == []
            seen |= {path.name for path in disk.iterdir()}
        with study.bulk_mode(), study.atomic():
            _edit(study, SECRET * 20_000)
            assert found_on(disk) == []
        study.undo()
        study.undo()
        cache_folder().joinpath("thumbnail").write_text(SECRET)
        assert found_on(memory), "the test looks in the wrong place"
    assert seen == {encrypted.name, f"{encrypted.name}-wal", f"{encrypted.name}-shm", f"{encrypted.name}.lock"}
    assert found_on(disk.parent) == [], "something was left in the clear after closing"
    assert [path.name for path in disk.iterdir()] == [encrypted.name]
    with pytest.raises(sqlite3.DatabaseError, match="not a database"), closing(sqlite3.connect(encrypted)) as other:
        other.execute("SELECT * FROM property")
    with Study.open(encrypted) as study:
        assert study.get_property("word") == f"{SECRET} 8"
    assert check_study(encrypted) == []


def test_a_rollback_journal_is_encrypted_too(encrypted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.store.study.is_on_network", lambda _: True)
    with Study.open(encrypted) as study:
        for number in range(5):
            _edit(study, number)
        with study.step("Half"):
            study.set_property("word", SECRET * 300_000)
            study._connection.execute("PRAGMA cache_spill = 1")
            assert encrypted.with_name(f"{encrypted.name}-journal").exists()
            assert found_on(encrypted.parent) == []


_KILLED = """
import os, sys
from pathlib import Path
from project.store.study import Study
from tests.builders.cheap_key import make_keys_cheap
make_keys_cheap()
study = Study.open(Path(sys.argv[1]))
for number in range(2):
    with study.step("Edit"):
        study.set_property("word", number)
with study.step("Half"):
    study.set_property("word", "not committed")
    os.kill(os.getpid(), 9)
"""


def test_nothing_committed_is_lost_when_it_is_killed(encrypted: Path, tmp_path: Path) -> None:
    words = tmp_path / "words"
    words.write_text(PASSPHRASE)
    environment = {**os.environ, passphrases.PASSPHRASE_FILE_VARIABLE: str(words)}
    command = [sys.executable, "-c", _KILLED, str(encrypted)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == -9, done.stderr
    assert found_on(encrypted.parent) == []
    assert encrypted.with_name(f"{encrypted.name}-wal").exists()
    with Study.open(encrypted, read_only=True) as study:
        assert study.get_property("word") == 1
    with Study.open(encrypted) as study:
        assert study.get_property("word") == 1
        _edit(study, "on")
        study.undo()
    assert check_study(encrypted) == []
    assert [path.name for path in encrypted.parent.iterdir()] == [encrypted.name]


def test_no_room_in_memory_is_told(encrypted: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("project.files.temporary_files._free_bytes", lambda _: 1_000_000)
    with pytest.raises(UserError, match="in memory") as told:
        Study.open(encrypted)
    assert "GREENROOM_PRIVATE_FOLDER" in told.value.hint
    assert [path.name for path in encrypted.parent.iterdir()] == [encrypted.name]


def test_the_passphrase_is_asked_until_it_fits_or_nobody_answers(encrypted: Path) -> None:
    passphrases._keys.clear()
    asked: list[str] = []
    answers = iter(["wrong", PASSPHRASE])

    def ask(path: Path, why: str) -> str | None:
        asked.append(why)
        return next(answers, None)

    passphrases.set_asker(ask)
    with Study.open(encrypted) as study:
        assert study.get_property("secret") == SECRET
    assert len(asked) == 2
    assert asked[0] == ""
    assert "not the passphrase" in asked[1]
    passphrases._keys.clear()
    with pytest.raises(UserError, match="no passphrase"):
        Study.open(encrypted)


def test_caches_are_in_private_memory_while_it_is_open(encrypted: Path, memory: Path) -> None:
    usual = cache_folder()
    with Study.open(encrypted):
        own = cache_folder()
        assert memory in own.parents
        (root,) = memory.iterdir()
        assert root.stat().st_mode & 0o777 == 0o700
        with Study.open(encrypted) as second:
            assert "open in another window" in second.read_only_reason
            assert second.get_property("secret") == SECRET
            assert cache_folder() == own
        assert (cache_folder(), own.is_dir()) == (own, True), "the second reader took the caches with it"
    assert cache_folder() == usual
    left = root / "left by a killed process"
    left.mkdir()
    with Study.open(encrypted):
        assert not left.exists()
    root.chmod(0o755)
    with pytest.raises(UserError, match="private"):
        Study.open(encrypted)
    root.chmod(0o700)


def test_a_backup_of_an_encrypted_study_is_encrypted(encrypted: Path) -> None:
    later = datetime.now(UTC) + timedelta(hours=1)
    with Study.open(encrypted, backups=3, clock=lambda: later) as study:
        _edit(study, 1)
    (backup,) = backup_paths(encrypted)
    assert found_on(encrypted.parent) == []
    with Study.open(backup, read_only=True) as before:
        assert before.get_property("word") is None
    os.utime(backup, (time.time() - 3600,) * 2)
    with Study.open(encrypted, backups=3):
        pass
    with Study.open(encrypted, backups=3):
        pass
    assert len(backup_paths(encrypted)) == 2, "nothing was changed in between"


def test_a_copy_for_an_annotator_is_encrypted_as_the_study(encrypted: Path) -> None:
    annotator = Annotator("0198a000-0000-7000-8000-000000000001", "Bo")
    with Study.open(encrypted) as study:
        with study.step("Introduce"):
            study.write("INSERT INTO annotator VALUES (?, ?, 'person')", (annotator.id, annotator.name))
        made = split_copy(study, AnnotatorShare(annotator, ()), encrypted.with_name("copy"))
        assert found_on(encrypted.parent) == []
    assert check_study(made.path) == []
    assert found_on(encrypted.parent) == []
