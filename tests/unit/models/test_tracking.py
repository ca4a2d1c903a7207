"""Whole recordings: the true face is followed, a run that was stopped goes on, odd files do no harm."""

import errno
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from media.frame_index import load_index
from models.faces import face_detectors as registry
from models.faces.face_tracking import FacesResult, detect_in_frames, track_faces
from models.faces.frame_detections import Observation, ObservationLog
from models.faces.track_file import save_tracks, take_tracks
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import FaceTrack, Origin
from project.errors import Cancelled, UserError
from project.files.temporary_files import cache_folder
from tests.builders.face_pictures import Bright, StopAfter, seen, write_clip


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


@pytest.mark.parametrize("before", [15, 16])
def test_the_last_frame_before_a_scene_change_is_looked_at_wherever_it_falls(tmp_path: Path, before: int) -> None:
    box = (40, 40, 60, 80)
    images = [_dark(320, 240, box)] * before + [_dark(320, 240, grey=100)] * 10
    clip = write_clip(tmp_path / "cut.mp4", images)
    looks = list(detect_in_frames(clip, load_index(clip), Bright(), Bright(), FaceOptions()))
    assert [observation.frame for observation in looks if observation.cut] == [before]
    assert looks[before - 1].was_searched
    assert len(looks[before - 1].hits) == 1


def test_a_stopped_run_goes_on_and_ends_the_same(moving: Path, tmp_path: Path) -> None:
    checkpoint, stop = tmp_path / "log", 20
    whole = track_faces(moving, Bright(), FaceOptions(workers=5))
    with pytest.raises(Cancelled):
        track_faces(moving, Bright(), checkpoint=checkpoint, progress=StopAfter(stop))
    copy = tmp_path / "copy"
    copy.write_bytes(checkpoint.read_bytes())
    other = Bright()
    track_faces(moving, other, FaceOptions(patience_us=500_000), checkpoint=copy)
    assert other.calls == 40, "work of other options is not gone on with"
    checkpoint.write_bytes(checkpoint.read_bytes()[:-3])
    again = Bright()
    assert _plain(track_faces(moving, again, checkpoint=checkpoint)) == _plain(whole)
    assert not checkpoint.exists()
    assert again.calls <= 40 - stop + 3


@pytest.mark.parametrize("stops", [(9,), pytest.param(range(1, 32), marks=pytest.mark.soak)])
def test_a_stop_at_a_scene_change_ends_the_same(tmp_path: Path, stops: Sequence[int]) -> None:
    box = (40, 40, 60, 80)
    clip = write_clip(tmp_path / "cut.mp4", [_dark(320, 240, box, 20 + 80 * (i // 8 % 2)) for i in range(32)])
    whole = _plain(track_faces(clip, Bright()))
    for stop in stops:
        with pytest.raises(Cancelled):
            track_faces(clip, Bright(), checkpoint=tmp_path / "log", progress=StopAfter(stop))
        assert _plain(track_faces(clip, Bright(), checkpoint=tmp_path / "log")) == whole


def test_a_small_odd_and_short_recording_has_no_faces_and_does_no_harm(tmp_path: Path) -> None:
    clip = write_clip(tmp_path / "small.mkv", [_dark(3, 5)] * 2, "ffv1")
    result = track_faces(clip, registry.create_detector())
    assert (result.tracks, result.frames, result.frames_with_face) == ([], 2, 0)


def test_damaged_frames_are_named(tmp_path: Path) -> None:
    images = [np.random.default_rng(i).integers(0, 256, (120, 160, 3), np.uint8) for i in range(30)]
    path = write_clip(tmp_path / "noise.mkv", images)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20_000] = bytes(20_000)
    path.write_bytes(bytes(data))
    result = track_faces(path, Bright())
    assert result.damaged


def test_the_log_of_an_unfinished_run_gives_back_frames_in_order_and_believes_no_others(tmp_path: Path) -> None:
    frames = [seen(0, (1, 2, 3, 4, 0.5)), seen(1, looked=False), seen(2, cut=True, damaged=True)]

    def plain(observations: Sequence[Observation]) -> list[dict[str, object]]:
        return [{**asdict(o), "hits": o.hits.tolist(), "descriptions": o.descriptions.tolist()} for o in observations]

    for order, believed in (((0, 1, 2), frames), ((0, 2, 1), frames[:1])):
        place = tmp_path / str(order)
        with ObservationLog(place, {"source": "abc"}) as log:
            for number in order:
                log.add(frames[number])
        with ObservationLog(place, {"source": "abc"}) as log:
            assert plain(log.found) == plain(believed)
            log.remove()
        assert not place.exists()


def _track(number: int, length: int) -> FaceTrack:
    return FaceTrack(
        id=f"track-{number}",
        frames=np.arange(length, dtype=np.int32),
        times_us=np.arange(length, dtype=np.int64) * 40_000,
        boxes=np.random.default_rng(number).random((length, 4), dtype=np.float32),
        scores=np.full(length, 0.5, np.float32),
        origins=np.zeros(length, np.uint8),
        participant_id="P01" if number else None,
        dismissed=bool(number % 2),
    )


def test_tracks_come_back_as_they_were_written(tmp_path: Path) -> None:
    assert take_tracks(save_tracks([], tmp_path)) == []
    tracks = [_track(i, n) for i, n in enumerate((1, 30, 7))]
    found = take_tracks(save_tracks(tracks, tmp_path / "new folder"))
    assert [(t.id, t.participant_id, t.dismissed) for t in found] == [
        (t.id, t.participant_id, t.dismissed) for t in tracks
    ]
    for face_track, other in zip(tracks, found, strict=True):
        for name in ("frames", "times_us", "boxes", "scores", "origins"):
            np.testing.assert_array_equal(getattr(face_track, name), getattr(other, name))
            assert getattr(face_track, name).dtype == getattr(other, name).dtype


def test_a_file_is_there_until_its_tracks_are_taken() -> None:
    folder = cache_folder() / "faces"
    left = save_tracks([_track(0, 3)], folder)
    os.utime(left, (0, 0))
    path = save_tracks([_track(0, 3)], folder)
    assert [*folder.iterdir()] == [path], "what was abandoned goes"
    take_tracks(path)
    assert [*folder.iterdir()] == []


def test_a_full_disk_is_said_and_keeps_no_half_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(UserError, match="no space left"):
        save_tracks([_track(0, 3)], tmp_path)
    assert [*tmp_path.iterdir()] == []
