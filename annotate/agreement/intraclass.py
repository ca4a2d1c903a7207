"""Intraclass correlation of ratings: ICC(2,1), absolute agreement, and ICC(3,1), consistency, each with its interval.

Sources: Shrout and Fleiss (1979), Intraclass correlations: Uses in assessing rater reliability; McGraw and Wong (1996),
Forming inferences about some intraclass correlation coefficients, tables 4 and 7.
"""

from dataclasses import dataclass

import numpy as np

from annotate.agreement.figure_intervals import Floats, Ints, sum_by_group

_TAIL = 0.025
"""On each side of a 95 % interval."""
_RATERS = 2
"""In a matched pair of segments."""


@dataclass(frozen=True, slots=True)
class IntraclassCorrelation:
    """A coefficient with its 95 % interval; NaN where it is undefined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class _MeanSquares:
    """Of a two-way analysis of variance without replication: between targets, between raters, residual."""

    targets: float
    raters: float
    residual: float
    n: int
    k: int


def intraclass_agreement(ratings: Floats) -> IntraclassCorrelation:
    """Return ICC(2,1), McGraw and Wong's ICC(A,1): raters are a sample, and a stricter one disagrees.

    Args:
        ratings: (targets, raters), complete.
    """
    from scipy.stats import f

    squares = _mean_squares(ratings)
    if squares is None:
        return _UNDEFINED
    n, k, msr, msc, mse = squares.n, squares.k, squares.targets, squares.raters, squares.residual
    r = (msr - mse) / (msr + (k - 1) * mse + k * (msc - mse) / n)
    # Raters who differ by the same on targets that do not vary leave no residual to tell an interval from.
    if not 0 <= r < 1 or (r == 0 and mse == 0):
        return IntraclassCorrelation(r, r if r == 1 else np.nan, r if r == 1 else np.nan)
    a, b = k * r / (n * (1 - r)), 1 + k * r * (n - 1) / (n * (1 - r))
    degrees = (a * msc + b * mse) ** 2 / ((a * msc) ** 2 / (k - 1) + (b * mse) ** 2 / ((n - 1) * (k - 1)))
    lower, upper = f.isf(_TAIL, n - 1, degrees), f.isf(_TAIL, degrees, n - 1)
    rest = k * msc + (k * n - k - n) * mse
    low = n * (msr - lower * mse) / (lower * rest + n * msr)
    high = n * (upper * msr - mse) / (rest + n * upper * msr)
    return IntraclassCorrelation(float(r), float(low), float(high))


def intraclass_consistency(ratings: Floats) -> IntraclassCorrelation:
    """Return ICC(3,1), McGraw and Wong's ICC(C,1): a rater who is stricter throughout agrees all the same.

    Args:
        ratings: (targets, raters), complete.
    """
    from scipy.stats import f

    squares = _mean_squares(ratings)
    if squares is None:
        return _UNDEFINED
    n, k, msr, mse = squares.n, squares.k, squares.targets, squares.residual
    if msr == 0 and mse == 0:
        return _UNDEFINED
    r = (msr - mse) / (msr + (k - 1) * mse)
    if not mse:
        return IntraclassCorrelation(r, r, r)
    degrees = n - 1, (n - 1) * (k - 1)
    low = msr / mse / f.isf(_TAIL, *degrees)
    high = msr / mse * f.isf(_TAIL, *degrees[::-1])
    return IntraclassCorrelation(float(r), float((low - 1) / (low + k - 1)), float((high - 1) / (high + k - 1)))


_UNDEFINED = IntraclassCorrelation(np.nan, np.nan, np.nan)


def _mean_squares(ratings: Floats) -> _MeanSquares | None:
    """Return the mean squares; None for fewer than two targets or raters, or where nothing varies."""
    n, k = ratings.shape
    if n < 2 or k < 2 or not np.ptp(ratings):
        return None
    grand = ratings.mean()
    targets = k * float(((ratings.mean(1) - grand) ** 2).sum())
    raters = n * float(((ratings.mean(0) - grand) ** 2).sum())
    residual = max(0.0, float(((ratings - grand) ** 2).sum()) - targets - raters)
    if residual < 1e-12 * (targets + raters):
        residual = 0.0
    return _MeanSquares(targets / (n - 1), raters / (k - 1), residual / ((n - 1) * (k - 1)), n, k)


def rating_moments(first: Floats, second: Floats, group: Ints, groups: int) -> Floats:
    """Return (groups, 6): the number of pairs, and the sums of x, y, x squared, y squared and x times y.

    Both sides are moved by one constant, so that a difference between them stays.
    """
    shift = float(np.concatenate([first, second]).mean()) if len(first) else 0.0
    x, y = first - shift, second - shift
    columns = (np.ones_like(x), x, y, x * x, y * y, x * y)
    return np.stack([sum_by_group(group, groups, column) for column in columns], axis=-1)


def pair_agreement(sums: Floats) -> Floats:
    """Return (...) ICC(2,1) of two raters from (..., 6) moments; NaN where nothing varies."""
    return _from_moments(sums, absolute=True)


def pair_consistency(sums: Floats) -> Floats:
    """Return (...) ICC(3,1) of two raters from (..., 6) moments; NaN where nothing varies."""
    return _from_moments(sums, absolute=False)


def _from_moments(sums: Floats, *, absolute: bool) -> Floats:
    n, x, y, xx, yy, xy = np.moveaxis(sums, -1, 0)
    with np.errstate(invalid="ignore", divide="ignore"):
        total = (x + y) ** 2 / (_RATERS * n)
        targets = (xx + yy + 2 * xy) / _RATERS - total
        raters = (x * x + y * y) / n - total
        residual = np.maximum(xx + yy - total - targets - raters, 0)
        msr, mse = targets / (n - 1), residual / (n - 1)
        spread = msr + mse + (_RATERS * (raters - mse) / n if absolute else 0)
        varies = (n > 1) & (xx + yy - total > 1e-9 * np.maximum(xx + yy, 1e-300)) & (spread != 0)
        found: Floats = np.where(varies, (msr - mse) / spread, np.nan)
    return found
