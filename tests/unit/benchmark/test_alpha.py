import krippendorff
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.coefficients import (
    count_coincidences,
    interval_alpha,
    jaccard_distance,
    metric_alpha,
    nominal_alpha,
    ordinal_alpha,
)

NUMBERS = np.array([0.0, 1, 2, 5, 10])


@st.composite
def ratings(draw: st.DrawFn) -> np.ndarray:
    """(annotators, units) codes, some missing, in which at least two different values can be paired."""
    people, units = draw(st.integers(2, 4)), draw(st.integers(2, 12))
    cells = draw(st.lists(st.integers(-1, 4), min_size=people * units, max_size=people * units))
    codes = np.array(cells).reshape(people, units)
    codes[:2, 0], codes[:2, 1] = (0, 1), (1, 2)
    return codes


def reference(codes: np.ndarray, level: str) -> float:
    values = np.where(codes < 0, np.nan, NUMBERS[codes])
    return float(krippendorff.alpha(reliability_data=values, level_of_measurement=level))


@given(ratings())
def test_it_is_that_of_the_reference_library(codes: np.ndarray) -> None:
    found = count_coincidences(codes, np.zeros(codes.shape[1], np.int64), 5, 1)
    np.testing.assert_allclose(nominal_alpha(found), [reference(codes, "nominal")], atol=1e-9)
    np.testing.assert_allclose(ordinal_alpha(found), [reference(codes, "ordinal")], atol=1e-9)
    np.testing.assert_allclose(interval_alpha(found, NUMBERS), [reference(codes, "interval")], atol=1e-9)
    squares = (NUMBERS[:, None] - NUMBERS) ** 2
    np.testing.assert_allclose(metric_alpha(found, squares), [reference(codes, "interval")], atol=1e-9)


@given(ratings(), st.integers(1, 9))
def test_a_unit_that_stands_for_many_counts_as_many(codes: np.ndarray, times: int) -> None:
    group = np.zeros(codes.shape[1], np.int64)
    units = np.full(codes.shape[1], times)
    units[0] = 1
    found = count_coincidences(codes, group, 5, 1, units)
    np.testing.assert_allclose(nominal_alpha(found), [reference(np.repeat(codes, units, axis=1), "nominal")], atol=1e-9)


@given(ratings(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_resampling_is_repeating_what_was_drawn(codes: np.ndarray, drawn: list[int]) -> None:
    units = codes.shape[1]
    weights = np.array(drawn[:units], float)
    weights[:2] += 1
    found = count_coincidences(codes, np.arange(units), 5, units)
    repeated = np.repeat(codes, weights.astype(int), axis=1)
    for ours, level in ((nominal_alpha, "nominal"), (ordinal_alpha, "ordinal")):
        np.testing.assert_allclose(ours(found, weights[None]), [reference(repeated, level)], atol=1e-9)
    np.testing.assert_allclose(
        interval_alpha(found, NUMBERS, weights[None]), [reference(repeated, "interval")], atol=1e-9
    )


def test_the_example_of_krippendorff() -> None:
    """Four observers, twelve units, 41 values: nominal 0.743, ordinal 0.815, interval 0.849 (2011, section C)."""
    data = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 ."""
    codes = np.array([[-1 if cell == "." else int(cell) - 1 for cell in row.split()] for row in data.split("\n")[1:]])
    found = count_coincidences(codes, np.zeros(12, np.int64), 5, 1)
    assert nominal_alpha(found)[0] == pytest.approx(0.743, abs=5e-4)
    assert ordinal_alpha(found)[0] == pytest.approx(0.815, abs=5e-4)
    assert interval_alpha(found, np.arange(1.0, 6))[0] == pytest.approx(0.849, abs=5e-4)


def test_jaccard_distance_written_out() -> None:
    sets = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1], [0, 0, 0]], bool)
    np.testing.assert_allclose(jaccard_distance(sets), [[0, 0.5, 1, 1], [0.5, 0, 1, 1], [1, 1, 0, 1], [1, 1, 1, 0]])


def test_alpha_of_sets_written_out() -> None:
    """Two units: {a,b} against {a}, and {c} twice. Observed 1/4, expected 9/12: alpha is 2/3."""
    sets = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool)
    found = count_coincidences(np.array([[0, 2], [1, 2]]), np.zeros(2, np.int64), 3, 1)
    np.testing.assert_allclose(metric_alpha(found, jaccard_distance(sets)), [2 / 3])


def test_one_value_throughout_is_undefined() -> None:
    found = count_coincidences(np.zeros((2, 5), np.int64), np.zeros(5, np.int64), 1, 1)
    assert np.isnan(nominal_alpha(found)).all()
    assert np.isnan(ordinal_alpha(found)).all()
