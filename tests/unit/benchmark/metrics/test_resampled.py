from collections.abc import Sequence

import numpy as np
import pytest

from benchmark.metrics.classification import accuracy, macro_f1
from benchmark.metrics.ratings import pearson
from benchmark.metrics.resampling import (
    accuracy_contributions,
    intervals,
    macro_f1_contributions,
    mean_over_draws,
    pearson_contributions,
)

THREE = ("competence", "error", "none")


def labelled(said: Sequence[tuple[str, str | None]]) -> dict[str, float | None]:
    truth, given = [text for text, _ in said], [text for _, text in said]
    return {"accuracy": accuracy(truth, given), "macro_f1": macro_f1(truth, given, THREE)}


def test_intervals_are_those_of_sums() -> None:
    chance = np.random.default_rng(0)
    truth = [str(one) for one in chance.choice(THREE, 60)]
    said = [true if chance.random() < 0.6 else None for true in truth]
    draws, films = [place % 3 for place in range(60)], [place // 4 for place in range(60)]
    found = intervals(labelled, [*zip(truth, said, strict=True)], draws, films, samples=100, seed=4)
    added = {"accuracy": accuracy_contributions(truth, said), "macro_f1": macro_f1_contributions(truth, said, THREE)}
    for key, counted in added.items():
        figure = mean_over_draws(counted, draws, films, samples=100, seed=4)
        assert found[key] == pytest.approx((figure.low, figure.high), abs=1e-9)
    for some in (["accuracy"], ["accuracy", "macro_f1"]):
        chosen = {key: added[key] for key in some}
        again = intervals(labelled, [*zip(truth, said, strict=True)], draws, films, 100, 4, chosen)
        assert {key: pytest.approx(one, abs=1e-9) for key, one in again.items()} == found


def test_samples_without_the_figure_are_left_out() -> None:
    """Three recordings of one item each: where one of them is drawn three times, nothing varies."""
    truth, said = [1.0, 2, 4], [1.0, 3, 2]
    pairs = [*zip(truth, said, strict=True)]
    found = intervals(lambda some: {"r": pearson(*zip(*some, strict=True))}, pairs, [0] * 3, [*"abc"])
    figure = mean_over_draws(pearson_contributions(truth, said), [0] * 3, [*"abc"], samples=200)
    assert found["r"] == pytest.approx((figure.low, figure.high), abs=1e-9)


def test_one_recording_and_no_items_have_no_interval() -> None:
    pairs = [("error", "error"), ("none", None)]
    assert intervals(labelled, pairs, [0, 0], ["film"] * 2) == {"accuracy": None, "macro_f1": None}
    truth, said = [text for text, _ in pairs], [text for _, text in pairs]
    counted = {"accuracy": accuracy_contributions(truth, said)}
    assert intervals(labelled, pairs, [0, 0], ["film"] * 2, counted=counted)["accuracy"] is None
    assert intervals(labelled, [], [], []) == {"accuracy": None, "macro_f1": None}
