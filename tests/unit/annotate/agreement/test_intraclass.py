"""Intraclass correlations: those of published tables, with their intervals, and alike from sums."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from annotate.agreement.intraclass import (
    intraclass_agreement,
    intraclass_consistency,
    pair_agreement,
    pair_consistency,
    rating_moments,
)

SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
"""Table 2 of Shrout and Fleiss (1979): six targets, four judges; their results are in table 4."""


def test_the_table_of_shrout_and_fleiss() -> None:
    agreement, consistency = intraclass_agreement(SHROUT_FLEISS), intraclass_consistency(SHROUT_FLEISS)
    assert (round(agreement.value, 2), round(consistency.value, 2)) == (0.29, 0.71)
    # The intervals are those that psych::ICC and pingouin print of this table.
    assert (round(agreement.low, 2), round(agreement.high, 2)) == (0.02, 0.76)
    assert (round(consistency.low, 2), round(consistency.high, 2)) == (0.34, 0.95)


def test_a_stricter_rater_is_consistent_and_does_not_agree() -> None:
    first = np.arange(10.0)
    strict = np.stack([first, first - 3], axis=1)
    assert intraclass_consistency(strict).value == pytest.approx(1)
    assert intraclass_agreement(strict).value < 0.75
    same = intraclass_agreement(np.stack([first, first], axis=1))
    assert (same.value, same.low, same.high) == (1, 1, 1)


@pytest.mark.parametrize("ratings", [np.ones((5, 2)), np.ones((1, 2)), np.zeros((0, 2))])
def test_nothing_varies(ratings: np.ndarray) -> None:
    assert np.isnan(intraclass_agreement(ratings).value)
    assert np.isnan(intraclass_consistency(ratings).value)
    sums = rating_moments(ratings[:, 0], ratings[:, 1], np.zeros(len(ratings), np.int64), 1)
    assert np.isnan(pair_agreement(sums)).all()


@example([(0, 1), (0, 1)])
@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 100)), min_size=2, max_size=30))
def test_sums_give_the_same(pairs: list[tuple[int, int]]) -> None:
    ratings = np.array(pairs, float)
    sums = rating_moments(ratings[:, 0], ratings[:, 1], np.arange(len(pairs)) % 2, 2).sum(0)
    for whole, part in ((intraclass_agreement, pair_agreement), (intraclass_consistency, pair_consistency)):
        assert float(part(sums)) == pytest.approx(whole(ratings).value, abs=1e-9, nan_ok=True)
