from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.ratings import (
    CalibrationBin,
    answered_pairs,
    calibration,
    mae,
    pairwise_agreement,
    pearson,
    posterior,
    randolph_kappa,
)

points = st.lists(st.tuples(st.integers(0, 10), st.integers(0, 10)), min_size=2, max_size=30)


@given(points)
def test_who_says_what_is_true_has_r_1_or_none(pairs: list[tuple[int, int]]) -> None:
    truth = [float(number) for number, _ in pairs]
    assert pearson(truth, truth).value == (pytest.approx(1) if len({*truth}) > 1 else None)
    assert mae(truth, truth).value == 0


def test_without_variance_r_is_undefined() -> None:
    for truth, said in (([0.1, 0.1, 0.1], [1, 2, 3]), ([1, 2], [5, 5]), ([1], [1]), ([], [])):
        assert pearson(truth, said).value is None
    assert pearson([1, 2], [3, 7]).value == pytest.approx(1)


def test_what_was_refused_is_left_out() -> None:
    truth, said = [1.0, 5, 9, 3], [2.0, None, 10, 4]
    assert pearson(truth, said).value == pytest.approx(1)
    assert mae(truth, said).value == 1
    assert [side.tolist() for side in answered_pairs(truth, said)] == [[1, 9, 3], [2, 10, 4]]
    assert pearson(truth, [None] * 4).value is mae(truth, [None] * 4).value is None
    with pytest.raises(ValueError, match="4 truths, 1 answers"):
        mae(truth, [1])


def test_kappa_and_agreement_written_out() -> None:
    """Four of five pairs in the same of five bins: (4/5 - 1/5) / (4/5)."""
    rated = [[0, 1], [4, 5], [10, 9], [2, 3], [0, 10]]
    assert randolph_kappa(rated, 0, 10) == pytest.approx(0.75)
    assert randolph_kappa([[0, 1, 10]], 0, 10) == pytest.approx((1 / 3 - 1 / 5) / (4 / 5))
    assert pairwise_agreement([[0, 2], [0, 3], [7]]) == 0.5
    assert pairwise_agreement([[0, 2, 4]]) == pytest.approx(2 / 3)
    for rated in ([], [[1], []]):
        assert randolph_kappa(rated, 0, 10) is pairwise_agreement(rated) is None
    assert randolph_kappa([[1, 1]], 0, 10, bins=1) is None


def test_calibration_on_the_scale_of_people() -> None:
    """Plausibilities of 0 to 100: 20 and 30 for what people give 40, 50 and 100 for what they give 90."""
    calibrated = calibration([40, 40, 90, 90, 10], [20, 30, 50, 100, None], bins=2, minimum=0, maximum=100)
    assert calibrated.bins == (CalibrationBin(0, 50, 2, 25, 40), CalibrationBin(50, 100, 2, 75, 90))
    assert (calibrated.error, calibrated.n) == (pytest.approx(15), 4)
    nothing = calibration([0.5], [None])
    assert (nothing.error, nothing.bins, nothing.n) == (None, (), 0)


@given(st.integers(0, 10), st.integers(0, 10))
def test_the_posterior_of_whole_scores_is_that_of_fractions(plus: int, minus: int) -> None:
    supporting, opposing = Fraction(plus, 10), Fraction(minus, 10)
    either = supporting * (1 - opposing) + (1 - supporting) * opposing
    expected = supporting * (1 - opposing) / either if either else Fraction(1, 2)
    probability = posterior(plus / 10, minus / 10)
    assert probability.defined == (either != 0)
    assert probability.value == pytest.approx(float(expected), abs=1e-12)


def test_just_two_pairs_of_scores_are_undefined() -> None:
    unknown = [pair for pair in product(range(11), repeat=2) if not posterior(pair[0] / 10, pair[1] / 10).defined]
    assert unknown == [(0, 0), (10, 10)]


@pytest.mark.parametrize("pair", [(-0.1, 0.5), (0.5, 1.1), (float("nan"), 0.5)])
def test_scores_are_from_0_to_1(pair: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        posterior(*pair)
