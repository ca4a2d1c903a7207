"""Random answers to random items, the same ones each time."""

from collections.abc import Hashable, Iterator, Sequence

import numpy as np
import pytest

random_cases = pytest.mark.parametrize("cases", [12, pytest.param(1000, marks=pytest.mark.soak)])
"""How many a figure is compared with its reference on."""
LABELS = ("competence", "error", "none", "other", "fifth", "sixth", "seventh")


def labelled_answers(cases: int) -> Iterator[tuple[list[str], list[str | None], list[str]]]:
    """Yield true labels, answers and the labels of the task; some answers are None, some labels never occur."""
    chance = np.random.default_rng(0)
    for _ in range(cases):
        labels = [*LABELS[: chance.integers(1, len(LABELS) + 1)]]
        occurring = labels[: chance.integers(1, len(labels) + 1)]
        size = int(chance.integers(1, 60))
        truth = [str(one) for one in chance.choice(occurring, size)]
        right, unread = chance.random(), chance.random() / 2
        guesses = [str(one) for one in chance.choice(labels, size)]
        said: list[str | None] = [
            None if chance.random() < unread else true if chance.random() < right else guess
            for true, guess in zip(truth, guesses, strict=True)
        ]
        yield truth, said, labels


def set_answers(cases: int) -> Iterator[tuple[list[list[str]], list[list[str] | None], list[str]]]:
    """Yield true sets, answers and the labels of the task."""
    chance = np.random.default_rng(0)
    for _ in range(cases):
        labels = [*LABELS[: chance.integers(1, len(LABELS) + 1)]]
        size = int(chance.integers(1, 40))
        often = chance.random(len(labels)) * chance.integers(0, 2, len(labels))
        unread, differing = chance.random() / 3, chance.random() / 2
        truth: list[list[str]] = []
        said: list[list[str] | None] = []
        for _ in range(size):
            true = chance.random(len(labels)) < often
            given = true ^ (chance.random(len(labels)) < differing)
            truth.append([label for label, one in zip(labels, true, strict=True) if one])
            chosen = [label for label, one in zip(labels, given, strict=True) if one]
            said.append(None if chance.random() < unread else chosen)
        yield truth, said, labels


def number_series(cases: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield two series of one length that go together more or less."""
    chance = np.random.default_rng(0)
    for _ in range(cases):
        size = int(chance.integers(3, 50))
        first = chance.normal(chance.normal(), chance.random() * 5 + 0.1, size)
        second = chance.normal() * first + chance.normal(0, 1 + chance.random(), size)
        yield first, second


def constant_macro_f1(truth: Sequence[Hashable], label: Hashable, labels: Sequence[Hashable]) -> float:
    """Return the macro-F1 of always giving one label, in closed form.

    With a share p of items for which it is true, its precision is p and its recall 1, and every other label has an F1
    of 0: 2p / (1 + p) over the number of labels.
    """
    share = sum(true == label for true in truth) / len(truth)
    return 2 * share / (1 + share) / len(labels)
