import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve

from benchmark.metrics.ratings import calibration
from tests.builders.metric_cases import random_cases

answers = st.lists(st.tuples(st.floats(0, 1), st.one_of(st.none(), st.floats(0, 1))), max_size=40)


@random_cases
def test_random_cases_are_those_of_scikit_learn(cases: int) -> None:
    chance = np.random.default_rng(0)
    for _ in range(cases):
        size, bins = int(chance.integers(2, 80)), int(chance.integers(1, 15))
        truth, said = (chance.random(size) < chance.random()).astype(float), chance.random(size)
        truth[:2] = 0, 1  # scikit-learn wants both
        true, given_ = calibration_curve(truth, said, n_bins=bins)
        found = calibration([*truth], [*said], bins)
        assert [calibration_bin.mean_truth for calibration_bin in found.bins] == pytest.approx([*true], abs=1e-9)
        assert [calibration_bin.mean_answer for calibration_bin in found.bins] == pytest.approx([*given_], abs=1e-9)
        weights = np.array([calibration_bin.n for calibration_bin in found.bins]) / size
        assert found.error == pytest.approx((weights * np.abs(true - given_)).sum(), abs=1e-9)


@given(answers)
def test_every_answer_is_in_one_bin(pairs: list[tuple[float, float | None]]) -> None:
    truth, said = [value for value, _ in pairs], [value for _, value in pairs]
    found = calibration(truth, said)
    assert (
        sum(calibration_bin.n for calibration_bin in found.bins) == found.n == sum(value is not None for value in said)
    )
    assert (found.error is None) == (found.n == 0)
    for calibration_bin in found.bins:
        assert calibration_bin.low - 1e-9 <= calibration_bin.mean_answer <= calibration_bin.high + 1e-9
        assert 0 <= calibration_bin.mean_truth <= 1


@given(answers)
def test_who_says_what_is_true_is_calibrated(pairs: list[tuple[float, float | None]]) -> None:
    truth = [value for value, _ in pairs]
    assert calibration(truth, truth).error == (pytest.approx(0, abs=1e-12) if truth else None)


def test_the_scale_of_people() -> None:
    """Plausibilities of 0 to 100: 20 and 30 for what people give 40, 100 for what they give 90."""
    found = calibration([40, 40, 90], [20, 30, 100], bins=2, minimum=0, maximum=100)
    assert [
        (
            calibration_bin.low,
            calibration_bin.high,
            calibration_bin.n,
            calibration_bin.mean_answer,
            calibration_bin.mean_truth,
        )
        for calibration_bin in found.bins
    ] == [
        (0, 50, 2, 25, 40),
        (50, 100, 1, 100, 90),
    ]
    assert found.error == pytest.approx((2 * 15 + 10) / 3)


def test_a_judge_that_always_refuses_has_no_calibration() -> None:
    found = calibration([0.5, 0.7], [None, None])
    assert (found.error, found.bins, found.n) == (None, (), 0)
