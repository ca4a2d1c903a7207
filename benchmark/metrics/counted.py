"""Metrics as functions of sums over items, which is what makes a bootstrap over recordings quick.

The values are those of `classification`, `multilabel` and `ratings`, which are scikit-learn's; only resampling needs
thousands of them at a time.
"""

from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmark.agreement.bootstrap import ratio
from benchmark.agreement.correlation import moments
from benchmark.agreement.correlation import pearson as pearson_of
from benchmark.agreement.types import Bools, Floats
from benchmark.metrics.codes import coded, indicated_both
from benchmark.metrics.ratings import NO_VARIANCE, paired

NO_ITEMS = "There is no item of this sort."


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """What each item adds to a metric.

    Attributes:
        sums: (n, c) of each item.
        formula: (..., c) sums -> (...) metric, NaN where undefined.
        counts: (n,) which items count.
        reason: why there is no figure although items count.
    """

    sums: Floats
    formula: Callable[[Floats], Floats]
    counts: Bools
    reason: str = NO_ITEMS


def share_counted(right: Sequence[bool | float], counts: Sequence[bool] | None = None) -> Counted:
    """Return the share of items that are right, or a mean; of those that count."""
    counted = np.ones(len(right), bool) if counts is None else np.array(counts, bool)
    return Counted(np.stack([np.array(right, float) * counted, counted], axis=-1).astype(float), ratio, counted)


def accuracy_counted(truth: Sequence[Hashable], said: Sequence[Hashable | None]) -> Counted:
    """Return `classification.accuracy`."""
    return share_counted([true == one for true, one in zip(truth, said, strict=True)])


def macro_f1_counted(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Counted:
    """Return `classification.macro_f1`."""
    true, given = coded(truth, said, labels)
    places = np.arange(len(labels))
    return _f1(true[:, None] == places, given[:, None] == places)


def exact_match_counted(truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None]) -> Counted:
    """Return `multilabel.exact_match`."""
    return share_counted([one is not None and {*true} == {*one} for true, one in zip(truth, said, strict=True)])


def partial_match_counted(
    truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None]
) -> Counted:
    """Return `multilabel.partial_match`."""
    hit = [bool({*true} & {*(one or ())}) for true, one in zip(truth, said, strict=True)]
    return share_counted(hit, [bool(one) for one in truth])


def macro_f1_multilabel_counted(
    truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]
) -> Counted:
    """Return `multilabel.macro_f1_multilabel`."""
    true, given = indicated_both(truth, said, labels)
    return _f1(true[:, :-1], given[:, :-1])


def pearson_counted(truth: Sequence[float], said: Sequence[float | None]) -> Counted:
    """Return `ratings.pearson`."""
    counts = np.array([one is not None for one in said], bool)
    first, second = paired(truth, said)
    sums = np.zeros((len(truth), 6))
    sums[counts] = moments(first, second, np.arange(len(first)), len(first))
    return Counted(sums, pearson_of, counts, NO_VARIANCE)


def mae_counted(truth: Sequence[float], said: Sequence[float | None]) -> Counted:
    """Return `ratings.mae`."""
    apart = [0.0 if one is None else abs(true - one) for true, one in zip(truth, said, strict=True)]
    return share_counted(apart, [one is not None for one in said])


def _f1(true: Bools, given: Bools) -> Counted:
    """Return macro-F1 of (n, k) true and said labels; a label that is neither anywhere adds 0."""
    size = true.shape[1]
    columns = (true & given, true.astype(int) + given, np.ones((len(true), 1)))

    def formula(sums: Floats) -> Floats:
        hit, either = sums[..., :size], sums[..., size : 2 * size]
        each = np.divide(2 * hit, either, out=np.zeros_like(hit), where=either > 0)
        found: Floats = np.where(sums[..., -1] > 0, each.mean(-1), np.nan)
        return found

    return Counted(np.concatenate(columns, axis=1).astype(float), formula, np.ones(len(true), bool))
