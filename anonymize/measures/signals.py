"""Whether what a face does over time survives: pose, gaze, blink, brow and mouth."""

import numpy as np
from numpy.typing import NDArray

from anonymize.measures.figure import Figure

LEAST = 10
"""Fewer pairs than this have no correlation worth naming."""
# A signal that moves less than this share of its own size does not move: what is left is rounding.
_STILL = 1e-6

Signal = NDArray[np.floating]


def mean_difference(raw: Signal, other: Signal, turn: float = 0.0) -> Figure:
    """Return the mean of |raw - other| over the pairs that both have.

    Args:
        raw: (n,) or (n, k); NaN where unknown.
        other: of the same shape.
        turn: of angles, 360: the shorter way round counts.
    """
    apart = np.abs(np.asarray(raw, np.float64) - np.asarray(other, np.float64))
    if turn:
        apart = np.minimum(apart % turn, turn - apart % turn)
    known = apart[np.isfinite(apart)]
    if not len(known):
        return Figure(None, 0, "It was not seen both in the source and in the clip.")
    return Figure(float(known.mean()), len(known))


def pearson(raw: Signal, other: Signal) -> Figure:
    """Return Pearson's r of two signals over the pairs that both have.

    r = sum (x - mean x)(y - mean y) / sqrt(sum (x - mean x)^2 sum (y - mean y)^2), as it is used for the intensity of
    action units (Valstar et al., FERA 2015). None where one of them does not move, or with fewer than ten pairs.
    """
    x, y = np.asarray(raw, np.float64), np.asarray(other, np.float64)
    both = np.isfinite(x) & np.isfinite(y)
    x, y = x[both], y[both]
    if len(x) < LEAST:
        return Figure(None, len(x), f"It takes {LEAST} pairs; there are {len(x)}.")
    for name, signal in (("source", x), ("clip", y)):
        if np.ptp(signal) <= _STILL * max(1.0, float(np.abs(signal).max())):
            return Figure(None, len(x), f"The signal does not move in the {name}.")
    x, y = x - x.mean(), y - y.mean()
    r = float((x * y).sum() / np.sqrt((x**2).sum() * (y**2).sum()))
    return Figure(min(1.0, max(-1.0, r)), len(x))


def lag(raw: Signal, other: Signal, most: int) -> Figure:
    """Return by how many steps `other` comes later than `raw`: where Pearson's r of the shifted signals is greatest.

    Args:
        raw: (n,) at even steps; NaN where unknown.
        other: (n,) likewise.
        most: the greatest shift that is tried, in steps, either way.
    """
    found: list[tuple[float, int]] = []
    reason = ""
    for shift in range(-most, most + 1):
        first, second = (raw[: len(raw) - shift], other[shift:]) if shift >= 0 else (raw[-shift:], other[:shift])
        r = pearson(first, second)
        reason = reason or r.note
        if r.value is not None:
            found.append((r.value, shift))
    if not found:
        return Figure(None, len(raw), reason)
    return Figure(float(max(found, key=lambda pair: (round(pair[0], 9), -abs(pair[1])))[1]), len(raw))
