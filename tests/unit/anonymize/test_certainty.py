"""Which frames a person has to look at: every frame has one state, and looking takes out just what was looked at."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymize.masking.mask_coverage import CertaintySpan, Cover, ReviewReason, compute_certainty, order_for_review
from project.entities.face_regions import Keyframe, Region, RegionKind
from project.entities.study_records import FaceTrack, Origin
from project.timebase import FrameTimes
from tests.builders.face_tracks import Box
from tests.builders.face_tracks import track as made_track

FRAME = 40_000
TOTAL = 250
SIZE = (640, 360)
TIMES = FrameTimes(np.arange(TOTAL, dtype=np.int64) * FRAME, TOTAL * FRAME)
MIDDLE = (300.0, 150.0, 40.0, 50.0)


def track(first: int, last: int, box: Box = MIDDLE, score: float = 0.9, key: str = "", **more: Origin) -> FaceTrack:
    key = key or f"{first}-{last}"
    return made_track([box] * (last - first + 1), first=first, name=key, score=score, **more)


def band(*tracks: FaceTrack, **more: object) -> list[CertaintySpan]:
    return compute_certainty(tracks, TIMES, SIZE, **{"searched": TOTAL, **more})


def states(spans: list[CertaintySpan]) -> list[tuple[Cover, ReviewReason]]:
    """State and reason of each frame."""
    return [(span.state, span.reason) for span in spans for _ in range(round((span.end_us - span.start_us) / FRAME))]


def open_frames(spans: list[CertaintySpan], reason: ReviewReason) -> list[int]:
    return [frame for frame, (_, why) in enumerate(states(spans)) if why is reason]


def places(spans: list[CertaintySpan]) -> list[tuple[Cover, ReviewReason]]:
    """State and reason of each place to look at."""
    return [(place.state, place.reason) for place in order_for_review(spans)]


def test_a_recording_with_people_and_no_face_at_all_is_looked_at_as_a_whole() -> None:
    nothing = (Cover.COVERED, ReviewReason.NONE)
    assert {*states(band(has_people=True))} == {(Cover.UNCOVERED, ReviewReason.NO_TRACK)}
    assert {*states(band(has_people=True, seen=[(0, TIMES.end_us)]))} == {nothing}
    assert {*states(band(track(0, TOTAL - 1), has_people=True))} == {nothing}


def test_a_gap_between_tracks_of_one_face_is_uncovered_and_its_middle_is_looked_at() -> None:
    spans = band(track(0, 99, key="a"), track(120, TOTAL - 1, key="b"))
    (place,) = order_for_review(spans)
    assert (place.state, place.reason, place.track_id) == (Cover.UNCOVERED, ReviewReason.GAP, "a")
    assert (place.start_us, place.end_us) == (100 * FRAME, 120 * FRAME)
    assert 105 <= place.frame <= 115
    assert place.box == tuple(map(round, MIDDLE))


def test_tracks_that_cannot_be_one_face_leave_two_ends_to_look_at() -> None:
    spans = band(track(0, 99), track(140, TOTAL - 1, (300.0, 150.0, 120.0, 150.0)))
    assert open_frames(spans, ReviewReason.GAP) == []
    assert open_frames(spans, ReviewReason.ENDS)[0] == 100
    assert open_frames(spans, ReviewReason.BEGINS)[-1] == 139


def test_a_face_that_leaves_over_the_edge_or_with_the_shot_needs_no_look() -> None:
    assert order_for_review(band(track(0, 99, (610.0, 150.0, 40.0, 50.0)))) == []
    assert order_for_review(band(track(0, 99), cuts=[100])) == []
    assert order_for_review(band(track(0, 97))) != []
    assert open_frames(band(track(0, 90), cuts=[95]), ReviewReason.ENDS) == [91, 92, 93, 94]


def test_what_another_track_an_area_or_a_dismissal_covers_is_no_gap() -> None:
    face_track, other = track(0, 99), track(120, TOTAL - 1)
    handed_over = track(95, 125, (302.0, 150.0, 40.0, 50.0))
    area = Region("r", "r", RegionKind.AREA, "", 90 * FRAME, 130 * FRAME, (Keyframe(0, 280, 130, 90, 90),))
    assert open_frames(band(face_track, other, handed_over), ReviewReason.GAP) == []
    assert order_for_review(band(face_track, other, regions=[area])) == []
    gone = replace(handed_over, dismissed=True)
    assert len(open_frames(band(face_track, other, gone), ReviewReason.GAP)) == 20


def test_frames_that_nobody_searched_and_broken_ones_count_as_faces() -> None:
    spans = band(track(0, TOTAL - 1), searched=200, damaged=[7, 8, 400])
    assert open_frames(spans, ReviewReason.DAMAGED) == [7, 8]
    assert open_frames(spans, ReviewReason.UNSEARCHED) == [*range(200, TOTAL)]
    assert {state for state, _ in places(spans)} == {Cover.UNCOVERED}
    assert places(spans)[0][1] is ReviewReason.UNSEARCHED


def test_doubtful_weak_and_interpolated_stretches_are_uncertain() -> None:
    doubtful = band(track(0, TOTAL - 1, score=0.2))
    assert places(doubtful) == [(Cover.UNCERTAIN, ReviewReason.DOUBTFUL)]
    assert places(band(replace(track(0, TOTAL - 1, score=0.2), dismissed=True))) == []
    mixed = track(0, TOTAL - 1)
    mixed.scores[50:80] = 0.2
    mixed.scores[100:103] = 0.2
    mixed.origins[150:180] = Origin.INTERPOLATED
    spans = band(mixed)
    assert open_frames(spans, ReviewReason.WEAK) == [*range(50, 80)]
    assert open_frames(spans, ReviewReason.GUESSED) == [*range(150, 180)]
    assert {state for state, _ in places(spans)} == {Cover.UNCERTAIN}
    named = replace(track(0, TOTAL - 1, score=0.2), participant_id="p")
    assert places(band(named)) == [(Cover.UNCERTAIN, ReviewReason.WEAK)], "who has a name is a face"


def test_the_ends_of_what_was_drawn_by_hand_are_uncertain_and_not_uncovered() -> None:
    assert places(band(track(100, 149, origin=Origin.DRAWN))) == [(Cover.UNCERTAIN, ReviewReason.DRAWN_END)] * 2


tracks = st.builds(
    lambda first, length, x, y, width, score, weak, origin, dismissed: replace(
        track(first, min(TOTAL - 1, first + length), (x, y, width, width * 1.2), score, f"{first}{x}", origin=origin),
        dismissed=dismissed,
        participant_id="p" if weak else None,
    ),
    st.integers(0, TOTAL - 1),
    st.integers(0, 150),
    st.floats(-20, 620),
    st.floats(-20, 340),
    st.floats(5, 200),
    st.sampled_from([0.15, 0.3, 0.9]),
    st.booleans(),
    st.sampled_from([*Origin]),
    st.booleans(),
)
spans_of_time = st.lists(
    st.tuples(st.integers(0, TIMES.end_us), st.integers(0, TIMES.end_us)).map(lambda pair: (min(pair), max(pair))),
    max_size=5,
)
recordings = st.fixed_dictionaries(
    {
        "searched": st.integers(0, TOTAL + 5),
        "damaged": st.lists(st.integers(0, TOTAL + 5), max_size=5),
        "cuts": st.lists(st.integers(0, TOTAL + 5), max_size=4),
    }
)


@given(st.lists(tracks, max_size=6), recordings, spans_of_time)
def test_each_frame_has_one_state(found: list[FaceTrack], more: dict[str, object], seen: list[tuple[int, int]]) -> None:
    spans = band(*found, **more, seen=seen)
    assert spans[0].start_us == 0
    assert spans[-1].end_us == TIMES.end_us
    assert all(span.end_us == other.start_us for span, other in pairwise(spans))
    assert all(span.start_us <= TIMES.time_of(span.frame) < span.end_us for span in spans)
    assert all((span.state is Cover.COVERED) == (span.reason is ReviewReason.NONE) for span in spans)
    assert sorted(order_for_review(spans), key=lambda span: span.start_us) == [
        span for span in spans if span.state is not Cover.COVERED
    ]


@given(st.lists(tracks, max_size=6), recordings, spans_of_time)
def test_looking_takes_out_the_whole_frames_that_were_seen_and_hides_no_other(
    found: list[FaceTrack], more: dict[str, object], seen: list[tuple[int, int]]
) -> None:
    before, after = states(band(*found, **more)), states(band(*found, **more, seen=seen))
    for frame, (then, now) in enumerate(zip(before, after, strict=True)):
        looked_at = any(start <= frame * FRAME and (frame + 1) * FRAME <= end for start, end in seen)
        assert now == ((Cover.COVERED, ReviewReason.NONE) if looked_at else then)
