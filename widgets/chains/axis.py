"""Where a moment lies in the graph: time runs to the right, and long waits without a node are shortened."""

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WAIT = 232.0
"""Pixels that a wait between two nodes takes at most."""
_PAGE = 620.0
"""Pixels from the first start to the last at which a graph is in sight as a whole beside the player."""
_WIDTHS = (
    *((most, _PAGE) for most in (1, 2, 3)),
    *((1, 1_300.0), (2, 3_000.0), (3, 7_000.0), (5, 15_000.0), (8, float("inf"))),
)
"""How many nodes may lie above one another in a row, and how wide the graph may become to keep to it, in pixels."""
_MUCH = 2.5
"""How many times shorter than the others a wait is drawn before that is said."""
_ROOMY, _ROOMY_WIDTH = 4e-5, 4_000.0
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
        return self._read(time_us, self.times, self.places, self.scale)

    def us(self, x: float) -> int:
        """Return the time of a place."""
        return round(self._read(x, self.places, self.times, 1 / self.scale))

    def reaching(self, starts: Iterable[int]) -> "TimeAxis":
        """Return an axis that also holds times beyond its ends, with waits shortened there; the others stay."""
        times, places = [*self.times], [*self.places]
        for time in sorted({*starts}):
            if time > times[-1]:
                places.append(places[-1] + _step(time - times[-1], self.scale))
                times.append(time)
        for time in sorted({*starts}, reverse=True):
            if time < times[0]:
                places.insert(0, places[0] - _step(times[0] - time, self.scale))
                times.insert(0, time)
        return self if len(times) == len(self.times) else TimeAxis(tuple(times), tuple(places), self.scale)

    def stretches(self) -> Iterable[tuple[int, int, bool]]:
        """Give each piece between two points: its start, its end, and whether it is much shortened."""
        for place in range(len(self.times) - 1):
            start, end = self.times[place], self.times[place + 1]
            drawn = self.places[place + 1] - self.places[place]
            yield start, end, drawn * _MUCH < (end - start) * self.scale

    @staticmethod
    def _read(value: float, known: Sequence[float], wanted: Sequence[float], rate: float) -> float:
        if value <= known[0]:
            return wanted[0] + (value - known[0]) * rate
        if value >= known[-1]:
            return wanted[-1] + (value - known[-1]) * rate
        at = bisect_right(known, value)
        share = (value - known[at - 1]) / (known[at] - known[at - 1])
        return wanted[at - 1] + share * (wanted[at] - wanted[at - 1])


def fitted(rows: Mapping[str, Sequence[int]], needed: float) -> TimeAxis:
    """Return an axis on which the nodes of a row hardly lie above one another, and which is not endless.

    Args:
        rows: row -> starts of its nodes, in microseconds.
        needed: pixels that a node takes with the gap beside it.
    """
    starts = np.unique(np.array([one for row in rows.values() for one in row], dtype=np.int64))
    if not len(starts):
        return TimeAxis((0,), (0.0,), 2e-5)
    found = [np.searchsorted(starts, np.sort(np.array(row, dtype=np.int64))) for row in rows.values() if len(row)]
    scale = float(_SCALES[-1])
    for most, widest in _WIDTHS:
        enough = next((one for one in _SCALES if _deepest(_places(starts, one), found, needed) <= most), None)
        if enough is not None and _places(starts, enough)[-1] <= widest:
            scale = float(enough)
            break
    if _places(starts, _ROOMY)[-1] <= (_PAGE if _places(starts, scale)[-1] <= _PAGE else _ROOMY_WIDTH):
        scale = max(scale, _ROOMY)
    places = _places(starts, scale)
    return TimeAxis(tuple(starts.tolist()), tuple(places.tolist()), scale)


def _step(wait_us: int, scale: float) -> float:
    return min(max(wait_us * scale, 1e-3), WAIT)


def _places(starts: NDArray[np.int64], scale: float) -> NDArray[np.float64]:
    # A step is never nothing, so that every place has one time.
    steps = np.clip(np.diff(starts) * scale, 1e-3, WAIT)
    return np.concatenate([[0.0], np.cumsum(steps)])


def _deepest(places: NDArray[np.float64], rows: Sequence[NDArray[np.intp]], needed: float) -> int:
    """Return how many nodes of a row lie above one another at most."""
    deepest = 0
    for row in rows:
        own = places[row]
        first = np.searchsorted(own, own - needed, side="right")
        deepest = max(deepest, int((np.arange(len(own)) - first).max()) + 1)
    return deepest
