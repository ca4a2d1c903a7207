"""The suggestion type of all cue detectors, and the statistics that compare a signal with a person's baseline."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

SMILE, BROWS, MOUTH, GAZE_AWAY, NOD, SHAKE = "smile", "brows", "mouth", "gaze-away", "nod", "shake"
LIVELY, SHARP, SOFT, CALM = "lively", "sharp", "soft", "calm"
VISUAL_CUES = (SMILE, BROWS, MOUTH, GAZE_AWAY, NOD, SHAKE)
"""Kinds that show in a face."""
VOCAL_CUES = (LIVELY, SHARP, SOFT, CALM)
"""Kinds that sound in a voice."""


@dataclass(frozen=True, slots=True)
class CueSuggestion:
    """A suggested cue: a deviation from what a person usually does.

    Times are on the recording's axis.

    Attributes:
        kind: of `VISUAL_CUES` or `VOCAL_CUES`.
        strength: how far it stands out: 1 is just enough, more is clearer.
        told: what was measured, in a few words.
    """

    kind: str
    start_us: int
    end_us: int
    strength: float
    told: str


Values = NDArray[np.float64]
Times = NDArray[np.int64]

_TO_SIGMA = 1.4826
"""From the median absolute deviation to the standard deviation of a normal distribution (Hampel, "The Influence Curve
and its Role in Robust Estimation", JASA 1974)."""
_LOW, _LOWER = (30, -0.5244), (10, -1.2816)
"""Percentiles and where they lie in a normal distribution, in standard deviations."""


def robust_scores(values: Values, least_spread: float) -> Values:
    """Return how far each value is from the median, in robust standard deviations; NaN stays NaN.

    `least_spread` is the smallest standard deviation to count with, in the values' unit, so that somebody who never
    moves does not stand out by nothing.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return np.full(len(values), np.nan)
    middle = float(np.median(known))
    spread = max(_TO_SIGMA * float(np.median(np.abs(known - middle))), least_spread)
    return (values - middle) / spread


def scores_over_rest(values: Values, least_spread: float) -> Values:
    """Return how far each value is above the rest, in standard deviations of it; NaN stays NaN.

    The lower part of the values says what rest is, so that somebody who smiles half of the time still does: mean and
    standard deviation are those of the normal distribution that has their 10th and 30th percentile.
    """
    known = values[np.isfinite(values)]
    if not len(known):
        return np.full(len(values), np.nan)
    low, lower = (float(np.percentile(known, share)) for share, _ in (_LOW, _LOWER))
    spread = max((low - lower) / (_LOW[1] - _LOWER[1]), least_spread)
    return (values - (low - _LOW[1] * spread)) / spread


def find_spans(
    times_us: Times, scores: Values, enter: float, leave: float, least_us: int, bridge_us: int
) -> Iterator[tuple[int, int, int, int]]:
    """Yield where scores are high: first and last position, start and end in microseconds.

    A stretch begins where the scores reach `enter` and lasts as long as they stay over `leave`. Holes of up to
    `bridge_us`, also of NaN, are part of it; what is shorter than `least_us` is left out.
    """
    over = np.flatnonzero(scores >= leave)
    if not len(over):
        return
    cuts = np.flatnonzero(np.diff(times_us[over]) > bridge_us + _step(times_us)) + 1
    for part in np.split(over, cuts):
        first, last = int(part[0]), int(part[-1])
        start, end = int(times_us[first]), int(times_us[last])
        if end - start >= least_us and np.nanmax(scores[first : last + 1]) >= enter:
            yield first, last, start, end


def resample_evenly(times_us: Times, values: Values, rate: float, hole_us: int) -> Iterator[tuple[Times, Values]]:
    """Yield a signal at even steps, one piece for each stretch without a hole; values are interpolated.

    `values` are (n,) or (n, k), rows with NaN count as missing; gaps longer than `hole_us` end a piece.
    """
    known = np.isfinite(values if values.ndim == 1 else values.sum(1))
    at, seen = times_us[known], values[known]
    if len(at) < 2:
        return
    step = 1e6 / rate
    for part in np.split(np.arange(len(at)), np.flatnonzero(np.diff(at) > hole_us) + 1):
        if len(part) < 2:
            continue
        grid = np.arange(at[part[0]], at[part[-1]] + 1, step)
        columns = seen[part].reshape(len(part), -1)
        made = np.stack([np.interp(grid, at[part], column) for column in columns.T], axis=1)
        yield np.rint(grid).astype(np.int64), made[:, 0] if values.ndim == 1 else made


def running_median(times_us: Times, values: Values, width_us: int) -> Values:
    """Return the running median over a width; NaN where nothing is known within it."""
    first = np.searchsorted(times_us, times_us - width_us // 2, "left")
    last = np.searchsorted(times_us, times_us + width_us // 2, "right")
    made = np.full(len(values), np.nan)
    for at, (lo, hi) in enumerate(zip(first.tolist(), last.tolist(), strict=True)):
        part = values[lo:hi]
        part = part[np.isfinite(part)]
        if len(part):
            made[at] = np.median(part)
    return made


def _step(times_us: Times) -> int:
    return int(np.median(np.diff(times_us))) if len(times_us) > 1 else 0
