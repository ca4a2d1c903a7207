"""The model of the graph view, without Qt: graph, layout, selection, edge curves, and which edges may be drawn.

Also the texts for screen readers and tooltips.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from html import escape

import numpy as np
from numpy.typing import NDArray

from project.entities.causal_chains import ChainGraph, ChainNode, Edge
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.graph.graph_layout import HEIGHT, WIDTH, Box, ChainLayout, PersonBand, Placement
from widgets.labels import KIND_LOOKS, NodePerson
from widgets.text_labels import semibold

ARROW_SIZE = 9.0
"""Length of an arrowhead, in pixels."""
_SAMPLES = 17
_CURVE_BOW = 34.0
_MIN_SHARED_WIDTH = 24.0


class ArrowDirection(StrEnum):
    """Where an arrow points."""

    RIGHT = "right"
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve, and where its arrow points; (4, 2) corners as pairs, the last one is the arrow's tip."""

    points: tuple[tuple[float, float], ...]
    direction: ArrowDirection


def edge_curve(reason: Box, result: Box, blocked: bool = False) -> Curve:
    """Return the curve from one box to another: out at the right and in at the left, or upright where they overlap.

    Args:
        reason: where it begins.
        result: where it ends.
        blocked: something stands between the two on one line: pass over it.
    """
    if result.x >= reason.right + ARROW_SIZE + 3:
        straight = free_curve((reason.right, reason.y + HEIGHT / 2), (result.x, result.y + HEIGHT / 2))
        return straight if not blocked else _lift_curve(straight)
    if abs(result.y - reason.y) < HEIGHT:
        x1, x2, low = reason.x + WIDTH * 0.4, result.x + WIDTH * 0.6, max(reason.bottom, result.bottom) + _CURVE_BOW
        return Curve(((x1, reason.bottom), (x1, low), (x2, low), (x2, result.bottom)), ArrowDirection.UP)
    down = result.y > reason.y
    left, right = max(reason.x, result.x), min(reason.right, result.right)
    x1, x2 = reason.x + WIDTH * 0.6, result.x + WIDTH * 0.4
    if right - left > _MIN_SHARED_WIDTH:
        x1 = x2 = (left + right) / 2
    y1, y2 = (reason.bottom, result.y) if down else (reason.y, result.bottom)
    bend = (y2 - y1) / 2
    return Curve(
        ((x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2)), ArrowDirection.DOWN if down else ArrowDirection.UP
    )


def free_curve(start: tuple[float, float], end: tuple[float, float]) -> Curve:
    """Return a curve that leaves to the right and arrives from the left."""
    bend = max(24.0, abs(end[0] - start[0]) / 2)
    return Curve((start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end), ArrowDirection.RIGHT)


def _lift_curve(line: Curve) -> Curve:
    first, second, third, last = line.points
    return Curve(
        (first, (second[0], second[1] - HEIGHT * 1.1), (third[0], third[1] - HEIGHT * 1.1), last), line.direction
    )


def sample_curves(curves: Sequence[Curve]) -> NDArray[np.float64]:
    """Return (curves, samples, 2) points along them."""
    corners = np.array([curve.points for curve in curves], dtype=np.float64).reshape(-1, 4, 1, 2)
    at = np.linspace(0, 1, _SAMPLES)[None, :, None]
    weights = ((1 - at) ** 3, 3 * (1 - at) ** 2 * at, 3 * (1 - at) * at**2, at**3)
    return sum((weight * corners[:, place] for place, weight in enumerate(weights)), np.zeros((1, 1, 1)))


def nearest_curve(points: NDArray[np.float64], x: float, y: float, within: float) -> int | None:
    """Return which of the sampled curves passes nearest to a point, if any does within so many pixels."""
    if not len(points):
        return None
    start, along = points[:, :-1], np.diff(points, axis=1)
    length = np.maximum((along**2).sum(2), 1e-9)
    share = np.clip(((np.array([x, y]) - start) * along).sum(2) / length, 0, 1)
    gone = np.hypot(*np.moveaxis(start + share[..., None] * along - np.array([x, y]), 2, 0)).min(1)
    best = int(gone.argmin())
    return best if gone[best] <= within else None


def edge_refusal(graph: ChainGraph, reason_id: str, result_id: str) -> str:
    """Return why an edge cannot be drawn; "" where it can."""
    if reason_id == result_id:
        return tr("A node cannot be a reason for itself.")
    if result_id in graph.results.get(reason_id, ()):
        return tr("This edge is there already.")
    if result_id in ancestors(graph.reasons, reason_id):
        return tr("That would go round in a circle: it is a reason for this one already.")
    return ""


