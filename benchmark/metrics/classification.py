"""Metrics of labels and sets of labels: accuracy, F1, confusion and matches, with what random guesses reach.

Truths and answers are sequences of the same length, else there is a `ValueError`; anything that is no label in an
answer is wrong.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from statistics import fmean
from typing import TypeAlias

import numpy as np

from annotate.agreement.figure_intervals import Bools, Floats, Ints, finite_or_none
from benchmark.metrics.item_sums import MetricContributions, share_of_items


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
    """
    _require_pairs(truth, said)
    place = {label: number for number, label in enumerate(labels)}
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
    """Return `encode_label_sets` of true sets and of answers."""
    _require_pairs(truth, said)
    true = encode_label_sets(truth, labels)
    if true[:, -1].any():
        raise ValueError(f"{truth[int(true[:, -1].argmax())]!r} holds what is no label of the task")
    return true, encode_label_sets(said, labels)


Truths: TypeAlias = Sequence[Collection[Hashable]]
Answers: TypeAlias = Sequence[Collection[Hashable] | None]


def accuracy(truth: Sequence[Hashable], said: Sequence[Hashable | None]) -> MetricContributions:
    """Return the share of n answers that are the true ones."""
    _require_pairs(truth, said)
    return share_of_items([true == answer for true, answer in zip(truth, said, strict=True)])


def macro_f1(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> MetricContributions:
    """Return the unweighted mean of F1 over the labels of a task.

    The mean is over all labels (scikit-learn's `f1_score(labels=..., average="macro", zero_division=0)`). A
    label that is neither true nor given in a draw adds 0, so that draws are comparable; then even a perfect judge only
    reaches the share of the labels that occur.

    Source: SHREC, section 3.1 ("unweighted average of F1").
    """
    return _macro_f1_of_columns(*_label_columns(truth, said, labels))


def f1_by_label(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor given. Arguments as `macro_f1`."""
    return _f1_by_label(*_label_columns(truth, said, labels), labels)


def confusion(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Ints:
    """Return the (k, k + 1) confusion matrix, true labels by row and answers by column; the last column is no label.

    Arguments as `macro_f1`.
    """
    true, given = encode_labels(truth, said, labels)
    size = len(labels)
    return np.bincount(true * (size + 1) + given, minlength=size * (size + 1)).reshape(size, size + 1)


def exact_match(truth: Truths, said: Answers) -> MetricContributions:
    """Return the share of n answers that are the true set."""
    _require_pairs(truth, said)
    return share_of_items(
        [answer is not None and {*true} == {*answer} for true, answer in zip(truth, said, strict=True)]
    )


def partial_match(truth: Truths, said: Answers) -> MetricContributions:
    """Return the share of items with at least one of their true labels in the answer.

    An item without a true label cannot be matched and does not count.

    Source: SHREC, section 3.2 ("correctly predicts at least one of the true labels").
    """
    _require_pairs(truth, said)
    hit = [bool({*true} & {*(answer or ())}) for true, answer in zip(truth, said, strict=True)]
    return share_of_items(hit, [bool(true) for true in truth])


def macro_f1_multilabel(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> MetricContributions:
    """Return the unweighted mean of F1 over the labels of a task.

    As for `macro_f1`, a label that is neither true nor given in a draw adds 0.
    """
    true, given = encode_set_pairs(truth, said, labels)
    return _macro_f1_of_columns(true[:, :-1], given[:, :-1])


def multilabel_f1_by_label(truth: Truths, said: Answers, labels: Sequence[Hashable]) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor given (SHREC, appendix G)."""
    true, given = encode_set_pairs(truth, said, labels)
    return _f1_by_label(true[:, :-1], given[:, :-1], labels)


def _require_pairs(truth: Sequence[object], said: Sequence[object]) -> None:
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")


def _label_columns(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> tuple[Bools, Bools]:
    """Return (n, k): which of k labels are true, and which were given."""
    true, given = encode_labels(truth, said, labels)
    return true[:, None] == np.arange(len(labels)), given[:, None] == np.arange(len(labels))


def _f1(hits: Floats | Ints, either: Floats | Ints) -> Floats:
    """Return (...) F1 of how often labels were rightly given, and true plus given; NaN for one that never occurs."""
    return np.divide(2 * hits, either, out=np.full(np.shape(hits), np.nan), where=either > 0)


def _f1_by_label(true: Bools, given: Bools, labels: Sequence[Hashable]) -> Mapping[Hashable, float | None]:
    values = _f1((true & given).sum(0), true.sum(0) + given.sum(0))
    return {label: finite_or_none(float(value)) for label, value in zip(labels, values, strict=True)}


def _macro_f1_of_columns(true: Bools, given: Bools) -> MetricContributions:
    size = true.shape[1]
    columns = (true & given, true.astype(int) + given, np.ones((len(true), 1)))

    def formula(sums: Floats) -> Floats:
        each = np.nan_to_num(_f1(sums[..., :size], sums[..., size : 2 * size]))
        mean: Floats = np.where(sums[..., -1] > 0, each.sum(-1) / max(size, 1), np.nan)
        return mean

    return MetricContributions(np.concatenate(columns, axis=1).astype(float), formula, np.ones(len(true), bool))


def exact_match_by_chance(labels: int) -> float:
    """Return the expected exact match of guesses, each label given or not."""
    return float(0.5**labels)


def partial_match_by_chance(truth: Truths) -> float | None:
    """Return the expected partial match of guesses; one with t true labels is missed once in 2^t. None without any."""
    sizes = [len({*labels}) for labels in truth if labels]
    return fmean(1 - 0.5**size for size in sizes) if sizes else None


def macro_f1_by_chance(truth: Sequence[Hashable], labels: Sequence[Hashable]) -> float | None:
    """Return the macro-F1 that guesses among k labels approach with many items; None without items.

    A label that is true for a share p of the items is given for a share 1/k, so its F1 approaches 2p/k / (p + 1/k).
    With few items it deviates a little, because F1 is a ratio.
    """
    return macro_f1_multilabel_by_chance([[true] for true in truth], labels, 1 / len(labels)) if truth else None


def macro_f1_multilabel_by_chance(truth: Truths, labels: Collection[Hashable], given: float = 0.5) -> float | None:
    """Return the same if each label is given for a share of the items, as by a coin toss."""
    if not truth:
        return None
    shares = [sum(label in true for true in truth) / len(truth) for label in labels]
    return fmean(2 * share * given / (share + given) for share in shares)


def mae_by_chance(truth: Sequence[float], scale: Sequence[float]) -> float | None:
    """Return the expected mean absolute error of guesses among the values of a scale; None without items."""
    return float(np.abs(np.array(truth, float)[:, None] - np.array(scale, float)).mean()) if truth else None
