"""Lays out a graph, without Qt: a row for each person, time to the right, with long gaps shortened.

Lanes within a row keep edges short and crossings few.
"""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

import numpy as np
from numpy.typing import NDArray

from project.entities.causal_chains import ChainGraph, ChainNode

MAX_WAIT_PX = 232.0
"""Pixels that a wait between two nodes takes at most."""
_PAGE_WIDTH = 620.0
"""Pixels from the first start to the last at which a graph is in sight as a whole beside the player."""
_OVERLAP_WIDTHS = (
    *((most, _PAGE_WIDTH) for most in (1, 2, 3)),
    *((1, 1_300.0), (2, 3_000.0), (3, 7_000.0), (5, 15_000.0), (8, float("inf"))),
)
"""How many nodes may lie above one another in a row, and how wide the graph may become to keep to it, in pixels."""
_SHORTENED_FACTOR = 2.5
"""How many times shorter than the others a wait is drawn before that is said."""
_ROOMY_SCALE, _ROOMY_WIDTH = 4e-5, 4_000.0
"""Pixels a microsecond at least, as long as the graph does not become wider than so many pixels."""
_SCALES = np.geomspace(2e-6, 4e-4, 48)
"""Pixels a microsecond: 2 to 400 a second."""


@dataclass(frozen=True)
class TimeAxis:
    """A rising line through points; beyond its ends it goes on at `scale`.

    Attributes:
        times: rising, microseconds; at least one.
        places: of the times, in pixels.
        scale: pixels a microsecond where nothing is shortened.
    """

    times: tuple[int, ...]
    places: tuple[float, ...]
    scale: float

    def x(self, time_us: float) -> float:
        """Return the place of a time."""
        return self._interpolate(time_us, self.times, self.places, self.scale)

    def time_us(self, x: float) -> int:
        """Return the time of a place."""
        return round(self._interpolate(x, self.places, self.times, 1 / self.scale))

    def extended(self, starts: Iterable[int]) -> "TimeAxis":
        """Return an axis that also holds times beyond its ends, with waits shortened there; the others stay."""
        times, places = [*self.times], [*self.places]
        for time in sorted({*starts}):
            if time > times[-1]:
                places.append(places[-1] + _wait_width(time - times[-1], self.scale))
                times.append(time)
        for time in sorted({*starts}, reverse=True):
            if time < times[0]:
                places.insert(0, places[0] - _wait_width(times[0] - time, self.scale))
                times.insert(0, time)
        return self if len(times) == len(self.times) else TimeAxis(tuple(times), tuple(places), self.scale)

    def pieces(self) -> Iterable[tuple[int, int, bool]]:
        """Give each piece between two points: its start, its end, and whether it is much shortened."""
        for place in range(len(self.times) - 1):
            start, end = self.times[place], self.times[place + 1]
            drawn = self.places[place + 1] - self.places[place]
            yield start, end, drawn * _SHORTENED_FACTOR < (end - start) * self.scale

    @staticmethod
    def _interpolate(value: float, known: Sequence[float], wanted: Sequence[float], rate: float) -> float:
        if value <= known[0]:
            return wanted[0] + (value - known[0]) * rate
        if value >= known[-1]:
            return wanted[-1] + (value - known[-1]) * rate
        at = bisect_right(known, value)
        share = (value - known[at - 1]) / (known[at] - known[at - 1])
        return wanted[at - 1] + share * (wanted[at] - wanted[at - 1])


