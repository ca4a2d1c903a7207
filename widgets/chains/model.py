"""What the graph view shows, without Qt: the graph, where it stands, and what is selected in it."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from project.chains import ChainGraph, Edge
from widgets.chains.edges import Curve, curve, nearest, sampled
from widgets.chains.layout import HEIGHT, WIDTH, Box, Layout, Placement, Row
from widgets.chains.looks import Person


class Picture:
    """A graph with its layout; made anew whenever either changes.

    Attributes:
        graph: as given.
        layout: where its nodes stand.
    """

    def __init__(self, graph: ChainGraph, layout: Layout) -> None:
        self.graph = graph
        self.layout = layout

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The curve of each edge of the graph."""
        boxes = self.layout.boxes
        pairs = ((boxes[one.reason_id], boxes[one.result_id]) for one in self.graph.edges)
        return tuple(curve(reason, result, self._blocked(reason, result)) for reason, result in pairs)

    @cached_property
    def samples(self) -> NDArray[np.float64]:
        """(edges, samples, 2) points along the curves."""
        return sampled(self.curves)

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """(nodes, 2) upper left corners, in the order of the graph's nodes."""
        boxes = self.layout.boxes
        return np.array([(boxes[one.id].x, boxes[one.id].y) for one in self.graph.nodes]).reshape(-1, 2)

    def nodes_in(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.intp]:
        """Return the places, among the graph's nodes, of those that touch a rectangle."""
        x, y = self.corners[:, 0], self.corners[:, 1]
        return np.flatnonzero((x < right) & (x + WIDTH > left) & (y < bottom) & (y + HEIGHT > top))

    def edges_in(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.intp]:
        """Return the places, among the graph's edges, of those that may touch a rectangle."""
        low, high = self._reach
        return np.flatnonzero((low[:, 0] < right) & (high[:, 0] > left) & (low[:, 1] < bottom) & (high[:, 1] > top))

    def _blocked(self, reason: Box, result: Box) -> bool:
        """Tell whether a node stands between two on one line."""
        if result.x <= reason.right or abs(result.y - reason.y) > HEIGHT / 2:
            return False
        middle = (reason.y + result.y + HEIGHT) / 2
        return len(self.nodes_in(reason.right + 1, middle - 1, result.x - 1, middle + 1)) > 0

    @cached_property
    def _reach(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.samples.min(1) - 8, self.samples.max(1) + 8

    def node_at(self, x: float, y: float, reach: float = 0) -> str | None:
        """Return the node at a point, the last drawn one first."""
        found = self.nodes_in(x - reach, y - reach, x + reach, y + reach)
        return self.graph.nodes[found[-1]].id if len(found) else None

    def edge_at(self, x: float, y: float, within: float) -> Edge | None:
        """Return the edge that passes nearest to a point."""
        found = nearest(self.samples, x, y, within)
        return None if found is None else self.graph.edges[found]

    def row_at(self, y: float) -> Row | None:
        """Return the row at a height."""
        return next((one for one in self.layout.rows if one.top <= y < one.top + one.height), None)


class GraphModel:
    """What is shown, and what the user has picked in it."""

    def __init__(self) -> None:
        self.picture: Picture | None = None
        self.people: Mapping[str, Person] = {}
        self.problems: Mapping[str, str] = {}
        self.covered: frozenset[str] = frozenset()
        self.selected: tuple[str, ...] = ()
        self.edge: Edge | None = None
        self._placements: dict[str, Placement] = {}

    def show(self, graph: ChainGraph | None, people: Mapping[str, Person], problems: Mapping[str, str]) -> None:
        """Show a graph; what is still there stays where it is, and stays selected."""
        self.people, self.problems = people, problems
        if graph is None or not graph.nodes:
            self.picture, self.selected, self.edge = None, (), None
            return
        # A chain that was merged or read from a file may have edges to nodes that are gone.
        whole = tuple(one for one in graph.edges if one.reason_id in graph.by_id and one.result_id in graph.by_id)
        graph = graph if len(whole) == len(graph.edges) else replace(graph, edges=whole)
        placement = self._placements.setdefault(graph.chain.id, Placement())
        self.picture = Picture(graph, placement.lay_out(graph, [*people]))
        self.selected = tuple(one for one in self.selected if one in graph.by_id)
        self.edge = self.edge if self.edge in graph.edges else None

    def move(self, node_id: str, y: float) -> None:
        """Put a node at another height, inside its row."""
        if self.picture is None:
            return
        graph = self.picture.graph
        box = self.picture.layout.boxes[node_id]
        row = self.picture.row_at(box.y)
        assert row is not None
        placement = self._placements[graph.chain.id]
        placement.move(node_id, row.person, y - row.inner_top)
        self.picture = Picture(graph, placement.lay_out(graph, [*self.people]))

    def tidy(self) -> None:
        """Lay everything out anew, also what somebody has moved."""
        if self.picture is not None:
            graph = self.picture.graph
            self._placements.pop(graph.chain.id)
            self.show(graph, self.people, self.problems)

    def select(self, node_ids: Collection[str]) -> bool:
        """Select these nodes, as far as they are there; returns whether that is another selection."""
        known = self.picture.graph.by_id if self.picture is not None else {}
        before = (self.selected, self.edge)
        self.selected, self.edge = tuple(one for one in node_ids if one in known), None
        return before != (self.selected, self.edge)

    @property
    def current(self) -> str | None:
        """The node that was selected last."""
        return self.selected[-1] if self.selected else None

    @property
    def members(self) -> frozenset[str]:
        """The nodes of the subchain whose result is selected; nothing where it has no reasons."""
        if self.picture is None or len(self.selected) != 1:
            return frozenset()
        reasons = self.picture.graph.reasons[self.selected[0]]
        return frozenset((self.selected[0], *reasons)) if reasons else frozenset()

    def box(self, node_id: str) -> Box:
        """Return where a node stands."""
        assert self.picture is not None
        return self.picture.layout.boxes[node_id]
