"""Follows a box from picture to picture by how its points move, while it still looks the same.

The median of many points' motion, each of them followed there and back, after Kalal, Mikolajczyk and Matas,
"Forward-Backward Error: Automatic Detection of Tracking Failures", ICPR 2010, sections 2 and 3; the points by the
pyramid of Lucas and Kanade. It knows no faces: it stays with what was one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from models.faces.appearance import describe, likeness

_LONGEST = 640
_GRID = 8
_INNER = 0.8
# What is compared around a point: half of the face, within these pixels.
_WINDOW, _LEAST_WINDOW, _MOST_WINDOW = 0.5, 15, 31
_LEVELS = 3
_AROUND = 0.75
_LEAST_SIDE = 8.0
_LEAST_POINTS = 12
# Half of the points come back to where they started, within this share of the box's side.
_COME_BACK = 0.04
_LEAST_BACK = 0.5
_LEAST_AWAY = 0.5
_MOST_ZOOM = 1.05
_LEAST_INSIDE = 0.5

Box = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Reduced:
    """A picture made small enough to keep many of them.

    Attributes:
        frame: its position in the recording.
        planes: luma and both chroma planes, at most 640 pixels wide or high.
        scale: pixels of the recording per pixel here.
    """

    frame: int
    planes: tuple[NDArray[np.uint8], ...]
    scale: float


def reduced(frame: int, planes: Sequence[NDArray[np.uint8]]) -> Reduced:
    """Make the planes of a picture small; they are copied in any case."""
    height, width = planes[0].shape
    scale = max(1.0, max(height, width) / _LONGEST)
    luma = max(1, round(width / scale)), max(1, round(height / scale))
    sizes = (luma, *[((luma[0] + 1) // 2, (luma[1] + 1) // 2)] * 2)
    small = (cv2.resize(plane, size, interpolation=cv2.INTER_AREA) for plane, size in zip(planes, sizes, strict=True))
    return Reduced(frame, tuple(np.array(plane, np.uint8) for plane in small), scale)


class Follower:
    """Goes on from a box, one picture at a time, forward or backward.

    Args:
        start: the picture in which the box is known.
        box: x, y, width, height in pixels of the recording.
        alike: how alike it must look to what it was at the start, 0 to 1, see `appearance.likeness`.
    """

    def __init__(self, start: Reduced, box: NDArray[np.floating], alike: float) -> None:
        self._picture, self._alike = start, alike
        self._box = np.asarray(box, np.float64) / start.scale
        self._look = describe(start.planes, self._box)

    def step(self, picture: Reduced) -> Box | None:
        """Return the box in the neighbouring picture, in pixels of the recording; None where it is lost."""
        moved = _moved(self._picture.planes[0], picture.planes[0], self._box)
        if moved is None or _inside(moved, picture.planes[0].shape) < _LEAST_INSIDE:
            return None
        if float(likeness(describe(picture.planes, moved)[None], self._look[None])[0, 0]) < self._alike:
            return None
        self._picture, self._box = picture, moved
        return moved * picture.scale


def _moved(old: NDArray[np.uint8], new: NDArray[np.uint8], box: Box) -> Box | None:
    if min(box[2:]) < _LEAST_SIDE or old.shape != new.shape:
        return None
    height, width = old.shape
    around = _AROUND * max(box[2:])
    left, top = (max(0, int(v - around)) for v in box[:2])
    right, bottom = min(width, int(box[0] + box[2] + around)), min(height, int(box[1] + box[3] + around))
    if right - left < _LEAST_SIDE or bottom - top < _LEAST_SIDE:
        return None
    before, after = (np.ascontiguousarray(plane[top:bottom, left:right]) for plane in (old, new))
    points = _points(box, (left, top), before.shape)
    if len(points) < _LEAST_POINTS:
        return None
    # Beside the picture's edge, what is around a point is not all there: then little of it is compared.
    for window in (round(min(max(_WINDOW * min(box[2:]), _LEAST_WINDOW), _MOST_WINDOW)) | 1, _LEAST_WINDOW):
        there, reached = _flow(before, after, points, window)
        back, returned = _flow(after, before, there, window)
        away = np.linalg.norm(back - points, axis=1)
        good = reached & returned & (away <= max(_LEAST_AWAY, _COME_BACK * min(box[2:])))
        if good.sum() >= max(_LEAST_POINTS, _LEAST_BACK * len(points)):
            break
    else:
        return None
    start, end = points[good].astype(np.float64), there[good].astype(np.float64)
    shift = np.median(end - start, axis=0)
    zoom = float(np.clip(_spread(end) / max(_spread(start), 1e-6), 1 / _MOST_ZOOM, _MOST_ZOOM))
    size = box[2:] * zoom
    return np.concatenate([box[:2] + box[2:] / 2 + shift - size / 2, size])


def _flow(
    before: NDArray[np.uint8], after: NDArray[np.uint8], points: NDArray[np.float32], window: int
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return where (n, 2) points went, and which of them were found there."""
    place = points.copy()
    there, reached, _ = cv2.calcOpticalFlowPyrLK(
        before, after, points, place, winSize=(window, window), maxLevel=_LEVELS
    )
    return np.asarray(there, np.float32), np.asarray(reached).ravel() == 1


def _points(box: Box, corner: tuple[int, int], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return (n, 2) points on a grid in the inner part of the box, those inside the picture."""
    steps = (np.linspace(-_INNER, _INNER, _GRID) + 1) / 2
    x, y = np.meshgrid(box[0] - corner[0] + steps * box[2], box[1] - corner[1] + steps * box[3])
    points = np.stack([x.ravel(), y.ravel()], axis=1)
    inside = np.all((points >= 1) & (points < np.array(shape[::-1]) - 1), axis=1)
    return np.ascontiguousarray(points[inside], np.float32)


def _spread(points: NDArray[np.float64]) -> float:
    """Return the median distance of points from their median: how far apart they lie."""
    return float(np.median(np.linalg.norm(points - np.median(points, axis=0), axis=1)))


def _inside(box: Box, shape: tuple[int, ...]) -> float:
    """Return the share of a box that lies in the picture."""
    low, high = np.maximum(box[:2], 0), np.minimum(box[:2] + box[2:], np.array(shape[::-1], float))
    return float(np.clip(high - low, 0, None).prod() / box[2:].prod())
