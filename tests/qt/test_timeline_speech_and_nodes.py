"""Utterances and nodes on the timeline: bars with words, each kind with requests of its own."""

import pytest
from PySide6.QtCore import QEvent
from pytestqt.qtbot import QtBot

from project.entities.causal_chains import ChainNode, NodeKind
from project.entities.study_records import Utterance
from tests.builders.looks import LOOKS
from tests.builders.mouse_and_keys import CTRL, click, drag, press, send_mouse
from tests.builders.timelines import Requests, lane_point, record_requests, show_timeline, span
from widgets.timeline.lanes import (
    NODES,
    Lane,
    NodeBar,
    SpokenBar,
    lane_key,
    node_bar,
    node_bar_tooltip,
    node_lane,
    utterance_bar,
    utterance_lane,
    utterance_lane_key,
)
from widgets.timeline.timeline_view import TimelineView, utterance_tooltip

ANN, BOB, NOBODY = (utterance_lane_key(who) for who in ("ann", "bob", None))


def said(name: str, start_s: float, end_s: float, who: str | None, text: str = "well") -> SpokenBar:
    return utterance_bar(Utterance(name, "r", round(start_s * 1e6), round(end_s * 1e6), text, who))


def node(name: str, kind: NodeKind, start_s: float, end_s: float, text: str = "Ann waits", flag: str = "") -> NodeBar:
    made = ChainNode(name, "c", kind, text, round(start_s * 1e6), round(end_s * 1e6), ("ann",))
    return node_bar(made, "r", ["Ann"], flag)


@pytest.fixture
def view(qtbot: QtBot) -> TimelineView:
    lanes = [
        Lane(lane_key("a"), "A", editable=True, looks=LOOKS),
        utterance_lane("ann", "Ann", "User", "#4f8fd6", editable=True),
        utterance_lane("bob", "Bob", "User", "#cf7a2c", editable=True),
        utterance_lane(None, "Unassigned", "Who speaks?", None, editable=True),
        node_lane("Chain 1", "Ada", editable=True),
    ]
    bars = [
        span("s", 10, 20),
        *(said("u", 10, 20, "ann", "So what?"), said("v", 30, 40, "bob"), said("w", 50, 60, None)),
        *(node("e", NodeKind.EVENT, 10, 20), node("b", NodeKind.BELIEF, 30, 40)),
    ]
    view = show_timeline(qtbot, lanes, bars)
    view.setFocus()
    return view


@pytest.fixture
def heard(view: TimelineView) -> Requests:
    return record_requests(view)


def test_dragging_along_the_lane_and_by_an_edge_retimes_by_its_own_request(view: TimelineView, heard: Requests) -> None:
    for kind, names, lanes in (("utterance", "uv", (ANN, BOB)), ("node", "eb", (NODES, NODES))):
        drag(view, lane_point(view, 15, lanes[0]), lane_point(view, 17, lanes[0]))
        drag(view, lane_point(view, 30.05, lanes[1]), lane_point(view, 33, lanes[1]))
        moved, resized = (row[0] for row in heard[f"{kind}_requests.move"])
        assert moved == [(names[0], 12_000_000, 22_000_000)]
        assert resized == [(names[1], pytest.approx(32_950_000, abs=60_000), 40_000_000)]
    assert heard["segment_requests.move"] == []


def test_only_an_utterance_is_handed_to_another_speaker(view: TimelineView, heard: Requests) -> None:
    drag(view, lane_point(view, 15, lane_key("a")), lane_point(view, 18, BOB))
    drag(view, lane_point(view, 15, NODES), lane_point(view, 18, ANN))
    assert heard["utterance_assign_requested"] == []
    assert (len(heard["segment_requests.move"]), len(heard["node_requests.move"])) == (1, 1)
    drag(view, lane_point(view, 15, ANN), lane_point(view, 27, BOB))
    assert heard["utterance_assign_requested"] == [(["u"], BOB)]
    assert heard["utterance_requests.move"] == [], "its times stay"


