"""The grid that is never laid out, against one that is."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from annotate.agreement.coefficients import confusion_tables, grid_kappa, kappa, kappa_max
from annotate.agreement.span_matching import SpanArray, sample_time_grid
from tests.builders.marks import drawn_spans, spans

LENGTHS = np.array([45, 7, 30])


def laid_out(lane: SpanArray, step: int) -> list[tuple[int, ...]]:
    states = []
    for axis, length in enumerate(LENGTHS.tolist()):
        for instant in range(0, length, step):
            here = (lane.axis == axis) & (lane.start_us <= instant) & (instant < lane.end_us)
            states.append(tuple(sorted(set(lane.label[here].tolist()))))
    return states


@given(drawn_spans(), drawn_spans(), st.integers(1, 8))
def test_it_says_what_a_look_at_every_instant_says(first: SpanArray, second: SpanArray, step: int) -> None:
    grid = sample_time_grid([first, second], LENGTHS, step)
    for lane, states in zip((first, second), grid.states, strict=True):
        spelled = [grid.names[state] for state in np.repeat(states, grid.instants)]
        assert spelled == laid_out(lane, step)


@given(drawn_spans(), drawn_spans(), st.integers(1, 8))
def test_kappa_is_that_of_scikit_learn_on_every_instant(first: SpanArray, second: SpanArray, step: int) -> None:
    one, other = ([" ".join(map(str, state)) for state in laid_out(lane, step)] for lane in (first, second))
    ours = grid_kappa(sample_time_grid([first, second], LENGTHS, step))
    if len({*one, *other}) == 1:
        assert np.isnan(ours)
    else:
        np.testing.assert_allclose(ours, cohen_kappa_score(one, other), atol=1e-9)


def test_where_somebody_did_not_work_there_is_no_gap_but_nothing() -> None:
    worked = np.array([[True, True], [True, False], [True, True]])
    grid = sample_time_grid([spans([(1, 0, 5, 0)]), spans([])], LENGTHS, 1, worked)
    assert grid.states[1][grid.axis == 1].tolist() == [-1, -1]


def test_kappa_of_a_table_written_out() -> None:
    """Both say yes 20 times and no 15 times; 5 and 10 times they differ: (0.7 - 0.5) / (1 - 0.5)."""
    table = np.array([[20.0, 5.0], [10.0, 15.0]])
    np.testing.assert_allclose(kappa(table), 0.4)
    # The margins are 25 and 25, 30 and 20, so at most 45 of 50 can agree: (0.9 - 0.5) / (1 - 0.5).
    np.testing.assert_allclose(kappa_max(table), 0.8)


def test_kappa_below_chance_is_negative_and_of_one_category_undefined() -> None:
    assert kappa(np.array([[0.0, 5.0], [5.0, 0.0]])) == -1
    assert np.isnan(kappa(np.array([[9.0, 0.0], [0.0, 0.0]])))


def test_what_is_missing_counts_in_no_table() -> None:
    codes, other = np.array([0, -1, 1]), np.array([0, 0, -1])
    counted = confusion_tables(codes, other, np.array([2, 3, 4]), np.zeros(3, np.int64), 2, 1)
    assert counted.tolist() == [[[2, 0], [0, 0]]]
