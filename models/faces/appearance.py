"""What a face looks like in a few numbers, without a network: to tell it from the other faces of the same scene.

Three bands of the face and its hair (brow and hair, eyes and nose, mouth and collar) each give a histogram of
brightness and of both colour differences; four quarters give one of the directions of edges, after Dalal and Triggs,
"Histograms of Oriented Gradients for Human Detection", CVPR 2005. Square roots of histograms are compared by their
scalar product (the Hellinger kernel), as in Arandjelovic and Zisserman, "Three Things Everyone Should Know to Improve
Object Retrieval", CVPR 2012, section 2. It recognises nobody: hats, light and haircuts weigh as much as features.
"""

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

_SIDE = 24
_AROUND = 0.25
_BANDS = 3
_LUMA_BINS, _CHROMA_BINS, _DIRECTIONS = 8, 8, 8
# Skin, hair and cloth lie within this of grey on the scale of the chroma planes.
_CHROMA_REACH = 40.0
_PARTS = 4
LENGTH = _BANDS * (_LUMA_BINS + 2 * _CHROMA_BINS) + 4 * _DIRECTIONS
"""Numbers in a description."""

Description = NDArray[np.uint8]

_PLACES = np.arange(_SIDE * _SIDE) // _SIDE
_BAND = _PLACES * _BANDS // _SIDE
_QUARTER = _PLACES // (_SIDE // 2) * 2 + np.arange(_SIDE * _SIDE) % _SIDE // (_SIDE // 2)


def describe(planes: Sequence[NDArray[np.uint8]], box: Sequence[float] | NDArray[np.floating]) -> Description:
    """Describe a face.

    Args:
        planes: luma (h, w) and two chroma planes of half of its size, rounded up.
        box: x, y, width, height in pixels of the luma plane.

    Returns:
        (104,) uint8; all zero where the box lies outside the picture.
    """
    luma, blue, red = (_crop(plane, box, step) for plane, step in zip(planes, (1, 2, 2), strict=True))
    if luma is None or blue is None or red is None:
        return np.zeros(LENGTH, np.uint8)
    spread = max(float(luma.std()), 8.0)
    levels = (luma - luma.mean()) / (4 * spread) + 0.5
    chroma = [(plane - 128) / (2 * _CHROMA_REACH) + 0.5 for plane in (blue, red)]
    along = cv2.Sobel(luma, cv2.CV_32F, 1, 0, ksize=3).ravel()
    down = cv2.Sobel(luma, cv2.CV_32F, 0, 1, ksize=3).ravel()
    strength, turn = np.hypot(along, down), np.arctan2(down, along) / (2 * np.pi) + 0.5
    parts = [
        _histogram(levels.ravel(), _BAND, _BANDS, _LUMA_BINS),
        _histogram(chroma[0].ravel(), _BAND, _BANDS, _CHROMA_BINS),
        _histogram(chroma[1].ravel(), _BAND, _BANDS, _CHROMA_BINS),
        _histogram(turn, _QUARTER, 4, _DIRECTIONS, strength),
    ]
    return np.asarray(np.rint(np.sqrt(np.concatenate(parts)) * 255), np.uint8)


def likeness(a: NDArray[np.generic], b: NDArray[np.generic]) -> NDArray[np.float64]:
    """Compare descriptions.

    Args:
        a: (n, 104).
        b: (m, 104).

    Returns:
        (n, m), 0 to about 1, which is the same picture; 0 where one of both is all zero.
    """
    return np.asarray(a, np.float64) @ np.asarray(b, np.float64).T / (_PARTS * 255.0**2)


def _crop(
    plane: NDArray[np.uint8], box: Sequence[float] | NDArray[np.floating], step: int
) -> NDArray[np.float32] | None:
    x, y, width, height = (float(v) / step for v in box)
    left, top = max(0, round(x - _AROUND * width)), max(0, round(y - _AROUND * height))
    right, bottom = round(x + (1 + _AROUND) * width), round(y + (1 + _AROUND) * height)
    part = plane[top : max(top + 1, bottom), left : max(left + 1, right)]
    if not part.size:
        return None
    return cv2.resize(part, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA).astype(np.float32)


def _histogram(
    values: NDArray[np.floating],
    cells: NDArray[np.int64],
    count: int,
    bins: int,
    weights: NDArray[np.floating] | None = None,
) -> NDArray[np.float64]:
    """Return (count * bins,) that sums to 1; a value between the middles of two bins counts in both."""
    place = np.clip(values, 0, 1) * (bins - 1)
    low = np.minimum(place.astype(np.int64), bins - 2)
    upper = place - low
    whole = np.ones_like(place) if weights is None else weights
    found = np.bincount(cells * bins + low, whole * (1 - upper), count * bins)
    found += np.bincount(cells * bins + low + 1, whole * upper, count * bins)
    total = float(found.sum())
    return found / total if total > 0 else np.full(count * bins, 1 / (count * bins))
