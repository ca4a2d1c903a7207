from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.classification import accuracy, exact_match, macro_f1
from benchmark.metrics.item_sums import mean_of_metrics, share_of_items
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
    each = [macro_f1(truth[index::3], said[index::3], THREE).value for index in range(3)]
    figure = mean_over_draws(macro_f1(truth, said, THREE), draws, films)
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
    counted = macro_f1(truth, said, THREE)
    numbers = [int(film.split()[1]) for film in films]
    ours = counted.formula(np.array([weights[number] for number in numbers], float) @ counted.sums)
    places = [place for place, number in enumerate(numbers) for _ in range(weights[number])]
    again = macro_f1([truth[place] for place in places], [said[place] for place in places], THREE).value
    assert (None if np.isnan(ours) else float(ours)) == near(again)


def test_the_same_seed_gives_the_same_interval() -> None:
    truth, said, draws, films = three_draws()
    counted = accuracy(truth, said)
    first, again, other = (mean_over_draws(counted, draws, films, seed=seed) for seed in (1, 1, 2))
    assert (first.low, first.high) == (again.low, again.high)
    assert (first.low, first.high) != (other.low, other.high)


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


def test_a_judge_that_always_refuses_has_shares_of_0_and_no_ratings() -> None:
    refused = [None] * 3
    assert macro_f1([*THREE], refused, THREE).value == 0
    assert exact_match([{"error"}] * 3, refused).value == 0
    for counted in (pearson([1, 2, 3], refused), mae([1, 2, 3], refused)):
        assert mean_over_draws(counted, [0] * 3, [*"abc"]).n == 0


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
    with pytest.raises(ValueError, match="2 items of the first, 1 of the second"):
        paired_difference(both, share_of_items([True]), [0, 0], ["film"] * 2)
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


def test_one_recording_and_no_items_have_no_interval() -> None:
    truth, said = ["error", "none"], ["error", None]
    pairs, nothing = [*zip(truth, said, strict=True)], dict.fromkeys(("accuracy", "macro_f1"), (None, None))
    assert intervals(labelled, pairs, [0, 0], ["film"] * 2) == nothing
    assert intervals(labelled, [], [], []) == nothing
