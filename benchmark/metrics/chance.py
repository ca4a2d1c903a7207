"""What blind guesses come to, and how far they stray from it: what a judge has to beat.

Guesses are those of the judge `random`: each of k options with the same chance, each of several labels by the toss of a
coin, each number of a scale with the same chance.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from benchmark.agreement.types import Floats
from benchmark.metrics.multilabel import Truths


@dataclass(frozen=True, slots=True)
class Chance:
    """What a figure is in the mean over all ways to guess, and its standard deviation over these."""

    value: float
    se: float


def accuracy_by_chance(items: int, options: int) -> Chance | None:
    """Return accuracy among so many options; None without items."""
    return _mean(np.full(items, 1 / options)) if items else None


def exact_match_by_chance(items: int, labels: int) -> Chance | None:
    """Return exact match over so many labels, of which any may be given: 1 in 2^k; None without items."""
    return _mean(np.full(items, 0.5**labels)) if items else None


def partial_match_by_chance(truth: Truths) -> Chance | None:
    """Return partial match: an item with t true labels is missed once in 2^t; None where no item has any."""
    return _mean(1 - 0.5 ** np.array([len({*one}) for one in truth if one], float)) if any(truth) else None


def macro_f1_by_chance(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 that guesses among k labels tend to with many items; None without items.

    A label true for a share p is given for a share 1/k of the items whatever is true, so F1 tends to 2p/k / (p + 1/k).
    With few items it lies a little beside that, because F1 is a ratio.
    """
    shares = [sum(one == label for one in truth) / len(truth) for label in labels] if truth else []
    return _f1(shares, 1 / len(labels)) if truth else None


def macro_f1_multilabel_by_chance(truth: Truths, labels: Collection[Hashable]) -> float | None:
    """Return the same where each label is given by the toss of a coin: p / (p + 1/2) of each."""
    shares = [sum(label in one for one in truth) / len(truth) for label in labels] if truth else []
    return _f1(shares, 0.5) if truth else None


def pearson_by_chance(items: int) -> Chance | None:
    """Return r of guesses: 0, with a standard deviation of 1 / sqrt(n - 1); None for fewer than two items."""
    return Chance(0.0, 1 / sqrt(items - 1)) if items > 1 else None


def mae_by_chance(truth: Sequence[float], scale: Sequence[float]) -> Chance | None:
    """Return the mean absolute error of guesses among the values of a scale; None without items."""
    if not truth:
        return None
    apart = np.abs(np.array(truth, float)[:, None] - np.array(scale, float))
    return Chance(float(apart.mean()), sqrt(apart.var(axis=1).sum()) / len(truth))


def _mean(shares: Floats) -> Chance:
    """Return the share of hits where each item is hit with a chance of its own."""
    return Chance(float(shares.mean()), sqrt((shares * (1 - shares)).sum()) / len(shares))


def _f1(shares: Sequence[float], said: float) -> float:
    return sum(2 * share * said / (share + said) for share in shares) / len(shares)
