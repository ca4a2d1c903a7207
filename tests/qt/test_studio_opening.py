"""A study that turns out to be damaged after it was opened: it is closed, untouched, and the one before is back."""

import sqlite3

import pytest

from app.gui.study.study_controller import StudyController
from project.store.study import Study


@pytest.fixture
def studio(qapp):
    studio = StudyController()
    yield studio
    studio.close()


def make(path, *, damaged):
    Study.create(path, path.stem).close()
    if damaged:
        connection = sqlite3.connect(path)
        (page,) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'face_track'").fetchone()
        connection.close()
        with path.open("r+b") as file:
            file.seek((page - 1) * 4096)
            file.write(b"\xa5" * 64)
    return path


@pytest.mark.parametrize("with_one_before", [False, True])
def test_a_damaged_study_is_closed_again(qtbot, studio, tmp_path, with_one_before):
    before = make(tmp_path / "before.greenroom", damaged=False)
    bad = make(tmp_path / "bad.greenroom", damaged=True)
    bytes_of_bad = bad.read_bytes()
    if with_one_before:
        studio.open(before)
    with qtbot.waitSignal(studio.failed) as failed:
        studio.open(bad)
    assert "damaged" in failed.args[0].message
    assert (studio.session.study.path if studio.session else None) == (before if with_one_before else None)
    assert bad.read_bytes() == bytes_of_bad


def test_a_sound_study_is_ready_without_an_edit(qtbot, studio, tmp_path):
    path = make(tmp_path / "a.greenroom", damaged=False)
    failed = []
    studio.failed.connect(failed.append)
    studio.open(path)
    # The log of a study that may be written to; it is turned on when the check has ended.
    qtbot.waitUntil(lambda: path.read_bytes()[18] == 2)
    studio.close()
    assert path.read_bytes()[18] == 1
    assert not failed


def test_a_study_that_was_closed_in_the_meantime_is_left_alone(qtbot, studio, tmp_path):
    failed = []
    studio.failed.connect(failed.append)
    studio.open(make(tmp_path / "bad.greenroom", damaged=True))
    studio.open(make(tmp_path / "good.greenroom", damaged=False))
    qtbot.waitUntil(lambda: (tmp_path / "good.greenroom").read_bytes()[18] == 2)
    assert studio.session.study.path.name == "good.greenroom"
    assert not failed


def test_a_study_whose_file_was_moved_says_so_and_takes_edits_again_when_it_is_back(qtbot, studio, tmp_path):
    path = make(tmp_path / "a.greenroom", damaged=False)
    studio.open(path)
    qtbot.waitUntil(lambda: path.read_bytes()[18] == 2)
    path.rename(tmp_path / "elsewhere")
    with qtbot.waitSignal(studio.failed) as failed:
        assert not studio.edit(rename)
    assert "was moved or deleted; nothing is saved" in failed.args[0].message
    assert failed.args[0].hint
    (tmp_path / "elsewhere").rename(path)
    assert studio.edit(rename)


def rename(session):
    with session.step("Rename") as step:
        session.study.set_property("name", "Lab")
    return step.changes
