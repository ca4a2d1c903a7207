"""Metrics of labels and sets of labels: accuracy, F1, confusion and matches, with what random guesses reach."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints, finite_or_none


def encode_labels(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> tuple[Ints, Ints]:
    """Encode labels as positions among the labels of the task.

    Args:
        truth: n labels.
        said: n answers; None where an answer was refused or could not be read.
        labels: k labels of the task, each once.

    Returns:
        (n,) true positions, 0 to k - 1, and (n,) positions of the answers; k stands for None and for any other value.

    Raises:
        ValueError: the sequences differ in length, or a truth is none of the labels.
    """
    place = {label: number for number, label in enumerate(labels)}
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    if strange := [label for label in truth if label not in place]:
        raise ValueError(f"{strange[0]!r} is no label of the task")
    true = np.array([place[label] for label in truth], np.int64)
    return true, np.array([place.get(answer, len(labels)) for answer in said], np.int64)


def encode_label_sets(sets: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]) -> Bools:
    """Return (n, k + 1): the labels of each set; the last column marks None and sets with anything that is no label.

    Args:
        sets: n sets of labels; None where an answer was refused or could not be read.
        labels: k labels of the task, each once.
    """
    place = {label: number for number, label in enumerate(labels)}
    found = np.zeros((len(sets), len(labels) + 1), bool)
    for row, answer in enumerate(sets):
        if answer is None:
            found[row, -1] = True
        else:
            found[row, [place.get(label, len(labels)) for label in answer]] = True
    return found


def encode_set_pairs(
    truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]
) -> tuple[Bools, Bools]:
    """Return `encode_label_sets` of true sets and of answers.

    Raises:
        ValueError: the sequences differ in length, or a true set holds something that is no label.
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
    return sum(true == answer for true, answer in zip(truth, said, strict=True)) / len(truth)


def label_columns(places: Ints, labels: Sequence[Hashable]) -> Bools:
    """Return (n, k): which of k labels each of n positions of `encode_labels` is."""
    found: Bools = places[:, None] == np.arange(len(labels))
    return found


def f1_of_counts(hits: Floats | Ints, either: Floats | Ints) -> Floats:
    """Return (...) F1 of how often labels were rightly given, and true plus given; NaN for one that never occurs."""
    return np.divide(2 * hits, either, out=np.full(np.shape(hits), np.nan), where=either > 0)