def test_drawing_in_a_lane_asks_for_what_lies_there(view: TimelineView, heard: Requests) -> None:
    drag(view, lane_point(view, 70, ANN), lane_point(view, 75, ANN))
    drag(view, lane_point(view, 70, NODES), lane_point(view, 75, NODES))
    assert heard["utterance_requests.create"] == [(ANN, 70_000_000, 75_000_000)]
    assert heard["node_requests.create"] == [(NODES, 70_000_000, 75_000_000)]
    assert heard["segment_requests.create"] == []


def test_where_the_chain_is_somebody_elses_nothing_moves(view: TimelineView, heard: Requests) -> None:
    view.set_lanes([node_lane("Chain 1", "Bob", editable=False)])
    drag(view, lane_point(view, 15, NODES), lane_point(view, 17, NODES))
    drag(view, lane_point(view, 70, NODES), lane_point(view, 75, NODES))
    view.choose(["e"])
    view.request_delete()
    for name in ("node_requests.move", "node_requests.create", "node_requests.delete"):
        assert heard[name] == []


def test_each_kind_is_deleted_nudged_and_activated_by_its_own_request(view: TimelineView, heard: Requests) -> None:
    view.choose(["s", "u", "e"])
    view.request_delete()
    view.request_nudge(1)
    for kind, name in (("segment", "s"), ("utterance", "u"), ("node", "e")):
        assert heard[f"{kind}_requests.delete"] == [([name],)]
        assert heard[f"{kind}_requests.nudge"] == [([name], 1, "both")]
    for lane in (ANN, NODES):
        send_mouse(view.viewport(), QEvent.Type.MouseButtonDblClick, lane_point(view, 15, lane))
    assert (heard["utterance_requests.activate"], heard["node_requests.activate"]) == ([("u",)], [("e",)])
    assert heard["segment_requests.activate"] == []


def test_keys_go_along_a_kind_and_from_lane_to_lane(view: TimelineView, heard: Requests) -> None:
    press(view, "Down")
    assert view.selection() == ["s"]
    press(view, "Down")
    assert view.selection() == ["s"], "Down stays with segments where there are some"
    for key, name in (("PgDown", "u"), ("Down", "v"), ("PgDown", "w")):
        press(view, key)
        assert view.selection() == [name]
    press(view, "Shift+PgUp")
    assert heard["utterance_assign_requested"] == [(["w"], BOB)]
    press(view, "Del", "Return")
    assert heard["utterance_requests.delete"] == [(["w"],)]
    assert heard["utterance_requests.activate"] == [("w",)]
    view.choose(["e"])
    press(view, "Down")
    assert view.selection() == ["b"], "from a node, the next one is a node"
    press(view, "Return", ".")
    assert heard["node_requests.activate"] == [("b",)]
    assert heard["node_requests.nudge"] == [(["b"], 1, "both")]


def test_it_is_told_who_says_and_does_what(view: TimelineView) -> None:
    click(view, lane_point(view, 15, ANN))
    assert "Utterance of Ann" in view.accessibleDescription()
    assert "So what?" in view.accessibleDescription()
    click(view, lane_point(view, 35, BOB), CTRL)
    assert "2 utterances selected" in view.accessibleDescription()
    draft = utterance_bar(Utterance("d", "r", 0, 1_000_000, "<b>x", "ann", (), False), "another face speaks")
    tip = utterance_tooltip(view.model, draft)
    for told in ("&lt;b&gt;x", "Another face speaks", "Words not checked yet"):
        assert told in tip
    click(view, lane_point(view, 15, NODES))
    assert "Node event of Ann" in view.accessibleDescription()
    click(view, lane_point(view, 35, NODES), CTRL)
    assert "2 nodes selected" in view.accessibleDescription()
    tip = node_bar_tooltip(node("x", NodeKind.DESIRE, 1, 2, "<b>wants", "It has no reason."))
    for told in ("Desire</span> of Ann", "&lt;b&gt;wants", "It has no reason."):
        assert told in tip
