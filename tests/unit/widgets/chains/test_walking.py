import pytest

from tests.builders.graphs import graph, node
from widgets.graph.graph_layout import WIDTH, Box, GraphDirection, Placement, neighbour_in_time, neighbour_node
from widgets.graph.graph_model import (
    ArrowDirection,
    ancestors,
    edge_curve,
    edge_refusal,
    edge_warning,
    nearest_curve,
    sample_curves,
)

NODES = [("p", 0, "a"), ("q", 3, "b"), ("r", 8, "a"), ("s", 11, "b"), ("t", 16, "a"), ("u", 20, "")]
SHOWN = graph([node(*row) for row in NODES], "p>r q>r r>s s>t q>t")
LAYOUT = Placement().lay_out(SHOWN, ["a", "b"])


@pytest.mark.parametrize(
    ("start", "step", "end"),
    [
        (None, GraphDirection.RIGHT, "p"),
        ("p", GraphDirection.RIGHT, "r"),
        ("r", GraphDirection.LEFT, "p"),
        ("t", GraphDirection.RIGHT, None),
        ("p", GraphDirection.DOWN, "q"),
        ("s", GraphDirection.UP, "r"),
        ("r", GraphDirection.REASON, "p"),
        ("q", GraphDirection.RESULT, "r"),
        ("p", GraphDirection.SIBLING, "q"),
        ("u", GraphDirection.SIBLING, None),
    ],
)
def test_arrows_lead_along_rows_and_edges(start, step, end):
    assert neighbour_node(SHOWN, LAYOUT, start, step) == end


def test_tab_goes_through_all_nodes_in_time():
    seen, here = [], None
    while (here := neighbour_in_time(SHOWN.nodes, here, 1)) is not None:
        seen.append(here)
    assert seen == ["p", "q", "r", "s", "t", "u"]
    assert neighbour_in_time(SHOWN.nodes, None, -1) == "u"
    assert neighbour_in_time((), None, 1) is None


def test_an_edge_that_would_close_a_circle_is_refused_and_said_why():
    assert "circle" in edge_refusal(SHOWN, "t", "p")
    assert "itself" in edge_refusal(SHOWN, "p", "p")
    assert "already" in edge_refusal(SHOWN, "p", "r")
    assert edge_refusal(SHOWN, "p", "t") == ""
    assert ancestors(SHOWN.reasons, "s") == {"p", "q", "r"}


def test_a_reason_that_starts_after_its_result_is_a_warning():
    assert "after its result" in edge_warning(SHOWN, "u", "p")
    assert edge_warning(SHOWN, "p", "u") == ""


@pytest.mark.parametrize(
    ("reason", "result", "way"),
    [
        (Box(0, 0), Box(400, 200), ArrowDirection.RIGHT),
        (Box(0, 0), Box(60, 200), ArrowDirection.DOWN),
        (Box(0, 200), Box(60, 0), ArrowDirection.UP),
    ],
)
def test_an_arrow_ends_on_the_rim_of_its_result(reason, result, way):
    found = edge_curve(reason, result)
    x, y = found.points[3]
    assert found.direction is way
    assert result.x <= x <= result.right
    assert y in (result.y, result.bottom) or x == result.x


def test_the_nearest_edge_is_found_and_only_within_reach():
    drawn = sample_curves([edge_curve(Box(0, 0), Box(400, 0)), edge_curve(Box(0, 300), Box(400, 300))])
    assert nearest_curve(drawn, WIDTH + 50, 30, 6) == 0
    assert nearest_curve(drawn, WIDTH + 50, 326, 6) == 1
    assert nearest_curve(drawn, WIDTH + 50, 150, 6) is None
    assert nearest_curve(drawn[:0], 0, 0, 6) is None
