"""Two judges beside each other, and conditions beside raw."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmark.metrics.paired_tests import EquivalenceConclusion
from benchmark.results.result_comparison import RawConditionPair, compare_correctness, compare_metrics, condition_rows
from benchmark.tasks.benchmark_task import SUITE
from tests.builders.task_answers import NAMES, as_answered, by_chance

ENTRY = SUITE.make("verdict")


def pair(seed: int, share: float, draws: int = 5) -> RawConditionPair:
    """Return a judge that is right with a chance of 0.6 raw, and of `share` under a condition."""
    chance = random.Random(seed)
    asked = by_chance(seed, number=15 * draws, draws=draws, recordings=15)
    truths = [str(response.truth["verdict"]["label"]) for response in asked]
    sides = [[truth if chance.random() < often else chance.choice(NAMES) for truth in truths] for often in (0.6, share)]
    return RawConditionPair("gpt", "blur", as_answered(asked, sides[0]), as_answered(asked, sides[1]))


def test_a_judge_does_not_differ_from_itself_and_sides_are_told_apart() -> None:
    answered = by_chance(1)
    differences = [row.difference for row in compare_metrics(ENTRY, answered, answered)]
    assert [(difference.value, difference.p) for difference in differences] == [(0, 1), (0, 1)]
    answered = by_chance(2)
    right = as_answered(answered, [str(response.truth["verdict"]["label"]) for response in answered])
    forward, backward = (compare_metrics(ENTRY, *both)[0] for both in ((right, answered), (answered, right)))
    assert forward.difference.value == pytest.approx(forward.first - forward.second)
    assert forward.difference.value == pytest.approx(-backward.difference.value)
    assert forward.difference.p < 0.05


def test_an_item_in_several_draws_counts_once() -> None:
    tested = compare_correctness([True, True, False, None], [False, False, True, True], ["a", "a", "b", "c"])
    assert (tested.first_only, tested.second_only) == (1, 1)
    assert compare_correctness([None], [None], ["a"]) is None


@settings(max_examples=settings.default.max_examples // 5)
@given(st.integers(0, 1000), st.sampled_from([0.0, 0.5, 0.6, 0.9]))
def test_no_difference_is_said_only_where_equivalence_is_shown(seed: int, share: float) -> None:
    for row in condition_rows(ENTRY, [pair(seed, share)]):
        equivalent = row.test.conclusion is EquivalenceConclusion.EQUIVALENT and not row.test.reason
        assert ("no difference" in row.sentence) == equivalent
        assert "gpt" in row.sentence
        assert "blur" in row.sentence


def test_a_large_difference_has_a_direction_and_the_same_answers_have_no_test() -> None:
    row = condition_rows(ENTRY, [pair(4, 0.0, draws=10)])[0]
    assert row.test.conclusion is EquivalenceConclusion.DIFFERENT
    assert "lower than raw" in row.sentence
    raw = pair(5, 0.6).raw
    row = condition_rows(ENTRY, [RawConditionPair("gpt", "blur", raw, raw)])[0]
    assert row.test.conclusion is EquivalenceConclusion.OPEN
    assert "nothing to test" in row.sentence
    assert "no difference" not in row.sentence


def test_a_family_is_corrected_together() -> None:
    alone = condition_rows(ENTRY, [pair(6, 0.2)])[0].test
    together = condition_rows(ENTRY, [pair(6, 0.2), pair(7, 0.6)])[0].test
    assert alone.t_p == together.t_p
    assert together.t_p_holm > alone.t_p_holm
