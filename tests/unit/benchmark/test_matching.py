import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from annotate.agreement.span_matching import (
    Overlaps,
    SpanArray,
    find_overlaps,
    match_best_pairs,
    match_holle_rein_pairs,
    match_most_pairs,
    unmatched_mask,
)
from tests.builders.marks import drawn_spans, spans


def one_to_one(found: Overlaps) -> bool:
    return len(set(found.first.tolist())) == len(set(found.second.tolist())) == len(found)


@given(drawn_spans(), drawn_spans())
def test_the_best_pairs_are_those_of_a_full_assignment(first: SpanArray, second: SpanArray) -> None:
    found = find_overlaps(first, second)
    table = np.zeros((len(first), len(second)))
    table[found.first, found.second] = found.iou
    matched = match_best_pairs(found, first, second)
    assert one_to_one(matched)
    assert abs(matched.iou.sum() - table[linear_sum_assignment(table, maximize=True)].sum()) < 1e-6


@given(drawn_spans(), drawn_spans(), st.sampled_from([0.3, 0.5, 0.7]))
def test_as_many_pairs_as_can_be(first: SpanArray, second: SpanArray, level: float) -> None:
    found = find_overlaps(first, second)
    table = np.zeros((len(first), len(second)))
    table[found.first, found.second] = found.iou >= level
    matched = match_most_pairs(found, len(first), len(second), level)
    assert one_to_one(matched)
    assert (matched.iou >= level).all()
    assert len(matched) == table[linear_sum_assignment(table, maximize=True)].sum()


@given(drawn_spans(), drawn_spans())
def test_the_greedy_pairs_leave_no_better_one(first: SpanArray, second: SpanArray) -> None:
    found = find_overlaps(first, second)
    linked = match_holle_rein_pairs(found, first, second)
    assert one_to_one(linked)
    assert (linked.share_of_longer >= 0.6).all()
    best_of_first, best_of_second = np.zeros(len(first)), np.zeros(len(second))
    best_of_first[linked.first] = best_of_second[linked.second] = linked.share_of_longer
    fits = found.take(found.share_of_longer >= 0.6)
    assert (np.maximum(best_of_first[fits.first], best_of_second[fits.second]) >= fits.share_of_longer).all()


@given(drawn_spans(), drawn_spans())
def test_the_greedy_pairs_do_not_depend_on_who_comes_first(first: SpanArray, second: SpanArray) -> None:
    overlaps = match_holle_rein_pairs(find_overlaps(first, second), first, second)
    other = match_holle_rein_pairs(find_overlaps(second, first), second, first)
    assert sorted(overlaps.share_of_longer) == sorted(other.share_of_longer)
    assert (first.label[overlaps.first] == second.label[overlaps.second]).sum() == (
        second.label[other.first] == first.label[other.second]
    ).sum()


def test_a_short_overlap_of_a_long_span_is_no_pair_of_holle_and_rein() -> None:
    long, short = spans([(0, 0, 100, 0)]), spans([(0, 0, 59, 0), (0, 40, 100, 1)])
    linked = match_holle_rein_pairs(find_overlaps(long, short), long, short)
    assert linked.second.tolist() == [1]


def test_of_equal_spans_the_one_with_the_same_label_is_matched() -> None:
    first, second = spans([(0, 0, 10, 1)]), spans([(0, 0, 10, 0), (0, 0, 10, 1)])
    assert match_best_pairs(find_overlaps(first, second), first, second).second.tolist() == [1]
    assert unmatched_mask(2, np.array([1])).tolist() == [True, False]


def test_a_long_chain_of_spans_is_matched_at_once() -> None:
    """Each span overlaps two of the other side, all the way: no table of 5,000 by 5,000 may come of it."""
    first = spans([(0, 10 * i, 10 * i + 10, 0) for i in range(5000)])
    second = spans([(0, 10 * i + 3, 10 * i + 13, 0) for i in range(5000)])
    assert match_best_pairs(find_overlaps(first, second), first, second).first.tolist() == list(range(5000))
