"""One of several labels: accuracy, F1 and who was taken for whom.

What blind guesses come to, and how far they stray from it: what a judge has to beat. Answers as numbers that libraries
compute with. Any of several labels, as in the identification of social attributes (SHREC, section 3.2).
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints, finite_or_none


def encode_labels(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> tuple[Ints, Ints]:
    """Return the place of each answer among the labels.

    Args:
        truth: n labels.
        said: n answers; None where an answer was refused or could not be read.
        labels: k labels of the task, each once.

    Returns:
        (n,) true places, 0 to k - 1, and (n,) places that were said; k stands for None and for whatever is no label.

    Raises:
        ValueError: the sequences differ in length, or a truth is none of the labels.
    """
    place = {label: number for number, label in enumerate(labels)}
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    if strange := [one for one in truth if one not in place]:
        raise ValueError(f"{strange[0]!r} is no label of the task")
    true = np.array([place[one] for one in truth], np.int64)
    return true, np.array([place.get(one, len(labels)) for one in said], np.int64)


def encode_label_sets(sets: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]) -> Bools:
    """Return (n, k + 1): which labels each set holds; the last column marks None and sets with what is no label.

    Args:
        sets: n sets of labels; None where an answer was refused or could not be read.
        labels: k labels of the task, each once.
    """
    place = {label: number for number, label in enumerate(labels)}
    found = np.zeros((len(sets), len(labels) + 1), bool)
    for row, one in enumerate(sets):
        if one is None:
            found[row, -1] = True
        else:
            found[row, [place.get(label, len(labels)) for label in one]] = True
    return found


def encode_set_pairs(
    truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]
) -> tuple[Bools, Bools]:
    """Return what is `indicated` of true and of said sets.

    Raises:
        ValueError: the sequences differ in length, or a true set holds what is no label.
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    true = encode_label_sets(truth, labels)
    if true[:, -1].any():
        raise ValueError(f"{truth[int(true[:, -1].argmax())]!r} holds what is no label of the task")
    return true, encode_label_sets(said, labels)


