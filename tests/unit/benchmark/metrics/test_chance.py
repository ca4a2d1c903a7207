import random
from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest

from benchmark.metrics.classification import (
    ChanceLevel,
    accuracy,
    accuracy_by_chance,
    exact_match,
    exact_match_by_chance,
    macro_f1,
    macro_f1_by_chance,
    macro_f1_multilabel,
    macro_f1_multilabel_by_chance,
    mae_by_chance,
    partial_match,
    partial_match_by_chance,
    pearson_by_chance,
)
from benchmark.metrics.ratings import mae, pearson

THREE = ("competence", "error", "none")
FOUR = ("emotions", "engagement", "knowledge", "norms")
SCALE = range(11)
TRIES = 400


def tried(
    guess: Callable[[random.Random], Any], measure: Callable[[list[Any]], float | None], items: int
) -> ChanceLevel:
    """Guess many times over."""
    chance = random.Random(7)
    found = [measure([guess(chance) for _ in range(items)]) for _ in range(TRIES)]
    known = [value for value in found if value is not None]
    return ChanceLevel(fmean(known), stdev(known))


def sets() -> list[set[str]]:
    chance = random.Random(1)
    return [{text for text in FOUR if chance.random() < 0.4} for _ in range(30)]


TRUE = [random.Random(2).choice(THREE) for _ in range(40)]
NUMBERS = [random.Random(place).uniform(0, 10) for place in range(40)]
CASES: dict[
    str, tuple[ChanceLevel | None, Callable[[random.Random], Any], Callable[[list[Any]], float | None], int]
] = {
    "accuracy": (accuracy_by_chance(40, 3), lambda random: random.choice(THREE), lambda said: accuracy(TRUE, said), 40),
    "exact": (
        exact_match_by_chance(30, 4),
        lambda random: {label for label in FOUR if random.random() < 0.5},
        lambda said: exact_match(sets(), said),
        30,
    ),
    "partial": (
        partial_match_by_chance(sets()),
        lambda random: {label for label in FOUR if random.random() < 0.5},
        lambda said: partial_match(sets(), said),
        30,
    ),
    "pearson": (pearson_by_chance(40), lambda random: random.choice(SCALE), lambda said: pearson(NUMBERS, said), 40),
    "mae": (mae_by_chance(NUMBERS, SCALE), lambda random: random.choice(SCALE), lambda said: mae(NUMBERS, said), 40),
}


@pytest.mark.parametrize("name", CASES)
def test_guesses_come_to_what_is_said(name: str) -> None:
    expected, guess, measure, items = CASES[name]
    found = tried(guess, measure, items)
    assert found.value == pytest.approx(expected.value, abs=4 * expected.se / TRIES**0.5)
    assert found.se == pytest.approx(expected.se, rel=0.2)


def test_the_f1_of_many_guesses_tends_to_what_is_said() -> None:
    chance = np.random.default_rng(7)
    truth = [str(one) for one in chance.choice(THREE, 100_000, p=[0.295, 0.5, 0.205])]
    said = [str(one) for one in chance.choice(THREE, len(truth))]
    assert macro_f1(truth, said, THREE) == pytest.approx(macro_f1_by_chance(truth, THREE), abs=0.005)
    held = chance.random((20_000, 4)) < [0.1, 0.3, 0.6, 0]
    tossed = chance.random((20_000, 4)) < 0.5
    true, given = ([{*np.array(FOUR)[row].tolist()} for row in rows] for rows in (held, tossed))
    assert macro_f1_multilabel(true, given, FOUR) == pytest.approx(macro_f1_multilabel_by_chance(true, FOUR), abs=0.01)


def test_the_chances_of_the_papers() -> None:
    assert accuracy_by_chance(210, 5) == ChanceLevel(0.2, pytest.approx((0.2 * 0.8 / 210) ** 0.5))
    assert accuracy_by_chance(1, 4) == ChanceLevel(0.25, pytest.approx(0.1875**0.5))
    assert exact_match_by_chance(70, 7) == ChanceLevel(1 / 128, pytest.approx((127 / 128**2 / 70) ** 0.5))
    assert partial_match_by_chance([{"norms"}, {"norms", "emotions"}, set()]) == ChanceLevel(
        0.625, pytest.approx(0.33072, abs=1e-5)
    )


def test_without_items_there_is_nothing_to_guess() -> None:
    assert accuracy_by_chance(0, 3) is None
    assert exact_match_by_chance(0, 7) is None
    assert partial_match_by_chance([set()]) is None
    assert partial_match_by_chance([]) is None
    assert macro_f1_by_chance([], THREE) is None
    assert macro_f1_multilabel_by_chance([], FOUR) is None
    assert pearson_by_chance(1) is None
    assert mae_by_chance([], SCALE) is None
