"""Where the arrow keys lead in a graph."""

from collections.abc import Iterable, Sequence
from enum import StrEnum

from project.chains import ChainGraph, Node
from widgets.chains.layout import Box, Layout


class Step(StrEnum):
    """A direction: in the picture, or along the edges."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    REASON = "reason"
    RESULT = "result"
    SIBLING = "sibling"


def beside(graph: ChainGraph, layout: Layout, node_id: str | None, step: Step) -> str | None:
    """Return the node that a step leads to; the first one in time from nowhere, None where there is none.

    Left and right go along the row in time, up and down to what is nearest above and below. The other steps go along
    edges: to the first reason or result in time, and to the next one that shares a result, or else a reason.
    """
    if not graph.nodes:
        return None
    if node_id is None or node_id not in layout.boxes:
        return graph.nodes[0].id
    if step is Step.REASON:
        return _first(graph.reasons[node_id])
    if step is Step.RESULT:
        return _first(graph.results[node_id])
    if step is Step.SIBLING:
        return _sibling(graph, node_id)
    here = layout.boxes[node_id]
    if step in (Step.LEFT, Step.RIGHT):
        return _along(layout, node_id, here, 1 if step is Step.RIGHT else -1)
    return _across(layout, node_id, here, 1 if step is Step.DOWN else -1)


def in_time(nodes: Sequence[Node], node_id: str | None, step: int) -> str | None:
    """Return the next (1) or previous (-1) node by time; from nowhere the first or the last; None past the ends."""
    if not nodes:
        return None
    ids = [one.id for one in nodes]
    if node_id not in ids:
        return ids[0 if step > 0 else -1]
    at = ids.index(node_id) + step
    return ids[at] if 0 <= at < len(ids) else None


def _along(layout: Layout, node_id: str, here: Box, side: int) -> str | None:
    row = next(one for one in layout.rows if one.top <= here.y < one.top + one.height)
    inside = [(at, box) for at, box in layout.boxes.items() if row.top <= box.y < row.top + row.height]
    ranked = sorted(inside, key=lambda one: (one[1].x, one[1].y, one[0]))
    place = next(at for at, one in enumerate(ranked) if one[0] == node_id) + side
    return ranked[place][0] if 0 <= place < len(ranked) else None


def _across(layout: Layout, node_id: str, here: Box, side: int) -> str | None:
    beyond = [
        (abs(box.x - here.x) + 2 * abs(box.y - here.y), at)
        for at, box in layout.boxes.items()
        if at != node_id and (box.y - here.y) * side > 4
    ]
    return min(beyond)[1] if beyond else None


def _sibling(graph: ChainGraph, node_id: str) -> str | None:
    shared: list[str] = []
    for result in graph.results[node_id]:
        shared += graph.reasons[result]
    if {*shared} <= {node_id}:
        for reason in graph.reasons[node_id]:
            shared += graph.results[reason]
    ids = [one.id for one in graph.nodes if one.id in {*shared, node_id}]
    return ids[(ids.index(node_id) + 1) % len(ids)] if len(ids) > 1 else None


def _first(ids: Iterable[str]) -> str | None:
    return next(iter(ids), None)
