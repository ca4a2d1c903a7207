"""Answers as numbers that libraries compute with."""

from collections.abc import Collection, Hashable, Sequence

import numpy as np

from benchmark.agreement.types import Bools, Ints


def coded(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> tuple[Ints, Ints]:
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


def indicated(sets: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]) -> Bools:
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


def indicated_both(
    truth: Sequence[Collection[Hashable]], said: Sequence[Collection[Hashable] | None], labels: Sequence[Hashable]
) -> tuple[Bools, Bools]:
    """Return what is `indicated` of true and of said sets.

    Raises:
        ValueError: the sequences differ in length, or a true set holds what is no label.
    """
    if len(truth) != len(said):
        raise ValueError(f"{len(truth)} truths, {len(said)} answers")
    true = indicated(truth, labels)
    if true[:, -1].any():
        raise ValueError(f"{truth[int(true[:, -1].argmax())]!r} holds what is no label of the task")
    return true, indicated(said, labels)