def edge_warning(graph: ChainGraph, reason_id: str, result_id: str) -> str:
    """Return what to look at before drawing an edge that can be drawn; "" for nothing."""
    late = graph.nodes_by_id[reason_id].start_us > graph.nodes_by_id[result_id].start_us
    return tr("The reason starts after its result: check the times.") if late else ""


def ancestors(reasons: Mapping[str, Sequence[str]], node_id: str) -> set[str]:
    """Return everything that leads to a node."""
    found: set[str] = set()
    ahead = [node_id]
    while ahead:
        new = [reason for reason in reasons.get(ahead.pop(), ()) if reason not in found]
        found.update(new)
        ahead += new
    return found


class GraphGeometry:
    """A graph with its layout; made again whenever either changes.

    Attributes:
        graph: as given.
        layout: where its nodes stand.
    """

    def __init__(self, graph: ChainGraph, layout: ChainLayout) -> None:
        self.graph = graph
        self.layout = layout

    @cached_property
    def curves(self) -> tuple[Curve, ...]:
        """The curve of each edge of the graph."""
        boxes = self.layout.boxes
        pairs = ((boxes[edge.reason_id], boxes[edge.result_id]) for edge in self.graph.edges)
        return tuple(edge_curve(reason, result, self._is_blocked(reason, result)) for reason, result in pairs)

    @cached_property
    def samples(self) -> NDArray[np.float64]:
        """(edges, samples, 2) points along the curves."""
        return sample_curves(self.curves)

    @cached_property
    def corners(self) -> NDArray[np.float64]:
        """(nodes, 2) upper left corners, in the order of the graph's nodes."""
        boxes = self.layout.boxes
        return np.array([(boxes[node.id].x, boxes[node.id].y) for node in self.graph.nodes]).reshape(-1, 2)

    def nodes_in(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.intp]:
        """Return the places, among the graph's nodes, of those that touch a rectangle."""
        x, y = self.corners[:, 0], self.corners[:, 1]
        return np.flatnonzero((x < right) & (x + WIDTH > left) & (y < bottom) & (y + HEIGHT > top))

    def edges_in(self, left: float, top: float, right: float, bottom: float) -> NDArray[np.intp]:
        """Return the places, among the graph's edges, of those that may touch a rectangle."""
        low, high = self._edge_bounds
        return np.flatnonzero((low[:, 0] < right) & (high[:, 0] > left) & (low[:, 1] < bottom) & (high[:, 1] > top))

    def _is_blocked(self, reason: Box, result: Box) -> bool:
        """Tell whether a node stands between two on one line."""
        if result.x <= reason.right or abs(result.y - reason.y) > HEIGHT / 2:
            return False
        middle = (reason.y + result.y + HEIGHT) / 2
        return len(self.nodes_in(reason.right + 1, middle - 1, result.x - 1, middle + 1)) > 0

    @cached_property
    def _edge_bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        return self.samples.min(1) - 8, self.samples.max(1) + 8

    def node_at(self, x: float, y: float, reach: float = 0) -> str | None:
        """Return the node at a point, the last drawn one first."""
        found = self.nodes_in(x - reach, y - reach, x + reach, y + reach)
        return self.graph.nodes[found[-1]].id if len(found) else None

    def edge_at(self, x: float, y: float, within: float) -> Edge | None:
        """Return the edge that passes nearest to a point."""
        found = nearest_curve(self.samples, x, y, within)
        return None if found is None else self.graph.edges[found]

    def row_at(self, y: float) -> PersonBand | None:
        """Return the row at a height."""
        return next((row for row in self.layout.rows if row.top <= y < row.top + row.height), None)


