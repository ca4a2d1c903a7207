from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from project.timebase import Interval, merge_spans, subtract_intervals

stretches = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)).map(lambda p: (min(p), max(p))), max_size=6)


def points(spans: list[Interval]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


@given(stretches, stretches)
def test_stretches_are_sets_of_points(some: list[Interval], others: list[Interval]) -> None:
    assert points(merge_spans(some)) == points(some)
    assert points(subtract_intervals(some, others)) == points(some) - points(others)
    for found in (merge_spans(some), subtract_intervals(some, others)):
        assert all(first[1] <= second[0] for first, second in pairwise(found))
