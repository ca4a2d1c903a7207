"""Numbers against what people said, and people against each other (SOTOPIA, section 5; SocialNLI, section 4.2).

An answer that was refused or could not be read is None: no number stands for it, so its pair is left out. How many were
is for the caller to say.
"""

from collections.abc import Callable, Sequence

import numpy as np

from benchmark.agreement.correlation import moments
from benchmark.agreement.correlation import pearson as pearson_of
from benchmark.agreement.figure import defined
from benchmark.agreement.randolph import binned, free_marginal_kappa
from benchmark.agreement.types import Floats, Ints

NO_VARIANCE = "Everybody gave one and the same value throughout, or there are fewer than two pairs."
BINS = 5
NEAR = 2.0


def paired(truth: Sequence[float], said: Sequence[float | None]) -> tuple[Floats, Floats]:
    """Return (m,) truths and (m,) answers of the m items that have an answer.

    Raises:
        ValueError: the sequences differ in length.
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    both = [(true, one) for true, one in zip(truth, said, strict=True) if one is not None]
    found = np.array(both, float).reshape(len(both), 2)
    return found[:, 0], found[:, 1]


def pearson(truth: Sequence[float], said: Sequence[float | None]) -> float | None:
    """Return Pearson's r of n pairs; None where either side never varies, see `NO_VARIANCE`.

    Raises:
        ValueError: the sequences differ in length.
    """
    first, second = paired(truth, said)
    sums = moments(first, second, np.zeros(len(first), np.int64), 1).sum(0)
    return defined(float(pearson_of(sums)))


def pearson_p(truth: Sequence[float], said: Sequence[float | None]) -> float | None:
    """Return how likely an r as far from 0 is for two normal variables that have nothing to do with each other.

    None where r is undefined, and with fewer than three pairs.

    Raises:
        ValueError: the sequences differ in length.
    """
    first, second = paired(truth, said)
    if len(first) < 3 or pearson(truth, said) is None:
        return None
    from scipy.stats import pearsonr

    return defined(float(pearsonr(first, second).pvalue))


def mae(truth: Sequence[float], said: Sequence[float | None]) -> float | None:
    """Return the mean distance of n answers from the truth; None without any.

    Raises:
        ValueError: the sequences differ in length.
    """
    first, second = paired(truth, said)
    return float(np.abs(first - second).mean()) if len(first) else None


def randolph_kappa(
    ratings: Sequence[Sequence[float]], minimum: float, maximum: float, bins: int = BINS
) -> float | None:
    """Return Randolph's free-marginal kappa of ratings cut into bins of equal width (SOTOPIA, appendix D.1).

    Every pair of ratings of one thing counts once, as in `benchmark.agreement`.

    Args:
        ratings: n things, each with the ratings that it got.
        minimum: of the scale.
        maximum: of the scale.
        bins: 5 in the paper's main text.

    Returns:
        None where nothing was rated twice, or with one bin.
    """
    apart = _distances(ratings, lambda some: binned(some, minimum, maximum, bins))
    agreeing, pairs = np.array(float((apart == 0).sum())), np.array(float(len(apart)))
    return defined(float(free_marginal_kappa(agreeing, pairs, bins)))


def pairwise_agreement(ratings: Sequence[Sequence[float]], within: float = NEAR) -> float | None:
    """Return the share of pairs of ratings of one thing that are at most so far apart; None without pairs.

    SOTOPIA (appendix D.1) reports 84.85 % and does not say what agrees. It cannot be the five bins of its kappa, since
    a kappa of .503 there means that 60 % agree. At most two points apart of eleven gives a figure of that size on the
    ratings that were published with SOTOPIA-pi (84.5 %), and is meant here.
    """
    apart = _distances(ratings, lambda some: some)
    return float((apart <= within).mean()) if len(apart) else None


def _distances(ratings: Sequence[Sequence[float]], cut: Callable[[Floats], Floats | Ints]) -> Floats:
    """Return how far apart the two ratings of each pair are, once they are cut into bins."""
    by_size: dict[int, list[Sequence[float]]] = {}
    for one in ratings:
        by_size.setdefault(len(one), []).append(one)
    found = [np.zeros(0)]
    for size, some in by_size.items():
        first, second = np.triu_indices(size, 1)
        placed = cut(np.array(some, float).reshape(len(some), size))
        found.append(np.abs(placed[:, first] - placed[:, second]).astype(float).ravel())
    return np.concatenate(found)
