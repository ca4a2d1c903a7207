"""A study that turns out to be damaged, or away, once it is open; and what is chosen in one of two windows."""

import sqlite3
from dataclasses import replace

import pytest

from app.gui.study.study_controller import StudyController
from project.session.settings import load_settings
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


def test_two_windows_keep_what_was_chosen_in_each(qtbot) -> None:
    study_controller, other = StudyController(), StudyController()
    study_controller.change_settings(lambda kept: replace(kept, annotator="Ada"))
    other.change_settings(lambda kept: replace(kept, volume=30))
    stored = load_settings()
    assert (stored.annotator, stored.volume) == ("Ada", 30)
    assert other.settings.annotator != "Ada", "edits of a window go on under the name that it began with"


def test_a_path_forgotten_in_one_window_is_not_written_again_by_the_other(qtbot) -> None:
    study_controller = StudyController()
    study_controller.change_settings(
        lambda kept: replace(kept, recent=("/lab/ada.greenroom",), scheme_files={"id/a": "/ada.yaml"})
    )
    other = StudyController()
    assert other.settings.recent == ("/lab/ada.greenroom",)
    study_controller.change_settings(lambda kept: replace(kept, recent=(), scheme_files={}))
    other.change_settings(lambda kept: replace(kept, theme="dark"))
    for now in (load_settings(), other.settings):
        assert (now.recent, now.scheme_files, now.theme) == ((), {}, "dark")
