from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from project.entities.study_records import Segment, Verdict
from project.timebase import FrameTimes
from tests.builders.looks import LOOKS
from widgets.timeline.lanes import Lane, LaneKind, lane_key
from widgets.timeline.time_area import FollowMode
from widgets.timeline.timeline_layout import HEADER, RULER
from widgets.timeline.timeline_view import TimelineView

DURATION = 100_000_000
NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


def made(name: str, start_s: float, end_s: float, lane: str = "a", verdict: Verdict = Verdict.ERROR) -> Segment:
    return Segment(name, "r", lane, verdict, round(start_s * 1e6), round(end_s * 1e6))


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    """A timeline of 100 s on exactly 1000 pixels: 0.1 s a pixel."""
    view = TimelineView()
    qtbot.addWidget(view)
    view.set_lanes(
        [
            Lane("w", "Sound", LaneKind.WAVEFORM),
            Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
            Lane(lane_key("b"), "B"),
            Lane(lane_key("c"), "C", editable=True),
        ]
    )
    view.set_recording(DURATION, FrameTimes(np.arange(0, DURATION, 40_000, dtype=np.int64), DURATION))
    view.resize(HEADER + 1000, 320)
    view.show()
    qtbot.waitExposed(view)
    view.set_segments(
        [
            made("x", 10, 20),
            made("y", 40, 50, verdict=Verdict.COMPETENCE),
            made("z", 60, 70, "b"),
            made("v", 80, 85, "c"),
        ]
    )
    view.set_playhead(30_005_000)
    return view


def at(view: TimelineView, second: float, lane: str = "a", row: int = 0) -> QPointF:
    band = next(b for b in view.bands if b.lane.key in (lane, lane_key(lane)))
    y = RULER + band.row_top(row) + band.row_height / 2 - view.scroll_y()
    return QPointF(HEADER + view.view.time_to_x(second * 1e6), y)


def send(
    view: TimelineView,
    kind: QEvent.Type,
    where: QPointF,
    modifiers: Qt.KeyboardModifier = NONE,
    button: Qt.MouseButton = LEFT,
) -> None:
    port = view.viewport()
    held = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseButtonRelease else button
    named = Qt.MouseButton.NoButton if kind == QEvent.Type.MouseMove else button
    event = QMouseEvent(kind, where, QPointF(port.mapToGlobal(where.toPoint())), named, held, modifiers)
    QApplication.sendEvent(port, event)


def press(
    view: TimelineView, where: QPointF, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
) -> None:
    send(view, QEvent.Type.MouseButtonPress, where, modifiers, button)


def move(
    view: TimelineView, where: QPointF, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
) -> None:
    send(view, QEvent.Type.MouseMove, where, modifiers, button)


def release(
    view: TimelineView, where: QPointF, modifiers: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
) -> None:
    send(view, QEvent.Type.MouseButtonRelease, where, modifiers, button)


def drag(view: TimelineView, start: QPointF, end: QPointF, modifiers: Qt.KeyboardModifier = NONE) -> None:
    press(view, start, modifiers)
    move(view, (start + end) / 2, modifiers)
    move(view, end, modifiers)
    release(view, end, modifiers)


def click(view: TimelineView, where: QPointF, modifiers: Qt.KeyboardModifier = NONE) -> None:
    press(view, where, modifiers)
    release(view, where, modifiers)


@pytest.fixture
def heard(view: TimelineView) -> Callable[[str], list[tuple[object, ...]]]:
    """What each signal was emitted with since the view was made."""
    said: dict[str, list[tuple[object, ...]]] = {}
    for name in (
        "seek_requested", "segment_move_requested", "segment_create_requested", "selection_changed",
        "delete_requested", "nudge_requested", "segments_moving", "activated", "view_changed", "lane_folded",
    ):  # fmt: skip
        said[name] = []
        getattr(view, name).connect(lambda *values, n=name: said[n].append(values))
    return lambda name: said[name]


Heard = Callable[[str], list[tuple[object, ...]]]


