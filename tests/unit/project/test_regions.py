"""Keyframes by hand: interpolation, corrections of found tracks, and what revokes a review."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.face_regions import Keyframe, Region, RegionKind, apply_keyframes, region_to_track
from project.entities.study_records import (
    Annotator,
    FaceReview,
    FaceTrack,
    Origin,
    Participant,
    ParticipantRole,
    Recording,
    Run,
)
from project.ids import new_id
from project.queries import face_rows
from project.queries.annotator_rows import insert_annotator
from project.queries.history_rows import insert_run
from project.queries.recording_rows import insert_participant, insert_recording, update_participant
from project.store.study import Study
from tests.builders.small_study import furnish

TIMES = np.arange(0, 4_000_000, 40_000)


def found(first: int = 25, last: int = 50) -> FaceTrack:
    frames = np.arange(first, last, dtype=np.int32)
    boxes = np.stack([np.array([2.0 * f, 10, 50, 60]) for f in frames]).astype(np.float32)
    scores, origins = np.full(len(frames), 0.8, np.float32), np.zeros(len(frames), np.uint8)
    return FaceTrack(new_id(), frames, TIMES[frames], boxes, scores, origins)


def region(kind: RegionKind = RegionKind.FACE, *keyframes: Keyframe, start: int = 0, end: int = 1_000_000) -> Region:
    return Region(new_id(), "r", kind, "", start, end, keyframes or (Keyframe(start, 5, 6, 7, 8),))


def test_a_region_moves_in_a_straight_line_and_stays_outside_its_keyframes() -> None:
    each_region = region(RegionKind.AREA, Keyframe(400_000, 0, 0, 10, 10), Keyframe(800_000, 40, 80, 30, 10))
    boxes = each_region.boxes_at(np.array([0, 400_000, 600_000, 800_000, 5_000_000]))
    assert boxes.tolist() == [[0, 0, 10, 10], [0, 0, 10, 10], [20, 40, 20, 10], [40, 80, 30, 10], [40, 80, 30, 10]]


def test_a_face_drawn_by_hand_covers_the_frame_on_screen_when_it_starts_and_none_that_begins_at_its_end() -> None:
    track = region_to_track(region(start=100_000, end=200_000), TIMES)
    assert track.times_us.tolist() == [80_000, 120_000, 160_000]
    assert set(track.origins) == {Origin.DRAWN}


def test_one_keyframe_moves_the_whole_track_and_two_move_what_is_between() -> None:
    track = found()
    whole = apply_keyframes(track, [Keyframe(1_200_000, 70, 10, 50, 60)])
    assert np.allclose(whole.boxes - track.boxes, [10, 0, 0, 0])
    assert whole.origins[5] == Origin.DRAWN
    ramp = apply_keyframes(track, [Keyframe(1_000_000, 50, 10, 50, 60), Keyframe(1_400_000, 90, 10, 50, 60)])
    moved = (ramp.boxes - track.boxes)[:, 0]
    assert np.allclose(moved[:11], np.linspace(0, 20, 11))
    assert np.allclose(moved[11:], 20)


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(-50, 500), st.integers(1, 300)), min_size=1, max_size=6))
def test_a_corrected_track_keeps_its_order_and_has_the_set_box_at_every_keyframe(
    drawn: list[tuple[int, int, int]],
) -> None:
    places = {frame: (x, size) for frame, x, size in drawn}
    keyframes = [Keyframe(int(TIMES[f]), x, x, size, size) for f, (x, size) in sorted(places.items())]
    track = apply_keyframes(found(), keyframes, TIMES)
    assert (np.diff(track.frames) > 0).all()
    assert (track.times_us == TIMES[track.frames]).all()
    assert len(track.frames) == len(track.boxes) == len(track.scores) == len(track.origins)
    for keyframe in keyframes:
        (place,) = np.flatnonzero(track.times_us == keyframe.time_us)
        assert np.allclose(track.boxes[place], keyframe.box, atol=1e-3)
        assert track.origins[place] == Origin.DRAWN


@pytest.fixture
def study(study: Study) -> Study:
    small = furnish(study)
    with study.step("fill", None):
        insert_annotator(study, Annotator("ann", "Ann"))
        insert_recording(study, Recording("r", small.collection.id, 2, "one", 4_000_000))
        insert_participant(study, Participant("p", "P01", ParticipantRole.USER))
    with study.run_transaction():
        insert_run(study, Run("run", "r", "faces", "centerface", {}, {}, "2026-01-01T00:00:00Z", "0"))
        face_rows.insert_tracks(study, "run", "m", [found()])
    return study


def test_every_change_of_what_is_hidden_revokes_a_review_and_undo_restores_it(study: Study) -> None:
    (track,) = face_rows.tracks_of(study, "r")
    drawn = region()

    def person(role: ParticipantRole) -> Participant:
        return Participant("p", "P01", role)

    with study.step("review", "ann"):
        face_rows.set_face_review(
            study, FaceReview("r", "ann", face_rows.mask_state(study, "r"), "2026-01-02T00:00:00Z")
        )
    edits = [
        lambda: face_rows.set_dismissed(study, track.id, True),
        lambda: face_rows.set_dismissed(study, track.id, False),
        lambda: face_rows.assign_participant(study, track.id, "p"),
        lambda: update_participant(study, person(ParticipantRole.ROBOT)),
        lambda: face_rows.set_track_box(study, track.id, Keyframe(1_000_000, 1, 2, 3, 4)),
        lambda: face_rows.insert_region(study, drawn),
        lambda: face_rows.set_region_box(study, drawn.id, Keyframe(10, 1, 2, 3, 4)),
        lambda: face_rows.delete_region(study, drawn.id),
    ]
    states = [face_rows.mask_state(study, "r")]
    (review,) = face_rows.face_reviews(study, "r")
    assert review.state == states[0]
    for edit in edits:
        with study.step("edit", "ann"):
            edit()
        states.append(face_rows.mask_state(study, "r"))
    assert all(a != b for a, b in pairwise(states))
    for _ in edits:
        study.undo()
    assert face_rows.mask_state(study, "r") == states[0]
    assert face_rows.face_reviews(study, "r") == [review]
    assert face_rows.mask_state(study, "elsewhere") == "", "its faces were not looked for"


def test_what_is_to_be_hidden_is_the_corrected_tracks_and_the_faces_drawn_by_hand(study: Study) -> None:
    (track,) = face_rows.tracks_of(study, "r")
    face, area = region(), region(RegionKind.AREA)
    with study.step("draw", "ann"):
        for each_region in (face, area):
            face_rows.insert_region(study, each_region)
        face_rows.set_track_box(study, track.id, Keyframe(1_000_000, 60, 10, 50, 60))
    assert face_rows.regions_of(study, "r") == [face, area]
    assert face_rows.find_region(study, area.id) == area
    hidden = face_rows.faces_to_hide(study, "r", TIMES)
    assert [face_track.id for face_track in hidden] == [track.id, face.id]
    assert hidden[0].boxes[0].tolist() == [60, 10, 50, 60]
