"""Stretches of disagreement, against looking at every instant."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from annotate.agreement.span_matching import Disagreement, DisagreementKind, SpanArray, find_disagreement_spans
from tests.builders.marks import spans

rows = st.lists(st.tuples(st.integers(0, 30), st.integers(1, 12), st.integers(0, 2)), max_size=8)
lanes = st.lists(
    rows.map(lambda found: spans([(0, start, start + length, label) for start, length, label in found])),
    min_size=2,
    max_size=3,
)


def labels_at(lane: SpanArray, time: int) -> frozenset[int]:
    return frozenset(lane.label[(lane.start_us <= time) & (time < lane.end_us)].tolist())


@given(lanes)
def test_it_is_what_a_look_at_every_instant_finds(found: list[SpanArray]) -> None:
    kinds: list[DisagreementKind | None] = []
    for time in range(50):
        said = [labels_at(lane, time) for lane in found]
        marked = {one for one in said if one}
        if len(marked) > 1:
            kinds.append(DisagreementKind.LABEL)
        else:
            kinds.append(DisagreementKind.UNMARKED if marked and frozenset() in said else None)
    drawn: list[DisagreementKind | None] = [None] * 50
    stretches = find_disagreement_spans(found)
    for stretch in stretches:
        drawn[stretch.start_us : stretch.end_us] = [stretch.kind] * (stretch.end_us - stretch.start_us)
    assert drawn == kinds
    assert stretches == sorted(stretches, key=lambda disagreement: disagreement.start_us)
    for stretch, following in pairwise(stretches):
        assert stretch.end_us < following.start_us or stretch.kind is not following.kind


def test_one_lane_disagrees_with_nobody_and_an_empty_one_with_every_mark() -> None:
    lane = spans([(0, 5, 9, 0)])
    assert find_disagreement_spans([lane]) == []
    assert find_disagreement_spans([lane, spans([])]) == [Disagreement(5, 9, DisagreementKind.UNMARKED)]


def test_the_same_label_twice_at_once_is_no_disagreement() -> None:
    assert find_disagreement_spans([spans([(0, 0, 9, 0), (0, 3, 6, 0)]), spans([(0, 0, 9, 0)])]) == []


def test_a_thousand_segments_give_as_many_stretches_as_they_should() -> None:
    times = np.arange(500) * 10
    span_array = SpanArray(np.zeros(500, np.int64), times, times + 6, np.zeros(500, np.int64))
    other = SpanArray(np.zeros(500, np.int64), times + 3, times + 9, np.ones(500, np.int64))
    assert len(find_disagreement_spans([span_array, other])) == 1500
