from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from project.entities.study_records import Segment, Verdict
from widgets.timeline import timeline_model as stacking
from widgets.timeline.timeline_model import MAX_ROWS, SegmentTrack, sort_key

verdicts = st.sampled_from(list(Verdict))


def made(number: int, start: int, length: int, verdict: Verdict = Verdict.ERROR) -> Segment:
    return Segment(f"s{number:04}", "r", "a", verdict, start, start + length)


segment_lists = st.lists(st.tuples(st.integers(0, 300), st.integers(0, 60), verdicts), max_size=60).map(
    lambda rows: [made(i, *row) for i, row in enumerate(rows)]
)


def naive_rows(segments: list[Segment]) -> list[int]:
    ends: list[int] = [-1] * MAX_ROWS
    rows = []
    for s in sorted(segments, key=sort_key):
        row = next((r for r in range(MAX_ROWS) if ends[r] <= s.start_us), MAX_ROWS)
        if row < MAX_ROWS:
            ends[row] = max(s.end_us, s.start_us + 1)
        rows.append(row)
    return rows


def overlaps_in_row(starts: NDArray[np.int64], ends: NDArray[np.int64], rows: NDArray[np.uint8]) -> bool:
    for row in range(MAX_ROWS):
        chosen = rows == row
        edges = zip(starts[chosen].tolist(), ends[chosen].tolist(), strict=True)
        if any(later[0] < earlier[1] for earlier, later in pairwise(edges)):
            return True
    return False


def named(track: SegmentTrack) -> list[str]:
    return [track.labels[code] for code in track.codes.tolist()]


def check(track: SegmentTrack) -> None:
    assert track.items == sorted(track.items, key=sort_key)
    assert track.starts.tolist() == [s.start_us for s in track.items]
    assert track.ends.tolist() == [max(s.end_us, s.start_us + 1) for s in track.items]
    assert track.max_ends.tolist() == np.maximum.accumulate(track.ends).tolist()
    assert not overlaps_in_row(track.starts, track.ends, track.rows)
    used = track.rows[track.rows < MAX_ROWS]
    assert track.row_count == (int(used.max()) + 1 if len(used) else 1)
    assert track.overflows == bool((track.rows == MAX_ROWS).any())


@given(segment_lists)
def test_loading_stacks_like_the_plain_algorithm(segments: list[Segment]) -> None:
    track = SegmentTrack(segments)
    check(track)
    assert track.rows.tolist() == naive_rows(segments)


@given(segment_lists, st.lists(st.tuples(st.integers(0, 79), st.integers(0, 300), st.integers(0, 60), verdicts)))
def test_edits_one_by_one_equal_loading_the_outcome(
    segments: list[Segment], edits: list[tuple[int, int, int, Verdict]]
) -> None:
    track = SegmentTrack(segments)
    now = {s.id: s for s in segments}
    for number, start, length, verdict in edits:
        segment = made(number, start, length, verdict)
        if segment.id in now:
            track.remove(now.pop(segment.id))
        if length % 7:
            track.insert(segment)
            now[segment.id] = segment
        check(track)
    loaded = SegmentTrack(now.values())
    assert track.tidy
    assert track.items == loaded.items
    assert track.rows.tolist() == loaded.rows.tolist()
    assert named(track) == named(loaded) == [s.label for s in track.items]


@given(segment_lists, segment_lists)
def test_a_bounded_edit_leaves_others_where_they_are_but_never_overlaps(
    segments: list[Segment], more: list[Segment]
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stacking, "RESTACK_BUDGET", 1)
        track = SegmentTrack(segments)
        for segment in more:
            known = next((s for s in track.items if s.id == segment.id), None)
            if known:
                track.remove(known)
            track.insert(segment)
            check(track)


@given(segment_lists, st.integers(-10, 400), st.integers(0, 100))
def test_what_touches_a_span_is_found(segments: list[Segment], start: int, length: int) -> None:
    track = SegmentTrack(segments)
    found = {track.items[i].id for i in track.touching(start, start + length)}
    ends = {s.id: max(s.end_us, s.start_us + 1) for s in segments}
    assert found == {s.id for s in segments if s.start_us <= start + length and ends[s.id] >= start}
