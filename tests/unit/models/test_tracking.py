"""Whole recordings: the true face is followed, a run that was stopped goes on, odd files do no harm."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from media.frame_index import load_index
from models.faces import face_detectors as registry
from models.faces.face_tracking import FacesResult, detect_in_frames, track_faces
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import Origin
from project.errors import Cancelled
from tests.builders.face_pictures import Bright, StopAfter, write_clip


def _dark(width: int, height: int, box: tuple[int, int, int, int] | None = None, grey: int = 20) -> np.ndarray:
    image = np.full((height, width, 3), grey, np.uint8)
    if box is not None:
        x, y, w, h = box
        image[y : y + h, x : x + w] = 255
    return image


@pytest.fixture(scope="module")
def moving(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_clip(
        tmp_path_factory.mktemp("clips") / "moving.mp4", [_dark(320, 240, (20 + 4 * i, 60, 60, 80)) for i in range(40)]
    )


def _plain(result: FacesResult) -> list[tuple[object, ...]]:
    return [(t.frames.tolist(), t.boxes.tolist(), t.scores.tolist(), t.origins.tolist()) for t in result.tracks]


def test_the_detector_looks_at_some_frames_and_the_rest_lie_between(moving: Path) -> None:
    detector = Bright()
    found = track_faces(moving, detector, FaceOptions(looks_per_second=12.5, glances_per_second=0))
    (track,) = found.tracks
    assert found.frames == found.frames_with_face == 40
    assert 18 <= detector.calls <= 22
    assert track.frames.tolist() == list(range(40))
    assert np.abs(track.boxes[:, 0] - (20 + 4 * np.arange(40))).max() < 5
    assert set(track.origins[5:35]) == {Origin.DETECTED, Origin.INTERPOLATED}


def test_a_scene_change_cuts_the_track_exactly(tmp_path: Path) -> None:
    box = (40, 40, 60, 80)
    images = [_dark(320, 240, box)] * 15 + [_dark(320, 240, box, grey=100)] * 16
    first, second = track_faces(write_clip(tmp_path / "cut.mp4", images), Bright()).tracks
    assert (int(first.frames[0]), int(first.frames[-1])) == (0, 14)
    assert (int(second.frames[0]), int(second.frames[-1])) == (15, 30)
    assert first.origins[-1] == second.origins[0] == Origin.DETECTED


@pytest.mark.parametrize("before", [14, 15, 16])
def test_the_last_frame_before_a_scene_change_is_looked_at_wherever_it_falls(tmp_path: Path, before: int) -> None:
    box = (40, 40, 60, 80)
    images = [_dark(320, 240, box)] * before + [_dark(320, 240, grey=100)] * 10
    clip = write_clip(tmp_path / "cut.mp4", images)
    seen = list(detect_in_frames(clip, load_index(clip), Bright(), Bright(), FaceOptions()))
    assert [observation.frame for observation in seen if observation.cut] == [before]
    assert seen[before - 1].was_searched
    assert len(seen[before - 1].hits) == 1


@pytest.mark.parametrize("stop", [2, 20])
def test_a_stopped_run_goes_on_and_ends_the_same(moving: Path, tmp_path: Path, stop: int) -> None:
    checkpoint = tmp_path / "log"
    whole = track_faces(moving, Bright())
    with pytest.raises(Cancelled):
        track_faces(moving, Bright(), checkpoint=checkpoint, progress=StopAfter(stop))
    checkpoint.write_bytes(checkpoint.read_bytes()[:-3])
    again = Bright()
    assert _plain(track_faces(moving, again, checkpoint=checkpoint)) == _plain(whole)
    assert not checkpoint.exists()
    assert again.calls <= 40 - stop + 3


@pytest.mark.parametrize("stops", [(7, 9, 18), pytest.param(range(1, 32), marks=pytest.mark.soak)])
def test_a_stop_at_a_scene_change_ends_the_same(tmp_path: Path, stops: Sequence[int]) -> None:
    box = (40, 40, 60, 80)
    clip = write_clip(tmp_path / "cut.mp4", [_dark(320, 240, box, 20 + 80 * (i // 8 % 2)) for i in range(32)])
    whole = _plain(track_faces(clip, Bright()))
    for stop in stops:
        with pytest.raises(Cancelled):
            track_faces(clip, Bright(), checkpoint=tmp_path / "log", progress=StopAfter(stop))
        assert _plain(track_faces(clip, Bright(), checkpoint=tmp_path / "log")) == whole


def test_partial_work_with_other_options_is_not_used(moving: Path, tmp_path: Path) -> None:
    with pytest.raises(Cancelled):
        track_faces(moving, Bright(), checkpoint=tmp_path / "log", progress=StopAfter(20))
    detector = Bright()
    track_faces(moving, detector, FaceOptions(patience_us=500_000), checkpoint=tmp_path / "log")
    assert detector.calls == 40


def test_the_number_of_workers_changes_nothing(moving: Path) -> None:
    one, five = (_plain(track_faces(moving, Bright(), FaceOptions(workers=n))) for n in (1, 5))
    assert one == five


@pytest.mark.parametrize(("size", "frames"), [((1, 1), 1), ((3, 5), 2), ((101, 57), 5)])
def test_small_odd_and_short_recordings_have_no_faces_and_do_no_harm(
    tmp_path: Path, size: tuple[int, int], frames: int
) -> None:
    clip = write_clip(tmp_path / "small.mkv", [_dark(*size)] * frames, "ffv1")
    result = track_faces(clip, registry.create_detector())
    assert (result.tracks, result.frames, result.frames_with_face) == ([], frames, 0)


def test_damaged_frames_are_named(tmp_path: Path) -> None:
    images = [np.random.default_rng(i).integers(0, 256, (120, 160, 3), np.uint8) for i in range(30)]
    path = write_clip(tmp_path / "noise.mkv", images)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20_000] = bytes(20_000)
    path.write_bytes(bytes(data))
    result = track_faces(path, Bright())
    assert result.damaged


@pytest.mark.soak
def test_a_real_face_that_leaves_is_not_followed_further(shared_data: Path) -> None:
    result = track_faces(shared_data / "media" / "face_noface_vfr_hevc.mov", registry.create_detector())
    longest = max(result.tracks, key=lambda t: len(t.frames))
    assert longest.frames[0] == 0
    assert 69 <= longest.frames[-1] <= 76
    assert result.frames == 169
    assert result.frames_with_face <= 85
