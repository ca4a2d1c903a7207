"""Single hits become tracks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.faces.frame_detections import DESCRIPTION_LENGTH, Observation
from models.faces.track_linking import link_detections
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import Origin
from tests.builders.face_pictures import seen

OPTIONS = FaceOptions()


def _walk(frame: int, score: float = 0.9) -> tuple[float, float, float, float, float]:
    return (10.0 + 3 * frame, 20.0 + frame, 40.0, 50.0, score)


def test_one_face_is_one_track_through_a_gap() -> None:
    frames = [seen(i, *([] if 10 <= i < 24 else [_walk(i)]), looked=i % 2 == 0) for i in range(50)]
    (track,) = link_detections([f if f.was_searched else seen(f.frame, looked=False) for f in frames], OPTIONS)
    assert track.frames.tolist() == list(range(50))
    truth = np.array([_walk(i)[:4] for i in range(50)])
    assert np.abs(track.boxes - truth).max() < 4
    assert set(track.origins[0:9:2]) == {Origin.DETECTED}
    assert set(track.origins[10:24]) == {Origin.INTERPOLATED}
    assert track.origins[49] == Origin.TRACKED
    gone = [seen(i, *([] if 10 <= i < 50 else [_walk(0)])) for i in range(60)]
    assert len(link_detections(gone, OPTIONS)) == 2, "a long gap starts a new track"


def _meeting(frame: int) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Two faces come together, stay side by side while they overlap, and part again to where they came from."""
    apart = max(12.0, 6.0 * abs(25 - frame))
    return (200 - apart, 50, 40, 50, 0.9), (200 + apart, 50, 40, 50, 0.9)


def _worn(*places: int) -> list[np.ndarray]:
    """Descriptions of faces that share nothing."""
    looks = np.zeros((len(places), DESCRIPTION_LENGTH), np.uint8)
    for look, place in zip(looks, places, strict=True):
        look[place::2] = 200
    return [*looks]


@pytest.mark.parametrize("hidden", [0, 3])
def test_two_faces_that_meet_and_part_are_told_apart_by_their_looks(hidden: int) -> None:
    frames = []
    for i in range(50):
        away = abs(i - 25) < hidden
        frames.append(seen(i, *(() if away else _meeting(i)), looks=() if away else _worn(0, 1)))
    tracks = link_detections(frames, OPTIONS)
    assert len(tracks) == 2
    for track in tracks:
        assert track.boxes[0, 0] == pytest.approx(track.boxes[-1, 0], abs=20)
    swapped = link_detections(frames, FaceOptions(appearance=0)) if hidden == 3 else []
    assert all(abs(track.boxes[0, 0] - track.boxes[-1, 0]) > 100 for track in swapped)


@pytest.mark.parametrize("hidden", [0, 6])
def test_two_faces_that_cross_on_one_line_keep_their_identities(hidden: int) -> None:
    frames = []
    for i in range(50):
        both = ((6.0 * i, 50, 40, 50, 0.9), (294 - 6.0 * i, 50, 40, 50, 0.9))
        away = abs(i - 24.5) < hidden
        frames.append(seen(i, *(() if away else both), looks=() if away else _worn(0, 1)))
    tracks = link_detections(frames, OPTIONS)
    assert len(tracks) == 2
    for track in tracks:
        assert abs(track.boxes[0, 0] - track.boxes[-1, 0]) > 250


def test_a_track_reaches_a_little_past_its_hits_and_not_further() -> None:
    frames = [seen(i, *([_walk(i)] if 10 <= i <= 20 else [])) for i in range(40)]
    (track,) = link_detections(frames, FaceOptions(reach_us=80_000))
    assert track.frames[0] == 8
    assert track.frames[-1] == 22
    assert track.origins[0] == track.origins[-1] == Origin.TRACKED
    assert track.boxes[-1, 0] > track.boxes[-2, 0]


def test_frames_that_nobody_looked_at_beside_a_hit_are_covered() -> None:
    frames = [seen(i, *([_walk(0)] if i == 4 else []), looked=i % 4 == 0) for i in range(12)]
    (track,) = link_detections(frames, FaceOptions(reach_us=0))
    assert track.frames.tolist() == list(range(1, 8))


def test_a_weak_hit_counts_when_its_neighbours_agree() -> None:
    blip = [seen(i, *([_walk(0, 0.15)] if i == 5 else [])) for i in range(10)]
    assert link_detections(blip, OPTIONS) == []
    steady = [seen(i, _walk(0, 0.15)) for i in range(10)]
    assert len(link_detections(steady, OPTIONS)) == 1
    continued = [seen(i, _walk(i, 0.9 if i < 5 else 0.15)) for i in range(10)]
    (track,) = link_detections(continued, OPTIONS)
    assert len(track.frames) == 10


@pytest.mark.parametrize(("best", "doubtful"), [(0.34, True), (0.36, False)])
def test_a_track_of_weak_hits_is_doubtful_and_still_a_track(best: float, doubtful: bool) -> None:
    frames = [seen(i, _walk(i, best if i == 5 else 0.15)) for i in range(10)]
    (track,) = link_detections(frames, OPTIONS)
    assert track.is_doubtful is doubtful


@given(
    st.lists(
        st.tuples(
            st.booleans(),
            st.booleans(),
            st.lists(
                st.tuples(
                    st.floats(0, 600, width=32),
                    st.floats(0, 300, width=32),
                    st.floats(1, 300, width=32),
                    st.floats(1, 300, width=32),
                    st.floats(0.0625, 1, width=32),
                ),
                max_size=4,
            ),
        ),
        max_size=25,
    )
)
def test_every_sure_hit_is_covered_and_every_track_is_whole(
    plan: list[tuple[bool, bool, list[tuple[float, ...]]]],
) -> None:
    frames: list[Observation] = [
        seen(i, *(hits if looked else []), looked=looked, cut=cut) for i, (looked, cut, hits) in enumerate(plan)
    ]
    tracks = link_detections(frames, OPTIONS)
    for track in tracks:
        assert (np.diff(track.frames) == 1).all()
        assert track.times_us.tolist() == [frames[i].time_us for i in track.frames]
        assert np.isfinite(track.boxes).all()
        assert (track.boxes[:, 2:] > 0).all()
        assert not any(frames[i].cut for i in track.frames[1:])
        detected_in = [f for f, o in zip(track.frames, track.origins, strict=True) if o == Origin.DETECTED]
        assert all(frames[f].was_searched for f in detected_in)
    for frame in frames:
        detected = sum(
            int(t.origins[frame.frame - t.frames[0]] == Origin.DETECTED)
            for t in tracks
            if t.frames[0] <= frame.frame <= t.frames[-1]
        )
        assert detected >= sum(h[4] >= OPTIONS.sure for h in frame.hits)
