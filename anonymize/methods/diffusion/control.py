"""What the ControlNet is shown of the source: so expression, gaze and pose of the head are kept."""

from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.landmarks.base import Landmarks

Image = NDArray[np.uint8]

_LOW, _HIGH = 50, 100
_WIDTH = 2
# Closed lines of MediaPipe's 478 points. The outline of the face is left out: it says who it is, not what it does.
_MEDIAPIPE_CLOSED = (
    (33, 7, 163, 144, 145, 153, 154, 155, 133, 173, 157, 158, 159, 160, 161, 246),
    (263, 249, 390, 373, 374, 380, 381, 382, 362, 398, 384, 385, 386, 387, 388, 466),
    (61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291, 409, 270, 269, 267, 0, 37, 39, 40, 185),
    (78, 95, 88, 178, 87, 14, 317, 402, 318, 324, 308, 415, 310, 311, 312, 13, 82, 81, 80, 191),
    (469, 470, 471, 472),
    (474, 475, 476, 477),
)
_MEDIAPIPE_OPEN = ((46, 53, 52, 65, 55), (276, 283, 282, 295, 285), (168, 6, 197, 195, 5, 4), (98, 2, 327))
_IBUG_CLOSED = ((36, 37, 38, 39, 40, 41), (42, 43, 44, 45, 46, 47), tuple(range(48, 60)), tuple(range(60, 68)))
_IBUG_OPEN = ((17, 18, 19, 20, 21), (22, 23, 24, 25, 26), (27, 28, 29, 30), (31, 32, 33, 34, 35))
_LINES = {"mediapipe478": (_MEDIAPIPE_CLOSED, _MEDIAPIPE_OPEN), "ibug68": (_IBUG_CLOSED, _IBUG_OPEN)}


def edges(crop: Image) -> Image:
    """Return the edges of a crop (Canny, PAMI 1986; thresholds 50 and 100), (h, w, 3) white on black."""
    found = cv2.Canny(cv2.cvtColor(crop, cv2.COLOR_RGB2GRAY), _LOW, _HIGH)
    return np.repeat(found[..., None], 3, axis=2).astype(np.uint8)


def lines(landmarks: Landmarks | None, size: tuple[int, int]) -> Image:
    """Return the lines of eyes, iris, brows, nose and mouth, white on black as edges are.

    Args:
        landmarks: in pixels of the crop; None draws nothing.
        size: width and height of the crop.
    """
    drawn = np.zeros((size[1], size[0], 3), np.uint8)
    if landmarks is not None:
        for closed, points in _polygons(landmarks):
            cv2.polylines(drawn, [points], closed, (255, 255, 255), _WIDTH, cv2.LINE_AA)
    return drawn


def _polygons(landmarks: Landmarks) -> Iterator[tuple[bool, NDArray[np.int32]]]:
    points = np.rint(landmarks.points[:, :2]).astype(np.int32)
    closed, ended = _LINES[landmarks.layout]
    for each in closed:
        yield True, points[list(each)]
    for each in ended:
        yield False, points[list(each)]
