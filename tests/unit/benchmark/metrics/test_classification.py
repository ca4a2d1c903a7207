import random
from collections import Counter
from collections.abc import Callable
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
from benchmark.metrics.ratings import mae, pearson
from tests.builders.metric_cases import constant_macro_f1

THREE = ("competence", "error", "none")
FOUR = ("emotions", "engagement", "knowledge", "norms")
SEVEN = (*FOUR, "mechanics", "intention", "relationships")
SCALE = range(11)

truths = st.lists(st.sampled_from(THREE), min_size=1, max_size=40)
answers = st.sampled_from([*THREE, None])
true_sets = st.lists(st.sets(st.sampled_from(SEVEN)), min_size=1, max_size=20)


@given(truths, st.data())
def test_f1_and_accuracy_are_those_counted_by_hand(truth: list[str], data: st.DataObject) -> None:
    said = [data.draw(answers) for _ in truth]
    right = Counter(true for true, answer in zip(truth, said, strict=True) if true == answer)
    true_count, given_count = Counter(truth), Counter(said)
    each = {label: 2 * right[label] / ((true_count[label] + given_count[label]) or 1) for label in THREE}
    assert macro_f1(truth, said, THREE).value == pytest.approx(sum(each.values()) / 3, abs=1e-12)
    assert accuracy(truth, said).value == pytest.approx(right.total() / len(truth), abs=1e-12)


@given(truths)
def test_who_is_always_right_has_all_that_the_draw_allows(truth: list[str]) -> None:
    assert accuracy(truth, truth).value == 1
    assert macro_f1(truth, truth, THREE).value == pytest.approx(len({*truth}) / 3)


@given(truths, st.sampled_from(THREE))
def test_who_always_says_the_same_has_the_closed_form(truth: list[str], label: str) -> None:
    constant = macro_f1(truth, [label] * len(truth), THREE).value
    assert constant == pytest.approx(constant_macro_f1(truth, label, THREE), abs=1e-12)


def test_the_shares_of_shrec() -> None:
    """59 competence, 100 error, 41 none of 200: F1 of error is 2/3, and a third of it remains."""
    truth = ["competence"] * 59 + ["error"] * 100 + ["none"] * 41
    assert macro_f1(truth, ["error"] * 200, THREE).value == pytest.approx(2 / 9)


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
    assert macro_f1_multilabel([{"norms"}], [{"norms", "nonsense"}], ["norms"]).value == 1
    assert exact_match([set()], [set()]).value == 1
    assert exact_match([set()], [None]).value == 0
    assert partial_match([set(), {"norms"}], [set(), {"norms"}]).value == 1


def test_a_truth_that_is_no_label_and_answers_of_other_items_are_mistakes() -> None:
    for score in (
        lambda: macro_f1(["nonsense"], ["error"], THREE).value,
        lambda: macro_f1_multilabel([{"nonsense"}], [set()], SEVEN).value,
    ):
        with pytest.raises(ValueError, match="no label"):
            score()
    for score in (
        lambda: accuracy(["error"], ["error", "none"]).value,
        lambda: macro_f1(["error"], ["error", "none"], THREE).value,
        lambda: exact_match([{"norms"}], [{"norms"}] * 2).value,
        lambda: partial_match([{"norms"}], [{"norms"}] * 2).value,
        lambda: macro_f1_multilabel([{"norms"}], [{"norms"}] * 2, SEVEN).value,
    ):
        with pytest.raises(ValueError, match="1 truths, 2 answers"):
            score()


@given(true_sets)
def test_who_always_names_the_right_set_has_all_that_the_draw_allows(truth: list[set[str]]) -> None:
    assert exact_match(truth, truth).value == 1
    highest = len({label for labels in truth for label in labels}) / 7
    assert macro_f1_multilabel(truth, truth, SEVEN).value == pytest.approx(highest, abs=1e-12)


def test_order_and_repetition_within_an_answer_do_not_matter() -> None:
    truth, said = [{"norms", "emotions"}, {"knowledge"}], [["norms", "emotions", "norms"], ["knowledge"] * 2]
    assert exact_match(truth, said).value == partial_match(truth, said).value == 1
    assert macro_f1_multilabel(truth, said, FOUR).value == 3 / 4


def test_without_items_there_is_no_figure_and_nothing_to_guess() -> None:
    for metric in (accuracy, exact_match, partial_match):
        assert metric([], []).value is None
    assert (
        macro_f1([], [], THREE).value is macro_f1([], [], []).value is macro_f1_multilabel([], [], SEVEN).value is None
    )
    assert f1_by_label([], [], THREE) == dict.fromkeys(THREE)
    assert multilabel_f1_by_label([], [], SEVEN) == dict.fromkeys(SEVEN)
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


def test_the_chances_of_the_papers() -> None:
    assert exact_match_by_chance(7) == 1 / 128
    assert partial_match_by_chance([{"norms"}, {"norms", "emotions"}, set()]) == 0.625
