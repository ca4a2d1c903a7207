"""Metrics of numeric ratings: correlation, error, agreement of raters, calibration, and the posterior of a statement.

They follow SOTOPIA, section 5, and SocialNLI, sections 4.1 and 4.2.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from annotate.agreement.coefficients import assign_bins, free_marginal_kappa, moments
from annotate.agreement.coefficients import pearson as pearson_of_sums
from annotate.agreement.figure_intervals import Floats, Ints, finite_or_none
from benchmark.metrics.item_sums import MetricContributions, share_of_items
from project.entities.study_records import Json

NO_VARIANCE = "Everybody gave one and the same value throughout, or there are fewer than two pairs."
RATING_BINS = 5
MAX_DISTANCE = 2.0


def as_number(value: Json) -> float | None:
    """Return a number of an answer; None for anything else, and for yes and no."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def answered_pairs(truth: Sequence[float], said: Sequence[float | None]) -> tuple[Floats, Floats]:
    """Return (m,) truths and (m,) answers of the m items that have an answer."""
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    both = [(true, value) for true, value in zip(truth, said, strict=True) if value is not None]
    pairs = np.array(both, float).reshape(len(both), 2)
    return pairs[:, 0], pairs[:, 1]


def pearson(truth: Sequence[float], said: Sequence[float | None]) -> MetricContributions:
    """Return Pearson's r of n pairs; undefined if either side never varies, see `NO_VARIANCE`."""
    first, second = answered_pairs(truth, said)
    counts = np.array([value is not None for value in said], bool)
    sums = np.zeros((len(truth), 6))
    sums[counts] = moments(first, second, np.arange(len(first)), len(first))
    return MetricContributions(sums, pearson_of_sums, counts, NO_VARIANCE)


def mae(truth: Sequence[float], said: Sequence[float | None]) -> MetricContributions:
    """Return the mean distance of n answers from the truth."""
    first, second = answered_pairs(truth, said)
    counts = np.array([value is not None for value in said], bool)
    distances = np.zeros(len(truth))
    distances[counts] = np.abs(first - second)
    return share_of_items(distances.tolist(), counts.tolist())


def randolph_kappa(
    ratings: Sequence[Sequence[float]], minimum: float, maximum: float, bins: int = RATING_BINS
) -> float | None:
    """Return Randolph's free-marginal kappa of ratings cut into bins of equal width (SOTOPIA, appendix D.1).

    Every pair of ratings of one item counts once, as in `annotate.agreement.coefficients`.

    Returns:
        None if nothing was rated twice, or with one bin.
    """
    apart = _distances(ratings, lambda some: assign_bins(some, minimum, maximum, bins))
    agreeing, pairs = np.array(float((apart == 0).sum())), np.array(float(len(apart)))
    return finite_or_none(float(free_marginal_kappa(agreeing, pairs, bins)))


def pairwise_agreement(ratings: Sequence[Sequence[float]]) -> float | None:
    """Return the share of pairs of ratings of one item that are at most `MAX_DISTANCE` apart; None without pairs.

    SOTOPIA (appendix D.1) reports 84.85 % without a definition. It cannot be the five bins of its kappa, because a
    kappa of .503 there means an agreement of 60 %. At most two points of eleven apart gives 84.5 % on the ratings
    published with SOTOPIA-pi, so it is used here.
    """
    apart = _distances(ratings, lambda some: some)
    return float((apart <= MAX_DISTANCE).mean()) if len(apart) else None


def agreement_over_scales(
    ratings: Iterable[tuple[Sequence[float], float, float]],
) -> tuple[float | None, float | None]:
    """Return Randolph's kappa and the pairwise agreement over ratings on several scales, each in bins of its own.

    `ratings` are those of one item, with minimum and maximum of their scale.
    """
    several = [(tuple(scores), low, high) for scores, low, high in ratings if len(scores) > 1]
    placed = [_binned(*rating) for rating in several]
    return randolph_kappa(placed, 0, RATING_BINS), pairwise_agreement([scores for scores, _, _ in several])


