"""Overlaps, pairs, stretches of disagreement and the time grid, against looking at every pair and every instant."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.coefficients import kappa_of_codes
from annotate.agreement.span_matching import (
    DisagreementKind,
    Overlaps,
    SpanArray,
    find_disagreement_spans,
    find_overlaps,
    match_best_pairs,
    match_holle_rein_pairs,
    match_most_pairs,
    sample_time_grid,
    unmatched_mask,
)
from tests.builders.marks import drawn_spans, spans

LENGTHS = np.array([45, 7, 30])


def rows_of(lane: SpanArray) -> list[tuple[int, int, int]]:
    return list(zip(lane.axis.tolist(), lane.start_us.tolist(), lane.end_us.tolist(), strict=True))


@given(drawn_spans(), drawn_spans())
def test_overlaps_are_those_of_comparing_each_with_each(first: SpanArray, second: SpanArray) -> None:
    expected = []
    for i, (axis, start, end) in enumerate(rows_of(first)):
        for j, (other_axis, other_start, other_end) in enumerate(rows_of(second)):
            shared = min(end, other_end) - max(start, other_start)
            if axis == other_axis and shared > 0:
                either = end - start + other_end - other_start - shared
                expected.append((i, j, shared, shared / either, shared / max(end - start, other_end - other_start)))
    overlaps = find_overlaps(first, second)
    columns = (overlaps.first, overlaps.second, overlaps.shared_us, overlaps.iou, overlaps.share_of_longer)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == expected


def is_one_to_one(pairs: Overlaps) -> bool:
    return len(set(pairs.first.tolist())) == len(set(pairs.second.tolist())) == len(pairs)


@given(drawn_spans(), drawn_spans(), st.sampled_from([0.3, 0.5, 0.7]))
def test_the_best_and_the_most_pairs_are_those_of_a_full_assignment(
    first: SpanArray, second: SpanArray, level: float
) -> None:
    from scipy.optimize import linear_sum_assignment

    overlaps = find_overlaps(first, second)
    table = np.zeros((len(first), len(second)))
    table[overlaps.first, overlaps.second] = overlaps.iou
    best = match_best_pairs(overlaps, first, second)
    assert is_one_to_one(best)
    assert abs(best.iou.sum() - table[linear_sum_assignment(table, maximize=True)].sum()) < 1e-6
    most = match_most_pairs(overlaps, len(first), len(second), level)
    assert is_one_to_one(most)
    assert (most.iou >= level).all()
    assert len(most) == (table >= level)[linear_sum_assignment(table >= level, maximize=True)].sum()


@given(drawn_spans(), drawn_spans())
def test_the_greedy_pairs_leave_no_better_one_whoever_comes_first(first: SpanArray, second: SpanArray) -> None:
    overlaps = find_overlaps(first, second)
    linked = match_holle_rein_pairs(overlaps, first, second)
    assert is_one_to_one(linked)
    assert (linked.share_of_longer >= 0.6).all()
    best_of_first, best_of_second = np.zeros(len(first)), np.zeros(len(second))
    best_of_first[linked.first] = best_of_second[linked.second] = linked.share_of_longer
    fits = overlaps.take(overlaps.share_of_longer >= 0.6)
    assert (np.maximum(best_of_first[fits.first], best_of_second[fits.second]) >= fits.share_of_longer).all()
    turned = match_holle_rein_pairs(find_overlaps(second, first), second, first)
    assert sorted(linked.share_of_longer) == sorted(turned.share_of_longer)
    same = first.label[linked.first] == second.label[linked.second]
    assert same.sum() == (second.label[turned.first] == first.label[turned.second]).sum()


def test_a_short_overlap_of_a_long_span_is_no_pair_of_holle_and_rein() -> None:
    long, short = spans([(0, 0, 100, 0)]), spans([(0, 0, 59, 0), (0, 40, 100, 1)])
    linked = match_holle_rein_pairs(find_overlaps(long, short), long, short)
    assert linked.second.tolist() == [1]


def test_of_equal_spans_the_one_with_the_same_label_is_matched() -> None:
    first, second = spans([(0, 0, 10, 1)]), spans([(0, 0, 10, 0), (0, 0, 10, 1)])
    assert match_best_pairs(find_overlaps(first, second), first, second).second.tolist() == [1]
    assert unmatched_mask(2, np.array([1])).tolist() == [True, False]


rows = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 2)), max_size=8)
lanes_on_one_axis = st.lists(
    rows.map(lambda rows: spans([(0, start, start + length, label) for start, length, label in rows])),
    min_size=2,
    max_size=3,
)


def labels_at(lane: SpanArray, time: int) -> frozenset[int]:
    return frozenset(lane.label[(lane.start_us <= time) & (time < lane.end_us)].tolist())


@given(lanes_on_one_axis)
def test_disagreement_is_what_a_look_at_every_instant_finds(lanes: list[SpanArray]) -> None:
    kinds: list[DisagreementKind | None] = []
    for time in range(50):
        said = [labels_at(lane, time) for lane in lanes]
        marked = {labels for labels in said if labels}
        if len(marked) > 1:
            kinds.append(DisagreementKind.LABEL)
        else:
            kinds.append(DisagreementKind.UNMARKED if marked and frozenset() in said else None)
    drawn: list[DisagreementKind | None] = [None] * 50
    stretches = find_disagreement_spans(lanes)
    for stretch in stretches:
        drawn[stretch.start_us : stretch.end_us] = [stretch.kind] * (stretch.end_us - stretch.start_us)
    assert drawn == kinds
    assert stretches == sorted(stretches, key=lambda stretch: stretch.start_us)
    for stretch, following in pairwise(stretches):
        assert stretch.end_us < following.start_us or stretch.kind is not following.kind


def laid_out(lane: SpanArray, step: int) -> list[tuple[int, ...]]:
    states = []
    for axis, length in enumerate(LENGTHS.tolist()):
        for instant in range(0, length, step):
            here = (lane.axis == axis) & (lane.start_us <= instant) & (instant < lane.end_us)
            states.append(tuple(sorted(set(lane.label[here].tolist()))))
    return states


@given(drawn_spans(), drawn_spans(), st.integers(1, 8))
def test_the_grid_and_its_kappa_are_those_of_a_look_at_every_instant(
    first: SpanArray, second: SpanArray, step: int
) -> None:
    grid = sample_time_grid([first, second], LENGTHS, step)
    states = [laid_out(lane, step) for lane in (first, second)]
    for codes, expected in zip(grid.states, states, strict=True):
        assert [grid.names[code] for code in np.repeat(codes, grid.instants)] == expected
    found = kappa_of_codes(grid.states, len(grid.names), grid.instants)
    observed = np.mean([labels == other for labels, other in zip(*states, strict=True)])
    chance = sum(states[0].count(labels) * states[1].count(labels) for labels in {*states[0]}) / len(states[0]) ** 2
    if chance == 1:
        assert np.isnan(found)
    else:
        np.testing.assert_allclose(found, (observed - chance) / (1 - chance), atol=1e-9)


def test_where_somebody_did_not_work_there_is_no_gap_but_nothing() -> None:
    worked = np.array([[True, True], [True, False], [True, True]])
    grid = sample_time_grid([spans([(1, 0, 5, 0)]), spans([])], LENGTHS, 1, worked)
    assert grid.states[1][grid.axis == 1].tolist() == [-1, -1]
