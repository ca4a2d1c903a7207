import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from project.entities.study_records import Segment, Verdict
from project.timebase import FrameTimes
from widgets.timeline.drag_gestures import Edge, Move, Resize, Snapper
from widgets.timeline.lanes import Lane, lane_key
from widgets.timeline.timeline_model import TimelineModel

DURATION = 10_000_000
FRAMES = FrameTimes(np.arange(0, DURATION, 40_000, dtype=np.int64), DURATION)


def made(name: str, start: int, end: int) -> Segment:
    return Segment(name, "r", "a", Verdict.ERROR, start, end)


def snapper(*segments: Segment, fixed: tuple[int, ...] = (), reach: int = 50_000) -> Snapper:
    model = TimelineModel()
    model.set_lanes([Lane(lane_key("a"), "A", editable=True)])
    model.set_segments(segments)
    return Snapper(model, FRAMES, fixed, reach)


times = st.integers(-DURATION, 2 * DURATION)


@example([(1_000_000, 1_000_000)], 0, DURATION)
@example([(1_000_000, 1_000_000)], 0, -DURATION)
@given(st.lists(st.tuples(st.integers(0, 9_000_000), st.integers(1, 1_000_000)), min_size=1, max_size=5), times, times)
def test_moving_keeps_lengths_and_distances_and_stays_inside(
    spans: list[tuple[int, int]], anchor: int, to: int
) -> None:
    segments = [made(f"s{i}", a, a + n) for i, (a, n) in enumerate(spans)]
    for snap in (None, snapper(fixed=(5_000_000,))):
        move = Move(segments, segments[0], anchor, DURATION)
        move.drag(to, snap)
        placed = move.placements()
        assert {end - start - (s.end_us - s.start_us) for s, (_, start, end) in zip(segments, placed, strict=True)} == {
            0
        }
        assert len({start - s.start_us for s, (_, start, _) in zip(segments, placed, strict=True)}) == 1
        assert all(start >= 0 and end <= DURATION for _, start, end in placed)


@given(st.integers(0, 9_000_000), st.integers(1000, 1_000_000), st.sampled_from(["start", "end"]), times)
def test_resizing_never_turns_a_segment_inside_out(start: int, length: int, edge: Edge, to: int) -> None:
    segment = made("x", start, start + length)
    for snap in (None, snapper()):
        resize = Resize(segment, edge, 0, DURATION)
        resize.drag(to, snap)
        ((_, first, last),) = resize.placements()
        assert 0 <= first < last <= DURATION
        assert (last == segment.end_us) if edge == "start" else (first == segment.start_us)


def test_edges_go_to_frames_and_rather_to_the_playhead_and_to_neighbours() -> None:
    resize = Resize(made("x", 400_000, 1_000_000), "end", 1_000_000, DURATION)
    resize.drag(2_011_007, None)
    assert resize.placements() == [("x", 400_000, 2_011_007)]
    resize.drag(2_011_000, snapper())
    assert resize.placements() == [("x", 400_000, 2_000_000)]
    assert resize.snap_us is None
    resize.drag(2_011_000, snapper(fixed=(2_030_001,)))
    assert resize.placements() == [("x", 400_000, 2_030_001)]
    assert resize.snap_us == 2_030_001
    resize.drag(3_033_000, snapper(made("y", 3_000_003, 4_000_000)))
    assert resize.placements() == [("x", 400_000, 3_000_003)]


def test_a_move_snaps_with_whichever_edge_is_nearer() -> None:
    move = Move([made("x", 400_000, 1_000_000)], made("x", 400_000, 1_000_000), 500_000, DURATION)
    move.drag(1_520_000, snapper(fixed=(2_030_001,)))
    assert move.placements() == [("x", 1_430_001, 2_030_001)]
    assert move.snap_us == 2_030_001


def test_frame_boundaries_on_either_side() -> None:
    snap = snapper()
    assert [snap.frame_after(time_us) for time_us in (40_000, 79_999)] == [80_000, 80_000]
    assert [snap.frame_before(time_us) for time_us in (40_000, 40_001)] == [0, 40_000]
    assert snap.frame_after(DURATION - 1) == DURATION
    assert Snapper(TimelineModel(), None, (), 0).on_frame(12_345) == 12_345