class GraphModel:
    """What is shown, and what the user has picked in it."""

    def __init__(self) -> None:
        self.picture: GraphGeometry | None = None
        self.people: Mapping[str, NodePerson] = {}
        self.problems: Mapping[str, str] = {}
        self.covered: frozenset[str] = frozenset()
        self.selected: tuple[str, ...] = ()
        self.edge: Edge | None = None
        self._placements: dict[str, Placement] = {}

    def set_graph(
        self, graph: ChainGraph | None, people: Mapping[str, NodePerson], problems: Mapping[str, str]
    ) -> None:
        """Show a graph; what is still there stays where it is, and stays selected."""
        self.people, self.problems = people, problems
        if graph is None or not graph.nodes:
            self.picture, self.selected, self.edge = None, (), None
            return
        # A chain that was merged or read from a file may have edges to nodes that are gone.
        whole = tuple(
            edge for edge in graph.edges if edge.reason_id in graph.nodes_by_id and edge.result_id in graph.nodes_by_id
        )
        graph = graph if len(whole) == len(graph.edges) else replace(graph, edges=whole)
        placement = self._placements.setdefault(graph.chain.id, Placement())
        self.picture = GraphGeometry(graph, placement.lay_out(graph, [*people]))
        self.selected = tuple(node_id for node_id in self.selected if node_id in graph.nodes_by_id)
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
        self.picture = GraphGeometry(graph, placement.lay_out(graph, [*self.people]))

    def relayout(self) -> None:
        """Lay everything out again, also what somebody has moved."""
        if self.picture is not None:
            graph = self.picture.graph
            self._placements.pop(graph.chain.id)
            self.set_graph(graph, self.people, self.problems)

    def select(self, node_ids: Collection[str]) -> bool:
        """Select these nodes, as far as they are there; returns whether that is another selection."""
        known = self.picture.graph.nodes_by_id if self.picture is not None else {}
        before = (self.selected, self.edge)
        self.selected, self.edge = tuple(node_id for node_id in node_ids if node_id in known), None
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


NO_TEXT = tr("no text yet")


def person_names(model: GraphModel, node: ChainNode) -> str:
    """Return whose a node is, “nobody” for none."""
    known = [model.people[person].name if person in model.people else tr("somebody unknown") for person in node.people]
    return ", ".join(known) or "nobody"


def describe_node(model: GraphModel, node: ChainNode) -> str:
    """Return such as “Belief of Anna: nobody has seen it, 0:00:12.000 to 0:00:15.000, 2 reasons, 1 result.”"""  # noqa: D415
    assert model.picture is not None
    graph = model.picture.graph
    parts = [
        tr("{kind} of {people}: {words}").format(
            kind=KIND_LOOKS[node.kind].name, people=person_names(model, node), words=node.text or NO_TEXT
        ),
        tr("{start_us} to {end_us}").format(start_us=format_time(node.start_us), end_us=format_time(node.end_us)),
        trn("{count} reason", "{count} reasons", len(graph.reasons[node.id])),
        trn("{count} result", "{count} results", len(graph.results[node.id])),
    ]
    problem = model.problems.get(node.id, "")
    return f"{', '.join(parts)}." + (tr(" Look at this: {problem}").format(problem=problem) if problem else "")


def describe_selection(model: GraphModel, editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else tr(" Read-only.")
    if model.picture is None:
        return tr("No nodes yet.{read_only}").format(read_only=read_only)
    graph = model.picture.graph
    if model.edge is not None:
        return tr("Edge from “{reason}” to “{result}”.{read_only}").format(
            reason=_shorten(graph, model.edge.reason_id),
            result=_shorten(graph, model.edge.result_id),
            read_only=read_only,
        )
    if len(model.selected) == 1:
        return describe_node(model, graph.nodes_by_id[model.selected[0]]) + read_only
    if model.selected:
        return tr("{count} selected.{read_only}").format(
            count=trn("{count} node", "{count} nodes", len(model.selected)), read_only=read_only
        )
    shown = ", ".join(
        (
            trn("{count} node", "{count} nodes", len(graph.nodes)),
            trn("{count} edge", "{count} edges", len(graph.edges)),
        )
    )
    return tr("{shown}, {count}, none selected.{read_only}").format(
        shown=shown, count=trn("{count} subchain", "{count} subchains", len(graph.subchains)), read_only=read_only
    )


def node_tooltip(model: GraphModel, node: ChainNode) -> str:
    """Return a node as rich text for a tooltip; whatever was written in it is plain text there."""
    assert model.picture is not None
    graph = model.picture.graph
    span = tr("{start_us} to {end_us}").format(start_us=format_time(node.start_us), end_us=format_time(node.end_us))
    links = ", ".join(
        (
            trn("{count} reason", "{count} reasons", len(graph.reasons[node.id])),
            trn("{count} result", "{count} results", len(graph.results[node.id])),
        )
    )
    parts = [
        tr("<b>{name}</b> of {model}, {span}").format(
            name=KIND_LOOKS[node.kind].name, model=escape(person_names(model, node)), span=span
        ),
        escape(node.text) or f"<i>{NO_TEXT}</i>",
        links,
    ]
    if node.id in model.problems:
        parts.append(tr("<b>Look at this:</b> {escape}").format(escape=escape(model.problems[node.id])))
    return semibold("<br>".join(parts))


def _shorten(graph: ChainGraph, node_id: str, most: int = 60) -> str:
    text = graph.nodes_by_id[node_id].text or NO_TEXT
    return text if len(text) <= most else text[: most - 1] + "…"