@lru_cache(maxsize=4096)
def _binned(scores: tuple[float, ...], low: float, high: float) -> list[float]:
    placed: list[float] = assign_bins(np.array(scores, float), low, high, RATING_BINS).astype(float).tolist()
    return placed


def _distances(ratings: Sequence[Sequence[float]], cut: Callable[[Floats], Floats | Ints]) -> Floats:
    """Return the distance of the two ratings of each pair, after they are cut into bins."""
    by_size: dict[int, list[Sequence[float]]] = {}
    for rating in ratings:
        by_size.setdefault(len(rating), []).append(rating)
    found = [np.zeros(0)]
    for size, some in by_size.items():
        first, second = np.triu_indices(size, 1)
        placed = cut(np.array(some, float).reshape(len(some), size))
        found.append(np.abs(placed[:, first] - placed[:, second]).astype(float).ravel())
    return np.concatenate(found)


CALIBRATION_BINS = 10


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """The answers in one bin of the scale.

    Attributes:
        low: lower end, included.
        high: upper end, excluded except in the last bin.
        n: number of answers; never 0.
        mean_truth: mean of the human ratings of the same items.
    """

    low: float
    high: float
    n: int
    mean_answer: float
    mean_truth: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """Answers in bins of equal width.

    Attributes:
        error: mean distance of answers and truth in a bin, weighted by its answers; None without any.
        bins: those with answers, from the lowest.
    """

    error: float | None
    bins: tuple[CalibrationBin, ...]
    n: int


def calibration(
    truth: Sequence[float],
    said: Sequence[float | None],
    bins: int = CALIBRATION_BINS,
    minimum: float = 0.0,
    maximum: float = 1.0,
) -> Calibration:
    """Compare the mean answer of each bin with the human ratings of its items.

    If truths are 0 or 1, this is the expected calibration error (Naeini and others 2015); a truth can be a share too,
    such as the mean plausibility of several people. Answers of None are left out.

    Args:
        truth: n numbers.
        said: n answers; those outside the scale are in its first or last bin.
        bins: of equal width.
        minimum: of the scale.
        maximum: of the scale.
    """
    true, given = answered_pairs(truth, said)
    ends = np.linspace(minimum, maximum, bins + 1)
    place = np.clip(np.searchsorted(ends, given, side="right") - 1, 0, bins - 1)
    filled = tuple(
        CalibrationBin(
            float(ends[index]),
            float(ends[index + 1]),
            int((place == index).sum()),
            float(given[place == index].mean()),
            float(true[place == index].mean()),
        )
        for index in range(bins)
        if (place == index).any()
    )
    total = sum(filled_bin.n for filled_bin in filled)
    distance = sum(filled_bin.n * abs(filled_bin.mean_answer - filled_bin.mean_truth) for filled_bin in filled)
    return Calibration(distance / total if total else None, filled, total)


UNDECIDED = 0.5


class Posterior(NamedTuple):
    """The probability that a statement is true; `defined` is False if the formula is 0 / 0, which gives the prior."""

    value: float
    defined: bool


def posterior(plus: float, minus: float) -> Posterior:
    """Return s+ (1 - s-) / (s+ (1 - s-) + (1 - s+) s-), under equal priors and independent explanations.

    If both scores are 0 or both are 1, both terms are 0; then nothing was learned, and the prior of 0.5 is returned.

    Args:
        plus: likelihood of the supporting explanation if the statement is true, 0 to 1.
        minus: likelihood of the opposing one if it is false, 0 to 1.

    Raises:
        ValueError: a score is outside 0 to 1.
    """
    if not (0 <= plus <= 1 and 0 <= minus <= 1):
        raise ValueError(f"scores of {plus} and {minus} are not from 0 to 1")
    true, false = plus * (1 - minus), (1 - plus) * minus
    return Posterior(true / (true + false), True) if true + false > 0 else Posterior(UNDECIDED, False)