def test_clicks_select(view: TimelineView, heard: Heard) -> None:
    click(view, at(view, 15))
    assert view.selection() == ["x"]
    click(view, at(view, 45), CTRL)
    assert view.selection() == ["x", "y"]
    click(view, at(view, 15), CTRL)
    assert view.selection() == ["y"]
    click(view, at(view, 15), SHIFT)
    assert view.selection() == ["y", "x"]
    click(view, at(view, 30))
    assert view.selection() == []
    assert heard("selection_changed") == [(["x"],), (["x", "y"],), (["y"],), (["y", "x"],), ([],)]
    assert heard("segment_move_requested") == []


def test_selecting_from_outside_makes_no_signal(view: TimelineView, heard: Heard) -> None:
    view.set_selection(["y"])
    assert view.selection() == ["y"]
    assert heard("selection_changed") == []


def test_dragging_moves_once_at_release_and_on_frames(view: TimelineView, heard: Heard) -> None:
    press(view, at(view, 15))
    move(view, at(view, 20))
    move(view, at(view, 22.03))
    assert heard("segment_move_requested") == []
    assert view.pointer.gesture.placements() == [("x", 17_040_000, 27_040_000)]
    release(view, at(view, 22.03))
    assert heard("segment_move_requested") == [([("x", 17_040_000, 27_040_000)],)]
    assert view.model.segment("x") == made("x", 10, 20)


def test_a_drag_tells_where_it_is_and_when_it_ends(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 15), at(view, 19))
    assert heard("segments_moving") == [
        ([("x", 12_000_000, 22_000_000)],), ([("x", 14_000_000, 24_000_000)],), ([],),
    ]  # fmt: skip


def test_alt_turns_snapping_off(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 15), at(view, 22.03), ALT)
    assert heard("segment_move_requested") == [([("x", 17_030_000, 27_030_000)],)]


def test_dragging_an_edge_resizes_and_snaps_to_the_playhead(view: TimelineView, heard: Heard) -> None:
    press(view, at(view, 19.9))
    move(view, at(view, 25))
    move(view, at(view, 29.5))
    assert view.pointer.gesture.snap_us == 30_005_000
    release(view, at(view, 29.5))
    assert heard("segment_move_requested") == [([("x", 10_000_000, 30_005_000)],)]


def test_an_edge_snaps_to_the_neighbours_edge(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 40.1), at(view, 20.5))
    assert heard("segment_move_requested") == [([("y", 20_000_000, 50_000_000)],)]


@pytest.mark.parametrize("start", [15, 19.9, 30])
def test_escape_cancels_a_drag(view: TimelineView, heard: Heard, qtbot: QtBot, start: float) -> None:
    press(view, at(view, start))
    move(view, at(view, start + 8))
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.pointer.gesture is None
    release(view, at(view, start + 8))
    assert heard("segment_move_requested") == []
    assert heard("segment_create_requested") == []
    assert not view.model.track(lane_key("a")).flags.any() or view.selection()


def test_escape_belongs_to_the_drag_while_there_is_one(view: TimelineView) -> None:
    def override() -> bool:
        event = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Escape, NONE)
        event.ignore()
        QApplication.sendEvent(view, event)
        return event.isAccepted()

    assert not override()
    press(view, at(view, 15))
    move(view, at(view, 18))
    assert override()


def test_several_selected_move_together(view: TimelineView, heard: Heard) -> None:
    click(view, at(view, 15))
    click(view, at(view, 45), CTRL)
    click(view, at(view, 82, "c"), CTRL)
    drag(view, at(view, 45), at(view, 47))
    assert heard("segment_move_requested") == [
        ([("x", 12_000_000, 22_000_000), ("y", 42_000_000, 52_000_000), ("v", 82_000_000, 87_000_000)],)
    ]


def test_a_click_within_a_selection_leaves_only_that_segment(view: TimelineView) -> None:
    view.set_selection(["x", "y"])
    click(view, at(view, 45))
    assert view.selection() == ["y"]


def test_what_is_locked_is_selected_but_not_moved(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 65, "b"), at(view, 70, "b"))
    drag(view, at(view, 30, "b"), at(view, 40, "b"))
    view.set_editable(False)
    drag(view, at(view, 15), at(view, 18))
    drag(view, at(view, 19.9), at(view, 25))
    drag(view, at(view, 30), at(view, 35))
    assert heard("segment_move_requested") == []
    assert heard("segment_create_requested") == []
    view.request_delete()
    view.request_nudge(1)
    assert heard("delete_requested") == []
    assert heard("nudge_requested") == []


