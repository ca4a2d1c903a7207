"""Any of several labels, as in the identification of social attributes (SHREC, section 3.2).

An answer of None was refused or could not be read: it is wrong, and stands for no label at all. An answer of no labels
is an answer.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import TypeAlias

import numpy as np

from benchmark.agreement.figure import defined
from benchmark.metrics.codes import indicated_both

Truths: TypeAlias = Sequence[Collection[Hashable]]
Answers: TypeAlias = Sequence[Collection[Hashable] | None]


def exact_match(truth: Truths, said: Answers) -> float | None:
    """Return the share of n answers that are the true set; None without any.

    Raises:
        ValueError: the sequences differ in length.
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    if not truth:
        return None
    right = [one is not None and {*true} == {*one} for true, one in zip(truth, said, strict=True)]
    return sum(right) / len(right)


def partial_match(truth: Truths, said: Answers) -> float | None:
    """Return the share of items with at least one of their true labels in the answer.

    An item without a true label cannot be matched and is left out; None where no item has one.

    Raises:
        ValueError: the sequences differ in length.

    Source: SHREC, section 3.2 ("correctly predicts at least one of the true labels").
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    hit = [bool({*true} & {*(one or ())}) for true, one in zip(truth, said, strict=True) if true]
    return sum(hit) / len(hit) if hit else None


def macro_f1_multilabel(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> float | None:
    """Return the unweighted mean of F1 over the labels of a task; None without items.

    As for `classification.macro_f1`, a label that is neither true nor said in a draw adds 0.

    Args:
        truth: n true sets.
        said: n answers; what is no label in them counts for none.
        labels: k labels of the task.

    Raises:
        ValueError: see `indicated_both`.
    """
    true, given = indicated_both(truth, said, labels)
    if not truth:
        return None
    from sklearn.metrics import f1_score

    return float(f1_score(true, given, labels=range(len(labels)), average="macro", zero_division=0.0))


def f1_by_label(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for one that is neither true nor said anywhere (SHREC, appendix G)."""
    true, given = indicated_both(truth, said, labels)
    if not truth:
        return dict.fromkeys(labels)
    from sklearn.metrics import f1_score

    found = f1_score(true, given, labels=range(len(labels)), average=None, zero_division=np.nan)
    return {label: defined(one) for label, one in zip(labels, found, strict=True)}


def highest_macro_f1(truth: Truths, labels: Sequence[Hashable]) -> float | None:
    """Return what somebody who is right throughout reaches: the share of the labels that occur; None without items."""
    return len({*labels} & {label for one in truth for label in one}) / len(labels) if truth else None