def fit_axis(rows: Mapping[str, Sequence[int]], needed: float) -> TimeAxis:
    """Return an axis on which the nodes of a row hardly lie above one another, and which is not endless.

    Args:
        rows: row -> starts of its nodes, in microseconds.
        needed: pixels that a node takes with the gap beside it.
    """
    starts = np.unique(np.array([start for row in rows.values() for start in row], dtype=np.int64))
    if not len(starts):
        return TimeAxis((0,), (0.0,), 2e-5)
    found = [np.searchsorted(starts, np.sort(np.array(row, dtype=np.int64))) for row in rows.values() if len(row)]
    scale = float(_SCALES[-1])
    for most, widest in _OVERLAP_WIDTHS:
        enough = next(
            (
                candidate
                for candidate in _SCALES
                if _max_overlap(_axis_positions(starts, candidate), found, needed) <= most
            ),
            None,
        )
        if enough is not None and _axis_positions(starts, enough)[-1] <= widest:
            scale = float(enough)
            break
    if _axis_positions(starts, _ROOMY_SCALE)[-1] <= (
        _PAGE_WIDTH if _axis_positions(starts, scale)[-1] <= _PAGE_WIDTH else _ROOMY_WIDTH
    ):
        scale = max(scale, _ROOMY_SCALE)
    places = _axis_positions(starts, scale)
    return TimeAxis(tuple(starts.tolist()), tuple(places.tolist()), scale)


def _wait_width(wait_us: int, scale: float) -> float:
    return min(max(wait_us * scale, 1e-3), MAX_WAIT_PX)


