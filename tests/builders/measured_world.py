"""A world of square faces in which every model is a few lines that look at the pixels."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.face_detectors import Detections
from models.faces.landmarks.landmark_finders import IBUG, Landmarks
from project.entities.study_records import FaceTrack, Json
from tests.builders.clips import make_clip
from tests.builders.face_tracks import track

SIZE = 384, 216
SIDE = 72
FPS, FRAMES = 25, 50
PEOPLE = ("Ada", "Bo")
SKIN = np.array([230, 140, 90])
BACKGROUND = 70

Image = NDArray[np.uint8]


def opening(frame: int) -> int:
    """How far a mouth is open, in pixels."""
    return round(10 + 8 * np.sin(frame / 3.7))


def place(person: int, frame: int) -> tuple[int, int]:
    """Upper left corner of a face."""
    return 40 + person * 180 + frame, 60 + 10 * person


def face(person: int, mouth: int) -> Image:
    """A square of skin with two eyes, a mouth, and a forehead that tells who it is."""
    image = np.tile(SKIN.astype(np.uint8), (SIDE, SIDE, 1))
    stripes = np.arange(SIDE) // (6 if person else 18) % 2 == 0
    image[4:20, stripes] = (200, 200, 60) if person else (120, 60, 200)
    image[26:32, 14:24] = image[26:32, 48:58] = 20
    image[52 - mouth // 2 : 52 + (mouth + 1) // 2, 22:50] = 20
    return image


def clip(path: Path, *, people: Sequence[int] = (0, 1), frames: int = FRAMES) -> Path:
    """Write a recording: `people` says whose face is in which place."""

    def paint(frame: int, width: int, height: int) -> Image:
        image = np.full((height, width, 3), BACKGROUND, np.uint8)
        image[::8] = 90
        for where, person in enumerate(people):
            x, y = place(where, frame)
            image[y : y + SIDE, x : x + SIDE] = face(person, opening(frame))
        return image

    return make_clip(path, size=SIZE, frames=frames, fps=FPS, draw=paint, options={"crf": "8"})


def tracks(people: Sequence[int] = (0, 1), frames: int = FRAMES) -> list[FaceTrack]:
    """Where the faces are."""
    return [track([(*place(k, frame), SIDE, SIDE) for frame in range(frames)], name=f"track {k}") for k in people]


def _skin(image: Image) -> NDArray[np.uint8]:
    near = np.abs(image.astype(int) - SKIN).max(axis=2) < 40
    return near.astype(np.uint8)


class Eyes:
    """Finds squares of skin."""

    key = "eyes"
    parameters: Mapping[str, Json] = {}

    def detect(self, image: Image, floor: float = 0.2) -> Detections:
        count, _, stats, _ = cv2.connectedComponentsWithStats(cv2.dilate(_skin(image), np.ones((25, 25))))
        found = [stats[k] for k in range(1, count) if stats[k][4] > 2000]
        boxes = np.array([[x + 12, y + 12, w - 24, h - 24] for x, y, w, h, _ in found], np.float32).reshape(-1, 4)
        return Detections(boxes, np.full(len(boxes), 0.9, np.float32))


class Points:
    """Puts 68 points on a square of skin and looks how far its mouth is open."""

    key = "points"
    parameters: Mapping[str, Json] = {}

    def find(self, image: Image, boxes: NDArray[np.float32]) -> list[Landmarks | None]:
        return [self._one(image, *(round(float(v)) for v in box)) for box in boxes]

    def close(self) -> None:
        pass

    def _one(self, image: Image, x: int, y: int, w: int, h: int) -> Landmarks | None:
        inside = image[y : y + h, x : x + w]
        if _skin(inside).mean() < 0.2:
            return None
        dark = (inside[40:, 36].max(axis=1) < 80).sum() if h > 50 else 0
        points = np.zeros((68, 3), np.float32)
        points[:17, 0], points[:17, 1] = np.linspace(0, w, 17), np.linspace(h / 2, h, 17)
        points[17:27, 0], points[17:27, 1] = np.linspace(12, w - 12, 10), 22
        points[27:31, 0], points[27:31, 1] = w / 2, np.linspace(30, 42, 4)
        points[31:36, 0], points[31:36, 1] = np.linspace(28, 44, 5), 44
        for first, left in ((36, 14), (42, 48)):
            points[first : first + 6, :2] = [
                (left, 29), (left + 3, 26), (left + 7, 26), (left + 10, 29), (left + 7, 32), (left + 3, 32),
            ]  # fmt: skip
        points[48:68, 0], points[48:68, 1] = np.linspace(22, 50, 20), 52
        points[[48, 60], 0], points[[54, 64], 0] = 22, 50
        points[[50, 51, 52, 61, 62, 63], 1] = 52 - dark / 2
        points[[56, 57, 58, 65, 66, 67], 1] = 52 + dark / 2
        points[:, :2] += (x, y)
        return Landmarks(points, 1.0, IBUG)


class Foreheads:
    """Knows people by their foreheads."""

    key = "foreheads"
    parameters: Mapping[str, Json] = {}
    dimensions = 72

    def embed(self, image: Image, five_points: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.array([self._one(image, points[:2].mean(0)) for points in five_points])

    def _one(self, image: Image, between: NDArray[np.float32]) -> NDArray[np.float32]:
        x, y = (round(float(v)) for v in between)
        forehead = cv2.resize(image[y - 24 : y - 10, x - 30 : x + 30], (12, 2), interpolation=cv2.INTER_AREA)
        centred = forehead.astype(np.float32).reshape(-1) - 128
        return np.asarray(centred / max(float(np.linalg.norm(centred)), 1e-6), np.float32)


class Still:
    """Says that nothing moves."""

    key = "still"
    parameters: Mapping[str, Json] = {}

    def between(self, first: Image, second: Image) -> NDArray[np.float32]:
        return np.zeros((*first.shape[:2], 2), np.float32)
