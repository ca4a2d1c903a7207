from statistics import fmean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.weightstats import DescrStatsW

from benchmark.metrics.resampling import mean_sd
from tests.builders.metric_cases import numbers, random_cases


@random_cases
def test_random_cases_are_those_of_statsmodels(cases: int) -> None:
    for values, _ in numbers(cases):
        found, reference = mean_sd([*values]), DescrStatsW(values)
        assert found.mean == pytest.approx(reference.mean, abs=1e-9)
        assert found.sd == pytest.approx(reference.std_ddof(1), abs=1e-9)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=10))
def test_draws_without_a_value_are_counted_and_left_out(values: list[float | None]) -> None:
    known = [value for value in values if value is not None]
    found = mean_sd(values)
    assert found.draws + found.undefined == len(values)
    assert found.mean == (pytest.approx(fmean(known)) if known else None)
    assert found.sd == (pytest.approx(np.std(known, ddof=1), abs=1e-9) if len(known) > 1 else None)


def test_one_draw_has_no_standard_deviation() -> None:
    assert mean_sd([0.5]).sd is None
    assert mean_sd([0.5] * 3).sd == 0
