"""Figures over draws, with intervals, by trait and by label."""

from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.resampling import mean_over_draws
from benchmark.results.item_results import ItemOutcome, classify_outcome, count_outcomes, is_right
from benchmark.results.run_measures import (
    compute_breakdowns,
    compute_confusions,
    items_by_draw,
    label_rows,
    metric_contributions,
    metric_rows,
)
from benchmark.tasks.benchmark_task import ItemResponse, get_benchmark_task
from project.entities.judgments import JudgmentStatus
from tests.builders.task_answers import NAMES, as_answered, by_chance, said

ENTRY = get_benchmark_task("verdict")
EXPECTED = ("verdict",)


@given(st.integers(0, 10_000))
def test_a_figure_is_the_mean_of_its_draws(seed: int) -> None:
    found = by_chance(seed)
    each = [ENTRY.score(one)["accuracy"] for one in items_by_draw(found)]
    values = [value for value in each if value is not None]
    row = metric_rows(ENTRY, found, samples=0)[0]
    assert row.mean == pytest.approx(fmean(values))
    assert row.sd == pytest.approx(stdev(values))
    assert row.n == len(found)
    assert row.low is row.high is None


@given(st.integers(0, 10_000))
def test_sums_over_items_give_the_figures_of_the_task(seed: int) -> None:
    found = by_chance(seed)
    rows = {metric_row.metric: metric_row for metric_row in metric_rows(ENTRY, found, samples=0)}
    draws, homes = (
        [item_response.draw for item_response in found],
        [item_response.recording_id for item_response in found],
    )
    for key, sums in metric_contributions(found, ENTRY).items():
        assert mean_over_draws(sums, draws, homes, 0).value == pytest.approx(rows[key].mean, abs=1e-9)


def test_an_interval_holds_its_figure() -> None:
    for row in metric_rows(ENTRY, by_chance(3)):
        assert row.low is not None
        assert row.high is not None
        assert row.mean is not None
        assert row.low < row.mean < row.high


def test_one_recording_has_no_interval_and_one_draw_no_deviation() -> None:
    row = metric_rows(ENTRY, by_chance(1, draws=1, recordings=1))[0]
    assert (row.low, row.high, row.sd) == (None, None, None)
    assert row.mean is not None


def test_without_items_figures_are_undefined() -> None:
    assert all((metric_row.mean, metric_row.n) == (None, 0) for metric_row in metric_rows(ENTRY, []))
    assert label_rows([]) == ()
    assert compute_breakdowns(ENTRY, []) == ()
    assert compute_confusions([]) == ()


def test_a_label_that_a_draw_lacks_still_counts() -> None:
    found = [said("error", "error", number=at) for at in range(4)]
    rows = {metric_row.metric: metric_row.mean for metric_row in metric_rows(ENTRY, found)}
    assert rows["accuracy"] == 1
    assert rows["macro_f1"] == pytest.approx(1 / 3)
    assert {label_row.metric: label_row.mean for label_row in label_rows(found)} == {
        "f1.error": 1.0,
        "f1.competence": None,
        "f1.none": None,
    }


def test_parts_are_the_figures_of_their_items() -> None:
    found = by_chance(5)
    parts = {
        breakdown.trait: {part.value: part for part in breakdown.parts}
        for breakdown in compute_breakdowns(ENTRY, found)
    }
    assert {*parts} == {"attributes", "channel"}
    verbal = [item_response for item_response in found if item_response.traits["channel"] == "verbal"]
    assert parts["channel"]["verbal"].items == len(verbal)
    assert parts["channel"]["verbal"].rows[0].mean == metric_rows(ENTRY, verbal, samples=0)[0].mean
    assert sum(subgroup_result.items for subgroup_result in parts["attributes"].values()) == 2 * len(found)


def test_agreed_and_disagreed_are_named() -> None:
    found = [said("error", "error", number=at, agreed=bool(at % 2)) for at in range(4)]
    (agreed,) = compute_breakdowns(ENTRY, found)
    assert [part.value for part in agreed.parts] == ["agreed", "disagreed"]


def test_who_was_taken_for_whom() -> None:
    found = [said("error", "none"), said("error", None), said("none", "none"), said("error", "error")]
    (matrix,) = compute_confusions(found)
    assert matrix.labels == NAMES
    assert matrix.counts == ((1, 0, 1, 1), (0, 0, 0, 0), (0, 0, 1, 0))


OK, BAD, NO = JudgmentStatus.OK, JudgmentStatus.UNPARSED, JudgmentStatus.REFUSED


@pytest.mark.parametrize(
    ("statuses", "failed", "expected"),
    [
        ({"a": OK, "b": OK}, False, ItemOutcome.ANSWERED),
        ({"a": OK, "b": BAD}, False, ItemOutcome.UNPARSED),
        ({"a": NO}, False, ItemOutcome.REFUSED),
        ({"a": BAD, "b": NO}, False, ItemOutcome.REFUSED),
        ({"a": OK}, False, ItemOutcome.MISSING),
        ({"a": OK}, True, ItemOutcome.ERROR),
        ({}, False, ItemOutcome.MISSING),
        ({}, True, ItemOutcome.ERROR),
    ],
)
def test_an_item_counts_by_the_worst_that_came_of_it(
    statuses: dict[str, JudgmentStatus], failed: bool, expected: ItemOutcome
) -> None:
    found = ItemResponse("i", 0, "r", {}, {}, statuses)
    assert classify_outcome(found, ("a", "b"), failed=failed) is expected


@given(st.lists(st.sampled_from([*ItemOutcome]), max_size=30))
def test_every_item_is_counted_once(states: list[ItemOutcome]) -> None:
    counts = count_outcomes(states)
    assert counts.counted + counts.errors + counts.missing == counts.items == len(states)


def test_right_and_wrong() -> None:
    assert is_right(said("error", "error"), EXPECTED) is True
    assert is_right(said("error", "none"), EXPECTED) is False
    assert is_right(said("error", None), EXPECTED) is False
    several = ItemResponse("i", 0, "r", {"a": {"x": ["b", "c"]}}, {"a": {"x": ["c", "b"]}}, {"a": OK})
    assert is_right(several, ("a",)) is True
    rating = ItemResponse("i", 0, "r", {"a": {"x": 3.5}}, {"a": {"x": 3.5}}, {"a": OK})
    assert is_right(rating, ("a",)) is None
    assert is_right(several, ("b",)) is None


def test_who_is_right_throughout_has_all_and_who_gives_one_label_its_closed_form() -> None:
    found = by_chance(8, number=90, draws=1)
    truths = [str(item_response.truth["verdict"]["label"]) for item_response in found]
    right = {
        metric_row.metric: metric_row.mean for metric_row in metric_rows(ENTRY, as_answered(found, truths), samples=0)
    }
    assert right == {"accuracy": 1.0, "macro_f1": 1.0}
    constant = {
        metric_row.metric: metric_row.mean
        for metric_row in metric_rows(ENTRY, as_answered(found, ["error"] * 90), samples=0)
    }
    share = truths.count("error") / 90
    assert constant["macro_f1"] == pytest.approx(2 * share / (1 + share) / 3)