def test_dragging_on_empty_space_creates(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 32.03), at(view, 36.03))
    drag(view, at(view, 26.01, "c"), at(view, 22.01, "c"))
    assert heard("segment_create_requested") == [
        (lane_key("a"), 32_040_000, 36_040_000),
        (lane_key("c"), 22_000_000, 26_000_000),
    ]


def test_shift_drag_selects_with_a_rubber_band(view: TimelineView) -> None:
    press(view, at(view, 5), SHIFT)
    move(view, at(view, 30), SHIFT)
    assert view.selection() == ["x"]
    move(view, at(view, 82, "c"), SHIFT)
    assert view.pointer.rubber is not None
    assert view.selection() == ["x", "y", "z", "v"]
    release(view, at(view, 82, "c"), SHIFT)
    assert view.pointer.rubber is None
    assert view.selection() == ["x", "y", "z", "v"]


def test_the_ruler_scrubs(view: TimelineView, heard: Heard) -> None:
    press(view, QPointF(HEADER + 500, 8))
    move(view, QPointF(HEADER + 600, 8))
    move(view, QPointF(HEADER + 5000, 8))
    release(view, QPointF(HEADER + 5000, 8))
    assert heard("seek_requested") == [(50_000_000,), (60_000_000,), (100_000_000,)]


def test_double_click_activates(view: TimelineView, heard: Heard) -> None:
    click(view, at(view, 15))
    send(view, QEvent.Type.MouseButtonDblClick, at(view, 15))
    release(view, at(view, 15))
    assert heard("activated") == [("x",)]
    assert heard("segment_move_requested") == []


def test_a_segment_that_goes_away_under_a_drag_ends_it(view: TimelineView, heard: Heard) -> None:
    press(view, at(view, 15))
    move(view, at(view, 18))
    view.update_segments([], ["x"])
    release(view, at(view, 18))
    assert heard("segment_move_requested") == []
    assert heard("selection_changed")[-1] == ([],)


def wheel(view: TimelineView, where: QPointF, steps: int, modifiers: Qt.KeyboardModifier = NONE) -> None:
    port = view.viewport()
    event = QWheelEvent(
        where, QPointF(port.mapToGlobal(where.toPoint())), QPoint(), QPoint(0, 120 * steps), Qt.MouseButton.NoButton,
        modifiers, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(port, event)


def test_control_wheel_zooms_at_the_mouse(view: TimelineView, heard: Heard) -> None:
    where = at(view, 25)
    wheel(view, where, 4, CTRL)
    assert view.view.us_per_px < 100_000
    assert abs(view.view.x_to_time(where.x() - HEADER) - 25_000_000) < 10
    assert heard("view_changed")
    wheel(view, where, -9, CTRL)
    assert view.visible_range() == (0, DURATION)


def test_wheel_and_middle_drag_pan(view: TimelineView) -> None:
    view.show_span(20_000_000, 40_000_000)
    wheel(view, at(view, 30), -1)
    start = view.visible_range()[0]
    assert start > 20_000_000
    press(view, at(view, 30), button=MIDDLE)
    move(view, at(view, 30) - QPointF(100, 0), button=MIDDLE)
    release(view, at(view, 30), button=MIDDLE)
    assert view.visible_range()[0] == pytest.approx(start + 2_000_000, abs=2)


def test_the_scroll_bar_pans_and_follows(view: TimelineView) -> None:
    view.show_span(0, 10_000_000)
    bar = view.horizontalScrollBar()
    assert bar.maximum() == 9000
    bar.setValue(4500)
    assert view.visible_range() == (45_000_000, 55_000_000)
    view.pan(100)
    assert bar.value() == 4600


def test_zoom_to_selection_and_to_marks(view: TimelineView) -> None:
    view.set_selection(["x", "y"])
    view.zoom_to_selection()
    assert view.visible_range() == (5_000_000, 55_000_000)
    view.set_selection([])
    view.set_marks(60_000_000, 68_000_000)
    view.zoom_to_selection()
    assert view.visible_range() == (59_000_000, 69_000_000)
    view.zoom_to_fit()
    assert view.visible_range() == (0, DURATION)


def test_titles_fold_lanes(view: TimelineView, heard: Heard) -> None:
    band = view.bands[1]
    click(view, QPointF(20, RULER + band.top + 6))
    assert view.bands[1].folded
    assert heard("lane_folded") == [(lane_key("a"), True)]
    drag(view, QPointF(HEADER + 300, RULER + band.top + 6), QPointF(HEADER + 360, RULER + band.top + 6))
    assert heard("segment_create_requested") == []


def test_keys_walk_from_segment_to_segment(view: TimelineView, heard: Heard, qtbot: QtBot) -> None:
    for key, name in (
        (Qt.Key.Key_Home, "x"), (Qt.Key.Key_Down, "y"), (Qt.Key.Key_Tab, "z"), (Qt.Key.Key_End, "v"),
        (Qt.Key.Key_Up, "z"), (Qt.Key.Key_Backtab, "y"),
    ):  # fmt: skip
        qtbot.keyClick(view, key)
        assert view.selection() == [name]
    assert "Segment competence 0:00:40.000 to 0:00:50.000, annotator A." in view.accessibleDescription()
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert heard("activated") == [("y",)]
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert heard("delete_requested") == [(["y"],)]
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert view.selection() == []


def test_walking_brings_the_segment_into_view(view: TimelineView, qtbot: QtBot) -> None:
    view.show_span(0, 20_000_000)
    qtbot.keyClick(view, Qt.Key.Key_End)
    start, end = view.visible_range()
    assert start <= 80_000_000
    assert end >= 85_000_000


def test_walking_scrolls_to_the_lane_of_the_segment(view: TimelineView, qtbot: QtBot) -> None:
    view.resize(HEADER + 1000, 120)
    bar = view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0)
    for key, second, lane in ((Qt.Key.Key_End, 82, "c"), (Qt.Key.Key_Home, 15, "a")):
        qtbot.keyClick(view, key)
        y = at(view, second, lane).y()
        assert RULER < y < view.viewport().height()


