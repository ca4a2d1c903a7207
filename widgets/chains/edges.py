"""The curves of edges, from the rim of a reason to the rim of its result."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from widgets.chains.layout import HEIGHT, WIDTH, Box

HEAD = 9.0
"""Length of an arrowhead, in pixels."""
_SAMPLES = 17
_BOW = 34.0
_SHARED = 24.0


class Way(StrEnum):
    """Where an arrow points."""

    RIGHT = "right"
    DOWN = "down"
    UP = "up"


@dataclass(frozen=True, slots=True)
class Curve:
    """A cubic Bézier curve, and where its arrow points; (4, 2) corners as pairs, the last one is the arrow's tip."""

    points: tuple[tuple[float, float], ...]
    way: Way


def curve(reason: Box, result: Box, blocked: bool = False) -> Curve:
    """Return the curve from one box to another: out at the right and in at the left, or upright where they overlap.

    Args:
        reason: where it begins.
        result: where it ends.
        blocked: something stands between the two on one line: pass over it.
    """
    if result.x >= reason.right + HEAD + 3:
        straight = rubber((reason.right, reason.y + HEIGHT / 2), (result.x, result.y + HEIGHT / 2))
        return straight if not blocked else _lifted(straight)
    if abs(result.y - reason.y) < HEIGHT:
        x1, x2, low = reason.x + WIDTH * 0.4, result.x + WIDTH * 0.6, max(reason.bottom, result.bottom) + _BOW
        return Curve(((x1, reason.bottom), (x1, low), (x2, low), (x2, result.bottom)), Way.UP)
    down = result.y > reason.y
    left, right = max(reason.x, result.x), min(reason.right, result.right)
    x1, x2 = reason.x + WIDTH * 0.6, result.x + WIDTH * 0.4
    if right - left > _SHARED:
        x1 = x2 = (left + right) / 2
    y1, y2 = (reason.bottom, result.y) if down else (reason.y, result.bottom)
    bend = (y2 - y1) / 2
    return Curve(((x1, y1), (x1, y1 + bend), (x2, y2 - bend), (x2, y2)), Way.DOWN if down else Way.UP)


def rubber(start: tuple[float, float], end: tuple[float, float]) -> Curve:
    """Return a curve that leaves to the right and arrives from the left."""
    bend = max(24.0, abs(end[0] - start[0]) / 2)
    return Curve((start, (start[0] + bend, start[1]), (end[0] - bend, end[1]), end), Way.RIGHT)


def _lifted(line: Curve) -> Curve:
    first, second, third, last = line.points
    return Curve((first, (second[0], second[1] - HEIGHT * 1.1), (third[0], third[1] - HEIGHT * 1.1), last), line.way)


def sampled(curves: Sequence[Curve]) -> NDArray[np.float64]:
    """Return (curves, samples, 2) points along them."""
    corners = np.array([one.points for one in curves], dtype=np.float64).reshape(-1, 4, 1, 2)
    at = np.linspace(0, 1, _SAMPLES)[None, :, None]
    weights = ((1 - at) ** 3, 3 * (1 - at) ** 2 * at, 3 * (1 - at) * at**2, at**3)
    return sum((weight * corners[:, place] for place, weight in enumerate(weights)), np.zeros((1, 1, 1)))


def nearest(points: NDArray[np.float64], x: float, y: float, within: float) -> int | None:
    """Return which of the sampled curves passes nearest to a point, if any does within so many pixels."""
    if not len(points):
        return None
    start, along = points[:, :-1], np.diff(points, axis=1)
    length = np.maximum((along**2).sum(2), 1e-9)
    share = np.clip(((np.array([x, y]) - start) * along).sum(2) / length, 0, 1)
    gone = np.hypot(*np.moveaxis(start + share[..., None] * along - np.array([x, y]), 2, 0)).min(1)
    best = int(gone.argmin())
    return best if gone[best] <= within else None
