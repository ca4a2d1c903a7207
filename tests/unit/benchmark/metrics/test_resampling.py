from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.classification import accuracy, exact_match, macro_f1, macro_f1_multilabel, partial_match
from benchmark.metrics.ratings import mae, pearson
from benchmark.metrics.resampling import (
    MetricContributions,
    accuracy_contributions,
    exact_match_contributions,
    intervals,
    macro_f1_contributions,
    macro_f1_multilabel_contributions,
    mae_contributions,
    mean_over_draws,
    mean_sd,
    paired_difference,
    partial_match_contributions,
    pearson_contributions,
    share_contributions,
)
from tests.builders.metric_cases import labelled_answers, number_series, random_cases, set_answers

THREE = ("competence", "error", "none")


def undivided(counted: MetricContributions) -> float | None:
    n = len(counted.sums)
    return mean_over_draws(counted, [0] * n, ["film"] * n, samples=0).value


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


@random_cases
def test_sums_give_the_metrics_themselves(cases: int) -> None:
    for truth, said, labels in labelled_answers(cases, 2):
        assert undivided(accuracy_contributions(truth, said)) == near(accuracy(truth, said))
        assert undivided(macro_f1_contributions(truth, said, labels)) == near(macro_f1(truth, said, labels))
    for sets, answers, labels in set_answers(cases, 2):
        assert undivided(exact_match_contributions(sets, answers)) == near(exact_match(sets, answers))
        assert undivided(partial_match_contributions(sets, answers)) == near(partial_match(sets, answers))
        summed = undivided(macro_f1_multilabel_contributions(sets, answers, labels))
        assert summed == near(macro_f1_multilabel(sets, answers, labels))
    for first, second in number_series(cases, 2):
        numbers = [None if place % 5 == 4 else float(value) for place, value in enumerate(second)]
        assert undivided(pearson_contributions([*first], numbers)) == near(pearson([*first], numbers))
        assert undivided(mae_contributions([*first], numbers)) == near(mae([*first], numbers))


def three_draws() -> tuple[list[str], list[str | None], list[int], list[str]]:
    """Truths, answers, draws and recordings of 90 items."""
    chance = np.random.default_rng(0)
    truth = chance.choice(THREE, 90).tolist()
    said = [true if chance.random() < 0.7 else None for true in truth]
    return truth, said, [place % 3 for place in range(90)], [f"film {place // 6}" for place in range(90)]


def test_the_mean_over_draws_and_their_spread() -> None:
    truth, said, draws, films = three_draws()
    each = [macro_f1(truth[index::3], said[index::3], THREE) for index in range(3)]
    figure = mean_over_draws(macro_f1_contributions(truth, said, THREE), draws, films)
    spread = mean_sd(each)
    assert (figure.value, figure.more["sd"], figure.n) == (near(spread.mean), near(spread.sd), 90)
    assert figure.more["draws"] == {str(place): near(value) for place, value in enumerate(each)}
    assert figure.low < figure.value < figure.high


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=10))
def test_draws_without_a_value_are_counted_and_left_out(values: list[float | None]) -> None:
    known = [value for value in values if value is not None]
    spread = mean_sd(values)
    assert (spread.draws, spread.undefined) == (len(known), len(values) - len(known))
    assert spread.mean == (pytest.approx(fmean(known)) if known else None)
    assert spread.sd == (pytest.approx(np.std(known, ddof=1), abs=1e-9) if len(known) > 1 else None)


@given(st.lists(st.integers(0, 3), min_size=15, max_size=15))
def test_a_sample_of_recordings_is_its_items_repeated(weights: list[int]) -> None:
    truth, said, _, films = three_draws()
    counted = macro_f1_contributions(truth, said, THREE)
    numbers = [int(film.split()[1]) for film in films]
    ours = counted.formula(np.array([weights[number] for number in numbers], float) @ counted.sums)
    places = [place for place, number in enumerate(numbers) for _ in range(weights[number])]
    again = macro_f1([truth[place] for place in places], [said[place] for place in places], THREE)
    assert (None if np.isnan(ours) else float(ours)) == near(again)


def test_the_same_seed_gives_the_same_interval() -> None:
    truth, said, draws, films = three_draws()
    counted = accuracy_contributions(truth, said)
    first, again, other = (mean_over_draws(counted, draws, films, seed=seed) for seed in (1, 1, 2))
    assert (first.low, first.high) == (again.low, again.high)
    assert (first.low, first.high) != (other.low, other.high)


def test_one_recording_has_no_interval_and_no_items_have_no_figure() -> None:
    truth, said, draws, _ = three_draws()
    alone = mean_over_draws(accuracy_contributions(truth, said), draws, ["film"] * 90)
    assert alone.value == near(accuracy(truth, said))
    assert (alone.low, alone.high) == (None, None)
    nothing = mean_over_draws(macro_f1_contributions([], [], THREE), [], [])
    assert (nothing.value, nothing.n) == (None, 0)
    assert nothing.reason.endswith(".")


