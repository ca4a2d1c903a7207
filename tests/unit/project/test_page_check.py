"""A study that is shown while its pages are looked at: nothing is written before they are known to be well."""

import sqlite3
import threading
from pathlib import Path

import pytest

from project.errors import UserError
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.waiting import HANG_S

_PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("whole") / "a.greenroom"
    with Study.create(path) as study:
        fill_study(study, recordings=5, segments=300)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, whole: bytes) -> Path:
    path = tmp_path / "a.greenroom"
    path.write_bytes(whole)
    return path


def _spoil(path: Path, table: str) -> None:
    """Overwrite the first page of a table, which opening alone does not read."""
    with sqlite3.connect(path) as connection:
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", (table,)).fetchone()
    connection.close()
    with path.open("r+b") as file:
        file.seek((page - 1) * _PAGE)
        file.write(b"\xa5" * 64)


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
    with pytest.raises(UserError, match="damaged"):
        _open(path)


def test_a_reader_sees_the_study_before_and_after_the_check(path: Path) -> None:
    study, ended = _open(path)
    with study, Study.open(path) as reader:
        assert reader.read_only
        assert reader.get_property("x") is None
        assert ended.wait(HANG_S)
        with study.step("x"):
            study.set_property("x", 1)
        assert reader.get_property("x") == 1
