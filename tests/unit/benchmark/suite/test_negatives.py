import itertools
import random

from hypothesis import given
from hypothesis import strategies as st

from benchmark.items.sampling import cut_negatives
from tests.builders.item_pools import SECOND, gap


@given(
    st.lists(st.integers(1, 90 * SECOND), min_size=1, max_size=5),
    st.lists(st.integers(1, 20 * SECOND), min_size=1, max_size=5),
    st.integers(0, 12),
    st.integers(0, 1000),
)
def test_stretches_lie_in_gaps_apart_from_each_other_and_as_long_as_marked_ones(
    rooms: list[int], lengths: list[int], number: int, seed: int
) -> None:
    gaps = [gap(at, length_us=room) for at, room in enumerate(rooms)]
    found = cut_negatives(gaps, lengths, number, random.Random(seed))
    assert len(found) <= number
    spans = sorted(
        (item_candidate.recording_id, item_candidate.start_us, item_candidate.end_us) for item_candidate in found
    )
    for home, start, end in spans:
        assert end - start in lengths
        assert any(
            item_candidate.recording_id == home and item_candidate.start_us <= start and end <= item_candidate.end_us
            for item_candidate in gaps
        )
    for (home, _, end), (other, start, _) in itertools.pairwise(spans):
        assert home != other or end <= start


def test_every_place_in_a_gap_is_as_likely() -> None:
    chance = random.Random(0)
    starts = [cut_negatives([gap(0, length_us=11)], [8], 1, chance)[0].start_us for _ in range(4000)]
    assert {*starts} == {0, 1, 2, 3}
    assert all(900 < starts.count(place) < 1100 for place in range(4))


def test_there_is_nothing_where_no_gap_is_long_enough() -> None:
    assert cut_negatives([gap(0, length_us=5)], [6], 3, random.Random(0)) == []
    assert cut_negatives([], [6], 3, random.Random(0)) == []
