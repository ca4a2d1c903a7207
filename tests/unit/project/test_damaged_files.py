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
        fill_study(study, recordings=5, segments=300)
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
    "short text": (replaced(b"hi"), "not a study"),
    "video": (replaced(b"\0\0\0\x20ftypisom" + bytes(1000)), "not a study"),
    "another program's": (with_sql("PRAGMA application_id = 7"), "another program"),
    "no program's": (with_sql("PRAGMA application_id = 0"), "another program"),
    "cut in the header": (cut(50), "damaged"),
    "cut after one page": (cut(4096), "damaged"),
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


@pytest.mark.parametrize("read_only", [False, True])
@pytest.mark.parametrize("case", BAD)
def test_nothing_is_changed(tmp_path: Path, whole: bytes, case: str, read_only: bool) -> None:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    change, message = BAD[case]
    change(path)
    before = path.read_bytes()
    with pytest.raises(UserError, match=message) as error:
        Study.open(path, read_only=read_only)
    assert error.value.hint
    assert "\n" not in error.value.message
    assert check_study(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.greenroom"]


def test_missing_and_folder(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no study"):
        Study.open(tmp_path / "a.greenroom")
    with pytest.raises(UserError, match="is a folder"):
        Study.open(tmp_path)
    (tmp_path / "pipe").symlink_to("/dev/null")
    with pytest.raises(UserError, match="not a file"):
        Study.open(tmp_path / "pipe")
    assert check_study(tmp_path / "a.greenroom")
    assert check_study(tmp_path)


def test_a_damaged_page_is_found_wherever_it_is(tmp_path: Path, whole: bytes) -> None:
    path = tmp_path / "a.greenroom"
    silent = []
    for page in range(len(whole) // 4096):
        path.write_bytes(whole)
        scribble(page * 4096, 64)(path)
        before = path.read_bytes()
        try:
            Study.open(path).close()
            silent.append(page)
        except UserError:
            assert path.read_bytes() == before
    assert silent == []


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
    study, _ = _open(path)
    with study, study.step("x"):
        study.set_property("x", 1)
    assert [p.name for p in path.parent.iterdir()] == ["a.greenroom"]
    with Study.open(path) as again:
        assert again.get_property("x") == 1


def test_a_step_waits_for_the_check(path: Path) -> None:
    study, ended = _open(path)
    with study:
        with study.step("x"):
            study.set_property("x", 1)
        assert ended.is_set()
        assert study.undo_name == "x"


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


@pytest.mark.parametrize("step", [False, True])
def test_closing_at_once_leaves_one_file_and_no_thread(path: Path, step: bool) -> None:
    study, _ = _open(path)
    if step:
        with study.step("x"):
            study.set_property("x", 1)
    study.close()
    assert [p.name for p in path.parent.iterdir()] == ["a.greenroom"]
    assert not [thread for thread in threading.enumerate() if thread.name == "page check"]
    Study.open(path).close()


def test_what_a_killed_process_left_is_checked_before_opening(path: Path) -> None:
    _spoil(path, "segment_value")
    path.with_name("a.greenroom-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(4000))
    before = {file.name: file.read_bytes() for file in path.parent.iterdir()}
    with pytest.raises(UserError, match="damaged"):
        _open(path)
    assert check_study(path)
    assert {file.name: file.read_bytes() for file in path.parent.iterdir()} == before


def test_a_reader_sees_the_study_before_and_after_the_check(path: Path) -> None:
    study, ended = _open(path)
    with study, Study.open(path) as reader:
        assert reader.read_only
        assert reader.get_property("x") is None
        assert ended.wait(HANG_S)
        with study.step("x"):
            study.set_property("x", 1)
        assert reader.get_property("x") == 1


@pytest.fixture
def edited(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "a.greenroom") as study:
        small = furnish(study)
        small.add()
        study.undo()
        study.redo()
    return tmp_path / "a.greenroom"


def test_a_good_study_has_no_problems(edited: Path, tmp_path: Path) -> None:
    before = edited.read_bytes()
    assert check_study(edited) == []
    assert edited.read_bytes() == before
    with Study.create(tmp_path / "big") as study:
        fill_study(study, recordings=20, segments=500)
    assert check_study(tmp_path / "big.greenroom") == []


def test_a_study_that_is_open_can_be_checked(edited: Path) -> None:
    with Study.open(edited) as study:
        small_names = sorted(p.name for p in edited.parent.iterdir())
        assert check_study(edited) == []
        assert sorted(p.name for p in edited.parent.iterdir()) == small_names
        with study.step("x"):
            study.set_property("x", 1)
        assert check_study(edited) == []


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("UPDATE segment SET end_us = 70000000", "reaches outside its recording"),
        ("UPDATE segment SET end_us = 1500000", "not what the history says"),
        ("DELETE FROM segment", "not what the history says"),
        (
            "PRAGMA ignore_check_constraints = ON; UPDATE segment SET end_us = start_us",
            "does not end after it starts",
        ),
        ("INSERT INTO segment_value VALUES ('nobody', 's', 1, 'f', '1')", "belongs to no segment"),
        ("INSERT INTO segment_value SELECT id, 's', 1, 'f', '{' FROM segment", "not JSON"),
        ("DELETE FROM annotator", "refers to one of “annotator”"),
        ("UPDATE journal_step SET undo_top = 99 WHERE id = 2", "points to one that is not there"),
        ("DELETE FROM journal_change WHERE step_id = 2", "changed nothing"),
        ("UPDATE journal_change SET step_id = 77 WHERE step_id = 2", "belongs to no step"),
        ("CREATE TABLE extra (x)", "unknown table “extra”"),
        ("CREATE INDEX extra ON segment (end_us)", "unknown index “extra”"),
        ("DROP INDEX segment_by_start", "“segment_by_start” is missing"),
        ("INSERT INTO participant VALUES ('p', 'P', 'king', '')", "The participant “P” of this study is damaged"),
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
    run = "INSERT INTO run SELECT '{0}', id, '{0}', 'solid', '{{}}', '{1}', '2026-01-01', '1' FROM recording"
    with sqlite3.connect(edited) as connection:
        connection.execute("INSERT INTO property VALUES ('release_plan', 'raw')")
        for kind, result in (("faces", "[]"), ("privacy", "nope"), ("anonymize", "{}")):
            connection.execute(run.format(kind, result))
    connection.close()
    with Study.open(edited, read_only=True) as study:
        (recording,) = all_recordings(study)
        with pytest.raises(UserError, match="release_plan"):
            study.get_property("release_plan")
        for kind in ("faces", "privacy"):
            with pytest.raises(UserError, match="damaged"):
                latest_run(study, recording.id, kind)
        found = latest_run(study, recording.id, "anonymize")
        assert found.result == {}