def test_a_draw_without_a_value_is_left_out_and_r_of_what_never_varies_says_why() -> None:
    """The second draw has no variance, so it has no r."""
    truth, said = [1.0, 2, 3, 5, 5, 5], [1.0, 2, 4, 1, 2, 3]
    figure = mean_over_draws(pearson_contributions(truth, said), [0, 0, 0, 1, 1, 1], ["a", "b", "a", "b", "a", "b"])
    assert figure.value == near(pearson(truth[:3], said[:3]))
    assert figure.more == {"sd": None, "draws": {"0": figure.value, "1": None}}
    figure = mean_over_draws(pearson_contributions([0.1] * 3, [1, 2, 3]), [0] * 3, [*"abc"])
    assert (figure.value, figure.n) == (None, 3)
    assert "one and the same value" in figure.reason


def test_a_judge_that_always_refuses_has_shares_of_0_and_no_ratings() -> None:
    refused = [None] * 3
    assert undivided(macro_f1_contributions([*THREE], refused, THREE)) == 0
    assert undivided(exact_match_contributions([{"error"}] * 3, refused)) == 0
    for counted in (pearson_contributions([1, 2, 3], refused), mae_contributions([1, 2, 3], refused)):
        assert mean_over_draws(counted, [0] * 3, [*"abc"]).n == 0


def test_a_judge_differs_from_a_worse_one_and_not_from_itself() -> None:
    truth, said, draws, films = three_draws()
    worse = [None if place % 2 else answer for place, answer in enumerate(said)]
    good, bad = macro_f1_contributions(truth, said, THREE), macro_f1_contributions(truth, worse, THREE)
    difference = paired_difference(good, bad, draws, films)
    figures = [mean_over_draws(contributions, draws, films).value for contributions in (good, bad)]
    assert difference.value == near(figures[0] - figures[1])
    assert difference.low > 0
    assert difference.p == pytest.approx(2 / 1001)
    same = paired_difference(good, good, draws, films)
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)
    turned = paired_difference(bad, good, draws, films)
    assert (turned.value, turned.p) == (near(-difference.value), difference.p)


def test_judges_of_one_recording_have_a_difference_and_no_test() -> None:
    both, first, nothing = (share_contributions(right) for right in ([True, True], [True, False], []))
    difference = paired_difference(both, first, [0, 0], ["film"] * 2)
    assert (difference.value, difference.p, difference.n) == (0.5, None, 2)
    with pytest.raises(ValueError, match="2 items of the first, 1 of the second"):
        paired_difference(both, share_contributions([True]), [0, 0], ["film"] * 2)
    assert paired_difference(nothing, nothing, [], []).value is None


def test_two_judges_that_are_alike_differ_by_chance_in_few_of_many_comparisons() -> None:
    chance = np.random.default_rng(5)
    films = [place // 5 for place in range(200)]
    below = 0
    for seed in range(100):
        first, second = (share_contributions((chance.random(200) < 0.6).tolist()) for _ in range(2))
        below += paired_difference(first, second, [0] * 200, films, samples=200, seed=seed).p < 0.05
    assert below <= 13, "of 100, some 5 or 6 are expected; more than 13 hardly ever"


def labelled(items: Sequence[tuple[str, str | None]]) -> dict[str, float | None]:
    truth, said = [true for true, _ in items], [answer for _, answer in items]
    return {"accuracy": accuracy(truth, said), "macro_f1": macro_f1(truth, said, THREE)}


def test_intervals_of_samples_that_are_scored_are_those_of_sums() -> None:
    truth, said, draws, films = ([*column[:60]] for column in three_draws())
    items = [*zip(truth, said, strict=True)]
    scored = intervals(labelled, items, draws, films, samples=40, seed=4)
    sums = {"accuracy": accuracy_contributions(truth, said), "macro_f1": macro_f1_contributions(truth, said, THREE)}
    for key, counted in sums.items():
        figure = mean_over_draws(counted, draws, films, samples=40, seed=4)
        assert scored[key] == pytest.approx((figure.low, figure.high), abs=1e-9)
    for keys in (["accuracy"], ["accuracy", "macro_f1"]):
        again = intervals(labelled, items, draws, films, 40, 4, {key: sums[key] for key in keys})
        assert {key: pytest.approx(interval, abs=1e-9) for key, interval in again.items()} == scored


def test_samples_without_the_figure_are_left_out() -> None:
    """Three recordings of one item each: where one of them is drawn three times, nothing varies."""
    truth, said = [1.0, 2, 4], [1.0, 3, 2]
    pairs = [*zip(truth, said, strict=True)]
    scored = intervals(lambda items: {"r": pearson(*zip(*items, strict=True))}, pairs, [0] * 3, [*"abc"])
    figure = mean_over_draws(pearson_contributions(truth, said), [0] * 3, [*"abc"], samples=200)
    assert scored["r"] == pytest.approx((figure.low, figure.high), abs=1e-9)


def test_one_recording_and_no_items_have_no_interval() -> None:
    truth, said = ["error", "none"], ["error", None]
    pairs, nothing = [*zip(truth, said, strict=True)], {"accuracy": None, "macro_f1": None}
    assert intervals(labelled, pairs, [0, 0], ["film"] * 2) == nothing
    counted = {"accuracy": accuracy_contributions(truth, said)}
    assert intervals(labelled, pairs, [0, 0], ["film"] * 2, counted=counted) == nothing
    assert intervals(labelled, [], [], []) == nothing
