"""Values of statistics with their confidence intervals.

Intervals come from resampling whole recordings, because segments of one recording are not independent.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from project.entities.study_records import Json
from resources import resource


@dataclass(frozen=True, slots=True)
class StatisticResult:
    """A measured figure. `value` is None where it is undefined, and then `reason` says why.

    Attributes:
        n: how many things were counted: annotations, pairs, instants, reviews.
        low: lower end of the 95 % interval; None where there is none.
        reason: a sentence; "" where the value is defined.
        more: what else belongs to the figure, such as the step of a time grid.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str = ""
    more: Mapping[str, Json] = field(default_factory=dict)


def finite_or_none(value: float) -> float | None:
    """Return a number that JSON can hold, or None."""
    return float(value) if math.isfinite(value) else None


@dataclass(frozen=True, slots=True)
class PublishedFigure:
    """One figure of a paper. `figure` is the key of a study's own, `source` the place in the paper."""

    figure: str
    name: str
    value: float
    source: str


@dataclass(frozen=True, slots=True)
class PublishedAgreement:
    """What one paper reports."""

    name: str
    title: str
    figures: tuple[PublishedFigure, ...]


def load_published(scheme: str) -> PublishedAgreement | None:
    """Return what was published of data under this scheme, or None."""
    try:
        path = resource("published", f"{scheme}.toml")
    except FileNotFoundError:
        return None
    found = tomllib.loads(path.read_text("utf-8"))
    return PublishedAgreement(
        found["name"], found["title"], tuple(PublishedFigure(**figure) for figure in found["figures"])
    )


Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Bools: TypeAlias = NDArray[np.bool_]


Interval: TypeAlias = tuple[float, float] | tuple[None, None]
"""Lower and upper end, or None twice."""
_CONFIDENCE_PERCENT = 95.0


def draw_resamples(groups: int, samples: int, seed: int) -> Floats:
    """Return (samples, groups): how often each recording is drawn when as many as there are are drawn with return."""
    if not groups or not samples:
        return np.zeros((0, groups))
    drawn = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=samples)
    return drawn.astype(float)


def percentile_interval(values: Floats, groups: int) -> Interval:
    """Return the ends of the 95 % percentile interval of resampled values; none for fewer than two recordings.

    Samples in which the figure is undefined are left out.
    """
    known = values[np.isfinite(values)]
    if groups < 2 or not len(known):
        return None, None
    low, high = np.percentile(known, [50 - _CONFIDENCE_PERCENT / 2, 50 + _CONFIDENCE_PERCENT / 2])
    return float(low), float(high)


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """A figure that depends on sums over recordings alone: value, interval and those of each recording follow.

    Attributes:
        formula: (b, ...) sums -> (b,) figures, NaN where undefined.
        sums: (recordings, ...) of each recording.
        counts: (recordings,) what the figure rests on.
        reasons: why there is no figure: with nothing to count, and else.
        more: what else belongs to it.
    """

    formula: Callable[[Floats], Floats]
    sums: Floats
    counts: Floats
    reasons: tuple[str, str]
    more: Mapping[str, Json] = field(default_factory=dict)

    def estimate(self, weights: Floats) -> StatisticResult:
        """Return the figure over all recordings; `weights` is (samples, recordings) as of `draw_resamples`."""
        flat = self.sums.reshape(len(self.sums), math.prod(self.sums.shape[1:]))

        def of(drawn: Floats | None) -> Floats:
            chosen = np.ones((1, len(flat))) if drawn is None else drawn
            return self.formula((chosen @ flat).reshape(len(chosen), *self.sums.shape[1:]))

        n, groups = round(float(self.counts.sum())), int(np.count_nonzero(flat.any(1)))
        return estimate_from(of, weights, n, groups, self.reasons, self.more)

    @property
    def value(self) -> float | None:
        return self.estimate(np.zeros((0, len(self.sums)))).value

    def by_recording(self) -> list[StatisticResult]:
        """Return the figure of each recording; one recording alone has no interval."""
        values, counts = self.formula(self.sums).tolist(), self.counts.round().astype(int).tolist()
        return [_result(value, n, self.reasons) for value, n in zip(values, counts, strict=True)]


def estimate_from(
    formula: Callable[[Floats | None], Floats],
    weights: Floats,
    n: int,
    groups: int,
    reasons: tuple[str, str],
    more: Mapping[str, Json] = MappingProxyType({}),
) -> StatisticResult:
    """Return a figure whose formula does the adding up itself.

    Args:
        formula: (b, groups) resampling weights -> (b,) figures, NaN where undefined; None stands for every one once.
        weights: (samples, groups) as `draw_resamples` returns them.
        n: what the figure rests on.
        groups: how many recordings take part.
        reasons: why there is no figure: with nothing to count, and else.
        more: what else belongs to it.
    """
    result = _result(float(formula(None)[0]) if n else math.nan, n, reasons, more)
    if result.value is None or groups < 2 or not len(weights):
        return result
    low, high = percentile_interval(formula(weights), groups)
    return replace(result, low=low, high=high)


def _result(
    value: float, n: int, reasons: tuple[str, str], more: Mapping[str, Json] = MappingProxyType({})
) -> StatisticResult:
    known = finite_or_none(value)
    return StatisticResult(known, n, reason="" if known is not None else reasons[1] if n else reasons[0], more=more)


def share_statistic(
    part: Floats, whole: Floats, nothing: str, more: Mapping[str, Json] = MappingProxyType({})
) -> Statistic:
    """Return the sum of (recordings,) parts over that of wholes."""
    return Statistic(ratio, np.stack([part, whole], axis=-1).astype(float), whole, (nothing, nothing), more)


def mean_statistic(
    values: Floats | Bools, group: Ints, groups: int, nothing: str, more: Mapping[str, Json] = MappingProxyType({})
) -> Statistic:
    """Return the mean of (n,) values, or the share that is true, of the recordings (n,) `group`."""
    return share_statistic(sum_by_group(group, groups, values), sum_by_group(group, groups), nothing, more)


def ratio(sums: Floats) -> Floats:
    """Return (...) the first of (..., 2) sums over the second; NaN over zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)
    return found


def sum_by_group(group: Ints, groups: int, values: Floats | Ints | Bools | None = None) -> Floats:
    """Return (groups,) the sums of (n,) values, or how many there are, in each group."""
    return np.bincount(group, values, groups).astype(float)
