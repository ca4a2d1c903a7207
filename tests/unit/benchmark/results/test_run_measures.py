"""Figures over draws, with intervals, by trait and by label."""

import random
from collections.abc import Sequence
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.item_sums import MetricContributions
from benchmark.metrics.published_figures import DIMENSIONS
from benchmark.metrics.resampling import mean_over_draws, mean_sd
from benchmark.prompts.episode_prompts import EPISODE_RATINGS_TASK as RATED
from benchmark.results.item_results import ItemOutcome, MetricRow, classify_outcome, count_outcomes, is_right
from benchmark.results.run_measures import (
    compute_breakdowns,
    compute_confusions,
    items_by_draw,
    label_rows,
    metric_rows,
)
from benchmark.tasks.benchmark_task import SUITE, ItemResponse, score
from project.entities.judgments import JudgmentStatus
from project.entities.study_records import Json
from tests.builders.task_answers import NAMES, by_chance, said

ENTRY = SUITE.make("verdict")
EXPECTED = ("verdict",)
OK, BAD, NO = JudgmentStatus.OK, JudgmentStatus.UNPARSED, JudgmentStatus.REFUSED


def means_of(rows: Sequence[MetricRow]) -> dict[str, float | None]:
    return {row.metric: row.mean for row in rows}


@given(st.integers(0, 10_000))
def test_a_figure_is_the_mean_of_its_draws_and_that_of_sums_over_items(seed: int) -> None:
    answered = by_chance(seed)
    values = [score(ENTRY, draw)["accuracy"] for draw in items_by_draw(answered)]
    rows = {row.metric: row for row in metric_rows(ENTRY, answered, samples=0)}
    accuracy = rows["accuracy"]
    assert (accuracy.mean, accuracy.sd) == pytest.approx((fmean(values), stdev(values)))
    assert accuracy.n == len(answered)
    assert accuracy.low is accuracy.high is None
    assert_sums_give_the_scores_of_draws("verdict", answered, {"accuracy", "macro_f1"})


def assert_sums_give_the_scores_of_draws(task: str, answered: list[ItemResponse], metrics: set[str]) -> None:
    """The mean over draws of these metrics follows from the sums of all items as from scoring each draw."""
    entry = SUITE.make(task)
    scores = [score(entry, draw) for draw in items_by_draw(answered)]
    draws, homes = [response.draw for response in answered], [response.recording_id for response in answered]
    sums = {key: metric for key, metric in entry.measure(answered).items() if isinstance(metric, MetricContributions)}
    assert metrics <= {*sums}
    for key, metric in sums.items():
        expected = mean_sd([values[key] for values in scores]).mean
        summed = mean_over_draws(metric, draws, homes, 0).value
        assert summed == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(st.integers(0, 10_000))
def test_sums_give_the_figures_of_questions_by_kind_and_over_chains(seed: int) -> None:
    """Chains of two subchains each; a few questions are answered wrong, and some belong to no chain."""
    chance = random.Random(seed)
    answered = []
    for at in range(40):
        chain = at // 5
        traits: dict[str, Json] = {"labels": ["A", "B", "C", "D", "E"], "question": f"q{at}"}
        traits |= {"kind": chance.choice(["MSE", "EU", "CW"]), "aspect": chance.choice(["emotion", "belief", ""])}
        if chain < 7:
            traits |= {"chain": f"c{chain}", "steps": 2, "subchains": {"x": 3} if at % 5 < 3 else {"y": 2}}
        said_of = {"answer": {"answer": "A" if chance.random() < 0.9 else "B"}}
        answered.append(
            ItemResponse(
                f"i{at}", chain // 4, f"r{chain // 2}", {"answer": {"answer": "A"}}, said_of, {"answer": OK}, traits
            )
        )
    metrics = {"accuracy", "accuracy.MSE", "chain_consistency", "subchain_consistency"}
    assert_sums_give_the_scores_of_draws("r3vqa", answered, metrics)


@given(st.integers(0, 10_000))
def test_sums_give_the_figures_of_ratings_by_dimension(seed: int) -> None:
    chance = random.Random(seed)
    answered = []
    for at in range(12):
        truth: dict[str, Json] = {key: chance.uniform(0, 10) for key in DIMENSIONS}
        given_ratings: dict[str, Json] = {key: chance.randint(0, 10) for key in DIMENSIONS}
        ratings, status = ({RATED: given_ratings}, OK) if chance.random() < 0.9 else ({}, NO)
        answered.append(ItemResponse(f"i{at}", 0, f"r{at // 2}", {RATED: truth}, ratings, {RATED: status}))
    metrics = {"pearson_r", "mae", "pearson_r.goal", "mae.secret"}
    assert_sums_give_the_scores_of_draws("sotopia_eval", answered, metrics)


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
    assert classify_outcome(ItemResponse("i", 0, "r", {}, {}, statuses), ("a", "b"), failed=failed) is expected


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
