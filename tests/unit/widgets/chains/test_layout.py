from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.causal_chains import ChainGraph
from tests.builders.graphs import SECOND, graph, graphs, node
from widgets.graph.graph_layout import (
    HEIGHT,
    MAX_WAIT_PX,
    MIN_DISTANCE,
    NOBODY,
    SETTLED,
    WIDTH,
    ChainLayout,
    Placement,
    fit_axis,
)

PEOPLE = ["a", "b", "c"]


def covering(layout: ChainLayout) -> list[tuple[str, str]]:
    boxes = [*layout.boxes.items()]
    return [
        (text, other)
        for at, (text, first) in enumerate(boxes)
        for other, second in boxes[at + 1 :]
        if abs(first.x - second.x) < WIDTH and abs(first.y - second.y) < HEIGHT
    ]


@given(graphs())
def test_no_node_covers_another_and_time_runs_to_the_right(shown):
    layout = Placement().lay_out(shown, PEOPLE)
    assert covering(layout) == []
    for one, other in zip(shown.nodes, shown.nodes[1:], strict=False):
        left, right = layout.boxes[one.id].x, layout.boxes[other.id].x
        assert left < right if one.start_us < other.start_us else left == right


@given(graphs())
def test_every_node_stands_in_the_row_of_its_person(shown):
    layout = Placement().lay_out(shown, PEOPLE)
    rows = {row.person: row for row in layout.rows}
    for each_node in shown.nodes:
        row, box = rows[each_node.people[0] if each_node.people else NOBODY], layout.boxes[each_node.id]
        assert row.top <= box.y < box.bottom <= row.top + row.height


@given(graphs(), st.data())
def test_adding_a_node_or_an_edge_or_taking_one_away_moves_no_other(shown, data):
    """Rows may become higher: a node keeps its place in its row."""
    placement = Placement()
    extra = node("new", data.draw(st.integers(0, 60)), data.draw(st.sampled_from(PEOPLE)))
    before = placement.lay_out(shown, PEOPLE)
    if len({each_node.start_us for each_node in shown.nodes}) < SETTLED:
        return
    after = placement.lay_out(graph([*shown.nodes, extra], f"{shown.nodes[0].id}>new"), PEOPLE)
    assert inside(before, shown) == inside(after, shown)
    assert covering(after) == []
    again = placement.lay_out(shown, PEOPLE)
    assert inside(again, shown) == inside(before, shown)


def inside(layout: ChainLayout, shown: ChainGraph) -> dict[str, tuple[float, float]]:
    tops = {row.person: row.top for row in layout.rows}
    return {
        node.id: (layout.boxes[node.id].x, layout.boxes[node.id].y - tops[node.people[0] if node.people else NOBODY])
        for node in shown.nodes
    }


def test_rows_come_in_the_order_of_people_and_nobody_last():
    shown = graph([node("x", 1, ""), node("y", 2, "b"), node("z", 3, "a"), node("w", 4, "gone")])
    layout = Placement().lay_out(shown, ["a", "b", "c"])
    assert [row.person for row in layout.rows] == ["a", "b", "gone", NOBODY]


def test_a_node_that_was_moved_stays_there_until_everything_is_laid_out_anew():
    placement = Placement()
    shown = graph([node(name, at * 3) for at, name in enumerate("pqrs")], "p>q")
    first = placement.lay_out(shown, PEOPLE)
    placement.move("q", "a", 90.0)
    moved = placement.lay_out(shown, PEOPLE)
    assert moved.boxes["q"].y == moved.rows[0].inner_top + 90
    assert {text: moved.boxes[text] for text in "prs"} == {text: first.boxes[text] for text in "prs"}
    assert placement.lay_out(graph(shown.nodes, "p>q q>r"), PEOPLE).boxes == moved.boxes
    assert Placement().lay_out(shown, PEOPLE).boxes == first.boxes


def test_a_node_whose_time_changes_moves_along_the_time_alone():
    placement = Placement()
    shown = graph([node(name, at * 5, f"whose {name}") for at, name in enumerate("pqrstuvwxyzk")])
    before = placement.lay_out(shown, PEOPLE)
    later = replace(shown.nodes[0], start_us=2 * SECOND, end_us=4 * SECOND)
    after = placement.lay_out(graph([later, *shown.nodes[1:]]), PEOPLE)
    assert after.boxes["p"].x > before.boxes["p"].x
    assert after.boxes["p"].y == before.boxes["p"].y
    assert {text: after.boxes[text] for text in "qrstuvwxyzk"} == {text: before.boxes[text] for text in "qrstuvwxyzk"}


def test_reasons_are_drawn_towards_their_results():
    """Two crossing pairs at one time: the order inside the lower row follows that of the upper one."""
    names = [("p", 0, "a"), ("q", 0, "a"), ("r", 30, "b"), ("s", 30, "b"), ("t", 60, "a"), ("u", 90, "b")]
    shown = graph([node(*name) for name in names], "p>r q>s r>t s>u")
    layout = Placement().lay_out(shown, ["a", "b"])
    boxes = layout.boxes
    assert (boxes["p"].y < boxes["q"].y) == (boxes["r"].y < boxes["s"].y)


def test_a_long_wait_is_shortened_and_said_to_be():
    axis = fit_axis({"a": [0, 2 * SECOND, 4 * SECOND, 600 * SECOND, 602 * SECOND]}, MIN_DISTANCE)
    assert [shortened for _, _, shortened in axis.pieces()] == [False, False, True, False]
    assert axis.x(600 * SECOND) - axis.x(4 * SECOND) == pytest.approx(MAX_WAIT_PX)


@given(st.lists(st.integers(0, 4_000 * SECOND), min_size=1, max_size=30), st.integers(-SECOND, 5_000 * SECOND))
def test_places_give_their_times_back(starts, time):
    axis = fit_axis({"a": starts}, MIN_DISTANCE)
    # Where a wait is shortened, a pixel is many seconds: what is lost is less than a thousandth of a pixel.
    assert abs(axis.x(axis.time_us(axis.x(time))) - axis.x(time)) < 1e-3
