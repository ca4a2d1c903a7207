"""The best views of each track are embedded, at the points that the detector finds in them."""

from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from media.frame_index import load_index
from models.faces.face_detectors import Detections
from models.faces.face_tracking import embed_tracks
from project.entities.study_records import Json
from project.progress import Silent
from tests.builders.face_pictures import write_clip
from tests.builders.face_tracks import track

FACES = ((40, 60, 60, 80), (200, 60, 60, 80))


class Pointing:
    """Finds the bright rectangle in what it is shown, with five points in its middle, or without."""

    key = "pointing"
    parameters: ClassVar[Mapping[str, Json]] = {}

    def __init__(self, points: bool) -> None:
        self._points = points

    def detect(self, image: NDArray[np.uint8], floor: float = 0.2) -> Detections:
        rows, columns = np.nonzero(image[:, :, 1] > 60)
        if not len(rows):
            return Detections.empty()
        left, top, right, bottom = columns.min(), rows.min(), columns.max() + 1, rows.max() + 1
        middle = np.array([(left + right) / 2, (top + bottom) / 2], np.float32)
        box = np.array([[left, top, right - left, bottom - top]], np.float32)
        return Detections(box, np.ones(1, np.float32), np.tile(middle, (1, 5, 1)) if self._points else None)


class Brightness:
    """Takes how bright the picture is at the nose for who it is."""

    key, dimensions = "brightness", 2
    parameters: ClassVar[Mapping[str, Json]] = {}

    def embed(self, image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        x, y = five_points[0, 2].astype(int)
        turn = float(image[y, x].mean()) / 255 * np.pi / 2
        return np.array([[np.cos(turn), np.sin(turn)]], np.float32)


@pytest.mark.parametrize("points", [True, False])
def test_each_track_is_embedded_at_its_own_face(tmp_path: Path, points: bool) -> None:
    image = np.zeros((200, 320, 3), np.uint8)
    for (x, y, w, h), grey in zip(FACES, (90, 250), strict=True):
        image[y : y + h, x : x + w] = grey
    clip = write_clip(tmp_path / "two.mkv", [image] * 12, "ffv1")
    shown = (("dark", FACES[0], 0.9), ("bright", FACES[1], 0.9), ("unsure", FACES[1], 0.3))
    tracks = [track([face] * 12, name=name, score=score) for name, face, score in shown]
    found = embed_tracks(clip, load_index(clip), tracks, Pointing(points), Brightness(), Silent())
    assert sorted(found) == (["bright", "dark"] if points else [])
    for name, grey in (("dark", 90), ("bright", 250)) if points else ():
        turn = grey / 255 * np.pi / 2
        assert found[name] == pytest.approx([np.cos(turn), np.sin(turn)], abs=0.02)
