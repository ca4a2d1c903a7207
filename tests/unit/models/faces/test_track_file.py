import errno
import os
from pathlib import Path

import numpy as np
import pytest

from models.faces.track_file import save_tracks, take_tracks
from project.entities.study_records import FaceTrack
from project.errors import UserError
from project.files.temporary_files import cache_folder


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
    tracks = [_track(i, n) for i, n in enumerate((1, 30, 7))]
    found = take_tracks(save_tracks(tracks, tmp_path / "new folder"))
    assert [(t.id, t.participant_id, t.dismissed) for t in found] == [
        (t.id, t.participant_id, t.dismissed) for t in tracks
    ]
    for face_track, other in zip(tracks, found, strict=True):
        for name in ("frames", "times_us", "boxes", "scores", "origins"):
            np.testing.assert_array_equal(getattr(face_track, name), getattr(other, name))
            assert getattr(face_track, name).dtype == getattr(other, name).dtype


def test_no_tracks_are_tracks_too(tmp_path: Path) -> None:
    assert take_tracks(save_tracks([], tmp_path)) == []


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
