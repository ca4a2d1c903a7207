"""Splits of a data set that keep each recording in one of them, balanced by questions."""

import random
from collections.abc import Mapping

SPLITS = {"train": 0.7, "validation": 0.15, "test": 0.15}
"""Split -> the share of all questions that it should have."""
_FIRST = ("train", "test", "validation")
"""Which split is served first where several lack as much."""


def splits_of(questions: Mapping[str, int], seed: int) -> dict[str, str]:
    """Return recording -> split.

    Recordings are taken from those with most questions to those with fewest, in an order that the seed decides where
    they have as many; each goes where most is missing of the share. So no two splits show the same people in the same
    scene, and the same seed gives the same splits.

    Args:
        questions: recording -> how many questions are about it.
        seed: any number.
    """
    order = sorted(questions)
    random.Random(f"splits {seed}").shuffle(order)
    order.sort(key=lambda one: -questions[one])
    wanted = {split: share * sum(questions.values()) for split, share in SPLITS.items()}
    found: dict[str, str] = {}
    for one in order:
        split = max(_FIRST, key=lambda each: wanted[each])
        found[one] = split
        wanted[split] -= questions[one]
    return dict(sorted(found.items()))
