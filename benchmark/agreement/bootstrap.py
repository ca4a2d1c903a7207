"""Intervals by resampling whole recordings: segments of one recording are not independent of each other."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from benchmark.agreement.figure import Figure, defined
from benchmark.agreement.types import Floats
from project.types import Json

_LEVEL = 95.0
_NO_INTERVAL: tuple[None, None] = (None, None)


def resamples(groups: int, samples: int, seed: int) -> Floats:
    """Return (samples, groups): how often each recording is drawn when as many as there are are drawn with return."""
    if not groups or not samples:
        return np.zeros((0, groups))
    drawn = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=samples)
    return drawn.astype(float)


def interval(values: Floats, groups: int) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of the 95 % percentile interval of resampled values; none for fewer than two recordings.

    Samples in which the figure is undefined are left out.
    """
    known = values[np.isfinite(values)]
    if groups < 2 or not len(known):
        return _NO_INTERVAL
    low, high = np.percentile(known, [50 - _LEVEL / 2, 50 + _LEVEL / 2])
    return float(low), float(high)


def estimate(
    formula: Callable[[Floats], Floats],
    sums: Floats,
    weights: Floats,
    n: int,
    reasons: tuple[str, str],
    more: Mapping[str, Json] | None = None,
) -> Figure:
    """Return a figure that depends on sums over recordings alone.

    Args:
        formula: (b, ...) sums -> (b,) figures, NaN where undefined.
        sums: (groups, ...) of each recording.
        weights: (samples, groups) as `resamples` returns them.
        n: what the figure rests on.
        reasons: why there is no figure: with nothing to count, and else.
        more: what else belongs to it.
    """
    flat = sums.reshape(len(sums), math.prod(sums.shape[1:]))

    def of(drawn: Floats | None) -> Floats:
        chosen = np.ones((1, len(flat))) if drawn is None else drawn
        return formula((chosen @ flat).reshape(len(chosen), *sums.shape[1:]))

    return estimate_from(of, weights, n, int(np.count_nonzero(flat.any(1))), reasons, more)


def estimate_from(
    formula: Callable[[Floats | None], Floats],
    weights: Floats,
    n: int,
    groups: int,
    reasons: tuple[str, str],
    more: Mapping[str, Json] | None = None,
) -> Figure:
    """Return a figure whose formula does the adding up itself.

    Args:
        formula: (b, groups) resampling weights -> (b,) figures, NaN where undefined; None stands for every one once.
        groups: how many recordings take part.
        weights: as for `estimate`, like `n`, `reasons` and `more`.
        n: what the figure rests on.
        reasons: why there is no figure.
        more: what else belongs to it.
    """
    value = defined(float(formula(None)[0])) if n else None
    if value is None:
        return Figure(None, n, reason=reasons[1] if n else reasons[0], more=more or {})
    low, high = interval(formula(weights), groups) if groups > 1 and len(weights) else _NO_INTERVAL
    return Figure(value, n, low, high, more=more or {})


def share(part: Floats, whole: Floats, weights: Floats, nothing: str, more: Mapping[str, Json] | None = None) -> Figure:
    """Return the sum of (groups,) parts over that of wholes."""
    sums = np.stack([part, whole], axis=-1).astype(float)
    return estimate(ratio, sums, weights, round(float(whole.sum())), (nothing, nothing), more)


def ratio(sums: Floats) -> Floats:
    """Return (...) the first of (..., 2) sums over the second; NaN over zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)
    return found
