"""Counting active minutes in the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.team.activity_tab import ActivityWindow
from app.gui.window.main_window import MainWindow
from project.queries.annotator_rows import all_activity
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path, clock: Clock) -> Iterator[MainWindow]:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=2, segments=0, annotators=1)
    window = MainWindow()
    window.activity._clock = clock
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    window.studio.open(tmp_path / "lab.greenroom", "Annotator 1")
    yield window
    window.close()


def work(window: MainWindow, clock: Clock, seconds: int, busy: bool = True) -> None:
    # Which window has the focus is the platform's to say; here it is the main one.
    window.activity._watch(window.windowHandle())
    for _ in range(seconds // 5):
        if busy:
            QTest.keyClick(window.windowHandle(), Qt.Key.Key_Shift)
        clock.now += 5
        window.activity.count_elapsed()


def counted(window: MainWindow) -> list[int]:
    found = {active.recording_id: active.seconds for active in all_activity(window.studio.session.study)}
    return [found.get(recording.id, 0) for recording in all_recordings(window.studio.session.study)]


def test_minutes_go_to_the_recording_that_is_shown_and_idle_time_nowhere(window: MainWindow, clock: Clock) -> None:
    first, second = (recording.id for recording in all_recordings(window.studio.session.study))
    window.choose_recording(first)
    work(window, clock, 120)
    window.choose_recording(second)
    work(window, clock, 30)
    work(window, clock, 600, busy=False)
    window.activity.write_minutes()
    assert counted(window)[0] == 120
    assert 80 <= counted(window)[1] <= 90, "30 seconds of work, and 60 after the last key"
    assert window.studio.session.study.undo_name is None


def test_off_writes_nothing_and_delete_leaves_nothing(window: MainWindow, clock: Clock) -> None:
    work(window, clock, 120)
    page = window.windows.open_window("activity")
    assert isinstance(page, ActivityWindow)
    assert nameless(page) == []
    assert unexplained(page) == []
    assert page.total.text().startswith("Annotator 1: 2 min")
    page.switch.click()
    before = counted(window)
    work(window, clock, 300)
    window.activity.write_minutes()
    assert counted(window) == before
    page.delete.click()
    assert not page.sure.isHidden()
    page.sure.click()
    assert counted(window) == [0, 0]
    assert "nothing was counted" in page.total.text()
    page.switch.click()
    work(window, clock, 60)
    window.activity.write_minutes()
    assert sum(counted(window)) == 60, "what happened while it was off is not made up for"