def accuracy(truth: Sequence[Hashable], said: Sequence[Hashable | None]) -> float | None:
    """Return the share of n answers that are the true ones; None without any.

    Raises:
        ValueError: the sequences differ in length.
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    if not truth:
        return None
    return sum(true == one for true, one in zip(truth, said, strict=True)) / len(truth)


def macro_f1(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> float | None:
    """Return the unweighted mean of F1 over the labels of a task; None without items.

    The mean is over all labels (scikit-learn's `f1_score(labels=..., average="macro", zero_division=0)`). One that a
    draw does not have, and that nobody said, has no F1 and adds 0, so that draws compare: even somebody who is right
    throughout then stays at `highest_macro_f1`.

    Args:
        truth: n true labels.
        said: n answers.
        labels: k labels of the task.

    Raises:
        ValueError: see `coded`.

    Source: SHREC, section 3.1 ("unweighted average of F1").
    """
    true, given = encode_labels(truth, said, labels)
    if not truth:
        return None
    from sklearn.metrics import f1_score

    return float(f1_score(true, given, labels=range(len(labels)), average="macro", zero_division=0.0))


def f1_by_label(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor said anywhere. Arguments as `macro_f1`."""
    true, given = encode_labels(truth, said, labels)
    if not truth:
        return dict.fromkeys(labels)
    from sklearn.metrics import f1_score

    found = f1_score(true, given, labels=range(len(labels)), average=None, zero_division=np.nan)
    return {label: finite_or_none(one) for label, one in zip(labels, found, strict=True)}


def confusion(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Ints:
    """Return (k, k + 1): how often what is true by row was answered as by column; the last column is no label at all.

    Arguments as `macro_f1`.
    """
    true, given = encode_labels(truth, said, labels)
    size = len(labels)
    return np.bincount(true * (size + 1) + given, minlength=size * (size + 1)).reshape(size, size + 1)


def highest_macro_f1(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return what somebody who is right throughout reaches: the share of the labels that occur; None without items."""
    return len({*truth}) / len(labels) if truth else None


def constant_macro_f1(truth: Sequence[Hashable], label: Hashable, labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 of somebody who always gives one label; None without items.

    With a share p of items for which it is true, its precision is p and its recall 1, and every other label has an F1
    of 0: 2p / (1 + p) over the number of labels.
    """
    if not truth:
        return None
    share = sum(one == label for one in truth) / len(truth)
    return 2 * share / (1 + share) / len(labels)


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
    true, given = encode_set_pairs(truth, said, labels)
    if not truth:
        return None
    from sklearn.metrics import f1_score

    return float(f1_score(true, given, labels=range(len(labels)), average="macro", zero_division=0.0))


def multilabel_f1_by_label(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for one that is neither true nor said anywhere (SHREC, appendix G)."""
    true, given = encode_set_pairs(truth, said, labels)
    if not truth:
        return dict.fromkeys(labels)
    from sklearn.metrics import f1_score

    found = f1_score(true, given, labels=range(len(labels)), average=None, zero_division=np.nan)
    return {label: finite_or_none(one) for label, one in zip(labels, found, strict=True)}


def highest_multilabel_macro_f1(truth: Truths, labels: Sequence[Hashable]) -> float | None:
    """Return what somebody who is right throughout reaches: the share of the labels that occur; None without items."""
    return len({*labels} & {label for one in truth for label in one}) / len(labels) if truth else None


@dataclass(frozen=True, slots=True)
class Chance:
    """What a figure is in the mean over all ways to guess, and its standard deviation over these."""

    value: float
    se: float


def accuracy_by_chance(items: int, options: int) -> Chance | None:
    """Return accuracy among so many options; None without items."""
    return _mean_of_chances(np.full(items, 1 / options)) if items else None


def exact_match_by_chance(items: int, labels: int) -> Chance | None:
    """Return exact match over so many labels, of which any may be given: 1 in 2^k; None without items."""
    return _mean_of_chances(np.full(items, 0.5**labels)) if items else None


def partial_match_by_chance(truth: Truths) -> Chance | None:
    """Return partial match: an item with t true labels is missed once in 2^t; None where no item has any."""
    return _mean_of_chances(1 - 0.5 ** np.array([len({*one}) for one in truth if one], float)) if any(truth) else None


def macro_f1_by_chance(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 that guesses among k labels tend to with many items; None without items.

    A label true for a share p is given for a share 1/k of the items whatever is true, so F1 tends to 2p/k / (p + 1/k).
    With few items it lies a little beside that, because F1 is a ratio.
    """
    shares = [sum(one == label for one in truth) / len(truth) for label in labels] if truth else []
    return _macro_f1(shares, 1 / len(labels)) if truth else None


def macro_f1_multilabel_by_chance(truth: Truths, labels: Collection[Hashable]) -> float | None:
    """Return the same where each label is given by the toss of a coin: p / (p + 1/2) of each."""
    shares = [sum(label in one for one in truth) / len(truth) for label in labels] if truth else []
    return _macro_f1(shares, 0.5) if truth else None


def pearson_by_chance(items: int) -> Chance | None:
    """Return r of guesses: 0, with a standard deviation of 1 / sqrt(n - 1); None for fewer than two items."""
    return Chance(0.0, 1 / sqrt(items - 1)) if items > 1 else None


def mae_by_chance(truth: Sequence[float], scale: Sequence[float]) -> Chance | None:
    """Return the mean absolute error of guesses among the values of a scale; None without items."""
    if not truth:
        return None
    apart = np.abs(np.array(truth, float)[:, None] - np.array(scale, float))
    return Chance(float(apart.mean()), sqrt(apart.var(axis=1).sum()) / len(truth))


def _mean_of_chances(shares: Floats) -> Chance:
    """Return the share of hits where each item is hit with a chance of its own."""
    return Chance(float(shares.mean()), sqrt((shares * (1 - shares)).sum()) / len(shares))


def _macro_f1(shares: Sequence[float], said: float) -> float:
    return sum(2 * share * said / (share + said) for share in shares) / len(shares)
