"""Coefficients of agreement, against the library of reference and values written out."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.coefficients import (
    assign_bins,
    cohen_kappa,
    confusion_tables,
    count_coincidences,
    interval_alpha,
    jaccard_distance,
    kappa_max,
    metric_alpha,
    nominal_distance,
    ordinal_alpha,
)


def nominal_alpha(pairs, resamples=None):
    return metric_alpha(pairs, nominal_distance(pairs.values), resamples)


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
    import krippendorff

    values = np.where(codes < 0, np.nan, NUMBERS[codes])
    return float(krippendorff.alpha(reliability_data=values, level_of_measurement=level))


@given(ratings())
def test_alpha_is_that_of_the_reference_library(codes: np.ndarray) -> None:
    pairs = count_coincidences(codes, np.zeros(codes.shape[1], np.int64), 5, 1)
    np.testing.assert_allclose(nominal_alpha(pairs), [reference(codes, "nominal")], atol=1e-9)
    np.testing.assert_allclose(ordinal_alpha(pairs), [reference(codes, "ordinal")], atol=1e-9)
    np.testing.assert_allclose(interval_alpha(pairs, NUMBERS), [reference(codes, "interval")], atol=1e-9)
    squares = (NUMBERS[:, None] - NUMBERS) ** 2
    np.testing.assert_allclose(metric_alpha(pairs, squares), [reference(codes, "interval")], atol=1e-9)


@given(ratings(), st.lists(st.integers(0, 3), min_size=12, max_size=12))
def test_resampling_is_repeating_what_was_drawn(codes: np.ndarray, drawn: list[int]) -> None:
    units = codes.shape[1]
    weights = np.array(drawn[:units], float)
    weights[:2] += 1
    pairs = count_coincidences(codes, np.arange(units), 5, units)
    repeated = np.repeat(codes, weights.astype(int), axis=1)
    for ours, level in (
        (nominal_alpha(pairs, weights[None]), "nominal"),
        (ordinal_alpha(pairs, weights[None]), "ordinal"),
        (interval_alpha(pairs, NUMBERS, weights[None]), "interval"),
    ):
        np.testing.assert_allclose(ours, [reference(repeated, level)], atol=1e-9)


def test_the_example_of_krippendorff() -> None:
    """Four observers, twelve units, 41 values: nominal 0.743, ordinal 0.815, interval 0.849 (2011, section C)."""
    data = """
    1 2 3 3 2 1 4 1 2 . . .
    1 2 3 3 2 2 4 1 2 5 . 3
    . 3 3 3 2 3 4 2 2 5 1 .
    1 2 3 3 2 4 4 1 2 5 1 ."""
    codes = np.array([[-1 if cell == "." else int(cell) - 1 for cell in row.split()] for row in data.split("\n")[1:]])
    pairs = count_coincidences(codes, np.zeros(12, np.int64), 5, 1)
    assert nominal_alpha(pairs)[0] == pytest.approx(0.743, abs=5e-4)
    assert ordinal_alpha(pairs)[0] == pytest.approx(0.815, abs=5e-4)
    assert interval_alpha(pairs, np.arange(1.0, 6))[0] == pytest.approx(0.849, abs=5e-4)


def test_alpha_of_sets_written_out() -> None:
    """Two units: {a,b} against {a}, and {c} twice. Observed 1/4, expected 9/12: alpha is 2/3."""
    sets = np.array([[1, 1, 0], [1, 0, 0], [0, 0, 1]], bool)
    pairs = count_coincidences(np.array([[0, 2], [1, 2]]), np.zeros(2, np.int64), 3, 1)
    np.testing.assert_allclose(metric_alpha(pairs, jaccard_distance(sets)), [2 / 3])


def test_kappa_of_a_table_written_out() -> None:
    """Both say yes 20 times and no 15 times; 5 and 10 times they differ: (0.7 - 0.5) / (1 - 0.5)."""
    table = np.array([[20.0, 5.0], [10.0, 15.0]])
    np.testing.assert_allclose(cohen_kappa(table), 0.4)
    # The margins are 25 and 25, 30 and 20, so at most 45 of 50 can agree: (0.9 - 0.5) / (1 - 0.5).
    np.testing.assert_allclose(kappa_max(table), 0.8)
    assert cohen_kappa(np.array([[0.0, 5.0], [5.0, 0.0]])) == -1
    assert np.isnan(cohen_kappa(np.array([[9.0, 0.0], [0.0, 0.0]])))


def test_what_is_missing_counts_in_no_table() -> None:
    codes, other = np.array([0, -1, 1]), np.array([0, 0, -1])
    counted = confusion_tables(codes, other, np.array([2, 3, 4]), np.zeros(3, np.int64), 2, 1)
    assert counted.tolist() == [[[2, 0], [0, 0]]]


def test_bins_are_of_one_width_and_the_maximum_is_in_the_last() -> None:
    assert assign_bins(np.array([0.0, 1.9, 2, 9.9, 10]), 0, 10, 5).tolist() == [0, 0, 1, 4, 4]
    assert assign_bins(np.array([-5.0, 0, 5]), -5, 5, 2).tolist() == [0, 1, 1]
