"""Rolling backups: when one is made, which stay, and what damage, a full disk and a killed process do to them."""

import contextlib
import os
import shutil
import sqlite3
import threading
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.store.backups import add_backup, backup_paths, list_backups
from project.store.study import Study
from tests.builders.clock import Clock
from tests.builders.waiting import HANG_S

_AHEAD = timedelta(hours=1)


@pytest.fixture
def clock() -> Clock:
    """A time of day that is set by hand; it begins an hour after the test does."""
    return Clock(datetime.now(UTC) + _AHEAD)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "a [b].greenroom") as study:
        _edit(study, "first")
    return tmp_path / "a [b].greenroom"


def _edit(study: Study, value: str) -> None:
    with study.step("Edit"):
        study.set_property("word", value)


def _word(path: Path) -> object:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT json_extract(value, '$') FROM property WHERE key = 'word'").fetchone()[0]


def _work(path: Path, clock: Clock, value: str | None, keep: int = 3) -> None:
    with Study.open(path, clock=clock, backups=keep) as study:
        if value is not None:
            _edit(study, value)
    # Files get the time of this machine; the clock of the test is ahead of it.
    for backup in list_backups(path):
        if backup.made < datetime.now(UTC) + _AHEAD / 2:
            os.utime(backup.path, (clock.now.timestamp(),) * 2)


def test_a_backup_is_the_study_as_it_was_opened(path: Path, clock: Clock) -> None:
    path.chmod(0o600)
    _work(path, clock, "second")
    (backup,) = backup_paths(path)
    assert backup == path.with_name(path.name + ".bak-1")
    assert (_word(backup), _word(path)) == ("first", "second")
    assert check_study(backup) == []
    assert backup.stat().st_mode & 0o777 == 0o600
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup.name]


def test_one_is_made_where_something_changed_and_time_passed(path: Path, clock: Clock) -> None:
    now = datetime.now(UTC)
    Study.open(path, clock=lambda: now, backups=3).close()
    assert backup_paths(path) == [], "it was just made"
    _work(path, clock, "second")
    clock.now += timedelta(minutes=9)
    _work(path, clock, None)
    assert len(backup_paths(path)) == 1, "ten minutes have not passed"
    clock.now += timedelta(minutes=2)
    _work(path, clock, None)
    assert [_word(backup_path) for backup_path in backup_paths(path)] == ["second", "first"]
    clock.now += timedelta(days=1)
    _work(path, clock, None)
    assert len(backup_paths(path)) == 2, "nothing changed"
    with Study.open(path) as study, study.run_transaction():
        study.write_run("INSERT INTO egress VALUES (?, 'now', '{}', 'none', 'yes', '')", [("x",)])
    _work(path, clock, None)
    assert len(backup_paths(path)) == 3, "a run is a change, although it is no step"


def test_few_stay_and_they_reach_back(path: Path, clock: Clock) -> None:
    for number in range(18):
        _work(path, clock, str(number), keep=4)
        clock.now += timedelta(days=1)
    kept = list_backups(path)
    assert [backup.number for backup in kept] == [1, 2, 3, 4]
    ages = [(clock.now - backup.made).days for backup in kept]
    assert ages == sorted(ages)
    assert ages[0] <= 1
    assert ages[-1] >= 12, ages
    clock.now += timedelta(days=40)
    _work(path, clock, "x", keep=4)
    assert all(clock.now - backup.made < timedelta(days=60) for backup in list_backups(path)), "an old copy stayed"
    before = backup_paths(path)
    _work(path, clock, None, keep=0)
    assert backup_paths(path) == before, "with none wanted those that are there stay"
    clock.now += timedelta(hours=1)
    _work(path, clock, "y", keep=1)
    assert [_word(backup_path) for backup_path in backup_paths(path)] == ["x"]


def test_a_damaged_study_pushes_no_backup_out(path: Path, clock: Clock) -> None:
    _work(path, clock, "second")
    content = bytearray(path.read_bytes())
    content[4096 * 3 : 4096 * 4] = b"\xa5" * 4096
    path.write_bytes(content)
    clock.now += timedelta(hours=1)
    with pytest.raises(UserError, match="damaged"):
        Study.open(path, clock=clock, backups=3)
    assert [_word(backup_path) for backup_path in backup_paths(path)] == ["first"]


def test_a_full_disk_is_told_and_the_study_is_open(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with Study.open(path, clock=clock, backups=3) as study:
        assert "not backed up" in study.backup_problem.message
        assert "1.0 MB left" in study.backup_problem.message
        _edit(study, "second")
    assert (_word(path), backup_paths(path)) == ("second", [])


def test_a_disk_that_fills_up_leaves_no_half_backup(path: Path, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("project.store.backups.os.fsync", full)
    with Study.open(path, clock=clock, backups=3) as study:
        assert "No space left" in study.backup_problem.message
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_numbers_left_out_by_a_killed_process_are_filled_and_other_files_are_no_backups(
    path: Path, clock: Clock
) -> None:
    for ending in (".bak-0", ".bak-01", ".bak-1x", ".bak", ".bak-12345"):
        path.with_name(path.name + ending).write_bytes(b"x")
    path.with_name(path.name + ".bak-3").symlink_to(path)
    assert backup_paths(path) == []
    for number in (1, 4):
        path.with_name(f"{path.name}.bak-{number}").write_bytes(bytes([number]))
    finished = path.with_name("finished")
    finished.write_bytes(b"\0")
    add_backup(finished, path, 9, clock.now)
    assert [backup_path.read_bytes()[0] for backup_path in backup_paths(path)] == [0, 1, 4]


def test_in_a_window_it_is_made_in_a_thread_while_edits_go_on(path: Path, clock: Clock) -> None:
    checked, ended = threading.Event(), threading.Event()
    study = Study.open(path, clock=clock, when_checked=checked.set, backups=3, when_backed_up=ended.set)
    with study:
        assert checked.wait(HANG_S)
        study.finish_opening()
        _edit(study, "second")
        assert ended.wait(HANG_S)
        assert study.backup_problem is None
        (backup,) = backup_paths(path)
        assert check_study(backup) == []
    assert _word(path) == "second"
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup.name]
