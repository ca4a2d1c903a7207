"""A metric over draws, with an interval by resampling recordings, and the difference of two judges."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from benchmark.agreement.bootstrap import estimate, interval, resamples
from benchmark.agreement.figure import Figure, defined
from benchmark.agreement.types import Floats, Ints
from benchmark.metrics.counted import Counted
from benchmark.metrics.spread import mean_sd

SAMPLES = 1000
_drawn = lru_cache(8)(resamples)


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two judges are apart on the same items.

    Attributes:
        value: the first's metric less the second's; None where either is undefined, or the two differ in what counts.
        low: lower end of the 95 % interval; None with fewer than two recordings.
        high: upper end of it.
        p: that the difference is on the other side of 0, twice; None where there is no interval.
        n: items.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


def over_draws(
    counted: Counted,
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = SAMPLES,
    seed: int = 0,
) -> Figure:
    """Return the mean of a metric over draws; `more` holds its `sd` and the value of each draw.

    Draws are taken as they are: the interval says what other recordings would have given, since items of one recording
    are not independent of each other. A draw without a value is left out, in every sample.

    Args:
        counted: what each of n items adds.
        draws: n, the draw of each.
        recordings: n, the recording of each.
        samples: of the bootstrap; 0 for no interval.
        seed: of the bootstrap.
    """
    sums, in_order = _by_recording(counted, draws, recordings)
    each = [defined(float(one)) for one in counted.formula(sums.sum(0))]
    spread = mean_sd(each)
    return estimate(
        _mean_of(counted.formula),
        sums,
        _drawn(len(sums), samples, seed),
        int(counted.counts.sum()),
        ("There is no item of this sort.", counted.reason),
        {"sd": spread.sd, "draws": {str(name): value for name, value in zip(in_order, each, strict=True)}},
    )


def paired_difference(
    first: Counted,
    second: Counted,
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = SAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare two judges on the same n items, in the same order, by resampling whole recordings with both.

    Two-sided p: twice the smaller share of samples in which the difference is not on one side of 0, one sample more on
    either side, so that it is never 0.

    Args:
        first: what each item adds to the metric of the first.
        second: of the second.
        draws: n, the draw of each.
        recordings: n, the recording of each.
        samples: of the bootstrap.
        seed: of the bootstrap.

    Raises:
        ValueError: the two have different numbers of items.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 16.
    """
    if len(first.sums) != len(second.sums):
        raise ValueError(f"{len(first.sums)} items of the first, {len(second.sums)} of the second")
    n = len(first.sums)
    one, other = (_by_recording(side, draws, recordings)[0] for side in (first, second))
    weights = _drawn(len(one), samples, seed)

    def apart(chosen: Floats) -> Floats:
        return _weighed(first.formula, one, chosen) - _weighed(second.formula, other, chosen)

    value = defined(float(apart(np.ones((1, len(one))))[0])) if n else None
    if value is None or len(one) < 2 or not samples:
        return Difference(value, None, None, None, n)
    found = apart(weights)
    low, high = interval(found, len(one))
    known = found[np.isfinite(found)]
    below, above = ((count + 1) / (len(known) + 1) for count in ((known <= 0).sum(), (known >= 0).sum()))
    return Difference(value, low, high, float(min(1.0, 2 * min(below, above))), n)


def _by_recording(
    counted: Counted, draws: Sequence[Hashable], recordings: Sequence[Hashable]
) -> tuple[Floats, list[Hashable]]:
    """Return (recordings, draws, c) sums, and the draws in order."""
    draw, in_order = _places(draws)
    group, homes = _places(recordings)
    found = np.zeros((len(homes), len(in_order), counted.sums.shape[1]))
    np.add.at(found, (group, draw), counted.sums)
    return found, in_order


def _places(values: Sequence[Hashable]) -> tuple[Ints, list[Hashable]]:
    place = {value: number for number, value in enumerate(dict.fromkeys(values))}
    return np.array([place[one] for one in values], np.int64), [*place]


def _weighed(formula: Callable[[Floats], Floats], sums: Floats, chosen: Floats) -> Floats:
    """Return (b,) means over draws under (b, recordings) weights."""
    flat = chosen @ sums.reshape(len(sums), -1)
    return _mean_of(formula)(flat.reshape(len(chosen), *sums.shape[1:]))


def _mean_of(formula: Callable[[Floats], Floats]) -> Callable[[Floats], Floats]:
    """Return the formula for (b, draws, c) sums -> (b,) means over the draws that have a value."""

    def mean(sums: Floats) -> Floats:
        values = formula(sums)
        known = np.isfinite(values)
        number = known.sum(-1)
        total = np.where(known, values, 0).sum(-1)
        found: Floats = np.divide(total, number, out=np.full(len(total), np.nan), where=number > 0)
        return found

    return mean
