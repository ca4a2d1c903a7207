"""Files that are no study, or no longer one: a clear message, and nothing is written before the pages are checked."""

import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from project.errors import UserError
from project.integrity.integrity_check import check_study
from project.queries.history_rows import latest_run
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.small_study import furnish
from tests.builders.waiting import HANG_S


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.greenroom"
    with Study.create(path) as study:
        fill_study(study, recordings=3, segments=120)
    return path.read_bytes()


def with_sql(sql: str) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with closing(sqlite3.connect(path)) as connection:
            connection.executescript(sql)

    return change


def cut(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def scribble(start: int, length: int) -> Callable[[Path], None]:
    def change(path: Path) -> None:
        with path.open("r+b") as file:
            file.seek(start)
            file.write(b"\xa5" * length)

    return change


def replaced(content: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "zero bytes": (cut(0), "empty"),
    "text": (replaced(b"hello world\n" * 50), "not a study"),
    "another program's": (with_sql("PRAGMA application_id = 7"), "another program"),
    "cut in the middle": (cut(100_000), "damaged"),
    "cut by a byte": (lambda path: os.truncate(path, path.stat().st_size - 1), "damaged"),
    "schema overwritten": (scribble(110, 3900), "damaged"),
    "pages overwritten": (scribble(4096 * 22, 4096 * 3), "damaged"),
    "newer": (with_sql("PRAGMA user_version = 99"), "newer version"),
    "no version": (with_sql("PRAGMA user_version = 0"), "damaged"),
    "trigger": (with_sql("CREATE TRIGGER t AFTER INSERT ON segment BEGIN DELETE FROM segment; END"), "trigger “t”"),
    "view": (with_sql("CREATE VIEW v AS SELECT 1"), "view “v”"),
    "virtual table": (with_sql("CREATE VIRTUAL TABLE f USING fts5(x)"), "virtual table “f”"),
    "table missing": (with_sql("DROP TABLE consent"), "consent"),
}


@pytest.mark.parametrize("case", BAD)
def test_nothing_is_changed(tmp_path: Path, whole: bytes, case: str) -> None:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    change, message = BAD[case]
    change(path)
    before = path.read_bytes()
    for read_only in (False, True):
        with pytest.raises(UserError, match=message) as error:
            Study.open(path, read_only=read_only)
        assert error.value.hint
        assert "\n" not in error.value.message
    assert check_study(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    return path


def _spoil(path: Path, table: str) -> None:
    """Overwrite the first page of a table, which opening alone does not read."""
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    scribble((page - 1) * 4096, 64)(path)


def _open(path: Path) -> tuple[Study, threading.Event]:
    ended = threading.Event()
    return Study.open(path, when_checked=ended.set), ended


def test_a_sound_study_is_written_to_after_the_check(path: Path, whole: bytes) -> None:
    study, ended = _open(path)
    with study:
        assert ended.wait(HANG_S)
        assert path.read_bytes() == whole, "opening wrote to a file that was not known to be well"
        study.finish_opening()
        study.finish_opening()
    assert path.read_bytes()[18] == 1, "the file must not be left with a log"
    study, ended = _open(path)
    with study, study.step("x"):
        assert ended.is_set(), "a step waits for the check"
        study.set_property("x", 1)
    assert [p.name for p in path.parent.iterdir()] == ["a.greenroom"]
    with Study.open(path) as again:
        assert again.get_property("x") == 1


def test_a_damaged_study_is_never_written_to(path: Path) -> None:
    _spoil(path, "segment_value")
    before = path.read_bytes()
    study, ended = _open(path)
    with study:
        for _ in range(2):
            with pytest.raises(UserError, match="damaged"), study.step("x"):
                study.set_property("x", 1)
        with pytest.raises(UserError, match="damaged"):
            study.finish_opening()
        assert ended.wait(HANG_S)
    assert path.read_bytes() == before
    assert [p.name for p in path.parent.iterdir()] == ["a.greenroom"]


def test_what_a_killed_process_left_is_checked_before_opening(path: Path) -> None:
    _spoil(path, "segment_value")
    path.with_name("a.greenroom-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4000))
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(UserError, match="damaged"):
        _open(path)
    assert check_study(path)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "a.greenroom") as study:
        small = furnish(study)
        small.add()
        study.undo()
        study.redo()
    return tmp_path / "a.greenroom"


def test_a_good_study_has_no_problems_also_while_it_is_open(edited: Path) -> None:
    before = edited.read_bytes()
    assert check_study(edited) == []
    assert edited.read_bytes() == before
    with Study.open(edited) as study:
        names = sorted(p.name for p in edited.parent.iterdir())
        with study.step("x"):
            study.set_property("x", 1)
        assert check_study(edited) == []
        assert sorted(p.name for p in edited.parent.iterdir()) == names


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE segment SET end_us = 70000000", "reaches outside its recording"),
        ("UPDATE segment SET end_us = 1500000", "not what the history says"),
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE segment SET end_us = start_us - 1",
            "ends before it starts",
        ),
        ("INSERT INTO segment_value VALUES ('nobody', 's', 1, 'f', '1')", "belongs to no segment"),
        ("INSERT INTO segment_value SELECT id, 's', 1, 'f', '{' FROM segment", "not JSON"),
        ("UPDATE journal_step SET undo_top = 99 WHERE id = 2", "points to one that is not there"),
        (
            "INSERT INTO medium SELECT 'm', id, 'main', 0, 0, 'x', '', '{}' FROM recording",
            "the media files cannot be read",
        ),
        ("INSERT INTO recording SELECT 'r', collection_id, number, '', 0 FROM recording", "the same number"),
    ],
)
def test_each_problem_is_named(edited: Path, sql: str, message: str) -> None:
    with closing(sqlite3.connect(edited)) as connection:
        connection.executescript(sql)
    before = edited.read_bytes()
    found = check_study(edited)
    assert any(message in line for line in found), found
    assert not any("\n" in line for line in found)
    assert edited.read_bytes() == before
    assert [file.name for file in edited.parent.iterdir()] == [edited.name]


def test_what_is_kept_in_another_form_is_named_when_it_is_read(edited: Path) -> None:
    run = "INSERT INTO run SELECT 'x', id, 'faces', 'solid', '{}', '[]', '2026-01-01', '1' FROM recording;"
    with_sql(f"{run} INSERT INTO property VALUES ('release_plan', 'raw')")(edited)
    with Study.open(edited, read_only=True) as study:
        with pytest.raises(UserError, match="release_plan"):
            study.get_property("release_plan")
        with pytest.raises(UserError, match="damaged"):
            latest_run(study, all_recordings(study)[0].id, "faces")
