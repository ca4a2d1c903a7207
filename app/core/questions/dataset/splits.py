"""Splits of a data set that keep each recording in one of them, balanced by questions."""

import random
from collections.abc import Mapping

SPLITS = {"train": 0.7, "validation": 0.15, "test": 0.15}
"""Split -> the share of all questions that it should have."""
_FIRST = ("train", "test", "validation")
"""Which split is served first where several have as little."""


def splits_of(questions: Mapping[str, int], seed: int) -> dict[str, str]:
    """Return recording -> split.

    Recordings are taken from those with most questions to those with fewest, in an order that the seed decides where
    they have as many; each goes where least of its share is there yet, so that every split gets recordings of every
    size. The same seed gives the same splits.

    Args:
        questions: recording -> how many questions are about it.
        seed: any number.
    """
    order = sorted(questions)
    random.Random(f"splits {seed}").shuffle(order)
    order.sort(key=lambda one: -questions[one])
    given = dict.fromkeys(SPLITS, 0)
    found: dict[str, str] = {}
    for one in order:
        split = min(_FIRST, key=lambda each: given[each] / SPLITS[each])
        found[one] = split
        given[split] += questions[one]
    return dict(sorted(found.items()))
