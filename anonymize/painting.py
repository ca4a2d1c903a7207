"""Puts a method's work onto the planes of a picture, under the masks."""

import math
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from anonymize.ellipses import FaceMask
from anonymize.methods.base import Method
from anonymize.methods.solid import NEUTRAL

Plane = NDArray[np.uint8]


def hide(planes: Sequence[Plane], masks: Iterable[FaceMask], method: Method) -> None:
    """Hide faces in a picture, in place.

    Faces are hidden one after the other, so where masks overlap, a later one works on what an earlier one left:
    nothing that was hidden comes back.

    Args:
        planes: luma of the picture's size and chroma planes of half of it, rounded up; or one array, (h, w) or RGB.
        masks: of this frame.
        method: how to hide them.
    """
    height, width = planes[0].shape[:2]
    for mask in masks:
        area = mask.area(width, height, math.lcm(2, method.grid(mask.face_width)))
        if area is None:
            continue
        rows, columns = area.alpha.shape
        for plane in planes:
            step = 1 if plane.shape[:2] == (height, width) and plane is planes[0] else 2
            alpha = area.alpha if step == 1 else _shared(area.alpha)
            top, left = area.y // step, area.x // step
            part = plane[top : top + math.ceil(rows / step), left : left + math.ceil(columns / step)]
            _blend(part, method.cover(part, mask.face_width, (step, step)), alpha)


def blank(planes: Sequence[Plane]) -> None:
    """Paint a whole picture grey, in place."""
    for plane in planes:
        plane[:] = NEUTRAL


def _shared(alpha: Plane) -> Plane:
    """Return the mask of a chroma plane: a sample is hidden as much as the most hidden of its two by two pixels."""
    rows, columns = alpha.shape
    if rows % 2 or columns % 2:
        alpha = np.pad(alpha, ((0, rows % 2), (0, columns % 2)))
    down = np.maximum(alpha[::2], alpha[1::2])
    return np.maximum(down[:, ::2], down[:, 1::2])


def _blend(part: Plane, cover: Plane, alpha: Plane) -> None:
    """Mix `cover` into `part`, in place; at 255 nothing of `part` is left, not even by rounding."""
    weight = alpha.astype(np.uint16)
    if part.ndim == 3:
        weight = weight[..., None]
    part[:] = (part * (255 - weight) + cover * weight + 127) // 255