def macro_f1(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> float | None:
    """Return the unweighted mean of F1 over the labels of a task; None without items.

    The mean is over all labels (scikit-learn's `f1_score(labels=..., average="macro", zero_division=0)`). A
    label that is neither true nor given in a draw adds 0, so that draws are comparable; then even a perfect judge only
    reaches `highest_macro_f1`.

    Args:
        truth: n true labels.
        said: n answers.
        labels: k labels of the task.

    Raises:
        ValueError: see `encode_labels`.

    Source: SHREC, section 3.1 ("unweighted average of F1").
    """
    true, given = encode_labels(truth, said, labels)
    return _mean_f1(_f1_of_columns(label_columns(true, labels), label_columns(given, labels))) if truth else None


def f1_by_label(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor given. Arguments as `macro_f1`."""
    true, given = encode_labels(truth, said, labels)
    found = _f1_of_columns(label_columns(true, labels), label_columns(given, labels))
    return {label: finite_or_none(float(value)) for label, value in zip(labels, found, strict=True)}


def confusion(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Ints:
    """Return the (k, k + 1) confusion matrix, true labels by row and answers by column; the last column is no label.

    Arguments as `macro_f1`.
    """
    true, given = encode_labels(truth, said, labels)
    size = len(labels)
    return np.bincount(true * (size + 1) + given, minlength=size * (size + 1)).reshape(size, size + 1)


def highest_macro_f1(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the score of a perfect judge: the share of the labels that occur; None without items."""
    return len({*truth}) / len(labels) if truth else None


def constant_macro_f1(truth: Sequence[Hashable], label: Hashable, labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 of always giving one label; None without items.

    With a share p of items for which it is true, its precision is p and its recall 1, and every other label has an F1
    of 0: 2p / (1 + p) over the number of labels.
    """
    if not truth:
        return None
    share = sum(true == label for true in truth) / len(truth)
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
    right = [answer is not None and {*true} == {*answer} for true, answer in zip(truth, said, strict=True)]
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
    hit = [bool({*true} & {*(answer or ())}) for true, answer in zip(truth, said, strict=True) if true]
    return sum(hit) / len(hit) if hit else None


def macro_f1_multilabel(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> float | None:
    """Return the unweighted mean of F1 over the labels of a task; None without items.

    As for `macro_f1`, a label that is neither true nor given in a draw adds 0.

    Args:
        truth: n true sets.
        said: n answers; anything that is no label in them is ignored.
        labels: k labels of the task.

    Raises:
        ValueError: see `encode_set_pairs`.
    """
    true, given = encode_set_pairs(truth, said, labels)
    return _mean_f1(_f1_of_columns(true[:, :-1], given[:, :-1])) if truth else None


def multilabel_f1_by_label(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor given (SHREC, appendix G)."""
    true, given = encode_set_pairs(truth, said, labels)
    found = _f1_of_columns(true[:, :-1], given[:, :-1])
    return {label: finite_or_none(float(value)) for label, value in zip(labels, found, strict=True)}


def _f1_of_columns(true: Bools, given: Bools) -> Floats:
    return f1_of_counts((true & given).sum(0), true.sum(0) + given.sum(0))


def _mean_f1(scores: Floats) -> float:
    """Return the mean over labels; one that never occurs adds 0."""
    return float(np.nan_to_num(scores).mean())


def highest_multilabel_macro_f1(truth: Truths, labels: Sequence[Hashable]) -> float | None:
    """Return the score of a perfect judge: the share of the labels that occur; None without items."""
    return (
        len({*labels} & {label for labels_of_item in truth for label in labels_of_item}) / len(labels)
        if truth
        else None
    )


@dataclass(frozen=True, slots=True)
class ChanceLevel:
    """The mean of a metric over random guesses, and its standard deviation."""

    value: float
    se: float


def accuracy_by_chance(items: int, options: int) -> ChanceLevel | None:
    """Return the accuracy of guesses among some options; None without items."""
    return _mean_of_chances(np.full(items, 1 / options)) if items else None


def exact_match_by_chance(items: int, labels: int) -> ChanceLevel | None:
    """Return the exact match of guesses, each label given or not: 1 in 2^k; None without items."""
    return _mean_of_chances(np.full(items, 0.5**labels)) if items else None


def partial_match_by_chance(truth: Truths) -> ChanceLevel | None:
    """Return the partial match of guesses; one with t true labels is missed once in 2^t. None if no item has any."""
    return (
        _mean_of_chances(1 - 0.5 ** np.array([len({*labels}) for labels in truth if labels], float))
        if any(truth)
        else None
    )


def macro_f1_by_chance(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 that guesses among k labels approach with many items; None without items.

    A label that is true for a share p of the items is given for a share 1/k, so its F1 approaches 2p/k / (p + 1/k).
    With few items it deviates a little, because F1 is a ratio.
    """
    shares = [sum(true == label for true in truth) / len(truth) for label in labels] if truth else []
    return _macro_f1(shares, 1 / len(labels)) if truth else None


def macro_f1_multilabel_by_chance(truth: Truths, labels: Collection[Hashable]) -> float | None:
    """Return the same if each label is given by a coin toss: p / (p + 1/2) for each."""
    shares = [sum(label in true for true in truth) / len(truth) for label in labels] if truth else []
    return _macro_f1(shares, 0.5) if truth else None


def pearson_by_chance(items: int) -> ChanceLevel | None:
    """Return r of guesses: 0, with a standard deviation of 1 / sqrt(n - 1); None for fewer than two items."""
    return ChanceLevel(0.0, 1 / sqrt(items - 1)) if items > 1 else None


def mae_by_chance(truth: Sequence[float], scale: Sequence[float]) -> ChanceLevel | None:
    """Return the mean absolute error of guesses among the values of a scale; None without items."""
    if not truth:
        return None
    apart = np.abs(np.array(truth, float)[:, None] - np.array(scale, float))
    return ChanceLevel(float(apart.mean()), sqrt(apart.var(axis=1).sum()) / len(truth))


def _mean_of_chances(shares: Floats) -> ChanceLevel:
    """Return the mean share of hits if each item has its own probability."""
    return ChanceLevel(float(shares.mean()), sqrt((shares * (1 - shares)).sum()) / len(shares))


def _macro_f1(shares: Sequence[float], said: float) -> float:
    return sum(2 * share * said / (share + said) for share in shares) / len(shares)
