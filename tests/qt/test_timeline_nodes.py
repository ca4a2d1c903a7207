"""Nodes of a chain on the timeline: a lane with a sign for each kind, dragged and selected as other bars are."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPointF, Qt
from pytestqt.qtbot import QtBot

from project.entities.causal_chains import ChainNode, NodeKind
from project.entities.study_records import Segment, Utterance
from tests.builders.looks import LOOKS
from tests.qt.test_timeline_mouse import CTRL, click, drag, send
from widgets.timeline.lanes import (
    NODES,
    Lane,
    NodeBar,
    lane_key,
    node_bar,
    node_bar_tooltip,
    node_lane,
    utterance_bar,
    utterance_lane,
)
from widgets.timeline.timeline_layout import HEADER, RULER
from widgets.timeline.timeline_view import TimelineView

DURATION = 100_000_000
Heard = Callable[[str], list[tuple[object, ...]]]


def bar(name: str, kind: NodeKind, start_s: float, end_s: float, text: str = "Ann waits", flag: str = "") -> NodeBar:
    node = ChainNode(name, "c", kind, text, round(start_s * 1e6), round(end_s * 1e6), ("ann",))
    return node_bar(node, "r", ["Ann"], flag)


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    view = TimelineView()
    qtbot.addWidget(view)
    view.set_lanes(
        [
            Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
            utterance_lane("ann", "Ann", "User", "#4f8fd6", editable=True),
            node_lane("Chain 1", "Ada", editable=True),
        ]
    )
    view.set_recording(DURATION)
    view.resize(HEADER + 1000, 320)
    view.show()
    qtbot.waitExposed(view)
    view.set_segments(
        [
            Segment("s", "r", "a", "error", 10_000_000, 20_000_000),
            utterance_bar(Utterance("u", "r", 10_000_000, 20_000_000, "So what?", "ann")),
            bar("e", NodeKind.EVENT, 10, 20),
            bar("b", NodeKind.BELIEF, 30, 40),
        ]
    )
    return view


@pytest.fixture
def heard(view: TimelineView) -> Heard:
    found: dict[str, list[tuple[object, ...]]] = {}
    for name in (
        "segment_move_requested", "segment_create_requested", "delete_requested", "activated", "selection_changed",
        "utterance_move_requested", "utterance_delete_requested", "utterance_assign_requested",
        "node_move_requested", "node_create_requested", "node_delete_requested", "node_nudge_requested",
        "node_activated",
    ):  # fmt: skip
        found[name] = []
        getattr(view, name).connect(lambda *values, n=name: found[n].append(values))
    return lambda name: found[name]


def at(view: TimelineView, second: float) -> QPointF:
    band = next(each_band for each_band in view.bands if each_band.lane.key == NODES)
    return QPointF(HEADER + view.view.time_to_x(second * 1e6), RULER + band.row_top(0) + band.row_height / 2)


def test_a_node_is_moved_and_resized_by_its_own_request(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 15), at(view, 17))
    drag(view, at(view, 30.05), at(view, 33))
    moved, resized = (row[0] for row in heard("node_move_requested"))
    assert moved == [("e", 12_000_000, 22_000_000)]
    assert resized == [("b", pytest.approx(32_950_000, abs=60_000), 40_000_000)]
    assert heard("segment_move_requested") == heard("utterance_move_requested") == []


def test_a_node_dragged_over_a_speakers_lane_is_not_handed_over(view: TimelineView, heard: Heard) -> None:
    band = view.bands[1]
    drag(view, at(view, 15), QPointF(HEADER + view.view.time_to_x(18e6), RULER + band.row_top(0) + 6))
    assert heard("utterance_assign_requested") == []
    assert len(heard("node_move_requested")) == 1


def test_drawing_in_the_lane_asks_for_a_node(view: TimelineView, heard: Heard) -> None:
    drag(view, at(view, 70), at(view, 75))
    assert heard("node_create_requested") == [(NODES, 70_000_000, 75_000_000)]
    assert heard("segment_create_requested") == []


def test_where_the_chain_is_somebody_elses_nothing_moves(view: TimelineView, heard: Heard) -> None:
    view.set_lanes([node_lane("Chain 1", "Bob", editable=False)])
    drag(view, at(view, 15), at(view, 17))
    drag(view, at(view, 70), at(view, 75))
    view.choose(["e"])
    view.request_delete()
    for name in ("node_move_requested", "node_create_requested", "node_delete_requested"):
        assert heard(name) == []


def test_each_kind_is_deleted_and_nudged_by_its_own_request(view: TimelineView, heard: Heard) -> None:
    view.choose(["s", "u", "e"])
    view.request_delete()
    view.request_nudge(1)
    assert heard("delete_requested") == [(["s"],)]
    assert heard("utterance_delete_requested") == [(["u"],)]
    assert heard("node_delete_requested") == [(["e"],)]
    assert heard("node_nudge_requested") == [(["e"], 1, "both")]


def test_a_double_click_and_return_activate_the_node(qtbot: QtBot, view: TimelineView, heard: Heard) -> None:
    send(view, QEvent.Type.MouseButtonDblClick, at(view, 15))
    view.setFocus()
    view.choose(["e"])
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert view.selection() == ["b"], "from a node, the next one is a node"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert heard("node_activated") == [("e",), ("b",)]
    assert heard("activated") == []


def test_keys_go_to_the_lane_and_nudge(qtbot: QtBot, view: TimelineView, heard: Heard) -> None:
    view.setFocus()
    view.choose(["u"])
    qtbot.keyClick(view, Qt.Key.Key_PageDown)
    assert view.selection() == ["e"]
    qtbot.keyClick(view, Qt.Key.Key_Period)
    assert heard("node_nudge_requested") == [(["e"], 1, "both")]


def test_several_kinds_are_told_apart(view: TimelineView) -> None:
    click(view, at(view, 15))
    assert "Node event of Ann" in view.accessibleDescription()
    click(view, at(view, 35), CTRL)
    assert "2 nodes selected" in view.accessibleDescription()
    text = node_bar_tooltip(bar("x", NodeKind.DESIRE, 1, 2, "<b>wants", "It has no reason."))
    assert "Desire</span> of Ann" in text
    assert "&lt;b&gt;wants" in text
    assert "It has no reason." in text


def test_kinds_words_and_problems_are_painted(view: TimelineView) -> None:
    def grab() -> object:
        return view.grab().toImage()

    pictures = [grab()]
    for each_bar in (
        bar("e", NodeKind.EMOTION, 10, 20),
        bar("e", NodeKind.EMOTION, 10, 20, "Something else"),
        bar("e", NodeKind.EMOTION, 10, 20, "Something else", "It has no reason."),
    ):
        view.update_segments([each_bar])
        pictures.append(grab())
    assert all(one != other for one, other in pairwise(pictures))
