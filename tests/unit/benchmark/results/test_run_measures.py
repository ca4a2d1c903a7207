"""Figures over draws, with intervals, by trait and by label; judges beside each other, and conditions beside raw."""

import random
from collections.abc import Sequence
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.paired_tests import EquivalenceConclusion
from benchmark.metrics.resampling import mean_over_draws, mean_sd
from benchmark.results.item_results import ItemOutcome, MetricRow, classify_outcome, count_outcomes, is_right
from benchmark.results.result_comparison import RawConditionPair, compare_correctness, compare_metrics, condition_rows
from benchmark.results.run_measures import (
    compute_breakdowns,
    compute_confusions,
    items_by_draw,
    label_rows,
    metric_rows,
)
from benchmark.tasks.benchmark_task import SUITE, ItemResponse, score
from project.entities.judgments import JudgmentStatus
from tests.builders.task_answers import NAMES, as_answered, by_chance, said

ENTRY = SUITE.make("verdict")
EXPECTED = ("verdict",)
OK, BAD, NO = JudgmentStatus.OK, JudgmentStatus.UNPARSED, JudgmentStatus.REFUSED


def means_of(rows: Sequence[MetricRow]) -> dict[str, float | None]:
    return {row.metric: row.mean for row in rows}


@given(st.integers(0, 10_000))
def test_a_figure_is_the_mean_of_its_draws_and_that_of_sums_over_items(seed: int) -> None:
    answered = by_chance(seed)
    scores = [score(ENTRY, draw) for draw in items_by_draw(answered)]
    values = [figures["accuracy"] for figures in scores]
    rows = {row.metric: row for row in metric_rows(ENTRY, answered, samples=0)}
    accuracy = rows["accuracy"]
    assert (accuracy.mean, accuracy.sd) == pytest.approx((fmean(values), stdev(values)))
    assert accuracy.n == len(answered)
    assert accuracy.low is accuracy.high is None
    draws, homes = [response.draw for response in answered], [response.recording_id for response in answered]
    for key, metric in ENTRY.measure(answered).items():
        expected = mean_sd([figures[key] for figures in scores]).mean
        assert mean_over_draws(metric, draws, homes, 0).value == pytest.approx(expected, abs=1e-9)


def test_an_interval_holds_its_figure_and_one_recording_has_none() -> None:
    rows = metric_rows(ENTRY, by_chance(3))
    assert len(rows) == 2
    assert all(row.low < row.mean < row.high for row in rows)
    row = metric_rows(ENTRY, by_chance(1, draws=1, recordings=1))[0]
    assert (row.low, row.high, row.sd) == (None, None, None)
    assert row.mean is not None
    assert {(row.mean, row.n) for row in metric_rows(ENTRY, [])} == {(None, 0)}
    assert label_rows([]) == ()
    assert compute_breakdowns(ENTRY, []) == ()
    assert compute_confusions([]) == ()


def test_a_label_that_a_draw_lacks_still_counts_and_who_was_taken_for_whom() -> None:
    answered = [said("error", "error", number=at) for at in range(4)]
    assert means_of(metric_rows(ENTRY, answered)) == {"accuracy": 1, "macro_f1": pytest.approx(1 / 3)}
    assert means_of(label_rows(answered)) == {"f1.error": 1.0, "f1.competence": None, "f1.none": None}
    answered = [said("error", "none"), said("error", None), said("none", "none"), said("error", "error")]
    (matrix,) = compute_confusions(answered)
    assert matrix.labels == NAMES
    assert matrix.counts == ((1, 0, 1, 1), (0, 0, 0, 0), (0, 0, 1, 0))


def test_parts_are_the_figures_of_their_items() -> None:
    answered = by_chance(5)
    parts = {each.trait: {part.value: part for part in each.parts} for each in compute_breakdowns(ENTRY, answered)}
    assert {*parts} == {"attributes", "channel"}
    verbal = [response for response in answered if response.traits["channel"] == "verbal"]
    assert parts["channel"]["verbal"].items == len(verbal)
    assert parts["channel"]["verbal"].figures[0].mean == metric_rows(ENTRY, verbal, samples=0)[0].mean
    assert sum(part.items for part in parts["attributes"].values()) == 2 * len(answered)
    answered = [said("error", "error", number=at, agreed=bool(at % 2)) for at in range(4)]
    (agreed,) = compute_breakdowns(ENTRY, answered)
    assert [part.value for part in agreed.parts] == ["agreed", "disagreed"]


def test_an_item_counts_by_the_worst_that_came_of_it_and_once() -> None:
    states = []
    for statuses, failed, expected in (
        ({"a": OK, "b": OK}, False, ItemOutcome.ANSWERED),
        ({"a": OK, "b": BAD}, False, ItemOutcome.UNPARSED),
        ({"a": BAD, "b": NO}, False, ItemOutcome.REFUSED),
        ({"a": OK}, False, ItemOutcome.MISSING),
        ({"a": OK}, True, ItemOutcome.ERROR),
    ):
        states.append(classify_outcome(ItemResponse("i", 0, "r", {}, {}, statuses), ("a", "b"), failed=failed))
        assert states[-1] is expected
    counts = count_outcomes(states)
    assert (counts.items, counts.counted, counts.errors, counts.missing) == (5, 3, 1, 1)


def test_right_and_wrong() -> None:
    assert is_right(said("error", "error"), EXPECTED) is True
    assert is_right(said("error", "none"), EXPECTED) is False
    assert is_right(said("error", None), EXPECTED) is False
    several = ItemResponse("i", 0, "r", {"a": {"x": ["b", "c"]}}, {"a": {"x": ["c", "b"]}}, {"a": OK})
    assert is_right(several, ("a",)) is True
    rating = ItemResponse("i", 0, "r", {"a": {"x": 3.5}}, {"a": {"x": 3.5}}, {"a": OK})
    assert is_right(rating, ("a",)) is None
    assert is_right(several, ("b",)) is None


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


def test_a_large_difference_has_a_direction_and_the_same_answers_have_no_test() -> None:
    row = condition_rows(ENTRY, [pair(4, 0.0, draws=10)])[0]
    assert row.test.conclusion is EquivalenceConclusion.DIFFERENT
    assert "lower than raw" in row.sentence
    assert "gpt" in row.sentence
    assert "blur" in row.sentence
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
