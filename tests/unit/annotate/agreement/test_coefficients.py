"""Coefficients of agreement, against references and values written out."""

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
from annotate.agreement.segment_agreement import expected_agreement, modified_kappa, modified_kappa_max


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


def fit_proportionally(table: np.ndarray) -> np.ndarray:
    """Fit ones, with a zero where both are unmatched, to the margins, until nothing moves."""
    fit = np.ones_like(table)
    fit[-1, -1] = 0
    for _ in range(20_000):
        before = fit
        for axis in (1, 0):
            sums = fit.sum(axis, keepdims=True)
            fit = fit * np.divide(table.sum(axis, keepdims=True), sums, out=np.zeros_like(sums), where=sums > 0)
        if np.abs(fit - before).max() < 1e-14 * table.sum():
            break
    return fit


@st.composite
def linked_tables(draw: st.DrawFn) -> np.ndarray:
    size = draw(st.integers(1, 4)) + 1
    cells = draw(st.lists(st.integers(0, 9), min_size=size * size, max_size=size * size))
    table = np.array(cells, float).reshape(size, size)
    table[:-1, :-1] *= 2
    table[0, 0] += 2
    table[-1, -1] = 0
    return table


@given(linked_tables())
def test_chance_is_what_proportional_fitting_converges_to(table: np.ndarray) -> None:
    fit = fit_proportionally(table)
    np.testing.assert_allclose(expected_agreement(table), np.trace(fit[:-1, :-1]) / table.sum(), atol=1e-9)


def test_a_table_written_out() -> None:
    """Error and competence, 4 and 3 pairs alike, 1 not; 2 and 1 segments unmatched. Matched pairs count twice.

    |            | error | competence | unmatched | sum |
    |------------|-------|------------|-----------|-----|
    | error      | 8     | 2          | 2         | 12  |
    | competence | 0     | 6          | 0         | 6   |
    | unmatched  | 1     | 0          | 0         | 1   |
    | sum        | 9     | 8          | 2         | 19  |

    Linked by chance: 19 - 2 - 1 = 16, of which 12/18 * 9/17 + 6/18 * 8/17 = 156/306 alike.
    """
    table = np.array([[8.0, 2, 2], [0, 6, 0], [1, 0, 0]])
    chance = 16 / 19 * 156 / 306
    np.testing.assert_allclose(expected_agreement(table), chance)
    np.testing.assert_allclose(modified_kappa(table), (14 / 19 - chance) / (1 - chance))
    np.testing.assert_allclose(modified_kappa_max(table), (15 / 19 - chance) / (1 - chance))


def test_perfect_is_1_no_match_is_0_and_only_wrong_labels_are_below() -> None:
    assert modified_kappa(np.array([[6.0, 0, 0], [0, 4, 0], [0, 0, 0]])) == 1
    assert modified_kappa(np.array([[0.0, 0, 3], [0, 0, 1], [2, 2, 0]])) == 0
    assert modified_kappa(np.array([[0.0, 4, 0], [4, 0, 0], [0, 0, 0]])) == -1
    assert np.isnan(modified_kappa(np.array([[6.0, 0], [0, 0]]))), "one label and nothing unmatched"
