"""Measures mouth, lids, brows, irises and head pose from face landmarks, the same for every landmark layout.

Left and right are the person's own. Distances count in three dimensions where the layout has depth, so that a turned
head does not look like another expression. All but the pose are shares of a distance in the same face, so that they do
not depend on its size.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.faces.landmarks.landmark_finders import IBUG, MEDIAPIPE, Landmarks

_OPEN = 0.3

Points = NDArray[np.float32]
Pair = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Eye:
    """Points of one eye, by number.

    Attributes:
        corners: outer, inner.
        lids: pairs of upper and lower lid.
        iris: its centre; None where the layout has none.
    """

    corners: tuple[int, int]
    lids: tuple[tuple[int, int], tuple[int, int]]
    brow: tuple[int, ...]
    iris: int | None = None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Points by number.

    Attributes:
        lips: pairs of upper and lower inner lip.
        mouth: its corners, right and left.
        nose: bridge between the eyes, tip, base.
    """

    left: _Eye
    right: _Eye
    lips: tuple[tuple[int, int], ...]
    mouth: tuple[int, int]
    nose: tuple[int, int, int]


_LAYOUTS = {
    MEDIAPIPE: _Layout(
        left=_Eye((263, 362), ((385, 380), (387, 373)), (300, 293, 334, 296, 336), 473),
        right=_Eye((33, 133), ((160, 144), (158, 153)), (70, 63, 105, 66, 107), 468),
        lips=((81, 178), (13, 14), (311, 402)),
        mouth=(61, 291),
        nose=(168, 1, 2),
    ),
    IBUG: _Layout(
        left=_Eye((45, 42), ((43, 47), (44, 46)), (22, 23, 24, 25, 26)),
        right=_Eye((36, 39), ((37, 41), (38, 40)), (17, 18, 19, 20, 21)),
        lips=((61, 67), (62, 66), (63, 65)),
        mouth=(48, 54),
        nose=(27, 30, 33),
    ),
}

REFERENCE = np.array(
    [
        (-44.5, 0, 0),
        (-18.5, 1, -6),
        (18.5, 1, -6),
        (44.5, 0, 0),
        (0, -6, -21),
        (0, 38, -43),
        (0, 47, -29),
        (-24.5, 70, -11),
        (24.5, 70, -11),
    ],
    np.float64,
)
"""A head that looks into the camera: the corners of its right and left eye from the picture's left to its right,
bridge, tip and base of the nose, corners of the mouth. x to the picture's right, y down, z away from the camera, in
millimetres from between the outer corners of the eyes; an average adult's, within 2 mm of MediaPipe's canonical face
model."""


def mouth_opening(face: Landmarks) -> float:
    """Return the mean gap between the inner lips in units of the distance between the outer corners of the eyes.

    0 is shut, about 0.5 wide open. The unit is that of the normalized mean error of Sagonas et al., "300 Faces
    in-the-Wild Challenge", ICCV Workshops 2013; unlike the mouth's width, it does not change with a smile.
    """
    gap = np.mean([_distance(face, upper, lower) for upper, lower in _LAYOUTS[face.layout].lips])
    return float(gap / _scale(face))


def mouth_width(face: Landmarks) -> float:
    """Return the distance between the corners of the mouth in units of that between the outer corners of the eyes."""
    return _distance(face, *_LAYOUTS[face.layout].mouth) / _scale(face)


def corner_lift(face: Landmarks) -> float:
    """Return how far the corners of the mouth are above the middle of the inner lips, along the face's own vertical.

    In units of the distance between the outer corners of the eyes; below 0 where they are under it.
    """
    layout, points = _LAYOUTS[face.layout], face.points
    eyes = points[[layout.left.corners[0], layout.right.corners[0]]].mean(0)
    lips = points[[number for pair in layout.lips for number in pair]].mean(0)
    down = (lips - eyes) / max(float(np.linalg.norm(lips - eyes)), 1e-6)
    return float((lips - points[list(layout.mouth)].mean(0)) @ down / _scale(face))


def eye_closure(face: Landmarks) -> Pair:
    """Return how shut the left and the right eye are: 1 shut, about 0 open, below 0 wide open.

    1 - r / 0.3 with the eye aspect ratio r = (|p2 - p6| + |p3 - p5|) / (2 |p1 - p4|) of Soukupová and Čech,
    "Real-Time Eye Blink Detection using Facial Landmarks", Computer Vision Winter Workshop 2016, equation 1.
    """
    layout = _LAYOUTS[face.layout]
    return _closure(face, layout.left), _closure(face, layout.right)


