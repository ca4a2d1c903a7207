"""One of several labels: accuracy, F1 and who was taken for whom.

An answer of None was refused or could not be read: it is wrong for the label that was true, and it is no label itself,
so it lowers recall and no label's precision (SHREC, section 3: an answer that cannot be coerced is not correct).
"""

from collections.abc import Hashable, Mapping, Sequence

import numpy as np

from benchmark.agreement.figure import defined
from benchmark.agreement.types import Ints
from benchmark.metrics.codes import coded


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
    true, given = coded(truth, said, labels)
    if not truth:
        return None
    from sklearn.metrics import f1_score

    return float(f1_score(true, given, labels=range(len(labels)), average="macro", zero_division=0.0))


def f1_by_label(
    truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]
) -> Mapping[Hashable, float | None]:
    """Return label -> F1; None for a label that is neither true nor said anywhere. Arguments as `macro_f1`."""
    true, given = coded(truth, said, labels)
    if not truth:
        return dict.fromkeys(labels)
    from sklearn.metrics import f1_score

    found = f1_score(true, given, labels=range(len(labels)), average=None, zero_division=np.nan)
    return {label: defined(one) for label, one in zip(labels, found, strict=True)}


def confusion(truth: Sequence[Hashable], said: Sequence[Hashable | None], labels: Sequence[Hashable]) -> Ints:
    """Return (k, k + 1): how often what is true by row was answered as by column; the last column is no label at all.

    Arguments as `macro_f1`.
    """
    true, given = coded(truth, said, labels)
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
