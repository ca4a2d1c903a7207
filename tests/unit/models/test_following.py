"""A face is followed to where it came in and went out, and no further."""

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import ClassVar

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.face_detectors import Detections
from models.faces.face_tracking import FacesResult, track_faces
from models.faces.tracking_options import FaceOptions
from project.entities.study_records import FaceTrack, Json, Origin
from tests.builders.face_pictures import overlap, write_clip

Image = NDArray[np.uint8]
Box = tuple[float, float, float, float]
FACE = (64, 80)
WIDTH, HEIGHT = 320, 180


@cache
def _texture(seed: int, size: tuple[int, int]) -> Image:
    """Soft patches of colour: points that can be followed."""
    rng = np.random.default_rng(seed)
    small = rng.integers(20, 236, (size[1] // 6 + 1, size[0] // 6 + 1, 3), np.uint8)
    return np.asarray(cv2.resize(small, size, interpolation=cv2.INTER_CUBIC), np.uint8)


BACKGROUND = (_texture(1, (WIDTH, HEIGHT)) // 4 + 90).astype(np.uint8)


def _picture(*faces: tuple[int, float, float], background: Image = BACKGROUND) -> Image:
    """Faces are seed, x, y; what lies outside the picture is cut off."""
    image = background.copy()
    for seed, x, y in faces:
        left, top = round(x), round(y)
        face = _texture(seed, FACE)
        rows, columns = slice(max(0, top), min(HEIGHT, top + FACE[1])), slice(max(0, left), min(WIDTH, left + FACE[0]))
        if rows.start < rows.stop and columns.start < columns.stop:
            image[rows, columns] = face[rows.start - top : rows.stop - top, columns.start - left : columns.stop - left]
    return image


class Knowing:
    """Finds the faces that it is told, in the frames that it is told; frames are told apart by their order."""

    key = "knowing"
    parameters: ClassVar[Mapping[str, Json]] = {}

    def __init__(self, truth: Mapping[int, list[Box]]) -> None:
        self._truth = truth

    def detect(self, image: Image, floor: float = 0.2) -> Detections:
        # The quick way to RGB rounds down, on some processors by more than a level.
        number = int((float(image[-8:, -8:].mean()) + 3) // 4)
        boxes = np.array(self._truth.get(number, []), np.float32).reshape(-1, 4)
        return Detections(boxes, np.full(len(boxes), 0.9, np.float32))


def _tracked(
    path: Path, pictures: list[Image], found: Callable[[int], list[Box]], options: FaceOptions | None = None
) -> FacesResult:
    """Write a clip whose frames carry their number, by brightness, in the lower right corner, and track it."""
    for number, image in enumerate(pictures):
        image[-10:, -10:] = 4 * number
    clip = write_clip(path / "clip.mkv", pictures, "ffv1")
    detector = Knowing({i: found(i) for i in range(len(pictures))})
    return track_faces(clip, detector, options or FaceOptions(workers=1))


def _matches(track: FaceTrack, frame: int, x: float, y: float) -> bool:
    place = frame - int(track.frames[0])
    return 0 <= place < len(track.frames) and overlap(track.boxes[place].tolist(), (x, y, *FACE)) >= 0.6


def test_a_face_found_late_is_followed_back_to_where_it_came_in_and_on_to_where_it_left(tmp_path: Path) -> None:
    def x(i: int) -> float:
        return -60 + 10.0 * i

    pictures = [_picture((7, x(i), 80)) for i in range(40)]
    found = _tracked(tmp_path, pictures, lambda i: [(x(i), 80, *FACE)] if 16 <= i <= 24 else [])
    (track,) = found.tracks
    assert all(_matches(track, i, x(i), 80) for i in range(5, 34))
    assert 2 <= track.frames[0] <= 5
    assert 33 <= track.frames[-1] <= 37
    assert set(track.origins[: 16 - track.frames[0]]) == {Origin.TRACKED}
    assert set(track.origins[track.frames <= 24][-9:]) == {Origin.DETECTED}


def test_it_is_not_followed_across_a_scene_change_nor_for_longer_than_allowed(tmp_path: Path) -> None:
    other = 255 - BACKGROUND // 2
    pictures = [_picture((7, 200, 80), background=BACKGROUND if i >= 8 else other) for i in range(40)]
    found = _tracked(
        tmp_path, pictures, lambda i: [(200, 80, *FACE)] if 14 <= i <= 20 else [], FaceOptions(follow_us=480_000)
    )
    (track,) = found.tracks
    assert found.cuts == (8,)
    assert track.frames[0] == 8
    assert track.frames[-1] == 20 + 12


def test_what_hides_a_face_is_not_followed_in_its_place(tmp_path: Path) -> None:
    pictures = [_picture((7, 200, 80), *([(9, 200, 80)] if i >= 24 else [])) for i in range(36)]
    (track,) = _tracked(tmp_path, pictures, lambda i: [(200, 80, *FACE)] if 8 <= i <= 20 else []).tracks
    assert track.frames[0] == 0
    assert 23 <= track.frames[-1] <= 25


def test_a_face_that_is_lost_and_found_stays_one(tmp_path: Path) -> None:
    pictures = [_picture((7, 40 + 4.0 * i, 80)) for i in range(40)]
    hits = {*range(0, 8), *range(30, 40)}
    (track,) = _tracked(tmp_path, pictures, lambda i: [(40 + 4.0 * i, 80, *FACE)] if i in hits else []).tracks
    assert track.frames.tolist() == list(range(40))
    assert all(_matches(track, i, 40 + 4.0 * i, 80) for i in range(40))
    assert set(track.origins[10:29]) == {Origin.TRACKED}
