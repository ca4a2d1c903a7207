"""The modified kappa of Holle and Rein against iterative proportional fitting, as they describe it."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.segment_agreement import expected_agreement, modified_kappa, modified_kappa_max


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
