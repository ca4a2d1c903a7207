"""Where the nodes of a graph stand, without Qt: rows of people from the top, time to the right.

Sugiyama's method (1981) for layered drawings with the layers given: a node's place along the layers is its time, and
its band is that of its person. What is left to choose is the place of a node inside its band; this follows the median
heuristic of Gansner et al. (1993, section 3), swept forth and back.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from project.chains import ChainGraph, Node
from widgets.chains.axis import TimeAxis, fitted
from widgets.chains.bands import HEIGHT, NEEDED, WIDTH, assign

NOBODY = ""
"""Key of the row of nodes that belong to nobody."""
PADDING = 14.0
_MARGIN = 24.0
SETTLED = 12
"""Different starts from which on the axis stays; before, there is little to keep still."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node's rectangle; all have one size."""

    x: float
    y: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + WIDTH

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.y + HEIGHT

    @property
    def middle(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + WIDTH / 2, self.y + HEIGHT / 2


@dataclass(frozen=True, slots=True)
class Row:
    """The band of one person, or of nobody."""

    person: str
    top: float
    height: float

    @property
    def inner_top(self) -> float:
        """Where its first node stands."""
        return self.top + PADDING


@dataclass(frozen=True)
class Layout:
    """Where everything stands, in pixels at a zoom of 1.

    Attributes:
        boxes: node id -> its box.
        rows: from the top.
        area: left, top, right and bottom of everything, with a margin.
    """

    boxes: Mapping[str, Box]
    rows: tuple[Row, ...]
    axis: TimeAxis
    area: tuple[float, float, float, float]


def row_of(node: Node, people: Sequence[str]) -> str:
    """Return whose row a node stands in: the first of its people in the order given."""
    known = [one for one in people if one in node.people]
    return known[0] if known else (node.people[0] if node.people else NOBODY)


class Placement:
    """Lays one graph out, and keeps what stood somewhere where it stood as long as that graph is shown.

    Time is data: moving a node changes its place inside its row, and nothing else.
    """

    def __init__(self) -> None:
        self._axis: TimeAxis | None = None
        self._offsets: dict[str, tuple[str, float]] = {}
        self._moved: set[str] = set()

    def move(self, node_id: str, row: str, offset: float) -> None:
        """Put a node this far under the top of its row, in pixels."""
        self._offsets[node_id] = (row, max(0.0, offset))
        self._moved.add(node_id)

    def forget(self) -> None:
        """Lay everything out anew at the next chance."""
        self._axis = None
        self._offsets.clear()
        self._moved.clear()

    def lay_out(self, graph: ChainGraph, people: Sequence[str]) -> Layout:
        """Return where the nodes stand; only what is new or no longer fits is given a place."""
        rows: dict[str, list[Node]] = {}
        for node in graph.nodes:
            rows.setdefault(row_of(node, people), []).append(node)
        starts = {row: [one.start_us for one in nodes] for row, nodes in rows.items()}
        if self._axis is None or len(self._axis.times) < SETTLED:
            self._axis = fitted(starts, NEEDED)
        axis = self._axis = self._axis.reaching(one.start_us for one in graph.nodes)
        order = [*(one for one in people if one in rows), *sorted({*rows} - {*people, NOBODY})]
        order += [NOBODY] if NOBODY in rows else []
        places = {node.id: axis.x(node.start_us) for node in graph.nodes}
        kept = {
            node.id: self._offsets[node.id][1]
            for row, nodes in rows.items()
            for node in nodes
            if node.id in self._offsets and self._offsets[node.id][0] == row
        }
        bands = [[one.id for one in rows[row]] for row in order]
        offsets = assign(bands, places, graph.reasons, graph.results, kept, self._moved)
        for row, band in zip(order, bands, strict=True):
            self._offsets.update({node_id: (row, offsets[node_id]) for node_id in band})
        return _stacked(axis, order, bands, places, offsets)


def _stacked(
    axis: TimeAxis,
    order: Sequence[str],
    bands: Sequence[Sequence[str]],
    places: Mapping[str, float],
    offsets: Mapping[str, float],
) -> Layout:
    boxes: dict[str, Box] = {}
    found: list[Row] = []
    top = 0.0
    for row, band in zip(order, bands, strict=True):
        for node_id in band:
            boxes[node_id] = Box(places[node_id], top + PADDING + offsets[node_id])
        height = max(offsets[node_id] for node_id in band) + HEIGHT + 2 * PADDING
        found.append(Row(row, top, height))
        top += height
    left = min(places.values(), default=0.0) - _MARGIN
    right = max(places.values(), default=0.0) + WIDTH + _MARGIN
    return Layout(boxes, tuple(found), axis, (left, 0.0, right, top))


__all__ = ["HEIGHT", "NEEDED", "NOBODY", "PADDING", "SETTLED", "WIDTH", "Box", "Layout", "Placement", "Row", "row_of"]
