"""Metrics of labels, sets of labels and ratings, and what chance gives."""

import random
from collections.abc import Callable
from fractions import Fraction
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.classification import (
    accuracy,
    confusion,
    exact_match,
    exact_match_by_chance,
    f1_by_label,
    macro_f1,
    macro_f1_by_chance,
    macro_f1_multilabel,
    macro_f1_multilabel_by_chance,
    mae_by_chance,
    multilabel_f1_by_label,
    partial_match,
    partial_match_by_chance,
)
from benchmark.metrics.item_sums import MetricContributions
from benchmark.metrics.ratings import (
    CalibrationBin,
    answered_pairs,
    calibration,
    mae,
    pairwise_agreement,
    pearson,
    posterior,
    randolph_kappa,
)
from tests.builders.metric_cases import constant_macro_f1

THREE = ("competence", "error", "none")
FOUR = ("emotions", "engagement", "knowledge", "norms")
SEVEN = (*FOUR, "mechanics", "intention", "relationships")
SCALE = range(11)

truths = st.lists(st.sampled_from(THREE), min_size=1, max_size=40)


@given(truths, st.sampled_from(THREE))
def test_who_always_says_the_same_has_the_closed_form(truth: list[str], label: str) -> None:
    constant = macro_f1(truth, [label] * len(truth), THREE).value
    assert constant == pytest.approx(constant_macro_f1(truth, label, THREE), abs=1e-12)


def test_a_label_that_is_missing_from_a_draw_counts_all_the_same() -> None:
    truth = ["error", "error", "competence", "competence"]
    assert macro_f1(truth, truth, THREE).value == pytest.approx(2 / 3)
    assert f1_by_label(truth, truth, THREE) == {"competence": 1, "error": 1, "none": None}
    assert f1_by_label(truth, ["none", "error", "competence", "competence"], THREE)["none"] == 0
    assert macro_f1([True], [True], [True, False]).value == 0.5


def test_a_judge_that_always_refuses_is_wrong_throughout() -> None:
    truth, refused = ["error", "competence", "none"], [None] * 3
    assert accuracy(truth, refused).value == 0
    assert macro_f1(truth, refused, THREE).value == 0
    assert confusion(truth, refused, THREE)[:, -1].tolist() == [1, 1, 1]
    sets = [{"norms"}, {"norms", "emotions"}]
    assert exact_match(sets, [None] * 2).value == partial_match(sets, [None] * 2).value == 0
    assert macro_f1_multilabel(sets, [None] * 2, SEVEN).value == 0
    assert multilabel_f1_by_label(sets, [None] * 2, SEVEN) == {**dict.fromkeys(SEVEN), "norms": 0, "emotions": 0}


def test_an_answer_that_is_no_label_is_wrong_and_none_is_not_the_empty_set() -> None:
    assert macro_f1(["error"], ["nonsense"], THREE).value == 0
    assert confusion(["error"], ["nonsense"], THREE)[1, 3] == 1
    assert exact_match([{"norms"}], [{"norms", "nonsense"}]).value == 0
    assert partial_match([{"norms"}], [{"norms", "nonsense"}]).value == 1
    assert macro_f1_multilabel([{"norms"}], [["norms", "nonsense", "norms"]], ["norms"]).value == 1
    assert exact_match([set()], [set()]).value == 1
    assert exact_match([set()], [None]).value == 0


def test_without_items_there_is_no_figure_and_nothing_to_guess() -> None:
    for metric in (accuracy, exact_match, partial_match):
        assert metric([], []).value is None
    assert macro_f1([], [], THREE).value is macro_f1_multilabel([], [], SEVEN).value is None
    assert f1_by_label([], [], THREE) == dict.fromkeys(THREE)
    assert confusion([], [], THREE).tolist() == [[0] * 4] * 3
    assert partial_match_by_chance([set()]) is partial_match_by_chance([]) is None
    assert macro_f1_by_chance([], THREE) is macro_f1_multilabel_by_chance([], FOUR) is mae_by_chance([], SCALE) is None


TRIES = 400
TRUE = [random.Random(2).choice(THREE) for _ in range(40)]
SETS = [{label for place, label in enumerate(FOUR) if (item >> place) % 3 == 1} for item in range(30)]
NUMBERS = [random.Random(place).uniform(0, 10) for place in range(40)]


def guess_label(chance: random.Random) -> str:
    return chance.choice(THREE)


def guess_set(chance: random.Random) -> set[str]:
    return {label for label in FOUR if chance.random() < 0.5}


def guess_number(chance: random.Random) -> int:
    return chance.choice(SCALE)


