"""Recordings that are hard on tracking: nobody, a crowd, a turned picture, a cut every second, black frames."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.face_detectors import Detections
from models.faces.face_tracking import track_faces
from project.entities.study_records import Json
from tests.builders.clips import make_clip
from tests.builders.face_pictures import overlap

Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]


class Blobs:
    """Takes every white rectangle for a face."""

    key = "blobs"
    parameters: ClassVar[Mapping[str, Json]] = {}

    def detect(self, image: Image, floor: float = 0.2) -> Detections:
        _, _, found, _ = cv2.connectedComponentsWithStats((image.min(axis=2) > 200).astype(np.uint8))
        boxes = found[1:][found[1:, 4] > 40][:, :4].astype(np.float32)
        return Detections(boxes, np.full(len(boxes), 0.9, np.float32))


def _with(boxes: list[Box], width: int, height: int, grey: int = 60) -> Image:
    image = np.full((height, width, 3), grey, np.uint8)
    image[::8, :, 0] = 120
    for x, y, w, h in boxes:
        image[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)] = 250
    return image


def test_nobody_in_it(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "empty.mp4", frames=30, fps=25, draw=lambda i, w, h: _with([], w, h))
    found = track_faces(clip, Blobs())
    assert (found.tracks, found.frames_with_face, found.cuts, found.suggested) == ([], 0, (), ())
    assert found.frames == found.looked == 30


def test_forty_faces_keep_forty_tracks(tmp_path: Path) -> None:
    def crowd(i: int) -> list[Box]:
        return [(8 + 64 * (n % 8) + i, 8 + 44 * (n // 8) + i // 2, 26, 32) for n in range(40)]

    clip = make_clip(
        tmp_path / "crowd.mp4", size=(560, 260), frames=25, fps=25, draw=lambda i, w, h: _with(crowd(i), w, h)
    )
    found = track_faces(clip, Blobs())
    assert len(found.tracks) == 40
    for track in found.tracks:
        assert track.frames.tolist() == list(range(25))
        face = max(range(40), key=lambda n: overlap(track.boxes[0].tolist(), crowd(0)[n]))
        assert all(overlap(box.tolist(), crowd(i)[face]) > 0.7 for i, box in enumerate(track.boxes))


def test_a_turned_recording_has_its_faces_where_they_are_seen(tmp_path: Path) -> None:
    clip = make_clip(
        tmp_path / "turned.mp4",
        size=(320, 200),
        frames=20,
        fps=25,
        rotation=90,
        draw=lambda i, w, h: _with([(20 + 3 * i, 30, 40, 50)], w, h),
    )
    (track,) = track_faces(clip, Blobs()).tracks
    assert all(overlap(box.tolist(), (20 + 3 * i, 30, 40, 50)) > 0.8 for i, box in enumerate(track.boxes))


def test_a_face_that_the_edge_cuts_is_covered_to_the_edge(tmp_path: Path) -> None:
    clip = make_clip(
        tmp_path / "edge.mp4", frames=40, fps=25, draw=lambda i, w, h: _with([(200 + 4 * i, 60, 60, 80)], w, h)
    )
    found = track_faces(clip, Blobs())
    for i in range(30):
        seen = (200 + 4 * i, 60, min(60, 320 - 200 - 4 * i), 80)
        if seen[2] >= 8:
            boxes = [t.boxes[i - t.frames[0]].tolist() for t in found.tracks if t.frames[0] <= i <= t.frames[-1]]
            assert max(overlap(box, seen) for box in boxes) > 0.5


def test_a_cut_every_second_ends_every_track(tmp_path: Path) -> None:
    def draw(i: int, width: int, height: int) -> Image:
        return _with([(60 + 20 * (i // 10 % 3), 40, 60, 80)], width, height, grey=(30, 110, 170)[i // 10 % 3])

    found = track_faces(make_clip(tmp_path / "cuts.mp4", frames=30, fps=10, draw=draw), Blobs())
    assert found.cuts == (10, 20)
    assert [(int(t.frames[0]), int(t.frames[-1])) for t in found.tracks] == [(10 * n, 10 * n + 9) for n in range(3)]


def test_black_frames_leave_a_face_its_track(tmp_path: Path) -> None:
    def draw(i: int, width: int, height: int) -> Image:
        if i in (12, 25, 26):
            return np.full((height, width, 3), 0, np.uint8)
        return _with([(60 + 2 * i, 40, 60, 80)], width, height)

    found = track_faces(make_clip(tmp_path / "black.mp4", frames=40, fps=25, draw=draw), Blobs())
    assert found.cuts == ()
    (track,) = [t for t in found.tracks if len(t.frames) > 3]
    assert track.frames.tolist() == list(range(40))
    assert overlap(track.boxes[25].tolist(), (110, 40, 60, 80)) > 0.8
