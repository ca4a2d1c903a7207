"""Counting active minutes in the window."""

from pathlib import Path

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QWindow
from PySide6.QtTest import QTest

from app.gui.team.activity_tab import ActivityTab
from app.gui.window.main_window import MainWindow
from project.queries.annotator_rows import all_activity
from project.queries.recording_rows import all_recordings
from tests.builders.marked_study import mark, open_study
from tests.qt.conftest import OpenWindow


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def work(window: MainWindow, clock: Clock, seconds: int, busy: bool = True) -> None:
    # Which window has the focus is the platform's to say; here it is the main one.
    window.activity._watch(window.windowHandle())
    for _ in range(seconds // 5):
        if busy:
            QTest.keyClick(window.windowHandle(), Qt.Key.Key_Shift)
        clock.now += 5
        window.activity.count_elapsed()
    window.activity.write_minutes()


def counted(window: MainWindow) -> list[int]:
    study = window.studio.session.study
    found = {active.recording_id: active.seconds for active in all_activity(study)}
    return [found.get(recording.id, 0) for recording in all_recordings(study)]


def test_minutes_of_work_go_to_the_recording_that_is_shown_unless_counting_is_off(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    with open_study(tmp_path, recordings=2) as session:
        mark(session, "Ada", 1, 2)
        study = session.study.path
    clock, window = Clock(), open_window()
    window.activity._clock = clock
    window.studio.open(study, "Ada")
    first, second = (recording.id for recording in all_recordings(window.studio.session.study))
    window.choose_recording(first)
    work(window, clock, 120)
    assert window.studio.session.study.undo_name == "Add error segment", "counting is no step"
    window.choose_recording(second)
    work(window, clock, 30)
    work(window, clock, 600, busy=False)
    before = counted(window)
    assert before[0] == 120
    assert 80 <= before[1] <= 90, "30 seconds of work, and 60 after the last key"

    page: ActivityTab = window.windows.open_window("activity")
    assert page.total.text().startswith("Ada: 3 min")
    page.switch.click()
    work(window, clock, 300)
    assert counted(window) == before
    page.delete.click()
    assert not page.sure.isHidden()
    page.sure.click()
    assert counted(window) == [0, 0]
    assert "nothing was counted" in page.total.text()
    page.switch.click()
    work(window, clock, 60)
    assert sum(counted(window)) == 60, "what happened while it was off is not made up for"
    # As the list of completions of a file dialog: it has the focus, and goes without a word.
    completions = QWindow()
    window.activity._watch(completions)
    shiboken6.delete(completions)
    window.activity._watch(window.windowHandle())
