"""Which of the lanes inside a row each node takes: none covers another, and edges stay short and cross seldom."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Collection, Mapping, Sequence
from statistics import median

WIDTH, HEIGHT = 176.0, 56.0
"""Of a node, in pixels at a zoom of 1."""
GAP = 28.0
"""Pixels between a node and the next one at its right."""
NEEDED = WIDTH + GAP
PITCH = HEIGHT + 22
"""Pixels from one lane to the next."""
_SWEEPS = 4
_ROW = 3 * PITCH
"""What a row counts for while the heights of rows are not known yet."""
_EMPTIER = 0.15 * PITCH
"""What a lane costs for each one above it: rows stay low where nothing speaks against it."""


class _Lanes:
    """Who stands where in one row: the places of the nodes of each lane, sorted."""

    def __init__(self) -> None:
        self.places: list[list[float]] = []

    def free(self, lane: int, place: float) -> bool:
        """Tell whether a node fits there."""
        if lane >= len(self.places):
            return True
        known = self.places[lane]
        return bisect_right(known, place - NEEDED) == bisect_left(known, place + NEEDED)

    def add(self, lane: int, place: float) -> None:
        """Put a node there."""
        while lane >= len(self.places):
            self.places.append([])
        insort(self.places[lane], place)

    def take(self, lane: int, place: float) -> None:
        """Take a node away."""
        del self.places[lane][bisect_left(self.places[lane], place)]

    def offered(self, place: float) -> list[int]:
        """Return the lanes in which it fits; a new one where there is no other."""
        found = [lane for lane in range(len(self.places)) if self.free(lane, place)]
        return found or [len(self.places)]


def assign(
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
    for node, offset in sorted(kept.items(), key=lambda one: (one[0] not in moved, places[one[0]], one[0])):
        lane, own = round(offset / PITCH), lanes[row[node]]
        if node in moved or own.free(lane, places[node]):
            own.add(lane, places[node])
            found[node] = offset
    chosen: dict[str, int] = {}
    new = sorted(row.keys() - found.keys(), key=lambda node: (places[node], node))

    def height(node: str) -> float:
        return row[node] * _ROW + (chosen[node] * PITCH if node in chosen else found[node])

    def cost(node: str, lane: int, near: Sequence[float]) -> float:
        here = row[node] * _ROW + lane * PITCH
        return (abs(here - median(near)) if near else 0.0) + lane * _EMPTIER

    def near(node: str, *sides: Mapping[str, Sequence[str]]) -> list[float]:
        return [height(one) for side in sides for one in side.get(node, ()) if one in chosen or one in found]

    for node in new:
        own, around = lanes[row[node]], near(node, reasons, results)
        lane = min(own.offered(places[node]), key=lambda one: cost(node, one, around))
        own.add(lane, places[node])
        chosen[node] = lane
    for sweep in range(_SWEEPS if len(new) > 1 else 0):
        for node in new if sweep % 2 else reversed(new):
            own, around = lanes[row[node]], near(node, reasons, results)
            own.take(chosen[node], places[node])
            lane = min(own.offered(places[node]), key=lambda one: cost(node, one, around))
            own.add(lane, places[node])
            chosen[node] = lane
    return found | {node: lane * PITCH for node, lane in chosen.items()}
