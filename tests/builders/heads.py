"""Heads with known points: an average one, turned, with eyes and mouth as wished, in both layouts."""

import numpy as np
from numpy.typing import NDArray

from models.faces.landmarks.face_signals import REFERENCE
from models.faces.landmarks.landmark_finders import IBUG, MEDIAPIPE, Landmarks

COUNTS = {MEDIAPIPE: 478, IBUG: 68}
_EYE_RIGHT = {MEDIAPIPE: (33, 160, 158, 133, 153, 144), IBUG: (36, 37, 38, 39, 40, 41)}
_EYE_LEFT = {MEDIAPIPE: (362, 385, 387, 263, 373, 380), IBUG: (42, 43, 44, 45, 46, 47)}
_NOSE = {MEDIAPIPE: (168, 1, 2), IBUG: (27, 30, 33)}
_MOUTH = {MEDIAPIPE: (61, 291), IBUG: (48, 54)}
_LIPS = {MEDIAPIPE: ((81, 178), (13, 14), (311, 402)), IBUG: ((61, 67), (62, 66), (63, 65))}
_BROWS = {
    MEDIAPIPE: ((70, 63, 105, 66, 107), (300, 293, 334, 296, 336)),
    IBUG: ((17, 18, 19, 20, 21), (22, 23, 24, 25, 26)),
}


def head(
    layout: str,
    *,
    mouth: float = 0,
    eyes: tuple[float, float] = (8, 8),
    brows: float = 22,
    iris: tuple[float, float] = (0, 0),
) -> NDArray[np.float64]:
    """Return the points of an average head in millimetres, x to the picture's right, y down, z away.

    Args:
        layout: one of the two.
        mouth: gap between the lips.
        eyes: opening of the left and the right eye.
        brows: height over the eyes.
        iris: how far both irises are off the middle of their eyes, to the picture's right and down.
    """
    points = np.zeros((COUNTS[layout], 3))
    outer_right, inner_right, inner_left, outer_left = REFERENCE[:4]
    _eye(points, _EYE_RIGHT[layout], outer_right, inner_right, eyes[1])
    _eye(points, _EYE_LEFT[layout], inner_left, outer_left, eyes[0])
    points[list(_NOSE[layout])] = REFERENCE[4:7]
    points[list(_MOUTH[layout])] = REFERENCE[7:9]
    for number, (upper, lower) in enumerate(_LIPS[layout]):
        points[upper] = ((number - 1) * 10, 68 - mouth / 2, -14)
        points[lower] = ((number - 1) * 10, 68 + mouth / 2, -14)
    for brow, middle in zip(_BROWS[layout], (REFERENCE[:2].mean(0), REFERENCE[2:4].mean(0)), strict=True):
        points[list(brow)] = [middle + np.array(((step - 2) * 6, -brows, 0)) for step in range(5)]
    if layout == MEDIAPIPE:
        points[468], points[473] = (pair.mean(0) + np.array((*iris, 0)) for pair in (REFERENCE[:2], REFERENCE[2:4]))
    return points


def _eye(points: NDArray[np.float64], numbers: tuple[int, ...], start: NDArray, end: NDArray, opening: float) -> None:
    for number, share, side in zip(numbers, (0, 1 / 3, 2 / 3, 1, 2 / 3, 1 / 3), (0, -1, -1, 0, 1, 1), strict=True):
        points[number] = start + (end - start) * share + (0, side * opening / 2, 0)


def rotation(yaw: float, pitch: float, roll: float) -> NDArray[np.float64]:
    """Return the turn of a head by degrees: yaw to the picture's right, pitch up, roll clockwise."""
    a, b, c = np.radians((-yaw, -pitch, roll))
    around_y = np.array([(np.cos(a), 0, np.sin(a)), (0, 1, 0), (-np.sin(a), 0, np.cos(a))])
    around_x = np.array([(1, 0, 0), (0, np.cos(b), -np.sin(b)), (0, np.sin(b), np.cos(b))])
    around_z = np.array([(np.cos(c), -np.sin(c), 0), (np.sin(c), np.cos(c), 0), (0, 0, 1)])
    return np.asarray(around_y @ around_x @ around_z)


def seen(
    points: NDArray[np.float64],
    layout: str,
    turn: NDArray[np.float64] | None = None,
    size: tuple[int, int] = (1280, 720),
    place: tuple[float, float, float] = (0, 0, 700),
) -> Landmarks:
    """Return what a camera sees whose focal length is the longer side of the picture, `place` millimetres away."""
    stood = points @ (np.eye(3) if turn is None else turn).T + place
    focal = max(size)
    flat = stood[:, :2] / stood[:, 2:] * focal + np.array(size) / 2
    depth = points @ (np.eye(3) if turn is None else turn).T[:, 2:] * focal / place[2]
    full = np.concatenate([flat, depth if layout == MEDIAPIPE else np.zeros_like(depth)], axis=1)
    return Landmarks(full.astype(np.float32), 1.0, layout)
