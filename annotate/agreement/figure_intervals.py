"""Values of statistics with their confidence intervals.

Intervals come from resampling whole recordings, because segments of one recording are not independent.
"""

import math
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
        high: upper end of it.
        reason: a sentence; "" where the value is defined.
        more: what else belongs to the figure, such as the step of a time grid.
    """

    value: float | None
    n: int
    low: float | None = None
    high: float | None = None
    reason: str = ""
    more: Mapping[str, Json] = field(default_factory=lambda: MappingProxyType({}))

    def to_json(self) -> dict[str, Json]:
        """Return it as JSON holds it; never NaN."""
        interval: Json = None if self.low is None or self.high is None else [self.low, self.high]
        shown: dict[str, Json] = {"value": self.value, "n": self.n, "interval": interval}
        return shown | ({"reason": self.reason} if self.reason else {}) | dict(self.more)


def undefined_figure(reason: str, n: int = 0, more: Mapping[str, Json] | None = None) -> StatisticResult:
    """Return a figure that cannot be had."""
    return StatisticResult(None, n, reason=reason, more=more or {})


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


_CONFIDENCE_PERCENT = 95.0
_NO_INTERVAL: tuple[None, None] = (None, None)


def draw_resamples(groups: int, samples: int, seed: int) -> Floats:
    """Return (samples, groups): how often each recording is drawn when as many as there are are drawn with return."""
    if not groups or not samples:
        return np.zeros((0, groups))
    drawn = np.random.default_rng(seed).multinomial(groups, np.full(groups, 1 / groups), size=samples)
    return drawn.astype(float)


def percentile_interval(values: Floats, groups: int) -> tuple[float, float] | tuple[None, None]:
    """Return the ends of the 95 % percentile interval of resampled values; none for fewer than two recordings.

    Samples in which the figure is undefined are left out.
    """
    known = values[np.isfinite(values)]
    if groups < 2 or not len(known):
        return _NO_INTERVAL
    low, high = np.percentile(known, [50 - _CONFIDENCE_PERCENT / 2, 50 + _CONFIDENCE_PERCENT / 2])
    return float(low), float(high)


def estimate(
    formula: Callable[[Floats], Floats],
    sums: Floats,
    weights: Floats,
    n: int,
    reasons: tuple[str, str],
    more: Mapping[str, Json] | None = None,
) -> StatisticResult:
    """Return a figure that depends on sums over recordings alone.

    Args:
        formula: (b, ...) sums -> (b,) figures, NaN where undefined.
        sums: (groups, ...) of each recording.
        weights: (samples, groups) as `draw_resamples` returns them.
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
) -> StatisticResult:
    """Return a figure whose formula does the adding up itself.

    Args:
        formula: (b, groups) resampling weights -> (b,) figures, NaN where undefined; None stands for every one once.
        groups: how many recordings take part.
        weights: as for `estimate`, like `n`, `reasons` and `more`.
        n: what the figure rests on.
        reasons: why there is no figure.
        more: what else belongs to it.
    """
    value = finite_or_none(float(formula(None)[0])) if n else None
    if value is None:
        return StatisticResult(None, n, reason=reasons[1] if n else reasons[0], more=more or {})
    low, high = percentile_interval(formula(weights), groups) if groups > 1 and len(weights) else _NO_INTERVAL
    return StatisticResult(value, n, low, high, more=more or {})


def estimate_share(
    part: Floats, whole: Floats, weights: Floats, nothing: str, more: Mapping[str, Json] | None = None
) -> StatisticResult:
    """Return the sum of (groups,) parts over that of wholes."""
    sums = np.stack([part, whole], axis=-1).astype(float)
    return estimate(ratio, sums, weights, round(float(whole.sum())), (nothing, nothing), more)


def ratio(sums: Floats) -> Floats:
    """Return (...) the first of (..., 2) sums over the second; NaN over zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        found: Floats = np.where(sums[..., 1] > 0, sums[..., 0] / sums[..., 1], np.nan)
    return found


def sum_by_group(group: Ints, groups: int, values: Floats | Ints | None = None) -> Floats:
    """Return (groups,) the sums of (n,) values, or how many there are, in each group."""
    return np.bincount(group, values, groups).astype(float)
