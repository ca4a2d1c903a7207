from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from benchmark.metrics.classification import accuracy, exact_match, macro_f1, macro_f1_multilabel, partial_match
from benchmark.metrics.ratings import mae, pearson
from benchmark.metrics.resampling import (
    MetricContributions,
    accuracy_contributions,
    exact_match_contributions,
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
from tests.builders.metric_cases import numbers, one_label, random_cases, several_labels

THREE = ("competence", "error", "none")


def whole(counted: MetricContributions) -> float | None:
    n = len(counted.sums)
    return mean_over_draws(counted, [0] * n, ["film"] * n, samples=0).value


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


@random_cases
def test_sums_give_what_scikit_learn_gives_for_labels(cases: int) -> None:
    for truth, said, labels in one_label(cases, 2):
        assert whole(accuracy_contributions(truth, said)) == near(accuracy(truth, said))
        assert whole(macro_f1_contributions(truth, said, labels)) == near(macro_f1(truth, said, labels))


@random_cases
def test_sums_give_what_scikit_learn_gives_for_sets_of_labels(cases: int) -> None:
    for truth, said, labels in several_labels(cases, 2):
        assert whole(exact_match_contributions(truth, said)) == near(exact_match(truth, said))
        assert whole(partial_match_contributions(truth, said)) == near(partial_match(truth, said))
        found = whole(macro_f1_multilabel_contributions(truth, said, labels))
        assert found == near(macro_f1_multilabel(truth, said, labels))


@random_cases
def test_sums_give_what_scipy_gives_for_numbers(cases: int) -> None:
    for first, second in numbers(cases, 2):
        said = [None if place % 5 == 4 else float(one) for place, one in enumerate(second)]
        assert whole(pearson_contributions([*first], said)) == near(pearson([*first], said))
        assert whole(mae_contributions([*first], said)) == near(mae([*first], said))


def three_draws(seed: int = 0) -> tuple[list[str], list[str | None], list[int], list[str]]:
    chance = np.random.default_rng(seed)
    truth = [str(one) for one in chance.choice(THREE, 90)]
    said = [true if chance.random() < 0.7 else None for true in truth]
    return truth, said, [place % 3 for place in range(90)], [f"film {place // 6}" for place in range(90)]


def test_the_mean_over_draws_and_their_spread() -> None:
    truth, said, draws, films = three_draws()
    each = [macro_f1(truth[index::3], said[index::3], THREE) for index in range(3)]
    figure = mean_over_draws(macro_f1_contributions(truth, said, THREE), draws, films)
    spread = mean_sd(each)
    assert figure.value == near(spread.mean)
    assert figure.more["sd"] == near(spread.sd)
    assert figure.more["draws"] == {str(place): near(value) for place, value in enumerate(each)}
    assert figure.n == 90
    assert figure.low is not None
    assert figure.high is not None
    assert figure.low < figure.value < figure.high


def resampled(
    measure: Callable[[Sequence[Any], Sequence[Any]], float | None],
    truth: Sequence[Any],
    said: Sequence[Any],
    films: Sequence[str],
    weights: Sequence[int],
) -> float | None:
    """Do what the sums stand for: repeat the items of each film as often as it was drawn."""
    of = dict(zip(dict.fromkeys(films), weights, strict=True))
    places = [place for place, film in enumerate(films) for _ in range(of[film])]
    return measure([truth[number] for number in places], [said[number] for number in places])


@given(st.lists(st.integers(0, 3), min_size=15, max_size=15))
def test_a_sample_of_recordings_is_its_items_repeated(weights: list[int]) -> None:
    truth, said, _, films = three_draws()
    counted = macro_f1_contributions(truth, said, THREE)
    chosen = np.array([weights[int(film.split()[1])] for film in films], float)
    ours = counted.formula(chosen @ counted.sums)
    again = resampled(lambda *both: macro_f1(*both, THREE), truth, said, films, weights)
    assert (None if np.isnan(ours) else float(ours)) == near(again)


def test_the_interval_is_that_of_scipy() -> None:
    """One draw, as many items a recording: then recordings can be resampled by scipy too. Both are random."""
    chance = np.random.default_rng(3)
    shares = chance.random(60)
    right = [chance.random() < share for share in shares for _ in range(20)]
    films = [film for film in range(60) for _ in range(20)]
    figure = mean_over_draws(share_contributions(right), [0] * len(right), films, samples=5000)
    means = np.array(right, float).reshape(60, 20).mean(1)
    reference = bootstrap((means,), np.mean, n_resamples=5000, method="percentile", rng=0).confidence_interval
    assert figure.low == pytest.approx(reference.low, abs=0.01)
    assert figure.high == pytest.approx(reference.high, abs=0.01)


def test_the_same_seed_gives_the_same_interval() -> None:
    truth, said, draws, films = three_draws()
    counted = accuracy_contributions(truth, said)
    statistic_result, again, other = (mean_over_draws(counted, draws, films, seed=seed) for seed in (1, 1, 2))
    assert (statistic_result.low, statistic_result.high) == (again.low, again.high)
    assert (statistic_result.low, statistic_result.high) != (other.low, other.high)


def test_one_recording_has_no_interval_and_no_items_have_no_figure() -> None:
    truth, said, draws, _ = three_draws()
    alone = mean_over_draws(accuracy_contributions(truth, said), draws, ["film"] * 90)
    assert alone.value is not None
    assert (alone.low, alone.high) == (None, None)
    nothing = mean_over_draws(macro_f1_contributions([], [], THREE), [], [])
    assert (nothing.value, nothing.n) == (None, 0)
    assert nothing.reason.endswith(".")


def test_a_draw_without_a_value_is_left_out() -> None:
    """The second draw has no variance, so it has no r."""
    truth, said = [1.0, 2, 3, 5, 5, 5], [1.0, 2, 4, 1, 2, 3]
    figure = mean_over_draws(pearson_contributions(truth, said), [0, 0, 0, 1, 1, 1], ["a", "b", "a", "b", "a", "b"])
    assert figure.value == near(pearson(truth[:3], said[:3]))
    assert figure.more == {"sd": None, "draws": {"0": figure.value, "1": None}}


def test_r_of_what_never_varies_says_why() -> None:
    figure = mean_over_draws(pearson_contributions([0.1] * 3, [1, 2, 3]), [0] * 3, [*"abc"])
    assert (figure.value, figure.n) == (None, 3)
    assert "one and the same value" in figure.reason


def test_a_judge_that_always_refuses() -> None:
    refused = [None] * 3
    assert whole(macro_f1_contributions([*THREE], refused, THREE)) == 0
    assert whole(exact_match_contributions([{"error"}] * 3, refused)) == 0
    for counted in (pearson_contributions([1, 2, 3], refused), mae_contributions([1, 2, 3], refused)):
        assert mean_over_draws(counted, [0] * 3, [*"abc"]).n == 0


def test_a_judge_differs_from_a_worse_one_and_not_from_itself() -> None:
    truth, said, draws, films = three_draws()
    worse = [None if place % 2 else text for place, text in enumerate(said)]
    good, bad = macro_f1_contributions(truth, said, THREE), macro_f1_contributions(truth, worse, THREE)
    found = paired_difference(good, bad, draws, films)
    figures = [mean_over_draws(contributions, draws, films).value for contributions in (good, bad)]
    assert found.value == near(figures[0] - figures[1])
    assert found.low is not None
    assert found.low > 0
    assert found.p == pytest.approx(2 / 1001)
    same = paired_difference(good, good, draws, films)
    assert (same.value, same.low, same.high, same.p) == (0, 0, 0, 1)
    turned = paired_difference(bad, good, draws, films)
    assert (turned.value, turned.p) == (near(-found.value), found.p)


def test_judges_of_one_recording_have_a_difference_and_no_test() -> None:
    found = paired_difference(
        share_contributions([True, True]), share_contributions([True, False]), [0, 0], ["film"] * 2
    )
    assert (found.value, found.p, found.n) == (0.5, None, 2)
    with pytest.raises(ValueError, match="2 items of the first, 1 of the second"):
        paired_difference(share_contributions([True, True]), share_contributions([True]), [0, 0], ["film"] * 2)
    assert paired_difference(share_contributions([]), share_contributions([]), [], []).value is None


def test_two_judges_that_are_alike_differ_by_chance_in_few_of_many_comparisons() -> None:
    chance = np.random.default_rng(5)
    films = [place // 5 for place in range(200)]
    found = 0
    for seed in range(100):
        contributions, other = (share_contributions((chance.random(200) < 0.6).tolist()) for _ in range(2))
        p = paired_difference(contributions, other, [0] * 200, films, samples=200, seed=seed).p
        assert p is not None
        found += p < 0.05
    assert found <= 13, "of 100, some 5 or 6 are expected; more than 13 hardly ever"
