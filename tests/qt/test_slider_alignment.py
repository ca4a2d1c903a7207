"""The slider's times stand above the same times of the timeline, with a scroll bar beside the lanes and without."""

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.qt.conftest import OpenWindow
from widgets.timeline.timeline_layout import HEADER


@pytest.fixture
def window(open_window: OpenWindow, tmp_path: Path) -> MainWindow:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=1, segments=60, annotators=4)
    opened = open_window(tmp_path / "lab.greenroom")
    opened.studio.show_recording(all_recordings(opened.studio.session.study)[0].id)
    return opened


def apart(window: MainWindow, time_us: int) -> float:
    """Return by how many pixels a time of the slider is beside that of the timeline."""
    slider, timeline = window.workspace.slider, window.timeline
    above = slider.mapTo(window, QPoint(0, 0)).x() + slider.time_to_x(time_us)
    below = timeline.viewport().mapTo(window, QPoint(0, 0)).x() + HEADER + timeline.view.time_to_x(time_us)
    return above - below


def test_times_stand_above_times(qtbot: QtBot, window: MainWindow) -> None:
    timeline, rows = window.timeline, window.workspace.rows
    for zoom in (1.0, 8.0):
        timeline.zoom(zoom)
        first, last = round(timeline.view.start_us), round(timeline.view.end_us)
        times = (first, (first + last) // 2, last)
        for sizes, scrolled in (((100, 1_000), False), ((1_000, 1), True), ((100, 1_000), False)):
            rows.setSizes([*sizes])
            qtbot.waitUntil(lambda scrolled=scrolled: timeline.verticalScrollBar().isVisible() == scrolled)
            qtbot.waitUntil(lambda times=times: all(abs(apart(window, time)) <= 1 for time in times))
