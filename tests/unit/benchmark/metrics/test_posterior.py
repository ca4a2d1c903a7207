from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmark.metrics.ratings import posterior

scores = st.integers(0, 10)


@given(scores, scores)
def test_every_pair_of_whole_scores_as_fractions(plus: int, minus: int) -> None:
    for_, against = Fraction(plus, 10), Fraction(minus, 10)
    below = for_ * (1 - against) + (1 - for_) * against
    found = posterior(plus / 10, minus / 10)
    assert found.defined == (below != 0)
    expected = for_ * (1 - against) / below if below else Fraction(1, 2)
    assert found.value == pytest.approx(float(expected), abs=1e-12)


@given(st.floats(0, 1), st.floats(0, 1))
def test_the_two_explanations_are_mirrors(plus: float, minus: float) -> None:
    pair, other = posterior(plus, minus), posterior(minus, plus)
    assert pair.defined == other.defined
    assert pair.value + other.value == pytest.approx(1)
    assert 0 <= pair.value <= 1


@given(st.floats(0.01, 0.99))
def test_equal_scores_and_no_opposition_say_what_they_should(score: float) -> None:
    assert posterior(score, score).value == pytest.approx(0.5)
    assert posterior(score, 0.5).value == pytest.approx(score)
    assert posterior(score, 0) == (1, True)
    assert posterior(score, 1) == (0, True)


def test_just_two_pairs_are_undefined() -> None:
    unknown = [pair for pair in product(range(11), repeat=2) if not posterior(pair[0] / 10, pair[1] / 10).defined]
    assert unknown == [(0, 0), (10, 10)]


@pytest.mark.parametrize("pair", [(-0.1, 0.5), (0.5, 1.1), (float("nan"), 0.5)])
def test_scores_are_from_0_to_1(pair: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="0 to 1"):
        posterior(*pair)
