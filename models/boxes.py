"""Intersection over union of boxes, suppression of overlaps, and crop windows around boxes.

A box is x, y, width, height, in any unit.
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray


def iou_matrix(boxes: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return (n, m) intersections over union of (n, 4) and (m, 4) boxes; 0 where one has no area."""
    array = np.asarray(boxes, np.float64).reshape(-1, 1, 4)
    other = np.asarray(others, np.float64).reshape(1, -1, 4)
    low = np.maximum(array[..., :2], other[..., :2])
    high = np.minimum(array[..., :2] + array[..., 2:], other[..., :2] + other[..., 2:])
    shared = np.clip(high - low, 0, None).prod(-1)
    union = np.clip(array[..., 2:], 0, None).prod(-1) + np.clip(other[..., 2:], 0, None).prod(-1) - shared
    share: NDArray[np.float64] = np.divide(shared, union, out=np.zeros_like(shared), where=union > 0)
    return share


def iou(box: ArrayLike, other: ArrayLike) -> float:
    """Return the intersection over union of two boxes; see `iou_matrix`."""
    return float(iou_matrix(box, other)[0, 0])


_SAME_OBJECT, _MAX_CANDIDATES = 0.3, 2000


def suppress_overlaps(boxes: NDArray[np.floating], scores: NDArray[np.floating]) -> NDArray[np.intp]:
    """Return which of (n, 4) boxes stay, best first, where each takes away those that overlap it by more than 0.3.

    Non-maximum suppression, among the 2,000 that score most.
    """
    import cv2

    found = boxes.astype(float).tolist(), scores.astype(float).tolist()
    kept = cv2.dnn.NMSBoxes(*found, 0.0, _SAME_OBJECT, top_k=_MAX_CANDIDATES) if len(scores) else ()
    return np.asarray(kept, np.intp).reshape(-1)


# A face is told from what is around it: windows show this share of the longer side of their box on every side.
_AROUND = 0.5
_LEAST_AROUND = 32
# Windows start and end on the detectors' own grid, where they see in them what they see in the whole picture.
_GRID = 32
# When the windows would cover more of the picture than this, the whole is quicker.
_MOST = 0.6

Box = Sequence[float] | NDArray[np.floating]
Window = tuple[int, int, int, int]


def crop_windows(boxes: Iterable[Box], width: int, height: int) -> list[Window]:
    """Return left, top, right, bottom of rectangles that show all boxes with what is around them; none overlap."""
    found: list[Window] = []
    for x, y, w, h in boxes:
        around = max(_AROUND * max(w, h), _LEAST_AROUND)
        left, top = (max(0, int((start - around) // _GRID * _GRID)) for start in (x, y))
        right = min(width, int(-(-(x + w + around) // _GRID) * _GRID))
        bottom = min(height, int(-(-(y + h + around) // _GRID) * _GRID))
        if left >= right or top >= bottom:
            continue
        new = (left, top, right, bottom)
        while touching := [row for row in found if _do_overlap(row, new)]:
            found = [row for row in found if row not in touching]
            sides = list(zip(new, *touching, strict=True))
            new = (min(sides[0]), min(sides[1]), max(sides[2]), max(sides[3]))
        found.append(new)
    covered = sum((right - left) * (bottom - top) for left, top, right, bottom in found)
    return found if covered <= _MOST * width * height else [(0, 0, width, height)]


def _do_overlap(a: Window, b: Window) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]