def brow_height(face: Landmarks) -> Pair:
    """Return how far the middle of the left and the right brow are from the middle of their eye's corners.

    In units of the distance between the outer corners of the eyes; about 0.25 at rest, more when raised.
    """
    layout = _LAYOUTS[face.layout]
    return _brow(face, layout.left), _brow(face, layout.right)


def iris_offset(face: Landmarks) -> NDArray[np.float32] | None:
    """Return how far the irises are from the middle of their eyes' corners, in widths of the eye.

    Returns (2, 2): left and right eye; along the line through the corners towards the picture's right, and across it
    towards the picture's lower edge. None for a layout without irises.
    """
    layout = _LAYOUTS[face.layout]
    points, offsets = face.points[:, :2], []
    for eye in (layout.left, layout.right):
        if eye.iris is None:
            return None
        ends = points[list(eye.corners)]
        along = ends[np.argmax(ends[:, 0])] - ends[np.argmin(ends[:, 0])]
        width = max(float(np.linalg.norm(along)), 1e-6)
        along = along / width
        offset = points[eye.iris] - ends.mean(0)
        offsets.append((offset @ along / width, offset @ np.array((-along[1], along[0])) / width))
    return np.array(offsets, np.float32)


def head_pose(face: Landmarks, size: tuple[int, int]) -> tuple[float, float, float]:
    """Return yaw, pitch and roll of the head against the camera in degrees.

    The pose that projects nine points of an average head, `REFERENCE`, onto those found (perspective-n-point by
    Terzakis and Lourakis, "A Consistently Fast and Globally Optimal Solution to the Perspective-n-Point Problem", ECCV
    2020), for a camera whose focal length is the picture's longer side, as nobody knows the real one. Yaw is positive
    when the face turns to the picture's right, pitch when it looks up, roll when it tilts clockwise; NaN where the
    points allow no pose. `size` is width and height of the picture in pixels.
    """
    import cv2

    layout = _LAYOUTS[face.layout]
    numbers = [*layout.right.corners, *reversed(layout.left.corners), *layout.nose, *layout.mouth]
    seen = face.points[numbers, :2].astype(np.float64)
    focal = float(max(size))
    camera = np.array([[focal, 0, size[0] / 2], [0, focal, size[1] / 2], [0, 0, 1]])
    if not np.isfinite(seen).all() or float(np.ptp(seen, axis=0).max()) < 1:
        return (float("nan"),) * 3
    solved, turn, _ = cv2.solvePnP(REFERENCE, seen, camera, None, flags=cv2.SOLVEPNP_SQPNP)
    return angles(np.asarray(cv2.Rodrigues(turn)[0], np.float64)) if solved else (float("nan"),) * 3


def angles(rotation: NDArray[np.float64]) -> tuple[float, float, float]:
    """Return yaw, pitch and roll in degrees of a (3, 3) rotation Ry(-yaw) Rx(-pitch) Rz(roll) of `REFERENCE`'s axes."""
    ahead = -rotation[:, 2]
    yaw = np.arctan2(ahead[0], -ahead[2])
    pitch = -np.arcsin(np.clip(ahead[1], -1, 1))
    roll = np.arctan2(rotation[1, 0], rotation[1, 1])
    return float(np.degrees(yaw)), float(np.degrees(pitch)), float(np.degrees(roll))


def five_points(face: Landmarks) -> Points:
    """Return (5, 2) x, y of the right and the left eye, the tip of the nose, the mouth's right and left corner.

    The order of `Detections.landmarks`. An eye is the middle of its corners and lids, wherever it looks.
    """
    layout, points = _LAYOUTS[face.layout], face.points[:, :2]
    eyes = [points[[*eye.corners, *sum(eye.lids, ())]].mean(0) for eye in (layout.right, layout.left)]
    return np.asarray([*eyes, points[layout.nose[1]], *points[list(layout.mouth)]], np.float32)


def _distance(face: Landmarks, a: int, b: int) -> float:
    return float(np.linalg.norm(face.points[a] - face.points[b]))


def _scale(face: Landmarks) -> float:
    layout = _LAYOUTS[face.layout]
    return max(_distance(face, layout.left.corners[0], layout.right.corners[0]), 1e-6)


def _closure(face: Landmarks, eye: _Eye) -> float:
    height = np.mean([_distance(face, upper, lower) for upper, lower in eye.lids])
    return float(1 - height / max(_distance(face, *eye.corners), 1e-6) / _OPEN)


def _brow(face: Landmarks, eye: _Eye) -> float:
    apart = face.points[list(eye.brow)].mean(0) - face.points[list(eye.corners)].mean(0)
    return float(np.linalg.norm(apart) / _scale(face))
