"""Bootstraps over recordings: intervals of metrics over draws, and differences of two judges."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean, stdev
from typing import TypeVar

import numpy as np

from annotate.agreement.figure_intervals import (
    Floats,
    Interval,
    Ints,
    Statistic,
    StatisticResult,
    draw_resamples,
    finite_or_none,
    percentile_interval,
)
from benchmark.metrics.item_sums import NO_ITEMS, MetricContributions, mean_of_known


@dataclass(frozen=True, slots=True)
class DrawSpread:
    """Mean and standard deviation over draws.

    Attributes:
        mean: over the draws that have a value; None if none has.
        sd: standard deviation of a sample (divided by one less than their number); None for fewer than two.
        draws: number of draws with a value.
        undefined: number of draws without one.
    """

    mean: float | None
    sd: float | None
    draws: int
    undefined: int = 0


def mean_sd(values: Sequence[float | None]) -> DrawSpread:
    """Return mean and standard deviation of one value per draw; draws with an undefined metric are left out."""
    known = [value for value in values if value is not None]
    return DrawSpread(
        fmean(known) if known else None,
        stdev(known) if len(known) > 1 else None,
        len(known),
        len(values) - len(known),
    )


DRAW_SAMPLES = 1000
_cached_resamples = lru_cache(8)(draw_resamples)


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of two judges on the same items.

    Attributes:
        value: metric of the first minus that of the second; None if either is undefined, or they differ in what counts.
        low: lower end of the 95 % interval; None with fewer than two recordings.
        p: two-sided; None if there is no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    p: float | None
    n: int


def mean_over_draws(
    counted: MetricContributions,
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = DRAW_SAMPLES,
    seed: int = 0,
) -> StatisticResult:
    """Return the mean of a metric over draws; `more` holds its `sd` and the value of each draw.

    Recordings are resampled, not draws, because items of one recording are not independent. A draw without a value is
    left out, in every sample.
    """
    sums, in_order = _by_recording(counted, draws, recordings)
    values = [finite_or_none(float(value)) for value in counted.formula(sums.sum(0))]
    mean = Statistic(
        lambda drawn: mean_of_known(counted.formula(drawn)),
        sums,
        counted.counts.astype(float),
        (NO_ITEMS, counted.reason),
        {"sd": mean_sd(values).sd, "draws": {str(name): value for name, value in zip(in_order, values, strict=True)}},
    )
    return mean.estimate(_cached_resamples(len(sums), samples, seed))


def paired_difference(
    first: MetricContributions,
    second: MetricContributions,
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = DRAW_SAMPLES,
    seed: int = 0,
) -> Difference:
    """Compare two judges on the same n items, in the same order, by resampling recordings for both.

    The two-sided p is twice the smaller share of samples on one side of 0, with one sample added to each side, so that
    it is never 0.

    Source: Efron and Tibshirani (1993), An introduction to the bootstrap, chapter 16.
    """
    if len(first.sums) != len(second.sums):
        raise ValueError(f"{len(first.sums)} items of the first, {len(second.sums)} of the second")
    n = len(first.sums)
    array, other = (_by_recording(side, draws, recordings)[0] for side in (first, second))
    weights = _cached_resamples(len(array), samples, seed)

    def apart(chosen: Floats) -> Floats:
        return _weighted_means(first.formula, array, chosen) - _weighted_means(second.formula, other, chosen)

    value = finite_or_none(float(apart(np.ones((1, len(array))))[0])) if n else None
    if value is None or len(array) < 2 or not samples:
        return Difference(value, None, None, None, n)
    found = apart(weights)
    low, high = percentile_interval(found, len(array))
    known = found[np.isfinite(found)]
    below, above = ((count + 1) / (len(known) + 1) for count in ((known <= 0).sum(), (known >= 0).sum()))
    return Difference(value, low, high, float(min(1.0, 2 * min(below, above))), n)


def _by_recording(
    counted: MetricContributions, draws: Sequence[Hashable], recordings: Sequence[Hashable]
) -> tuple[Floats, list[Hashable]]:
    """Return (recordings, draws, c) sums, and the draws in order."""
    draw, in_order = _encode(draws)
    group, homes = _encode(recordings)
    found = np.zeros((len(homes), len(in_order), counted.sums.shape[1]))
    np.add.at(found, (group, draw), counted.sums)
    return found, in_order


def _encode(values: Sequence[Hashable]) -> tuple[Ints, list[Hashable]]:
    positions = {value: position for position, value in enumerate(dict.fromkeys(values))}
    return np.array([positions[value] for value in values], np.int64), [*positions]


def _weighted_means(formula: Callable[[Floats], Floats], sums: Floats, chosen: Floats) -> Floats:
    """Return (b,) means over draws under (b, recordings) weights."""
    flat = chosen @ sums.reshape(len(sums), -1)
    return mean_of_known(formula(flat.reshape(len(chosen), *sums.shape[1:])))


Item = TypeVar("Item")
RESCORED_SAMPLES = 200


def intervals(
    score: Callable[[Sequence[Item]], Mapping[str, float | None]],
    items: Sequence[Item],
    draws: Sequence[Hashable],
    recordings: Sequence[Hashable],
    samples: int = RESCORED_SAMPLES,
    seed: int = 0,
) -> dict[str, Interval]:
    """Return metric -> 95 % interval of its mean over draws, from scored samples of recordings.

    Metrics that are functions of sums have theirs from `mean_over_draws`, in milliseconds instead of seconds.

    Args:
        score: returns the metrics of one draw; it can contain an item several times.
        items: n items.
        draws: n, the draw of each.
        recordings: n, the recording of each.
        samples: of the bootstrap.
        seed: of the bootstrap.
    """
    homes = {home: place for place, home in enumerate(dict.fromkeys(recordings))}
    by_draw: dict[Hashable, list[tuple[int, Item]]] = {}
    for item, draw, home in zip(items, draws, recordings, strict=True):
        by_draw.setdefault(draw, []).append((homes[home], item))
    sampled: dict[str, list[float]] = {key: [] for key in score(items)}
    for weights in draw_resamples(len(homes), samples if len(homes) > 1 else 0, seed).astype(int).tolist():
        resampled = [
            [item for recording, item in items_of_draw for _ in range(weights[recording])]
            for items_of_draw in by_draw.values()
        ]
        scores = [score(items_of_draw) for items_of_draw in resampled if items_of_draw]
        for key, values in sampled.items():
            mean = mean_sd([entry[key] for entry in scores]).mean
            values.append(np.nan if mean is None else mean)
    return {key: percentile_interval(np.array(values, float), len(homes)) for key, values in sampled.items()}