def _axis_positions(starts: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    # A step is never nothing, so that every place has one time.
    steps = np.clip(np.diff(starts) * scale, 1e-3, MAX_WAIT_PX)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _max_overlap(places: NDArray[np.float64], rows: Sequence[NDArray[np.intp]], needed: float) -> int:
    """Return how many nodes of a row lie above one another at most."""
    deepest = 0
    for row in rows:
        own = places[row]
        first = np.searchsorted(own, own - needed, side="right")
        deepest = max(deepest, int((np.arange(len(own)) - first).max()) + 1)
    return deepest


WIDTH, HEIGHT = 176.0, 56.0
"""Of a node, in pixels at a zoom of 1."""
GAP = 28.0
"""Pixels between a node and the next one at its right."""
MIN_DISTANCE = WIDTH + GAP
PITCH = HEIGHT + 22
"""Pixels from one lane to the next."""
_MAX_SWEEPS = 4
_ROW_COST = 3 * PITCH
"""What a row counts for while the heights of rows are not known yet."""
_LANE_COST = 0.15 * PITCH
"""What a lane costs for each one above it: rows stay low where nothing speaks against it."""


class _Lanes:
    """Who stands where in one row: the places of the nodes of each lane, sorted."""

    def __init__(self) -> None:
        self.places: list[list[float]] = []

    def is_free(self, lane: int, place: float) -> bool:
        """Tell whether a node fits there."""
        if lane >= len(self.places):
            return True
        known = self.places[lane]
        return bisect_right(known, place - MIN_DISTANCE) == bisect_left(known, place + MIN_DISTANCE)

    def add(self, lane: int, place: float) -> None:
        """Put a node there."""
        while lane >= len(self.places):
            self.places.append([])
        insort(self.places[lane], place)

    def remove(self, lane: int, place: float) -> None:
        """Take a node away."""
        del self.places[lane][bisect_left(self.places[lane], place)]

    def free_lanes(self, place: float) -> list[int]:
        """Return the lanes in which it fits; a new one where there is no other."""
        found = [lane for lane in range(len(self.places)) if self.is_free(lane, place)]
        return found or [len(self.places)]


def assign_lanes(
    bands: Sequence[Sequence[str]],
    places: Mapping[str, float],
    reasons: Mapping[str, Sequence[str]],
    results: Mapping[str, Sequence[str]],
    kept: Mapping[str, float],
    moved: Collection[str] = (),
) -> dict[str, float]:
    """Return node id -> its distance from the top of its row, in pixels.

    Args:
        bands: the nodes of each row, rows from the top, nodes by time.
        places: of all nodes along the time, in pixels.
        reasons: node id -> ids of its reasons.
        results: node id -> ids of what it is a reason for.
        kept: distances that stay, unless the node would cover another one of these.
        moved: those that a person put somewhere: these stay even then.
    """
    row = {node: at for at, band in enumerate(bands) for node in band}
    lanes = [_Lanes() for _ in bands]
    found: dict[str, float] = {}
    for node, offset in sorted(kept.items(), key=lambda pair: (pair[0] not in moved, places[pair[0]], pair[0])):
        lane, own = round(offset / PITCH), lanes[row[node]]
        if node in moved or own.is_free(lane, places[node]):
            own.add(lane, places[node])
            found[node] = offset
    chosen: dict[str, int] = {}
    new = sorted(row.keys() - found.keys(), key=lambda node: (places[node], node))

    def height(node: str) -> float:
        return row[node] * _ROW_COST + (chosen[node] * PITCH if node in chosen else found[node])

    def cost(node: str, lane: int, near: Sequence[float]) -> float:
        here = row[node] * _ROW_COST + lane * PITCH
        return (abs(here - median(near)) if near else 0.0) + lane * _LANE_COST

    def near(node: str, *sides: Mapping[str, Sequence[str]]) -> list[float]:
        return [
            height(neighbour)
            for side in sides
            for neighbour in side.get(node, ())
            if neighbour in chosen or neighbour in found
        ]

    for node in new:
        own, around = lanes[row[node]], near(node, reasons, results)
        lane = min(own.free_lanes(places[node]), key=lambda number: cost(node, number, around))
        own.add(lane, places[node])
        chosen[node] = lane
    for sweep in range(_MAX_SWEEPS if len(new) > 1 else 0):
        for node in new if sweep % 2 else reversed(new):
            own, around = lanes[row[node]], near(node, reasons, results)
            own.remove(chosen[node], places[node])
            lane = min(own.free_lanes(places[node]), key=lambda number: cost(node, number, around))
            own.add(lane, places[node])
            chosen[node] = lane
    return found | {node: lane * PITCH for node, lane in chosen.items()}


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
    def center(self) -> tuple[float, float]:
        """Its middle."""
        return self.x + WIDTH / 2, self.y + HEIGHT / 2


@dataclass(frozen=True, slots=True)
class PersonBand:
    """The band of one person, or of nobody."""

    person: str
    top: float
    height: float

    @property
    def inner_top(self) -> float:
        """Where its first node stands."""
        return self.top + PADDING


@dataclass(frozen=True)
class ChainLayout:
    """Where everything stands, in pixels at a zoom of 1.

    Attributes:
        boxes: node id -> its box.
        rows: from the top.
        area: left, top, right and bottom of everything, with a margin.
    """

    boxes: Mapping[str, Box]
    rows: tuple[PersonBand, ...]
    axis: TimeAxis
    area: tuple[float, float, float, float]


def row_person(node: ChainNode, people: Sequence[str]) -> str:
    """Return whose row a node stands in: the first of its people in the order given."""
    known = [person for person in people if person in node.people]
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

    def lay_out(self, graph: ChainGraph, people: Sequence[str]) -> ChainLayout:
        """Return where the nodes stand; only what is new or no longer fits is given a place."""
        rows: dict[str, list[ChainNode]] = {}
        for node in graph.nodes:
            rows.setdefault(row_person(node, people), []).append(node)
        starts = {row: [chain_node.start_us for chain_node in nodes] for row, nodes in rows.items()}
        if self._axis is None or len(self._axis.times) < SETTLED:
            self._axis = fit_axis(starts, MIN_DISTANCE)
        axis = self._axis = self._axis.extended(chain_node.start_us for chain_node in graph.nodes)
        order = [*(person for person in people if person in rows), *sorted({*rows} - {*people, NOBODY})]
        order += [NOBODY] if NOBODY in rows else []
        places = {node.id: axis.x(node.start_us) for node in graph.nodes}
        kept = {
            node.id: self._offsets[node.id][1]
            for row, nodes in rows.items()
            for node in nodes
            if node.id in self._offsets and self._offsets[node.id][0] == row
        }
        bands = [[chain_node.id for chain_node in rows[row]] for row in order]
        offsets = assign_lanes(bands, places, graph.reasons, graph.results, kept, self._moved)
        for row, band in zip(order, bands, strict=True):
            self._offsets.update({node_id: (row, offsets[node_id]) for node_id in band})
        return _stack_rows(axis, order, bands, places, offsets)


def _stack_rows(
    axis: TimeAxis,
    order: Sequence[str],
    bands: Sequence[Sequence[str]],
    places: Mapping[str, float],
    offsets: Mapping[str, float],
) -> ChainLayout:
    boxes: dict[str, Box] = {}
    found: list[PersonBand] = []
    top = 0.0
    for row, band in zip(order, bands, strict=True):
        for node_id in band:
            boxes[node_id] = Box(places[node_id], top + PADDING + offsets[node_id])
        height = max(offsets[node_id] for node_id in band) + HEIGHT + 2 * PADDING
        found.append(PersonBand(row, top, height))
        top += height
    left = min(places.values(), default=0.0) - _MARGIN
    right = max(places.values(), default=0.0) + WIDTH + _MARGIN
    return ChainLayout(boxes, tuple(found), axis, (left, 0.0, right, top))


class GraphDirection(StrEnum):
    """A direction: in the picture, or along the edges."""

    LEFT = "left"
    RIGHT = "right"
    UP = "up"
    DOWN = "down"
    REASON = "reason"
    RESULT = "result"
    SIBLING = "sibling"


def neighbour_node(graph: ChainGraph, layout: ChainLayout, node_id: str | None, step: GraphDirection) -> str | None:
    """Return the node that a step leads to; the first one in time from nowhere, None where there is none.

    Left and right go along the row in time, up and down to what is nearest above and below. The other steps go along
    edges: to the first reason or result in time, and to the next one that shares a result, or else a reason.
    """
    if not graph.nodes:
        return None
    if node_id is None or node_id not in layout.boxes:
        return graph.nodes[0].id
    if step is GraphDirection.REASON:
        return _first_or_none(graph.reasons[node_id])
    if step is GraphDirection.RESULT:
        return _first_or_none(graph.results[node_id])
    if step is GraphDirection.SIBLING:
        return _sibling(graph, node_id)
    here = layout.boxes[node_id]
    if step in (GraphDirection.LEFT, GraphDirection.RIGHT):
        return _next_in_row(layout, node_id, here, 1 if step is GraphDirection.RIGHT else -1)
    return _next_across_rows(layout, node_id, here, 1 if step is GraphDirection.DOWN else -1)


def neighbour_in_time(nodes: Sequence[ChainNode], node_id: str | None, step: int) -> str | None:
    """Return the next (1) or previous (-1) node by time; from nowhere the first or the last; None past the ends."""
    if not nodes:
        return None
    ids = [node.id for node in nodes]
    if node_id not in ids:
        return ids[0 if step > 0 else -1]
    at = ids.index(node_id) + step
    return ids[at] if 0 <= at < len(ids) else None


def _next_in_row(layout: ChainLayout, node_id: str, here: Box, side: int) -> str | None:
    row = next(band for band in layout.rows if band.top <= here.y < band.top + band.height)
    inside = [(at, box) for at, box in layout.boxes.items() if row.top <= box.y < row.top + row.height]
    ranked = sorted(inside, key=lambda pair: (pair[1].x, pair[1].y, pair[0]))
    place = next(at for at, pair in enumerate(ranked) if pair[0] == node_id) + side
    return ranked[place][0] if 0 <= place < len(ranked) else None


def _next_across_rows(layout: ChainLayout, node_id: str, here: Box, side: int) -> str | None:
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
    ids = [node.id for node in graph.nodes if node.id in {*shared, node_id}]
    return ids[(ids.index(node_id) + 1) % len(ids)] if len(ids) > 1 else None


def _first_or_none(ids: Iterable[str]) -> str | None:
    return next(iter(ids), None)
