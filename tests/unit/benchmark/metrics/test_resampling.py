"""Spread over draws, intervals over recordings, and tests between judges and conditions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from benchmark.metrics.classification import accuracy, macro_f1
from benchmark.metrics.item_sums import mean_of_metrics, share_of_items
from benchmark.metrics.paired_tests import (
    EquivalenceConclusion,
    compare_with_raw,
    correct_family,
    effect_size,
    holm,
    mcnemar,
)
from benchmark.metrics.ratings import mae, pearson
from benchmark.metrics.resampling import intervals, mean_over_draws, mean_sd, paired_difference

THREE = ("competence", "error", "none")


def near(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, abs=1e-9)


def three_draws() -> tuple[list[str], list[str | None], list[int], list[str]]:
    """Truths, answers, draws and recordings of 90 items."""
    chance = np.random.default_rng(0)
    truth = chance.choice(THREE, 90).tolist()
    said = [true if chance.random() < 0.7 else None for true in truth]
    return truth, said, [place % 3 for place in range(90)], [f"film {place // 6}" for place in range(90)]


def test_the_mean_over_draws_and_their_spread() -> None:
    truth, said, draws, films = three_draws()
    counted = macro_f1(truth, said, THREE)
    each = [macro_f1(truth[index::3], said[index::3], THREE).value for index in range(3)]
    figure, again, other = (mean_over_draws(counted, draws, films, seed=seed) for seed in (1, 1, 2))
    spread = mean_sd(each)
    assert (figure.value, figure.more["sd"], figure.n) == (near(spread.mean), near(spread.sd), 90)
    assert figure.more["draws"] == {str(place): near(value) for place, value in enumerate(each)}
    assert figure.low < figure.value < figure.high
    assert (figure.low, figure.high) == (again.low, again.high) != (other.low, other.high)


def test_one_recording_has_no_interval_and_no_items_have_no_figure() -> None:
    truth, said, draws, _ = three_draws()
    alone = mean_over_draws(accuracy(truth, said), draws, ["film"] * 90)
    assert alone.value == near(accuracy(truth, said).value)
    assert (alone.low, alone.high) == (None, None)
    nothing = mean_over_draws(macro_f1([], [], THREE), [], [])
    assert (nothing.value, nothing.n) == (None, 0)
    assert nothing.reason.endswith(".")


def test_a_draw_without_a_value_is_left_out_and_r_of_what_never_varies_says_why() -> None:
    """The second draw has no variance, so it has no r."""
    truth, said = [1.0, 2, 3, 5, 5, 5], [1.0, 2, 4, 1, 2, 3]
    figure = mean_over_draws(pearson(truth, said), [0, 0, 0, 1, 1, 1], ["a", "b", "a", "b", "a", "b"])
    assert figure.value == near(pearson(truth[:3], said[:3]).value)
    assert figure.more == {"sd": None, "draws": {"0": figure.value, "1": None}}
    figure = mean_over_draws(pearson([0.1] * 3, [1, 2, 3]), [0] * 3, [*"abc"])
    assert (figure.value, figure.n) == (None, 3)
    assert "one and the same value" in figure.reason


def test_a_mean_of_metrics_leaves_out_those_without_a_value() -> None:
    """The second never varies, so it has no r; with other weights of items the means are those of their parts."""
    first, second = pearson([1.0, 2, 3], [1.0, 2, 4]), pearson([5.0, 5, 5], [1.0, 2, 3])
    assert mean_of_metrics([first, second]).value == near(first.value)
    both = mean_of_metrics([mae([1.0, 2], [2.0, 4]), share_of_items([True, False])])
    assert both.value == 1.0
    assert both.formula(np.array([0.0, 3.0]) @ both.sums) == 1.0
    assert share_of_items([True, False], weights=[3, 1]).value == 0.75


def test_a_judge_differs_from_a_worse_one_and_not_from_itself() -> None:
    truth, said, draws, films = three_draws()
    worse = [None if place % 2 else answer for place, answer in enumerate(said)]
    good, bad = macro_f1(truth, said, THREE), macro_f1(truth, worse, THREE)
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
    both, first, nothing = (share_of_items(right) for right in ([True, True], [True, False], []))
    difference = paired_difference(both, first, [0, 0], ["film"] * 2)
    assert (difference.value, difference.p, difference.n) == (0.5, None, 2)
    assert paired_difference(nothing, nothing, [], []).value is None


def test_two_judges_that_are_alike_differ_by_chance_in_few_of_many_comparisons() -> None:
    chance = np.random.default_rng(5)
    films = [place // 5 for place in range(200)]
    below = 0
    for seed in range(100):
        first, second = (share_of_items((chance.random(200) < 0.6).tolist()) for _ in range(2))
        below += paired_difference(first, second, [0] * 200, films, samples=200, seed=seed).p < 0.05
    assert below <= 13, "of 100, some 5 or 6 are expected; more than 13 hardly ever"


def labelled(items: Sequence[tuple[str, str | None]]) -> dict[str, float | None]:
    truth, said = [true for true, _ in items], [answer for _, answer in items]
    return {"accuracy": accuracy(truth, said).value, "macro_f1": macro_f1(truth, said, THREE).value}


def test_intervals_of_samples_that_are_scored_are_those_of_sums() -> None:
    truth, said, draws, films = ([*column[:60]] for column in three_draws())
    items = [*zip(truth, said, strict=True)]
    scored = intervals(labelled, items, draws, films, samples=40, seed=4)
    sums = {"accuracy": accuracy(truth, said), "macro_f1": macro_f1(truth, said, THREE)}
    for key, counted in sums.items():
        figure = mean_over_draws(counted, draws, films, samples=40, seed=4)
        assert scored[key] == pytest.approx((figure.low, figure.high), abs=1e-9)


def test_samples_without_the_figure_are_left_out() -> None:
    """Three recordings of one item each: where one of them is drawn three times, nothing varies."""
    truth, said = [1.0, 2, 4], [1.0, 3, 2]
    pairs = [*zip(truth, said, strict=True)]
    scored = intervals(lambda items: {"r": pearson(*zip(*items, strict=True)).value}, pairs, [0] * 3, [*"abc"])
    figure = mean_over_draws(pearson(truth, said), [0] * 3, [*"abc"], samples=200)
    assert scored["r"] == pytest.approx((figure.low, figure.high), abs=1e-9)
    right = [("error", "error"), ("none", None)]
    nothing = dict.fromkeys(("accuracy", "macro_f1"), (None, None))
    assert intervals(labelled, right, [0, 0], ["film"] * 2) == intervals(labelled, [], [], []) == nothing


RAW = [0.46, 0.38, 0.55, 0.41, 0.50, 0.39, 0.52, 0.47, 0.44, 0.49]


def shifted(by: float, noise: float) -> list[float]:
    return [value + by + noise * (-1) ** place for place, value in enumerate(RAW)]


def test_judges_that_are_right_about_the_same_items_do_not_differ_and_25_in_which_they_do_are_many() -> None:
    tested = mcnemar([True, False, True], [True, False, True])
    assert (tested.p, tested.exact) == (1, True)
    assert mcnemar([], []).p is None
    assert mcnemar([True], [False]).p == 1
    assert mcnemar([True] * 24, [False] * 24).exact
    assert not mcnemar([True] * 25, [False] * 25).exact


def test_an_effect_that_is_nearly_the_same_in_every_draw_has_no_interval() -> None:
    """Scipy would look for one for minutes."""
    value, low, high = effect_size(np.array([0.1, 0.1 + 1e-9, 0.1 - 1e-9, 0.1]))
    assert value > 1e7
    assert (low, high) == (None, None)


@pytest.mark.parametrize(
    ("other", "conclusion"),
    [
        (shifted(0.01, 0.02), EquivalenceConclusion.EQUIVALENT),
        (shifted(0.05, 0.01), EquivalenceConclusion.DIFFERENT_WITHIN_MARGIN),
        (shifted(-0.3, 0.02), EquivalenceConclusion.DIFFERENT),
        (shifted(0.0, 0.3), EquivalenceConclusion.OPEN),
        (RAW, EquivalenceConclusion.OPEN),
    ],
)
def test_no_difference_is_said_only_where_the_draws_can_show_it(
    other: list[float], conclusion: EquivalenceConclusion
) -> None:
    assert compare_with_raw(RAW, other).conclusion is conclusion


def test_conditions_without_tests_and_draws_without_a_value_are_left_out() -> None:
    family = correct_family({"copy": compare_with_raw(RAW, RAW), "cartoon": compare_with_raw(RAW, shifted(0.05, 0.08))})
    assert family["copy"].t_p_holm is None
    assert holm({"a": None, "b": 0.04, "c": 0.01}) == {"a": None, "b": 0.04, "c": 0.02}
    assert family["cartoon"].t_p_holm == family["cartoon"].t_p
    other = shifted(0.05, 0.08)
    compared = compare_with_raw([None, *RAW[1:]], [*other[:-1], None])
    assert compared == compare_with_raw(RAW[1:-1], other[1:-1])
    assert compared.n == 8
    assert compare_with_raw([None, None], [0.1, 0.2]).n == 0


def test_the_same_difference_in_every_draw_and_too_few_draws_say_so_and_test_nothing() -> None:
    for by in (0.0, 0.1):
        compared = compare_with_raw(RAW, [value + by for value in RAW])
        assert compared.difference == pytest.approx(by)
        assert compared.t_p is compared.wilcoxon_p is compared.effect is compared.equivalence_p is None
        assert "every draw" in compared.reason
    for count, difference in ((0, None), (1, pytest.approx(0.2))):
        compared = compare_with_raw(RAW[:count], shifted(0.1, 0.1)[:count])
        assert (compared.n, compared.difference) == (count, difference)
        assert "two draws" in compared.reason
