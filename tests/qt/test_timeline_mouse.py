"""Segments on the timeline: selected, moved, resized and drawn with the mouse, walked along with keys."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from project.entities.study_records import Verdict
from project.timebase import FrameTimes
from tests.builders.looks import LOOKS
from tests.builders.mouse_and_keys import ALT, CTRL, LEFT, NONE, SHIFT, click, drag, press, send_mouse, turn_wheel
from tests.builders.timelines import DURATION, Requests, lane_point, record_requests, show_timeline, span
from widgets.timeline.lanes import Lane, LaneKind, lane_key
from widgets.timeline.time_area import FollowMode
from widgets.timeline.timeline_layout import HEADER
from widgets.timeline.timeline_view import TimelineView

DOWN, MOVE, UP = QEvent.Type.MouseButtonPress, QEvent.Type.MouseMove, QEvent.Type.MouseButtonRelease


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    lanes = [
        Lane("w", "Sound", LaneKind.WAVEFORM),
        Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
        Lane(lane_key("b"), "B"),
        Lane(lane_key("c"), "C", editable=True),
    ]
    segments = [
        *(span("x", 10, 20), span("y", 40, 50, Verdict.COMPETENCE)),
        *(span("z", 60, 70, lane="b"), span("v", 80, 85, lane="c")),
    ]
    frames = FrameTimes(np.arange(0, DURATION, 40_000, dtype=np.int64), DURATION)
    view = show_timeline(qtbot, lanes, segments, frames)
    view.set_playhead(30_005_000)
    return view


@pytest.fixture
def heard(view: TimelineView) -> Requests:
    return record_requests(view)


def at(view: TimelineView, second: float, lane: str = "a") -> QPointF:
    return lane_point(view, second, lane_key(lane))


def send(
    view: TimelineView,
    kind: QEvent.Type,
    place: QPointF,
    held: Qt.KeyboardModifier = NONE,
    button: Qt.MouseButton = LEFT,
) -> None:
    send_mouse(view.viewport(), kind, place, held, button)


def test_clicks_select_and_selecting_from_outside_makes_no_signal(view: TimelineView, heard: Requests) -> None:
    view.set_selection(["y", "x"])
    assert heard["selection_changed"] == []
    click(view, at(view, 15))
    assert view.selection() == ["x"], "a click within a selection leaves only that segment"
    click(view, at(view, 45), CTRL)
    assert view.selection() == ["x", "y"]
    click(view, at(view, 15), CTRL)
    assert view.selection() == ["y"]
    click(view, at(view, 15), SHIFT)
    assert view.selection() == ["y", "x"]
    click(view, at(view, 30))
    assert view.selection() == []
    assert heard["selection_changed"] == [(["x"],), (["x", "y"],), (["y"],), (["y", "x"],), ([],)]
    assert heard["segment_requests.move"] == []
    click(view, at(view, 15))
    click(view, at(view, 45), SHIFT)
    assert view.selection() == ["x", "y"]


def test_dragging_moves_once_at_release_and_on_frames(view: TimelineView, heard: Requests) -> None:
    send(view, DOWN, at(view, 15))
    send(view, MOVE, at(view, 20))
    send(view, MOVE, at(view, 22.03))
    assert heard["segment_requests.move"] == []
    assert heard["segments_moving"][-1] == ([("x", 17_040_000, 27_040_000)],)
    send(view, UP, at(view, 22.03))
    assert heard["segment_requests.move"] == [([("x", 17_040_000, 27_040_000)],)]
    assert heard["segments_moving"][-1] == ([],)
    assert view.model.segment("x") == span("x", 10, 20)
    drag(view, at(view, 15), at(view, 22.03), held=ALT)
    assert heard["segment_requests.move"][1:] == [([("x", 17_030_000, 27_030_000)],)], "Alt turns snapping off"


def test_dragging_an_edge_resizes_and_snaps(view: TimelineView, heard: Requests) -> None:
    drag(view, at(view, 19.9), at(view, 29.5))
    drag(view, at(view, 40.1), at(view, 20.5))
    assert heard["segment_requests.move"] == [
        ([("x", 10_000_000, 30_005_000)],),
        ([("y", 20_000_000, 50_000_000)],),
    ]


@pytest.mark.parametrize("start", [15, 19.9, 30])
def test_escape_cancels_a_drag_and_belongs_to_it_alone(view: TimelineView, heard: Requests, start: float) -> None:
    def takes_escape() -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, NONE)
        event.ignore()
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    assert not takes_escape()
    send(view, DOWN, at(view, start))
    send(view, MOVE, at(view, start + 8))
    assert takes_escape()
    view.setFocus()
    press(view, "Esc")
    assert view.pointer.gesture is None
    send(view, UP, at(view, start + 8))
    assert heard["segment_requests.move"] == heard["segment_requests.create"] == []


def test_what_is_locked_is_selected_but_not_moved(view: TimelineView, heard: Requests) -> None:
    drag(view, at(view, 65, "b"), at(view, 70, "b"))
    drag(view, at(view, 30, "b"), at(view, 40, "b"))
    view.set_editable(False)
    drag(view, at(view, 15), at(view, 18))
    drag(view, at(view, 19.9), at(view, 25))
    assert view.selection() == ["x"]
    drag(view, at(view, 30), at(view, 35))
    view.set_selection(["x"])
    view.request_delete()
    view.request_nudge(1)
    for name in (
        "segment_requests.move",
        "segment_requests.create",
        "segment_requests.delete",
        "segment_requests.nudge",
    ):
        assert heard[name] == []


def test_dragging_on_empty_space_creates(view: TimelineView, heard: Requests) -> None:
    drag(view, at(view, 32.03), at(view, 36.03))
    drag(view, at(view, 26.01, "c"), at(view, 22.01, "c"))
    assert heard["segment_requests.create"] == [
        (lane_key("a"), 32_040_000, 36_040_000),
        (lane_key("c"), 22_000_000, 26_000_000),
    ]


def test_the_ruler_scrubs_and_a_double_click_activates(view: TimelineView, heard: Requests) -> None:
    send(view, DOWN, QPointF(HEADER + 500, 8))
    send(view, MOVE, QPointF(HEADER + 600, 8))
    send(view, MOVE, QPointF(HEADER + 5000, 8))
    send(view, UP, QPointF(HEADER + 5000, 8))
    assert heard["seek_requested"] == [(50_000_000,), (60_000_000,), (100_000_000,)]
    send(view, QEvent.Type.MouseButtonDblClick, at(view, 15))
    send(view, UP, at(view, 15))
    assert heard["segment_requests.activate"] == [("x",)]
    assert heard["segment_requests.move"] == []
    view.set_recording(10_000_000_000)
    click(view, QPointF(HEADER + 900, 8))
    assert heard["seek_requested"][-1] == (9_000_000_000,), "times beyond 32 bits survive"


def test_a_segment_that_goes_away_under_a_drag_ends_it(view: TimelineView, heard: Requests) -> None:
    send(view, DOWN, at(view, 15))
    send(view, MOVE, at(view, 18))
    view.update_segments([], ["x"])
    send(view, UP, at(view, 18))
    assert heard["segment_requests.move"] == []
    assert heard["selection_changed"][-1] == ([],)


def test_the_wheel_zooms_at_the_mouse_and_pans(view: TimelineView, heard: Requests) -> None:
    place = at(view, 25)
    turn_wheel(view, place, 4, CTRL)
    assert view.view.us_per_px < 100_000
    assert abs(view.view.x_to_time(place.x() - HEADER) - 25_000_000) < 10
    assert heard["view_changed"]
    turn_wheel(view, place, -9, CTRL)
    assert view.visible_range() == (0, DURATION)
    view.show_span(20_000_000, 40_000_000)
    turn_wheel(view, at(view, 30), -1)
    start = view.visible_range()[0]
    assert start > 20_000_000
    middle = Qt.MouseButton.MiddleButton
    send(view, DOWN, at(view, 30), button=middle)
    send(view, MOVE, at(view, 30) - QPointF(100, 0), button=middle)
    send(view, UP, at(view, 30), button=middle)
    assert view.visible_range()[0] == pytest.approx(start + 2_000_000, abs=2)


def test_keys_walk_from_segment_to_segment(view: TimelineView, heard: Requests) -> None:
    view.setFocus()
    for key, name in (("Home", "x"), ("Down", "y"), ("Tab", "z"), ("End", "v"), ("Up", "z"), ("Shift+Backtab", "y")):
        press(view, key)
        assert view.selection() == [name]
    assert "Segment competence 0:00:40.000 to 0:00:50.000, annotator A." in view.accessibleDescription()
    press(view, "Return")
    assert heard["segment_requests.activate"] == [("y",)]
    press(view, "Del")
    assert heard["segment_requests.delete"] == [(["y"],)]
    view.request_nudge(-1, "end")
    assert heard["segment_requests.nudge"] == [(["y"], -1, "end")]
    press(view, "Esc")
    assert view.selection() == []


class StubClock:
    """Stands still until it was asked a few times."""

    rate, asked = 1.0, 0

    def __init__(self, time_us: int) -> None:
        self.time_us = time_us

    @property
    def playing(self) -> bool:
        self.asked += 1
        return self.asked > 5

    def now_us(self) -> int:
        return self.time_us


@pytest.mark.parametrize(
    ("follow", "start"), [(FollowMode.PAGE, 41_500_000), (FollowMode.SMOOTH, 37_000_000), (FollowMode.OFF, 0)]
)
def test_the_view_follows_the_clock(view: TimelineView, qtbot: QtBot, follow: FollowMode, start: int) -> None:
    view.show_span(0, 10_000_000)
    view.set_follow(follow)
    view.set_clock(StubClock(42_000_000))
    view.set_playing(True)
    assert view.playhead_us != 42_000_000
    qtbot.waitUntil(lambda: view.playhead_us == 42_000_000)
    assert view.visible_range() == (start, start + 10_000_000)
    view.set_playing(False)
