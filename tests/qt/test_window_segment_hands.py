"""Segments by mouse and keys in the window: drawn, dragged, copied; and the picture they are drawn on."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.window.main_window import MainWindow
from project.queries.segment_rows import all_segments
from tests.builders.filmed_study import make_filmed_study
from tests.builders.mouse_and_keys import click, drag, press, send_mouse
from tests.builders.timelines import lane_point
from tests.qt.conftest import OpenWindow

SECOND = 1_000_000


@pytest.fixture(scope="module")
def filmed_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    return open_shared_window(make_filmed_study(tmp_path_factory.mktemp("hands")))


@pytest.fixture
def window(filmed_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    """The window without segments, marks and an active label."""
    qtbot.waitUntil(lambda: filmed_window.player.times is not None and filmed_window.view.picture() is not None)
    filmed_window.activateWindow()
    filmed_window.timeline.setFocus()
    yield filmed_window
    filmed_window.studio.set_marks(None, None)
    filmed_window.active.restore_labels({})
    filmed_window.editing.delete([segment.id for segment in all_segments(filmed_window.studio.session.study)])
    filmed_window.studio.select(())


def own_lane(window: MainWindow) -> str:
    return next(lane.key for lane in window.timeline.model.lanes if lane.editable)


def place(window: MainWindow, second: float) -> QPointF:
    return lane_point(window.timeline, second, own_lane(window))


def draw(window: MainWindow, start: float, end: float) -> None:
    drag(window.timeline, place(window, start), place(window, end))


def made(window: MainWindow) -> list[tuple[str, float, float]]:
    segments = all_segments(window.studio.session.study)
    return [(segment.label, segment.start_us / SECOND, segment.end_us / SECOND) for segment in segments]


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_drawn_segment_asks_for_its_label_unless_one_is_active(window: MainWindow) -> None:
    draw(window, 2, 4)
    menu = QApplication.activePopupWidget()
    assert menu is not None
    assert not menu.actions()[0].isEnabled(), "no label lies under the mouse"
    press(window, "Esc")
    assert made(window) == []
    window.activateWindow()
    window.timeline.setFocus()
    press(window, "Esc", "C")
    lane = window.timeline.model.lane(own_lane(window))
    assert lane.active_look.name == "Competence"
    assert window.inspector.chooser.label.currentData() == "competence"
    draw(window, 2, 4)
    assert made(window) == [("competence", 2, 4)]
    press(window, "Esc", "Shift+X")
    assert window.active.label.key == "none"
    press(window, "Shift+X")
    assert window.active.label is None, "after the last label people are asked again"


def test_the_frame_under_a_dragged_edge_is_shown_and_the_playhead_stays(qtbot: QtBot, window: MainWindow) -> None:
    press(window, "E")
    draw(window, 4, 8)
    window.playback.jump(2 * SECOND)
    shown: list[int] = []
    window.player.exact_shown.connect(shown.append)
    qtbot.waitUntil(lambda: shown[-1:] == [2 * SECOND])
    area, edge, target = window.timeline.viewport(), place(window, 8) - QPointF(2, 0), place(window, 15)
    send_mouse(area, QEvent.Type.MouseButtonPress, edge)
    for share in (0.5, 1.0):
        send_mouse(area, QEvent.Type.MouseMove, edge + (target - edge) * share)
    under = window.timeline.gesture.edge_us
    qtbot.waitUntil(lambda: shown[-1] == under)
    assert window.player.position_us == 2 * SECOND
    send_mouse(area, QEvent.Type.MouseButtonRelease, target)
    qtbot.waitUntil(lambda: shown[-1] == 2 * SECOND)
    assert made(window) == [("error", 4, under / SECOND)]
    click(window.timeline, place(window, 5))
    assert window.player.position_us == 2 * SECOND
    window.menus.actions["click_seeks"].trigger()
    click(window.timeline, place(window, 5))
    assert window.player.position_us == 4 * SECOND
    window.menus.actions["click_seeks"].trigger()


def test_copies_are_pasted_at_the_playhead_and_neighbours_merged_by_keys(window: MainWindow) -> None:
    press(window, "E")
    draw(window, 1, 2)
    draw(window, 3, 4)
    window.playback.jump(10 * SECOND)
    press(window, "Ctrl+A", "Ctrl+C", "Ctrl+V")
    assert made(window)[2:] == [("error", 10, 11), ("error", 12, 13)]
    assert len(window.studio.selected) == 2, "what was pasted is selected"
    press(window, "Shift+D")
    assert made(window)[4:] == [("error", 13, 14), ("error", 15, 16)]
    press(window, "Ctrl+M")
    assert made(window)[4:] == [("error", 13, 16)]
    press(window, "Ctrl+Z", "Ctrl+Z", "Ctrl+Z")
    assert made(window) == [("error", 1, 2), ("error", 3, 4)]


def test_a_span_drawn_on_the_slider_becomes_a_segment_by_a_label_key(window: MainWindow) -> None:
    slider = window.workspace.slider
    drag(slider, *(QPointF(slider.time_to_x(second * SECOND), 12) for second in (4, 9)))
    assert (window.studio.mark_in, window.studio.mark_out) == (4 * SECOND, 9 * SECOND)
    press(window, "C")
    assert made(window) == [("competence", 4, 9)]


def test_keys_magnify_the_picture_and_another_recording_is_whole(window: MainWindow) -> None:
    press(window, "Alt++", "Alt++", "Ctrl+Shift+Right")
    assert window.view.magnification.factor == 1.25**2
    assert window.view.magnification.x > 0.5
    press(window, "Ctrl+0")
    assert window.view.magnification.factor == 1
    press(window, "Alt++")
    window.playback.open_recording()
    assert window.view.magnification.factor == 1


def test_full_screen_says_time_and_keys_until_nothing_happens(qtbot: QtBot, window: MainWindow) -> None:
    line = window.full_screen_hints.line
    press(window, "F")
    assert "E Error, C Competence" in line.text()
    assert line.text().startswith("0:00:")
    press(window, "I")
    assert "marked" in line.text()
    line._stay.setInterval(1)
    line._fade.setDuration(1)
    press(window, "C")
    assert "Active label" not in line.text()
    qtbot.waitUntil(lambda: line.text() == "")
    send_mouse(window.view, QEvent.Type.MouseMove, QPointF(50, 50))
    assert line.text() != ""
    press(window, "Esc")
    assert line.text() == ""