def test_requests_name_the_selection(view: TimelineView, heard: Heard) -> None:
    view.set_selection(["x", "z"])
    view.request_nudge(-1, "end")
    assert heard("nudge_requested") == [(["x"], -1, "end")]


def test_times_beyond_32_bits_survive_the_signals(view: TimelineView, heard: Heard) -> None:
    view.set_recording(10_000_000_000)
    press(view, QPointF(HEADER + 900, 8))
    release(view, QPointF(HEADER + 900, 8))
    assert heard("seek_requested")[-1] == (9_000_000_000,)


class StubClock:
    def __init__(self) -> None:
        self.playing, self.rate, self.time_us = True, 1.0, 0

    def now_us(self) -> int:
        return self.time_us


@pytest.mark.parametrize("follow", [FollowMode.PAGE, FollowMode.SMOOTH, FollowMode.OFF])
def test_the_view_follows_the_clock(view: TimelineView, qtbot: QtBot, follow: FollowMode) -> None:
    clock = StubClock()
    view.show_span(0, 10_000_000)
    view.set_follow(follow)
    view.set_clock(clock)
    view.set_playing(True)
    clock.time_us = 42_000_000
    qtbot.waitUntil(lambda: view.playhead_us == 42_000_000)
    start, end = view.visible_range()
    if follow is FollowMode.OFF:
        assert (start, end) == (0, 10_000_000)
    elif follow is FollowMode.SMOOTH:
        assert start == 37_000_000
    else:
        assert start == 41_500_000
    view.set_playing(False)


def test_the_playhead_starts_when_the_clock_does(view: TimelineView, qtbot: QtBot) -> None:
    class LateClock(StubClock):
        asked = 0

        @property
        def playing(self) -> bool:
            self.asked += 1
            return self.asked > 5

        @playing.setter
        def playing(self, value: bool) -> None:
            pass

    clock = LateClock()
    clock.time_us = 3_000_000
    view.set_clock(clock)
    view.set_playing(True)
    assert view.playhead_us != 3_000_000
    qtbot.waitUntil(lambda: view.playhead_us == 3_000_000)
    view.set_playing(False)


def test_a_seek_out_of_sight_moves_the_view(view: TimelineView) -> None:
    view.show_span(0, 10_000_000)
    view.set_playhead(42_000_000)
    start, end = view.visible_range()
    assert start < 42_000_000 < end
