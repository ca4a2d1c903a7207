"""Composites what hides faces into the planes of a picture, under masks."""

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from anonymize.masking.masks import Area, FaceMask
from anonymize.methods.face_methods import PlaneMethod
from anonymize.methods.solid import NEUTRAL_GREY

Plane = NDArray[np.uint8]


def hide_faces(planes: Sequence[Plane], masks: Iterable[FaceMask], method: PlaneMethod) -> None:
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
        area = mask.draw_area(width, height, math.lcm(2, method.grid(mask.face_width)))
        if area is None:
            continue
        for part, alpha, step in _parts(planes, area):
            _blend(part, method.cover(part, mask.face_width, (step, step)), alpha)


def paste_patch(planes: Sequence[Plane], area: Area, patch: Sequence[Plane]) -> None:
    """Put planes of the size of an area in its place, under its mask, in place.

    Args:
        planes: luma of the picture's size and chroma planes of half of it, rounded up.
        area: where; starts on even pixels.
        patch: luma and chroma planes of the area's size.
    """
    for (part, alpha, _), new in zip(_parts(planes, area), patch, strict=True):
        _blend(part, new, alpha)


def cover_rectangle(planes: Sequence[Plane], box: Sequence[float] | NDArray[np.floating]) -> None:
    """Paint a rectangle x, y, width, height grey, in place, with every sample that it touches."""
    height, width = planes[0].shape[:2]
    x, y, across, down = (float(v) for v in box)
    left, top = (max(0, math.floor(v)) for v in (x, y))
    right, bottom = min(width, math.ceil(x + across)), min(height, math.ceil(y + down))
    if left >= right or top >= bottom:
        return
    for plane in planes:
        step = 1 if plane is planes[0] else 2
        plane[top // step : math.ceil(bottom / step), left // step : math.ceil(right / step)] = NEUTRAL_GREY


def blank_picture(planes: Sequence[Plane]) -> None:
    """Paint a whole picture grey, in place."""
    for plane in planes:
        plane[:] = NEUTRAL_GREY


def _parts(planes: Sequence[Plane], area: Area) -> Iterator[tuple[Plane, Plane, int]]:
    """Yield the part of each plane that an area covers, the area's mask for it, and how many pixels a sample spans."""
    rows, columns = area.alpha.shape
    for plane in planes:
        step = 1 if plane is planes[0] else 2
        top, left = area.y // step, area.x // step
        part = plane[top : top + math.ceil(rows / step), left : left + math.ceil(columns / step)]
        yield part, area.alpha if step == 1 else _chroma_alpha(area.alpha), step


def _chroma_alpha(alpha: Plane) -> Plane:
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