@pytest.mark.parametrize(
    ("expected", "guess", "measure", "truth"),
    [
        (1 / 3, guess_label, accuracy, TRUE),
        (exact_match_by_chance(4), guess_set, exact_match, SETS),
        (partial_match_by_chance(SETS), guess_set, partial_match, SETS),
        (0.0, guess_number, pearson, NUMBERS),
        (mae_by_chance(NUMBERS, SCALE), guess_number, mae, NUMBERS),
    ],
    ids=["accuracy", "exact", "partial", "pearson", "mae"],
)
def test_guesses_reach_on_average_what_chance_is_said_to_give(
    expected: float,
    guess: Callable[[random.Random], Any],
    measure: Callable[..., MetricContributions],
    truth: list[Any],
) -> None:
    chance = random.Random(7)
    reached = [measure(truth, [guess(chance) for _ in truth]).value for _ in range(TRIES)]
    assert fmean(reached) == pytest.approx(expected, abs=4 * stdev(reached) / TRIES**0.5)


def test_the_f1_of_many_guesses_tends_to_what_is_said() -> None:
    chance = np.random.default_rng(7)
    truth = chance.choice(THREE, 100_000, p=[0.295, 0.5, 0.205]).tolist()
    guesses = chance.choice(THREE, len(truth)).tolist()
    assert macro_f1(truth, guesses, THREE).value == pytest.approx(macro_f1_by_chance(truth, THREE), abs=0.005)
    held, tossed = chance.random((20_000, 4)) < [0.1, 0.3, 0.6, 0], chance.random((20_000, 4)) < 0.5
    true, given_sets = ([{*np.array(FOUR)[row].tolist()} for row in rows] for rows in (held, tossed))
    expected = macro_f1_multilabel_by_chance(true, FOUR)
    assert macro_f1_multilabel(true, given_sets, FOUR).value == pytest.approx(expected, abs=0.01)


def test_without_variance_r_is_undefined() -> None:
    for truth, said in (([0.1, 0.1, 0.1], [1, 2, 3]), ([1, 2], [5, 5]), ([1], [1]), ([], [])):
        assert pearson(truth, said).value is None
    assert pearson([1, 2], [3, 7]).value == pytest.approx(1)


def test_what_was_refused_is_left_out() -> None:
    truth, said = [1.0, 5, 9, 3], [2.0, None, 10, 4]
    assert pearson(truth, said).value == pytest.approx(1)
    assert mae(truth, said).value == 1
    assert [side.tolist() for side in answered_pairs(truth, said)] == [[1, 9, 3], [2, 10, 4]]
    assert pearson(truth, [None] * 4).value is mae(truth, [None] * 4).value is None


def test_kappa_and_agreement_written_out() -> None:
    """Four of five pairs in the same of five bins: (4/5 - 1/5) / (4/5)."""
    rated = [[0, 1], [4, 5], [10, 9], [2, 3], [0, 10]]
    assert randolph_kappa(rated, 0, 10) == pytest.approx(0.75)
    assert randolph_kappa([[0, 1, 10]], 0, 10) == pytest.approx((1 / 3 - 1 / 5) / (4 / 5))
    assert pairwise_agreement([[0, 2], [0, 3], [7]]) == 0.5
    assert pairwise_agreement([[0, 2, 4]]) == pytest.approx(2 / 3)
    for rated in ([], [[1], []]):
        assert randolph_kappa(rated, 0, 10) is pairwise_agreement(rated) is None
    assert randolph_kappa([[1, 1]], 0, 10, bins=1) is None


def test_calibration_on_the_scale_of_people() -> None:
    """Plausibilities of 0 to 100: 20 and 30 for what people give 40, 50 and 100 for what they give 90."""
    calibrated = calibration([40, 40, 90, 90, 10], [20, 30, 50, 100, None], bins=2, minimum=0, maximum=100)
    assert calibrated.bins == (CalibrationBin(0, 50, 2, 25, 40), CalibrationBin(50, 100, 2, 75, 90))
    assert (calibrated.error, calibrated.n) == (pytest.approx(15), 4)
    nothing = calibration([0.5], [None])
    assert (nothing.error, nothing.bins, nothing.n) == (None, (), 0)


@given(st.integers(0, 10), st.integers(0, 10))
def test_the_posterior_of_whole_scores_is_that_of_fractions(plus: int, minus: int) -> None:
    supporting, opposing = Fraction(plus, 10), Fraction(minus, 10)
    either = supporting * (1 - opposing) + (1 - supporting) * opposing
    expected = supporting * (1 - opposing) / either if either else Fraction(1, 2)
    probability = posterior(plus / 10, minus / 10)
    assert probability.defined == (either != 0)
    assert probability.value == pytest.approx(float(expected), abs=1e-12)
