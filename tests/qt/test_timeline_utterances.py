"""Utterances on the timeline: bars with words, handed from speaker to speaker."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from project.entities.study_records import Segment, Utterance
from tests.builders.looks import LOOKS
from tests.qt.test_timeline_mouse import CTRL, click, drag, send
from widgets.timeline.lanes import (
    SAID,
    UNSURE,
    Lane,
    SpokenBar,
    lane_key,
    speaker_of_lane,
    utterance_bar,
    utterance_lane,
    utterance_lane_key,
)
from widgets.timeline.timeline_layout import HEADER, RULER
from widgets.timeline.timeline_view import TimelineView, utterance_tooltip

DURATION = 100_000_000


def said(name: str, start_s: float, end_s: float, who: str | None, text: str = "well") -> SpokenBar:
    return utterance_bar(Utterance(name, "r", round(start_s * 1e6), round(end_s * 1e6), text, who))


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    view = TimelineView()
    qtbot.addWidget(view)
    view.set_lanes(
        [
            Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
            utterance_lane("ann", "Ann", "User", "#4f8fd6", editable=True),
            utterance_lane("bob", "Bob", "User", "#cf7a2c", editable=True),
            utterance_lane(None, "Nobody yet", "Who speaks?", None, editable=True),
        ]
    )
    view.set_recording(DURATION)
    view.resize(HEADER + 1000, 320)
    view.show()
    qtbot.waitExposed(view)
    view.set_segments(
        [
            Segment("s", "r", "a", "error", 10_000_000, 20_000_000),
            said("u", 10, 20, "ann", "So what?"),
            said("v", 30, 40, "bob"),
            said("w", 50, 60, None),
        ]
    )
    return view


@pytest.fixture
def heard(view: TimelineView) -> Callable[[str], list[tuple[object, ...]]]:
    found: dict[str, list[tuple[object, ...]]] = {}
    for name in (
        "segment_move_requested", "segment_create_requested", "delete_requested", "activated", "selection_changed",
        "utterance_move_requested", "utterance_create_requested", "utterance_assign_requested", "nudge_requested",
        "utterance_delete_requested", "utterance_nudge_requested", "utterance_activated",
    ):  # fmt: skip
        found[name] = []
        getattr(view, name).connect(lambda *values, n=name: found[n].append(values))
    return lambda name: found[name]


def at(view: TimelineView, second: float, who: str | None) -> QPointF:
    band = next(each_band for each_band in view.bands if each_band.lane.key == utterance_lane_key(who))
    return QPointF(HEADER + view.view.time_to_x(second * 1e6), RULER + band.row_top(0) + band.row_height / 2)


def test_keys_of_lanes_name_the_speaker() -> None:
    assert speaker_of_lane(utterance_lane_key("ann")) == "ann"
    assert speaker_of_lane(utterance_lane_key(None)) is None


def test_a_draft_and_a_guess_look_unsure() -> None:
    utterance = Utterance("u", "r", 0, 1, "a")
    assert utterance_bar(utterance).label == SAID
    assert utterance_bar(Utterance("u", "r", 0, 1, "a", None, (), False)).label == UNSURE
    assert utterance_bar(Utterance("u", "r", 0, 1, "a", "ann", suggested=True)).label == UNSURE


def test_dragging_to_another_lane_assigns_and_keeps_the_times(
    view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    drag(view, at(view, 15, "ann"), at(view, 27, "bob"))
    assert heard("utterance_assign_requested") == [(["u"], utterance_lane_key("bob"))]
    assert heard("utterance_move_requested") == []


def test_dragging_along_the_lane_and_by_an_edge_retimes(
    view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    drag(view, at(view, 15, "ann"), at(view, 17, "ann"))
    drag(view, at(view, 30.05, "bob"), at(view, 33, "bob"))
    moved, resized = (row[0] for row in heard("utterance_move_requested"))
    assert moved == [("u", 12_000_000, 22_000_000)]
    assert resized == [("v", pytest.approx(32_950_000, abs=60_000), 40_000_000)]
    assert heard("segment_move_requested") == []


def test_a_segment_is_never_handed_to_a_speaker(
    view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    band = view.bands[0]
    start = QPointF(HEADER + view.view.time_to_x(15e6), RULER + band.row_top(0) + 6)
    drag(view, start, at(view, 18, "bob"))
    assert heard("utterance_assign_requested") == []
    assert len(heard("segment_move_requested")) == 1


def test_drawing_in_a_speakers_lane_asks_for_an_utterance(
    view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    drag(view, at(view, 70, "ann"), at(view, 75, "ann"))
    ((lane, start, end),) = heard("utterance_create_requested")
    assert (lane, start, end) == (utterance_lane_key("ann"), 70_000_000, 75_000_000)
    assert heard("segment_create_requested") == []


def test_each_kind_is_deleted_and_nudged_by_its_own_request(
    view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    view.choose(["s", "u"])
    view.request_delete()
    view.request_nudge(1)
    assert (heard("delete_requested"), heard("utterance_delete_requested")) == ([(["s"],)], [(["u"],)])
    assert heard("utterance_nudge_requested") == [(["u"], 1, "both")]


def test_a_double_click_edits_the_words(view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]) -> None:
    send(view, QEvent.Type.MouseButtonDblClick, at(view, 15, "ann"))
    assert heard("utterance_activated") == [("u",)]
    assert heard("activated") == []


def test_keys_go_along_utterances_across_lanes_and_hand_over(
    qtbot: QtBot, view: TimelineView, heard: Callable[[str], list[tuple[object, ...]]]
) -> None:
    view.setFocus()
    view.choose(["s"])
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert view.selection() == ["u"]
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selection() == ["v"]
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert view.selection() == ["w"]
    qtbot.keyClick(view, Qt.Key.Key_PageUp, Qt.KeyboardModifier.ShiftModifier)
    assert heard("utterance_assign_requested") == [(["w"], utterance_lane_key("bob"))]
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert heard("utterance_delete_requested") == [(["w"],)]
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert heard("utterance_activated") == [("w",)]


def test_down_stays_with_segments_where_there_are_some(qtbot: QtBot, view: TimelineView) -> None:
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selection() == ["s"]
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selection() == ["s"]


def test_both_can_be_selected_together(view: TimelineView) -> None:
    click(view, at(view, 15, "ann"))
    click(view, at(view, 35, "bob"), CTRL)
    assert view.selection() == ["u", "v"]
    assert "2 utterances selected" in view.accessibleDescription()


def test_it_is_told_who_says_what(view: TimelineView) -> None:
    view.choose(["u"])
    assert "Utterance of Ann" in view.accessibleDescription()
    assert "So what?" in view.accessibleDescription()
    draft = utterance_bar(Utterance("d", "r", 0, 1_000_000, "<b>x", "ann", (), False), "another face speaks")
    text = utterance_tooltip(view.model, draft)
    assert "&lt;b&gt;x" in text
    assert "Another face speaks" in text
    assert "Nobody looked at the words yet" in text


def test_words_are_painted_in_the_bar(view: TimelineView) -> None:
    band = view.bands[1]
    before = view.grab().toImage()
    view.update_segments([said("u", 10, 20, "ann", "Something quite different")])
    after = view.grab().toImage()
    scale = after.devicePixelRatio()
    left, right = (round((HEADER + view.view.time_to_x(s * 1e6)) * scale) for s in (10, 20))
    rows = range(round((RULER + band.top) * scale), round((RULER + band.bottom) * scale))
    assert any(before.pixel(x, y) != after.pixel(x, y) for x in range(left, right, 2) for y in rows)
