"""Paints sheets of points, seen from the camera, with light: the smooth part of a drawn head."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.methods.synthetic.head import Sheet

Array = NDArray[np.float64]

# Cells are painted on a smaller canvas and smeared there by this many of its pixels, so that none is seen.
_REDUCED = 2
_SMEAR = 1.4
_SHIFT = 4
_FAR = 30_000.0


@dataclass(frozen=True, slots=True, eq=False)
class Light:
    """How the scene is lit.

    Attributes:
        level: 1 is full light.
        across: how much more light comes from the picture's right, -1 to 1.
        colour: (3,) factors around 1.
        saturation: 0 draws in grey, for a picture without colours.
    """

    level: float
    across: float
    colour: NDArray[np.float64]
    saturation: float


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """How a head is seen on a canvas.

    Attributes:
        turn: (3, 3), from the head's axes to the camera's.
        place: (2,) of the head's origin on the canvas, in pixels.
        scale: pixels of the canvas per millimetre.
        size: width and height of the canvas.
    """

    turn: Array
    place: Array
    scale: float
    size: tuple[int, int]

    def seen(self, points: Array) -> Array:
        """Return (..., 3): x and y on the canvas in pixels, and z in millimetres, larger further away."""
        turned = points @ self.turn.T
        flat = turned[..., :2] * self.scale + self.place
        return np.concatenate([flat, turned[..., 2:]], axis=-1)


def paint(sheets: Sequence[Sheet], view: View, light: Light) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Paint sheets, the nearest on top.

    Returns:
        (h, w, 3) RGB, and (h, w) how much of each pixel is covered, 0 to 1.
    """
    corners, depths, colours = (
        np.concatenate(part) for part in zip(*(_cells(s, view, light) for s in sheets), strict=True)
    )
    order = np.argsort(-depths)
    width, height = view.size
    small = (-(-width // _REDUCED), -(-height // _REDUCED))
    fixed = np.rint(np.clip(corners[order] / _REDUCED, -_FAR, _FAR) * (1 << _SHIFT)).astype(np.int32)
    tones = (np.clip(colours[order], 0, 1) * 255).tolist()
    canvas = np.zeros((small[1], small[0], 4), np.uint8)
    for cell, (red, green, blue) in zip(fixed, tones, strict=True):
        cv2.fillConvexPoly(canvas, cell, (red, green, blue, 255.0), cv2.LINE_8, _SHIFT)
    smeared = np.asarray(cv2.GaussianBlur(canvas.astype(np.float32), (0, 0), _SMEAR), np.float32)
    smeared[..., :3] *= (255 / np.maximum(smeared[..., 3], 1.0))[..., None]
    size = small[0] * _REDUCED, small[1] * _REDUCED
    large = cv2.resize(smeared.astype(np.uint8), size, interpolation=cv2.INTER_LINEAR)[:height, :width]
    steep = 2.2 * _SMEAR * _REDUCED / 255
    cover = np.clip((large[..., 3].astype(np.float32) - 127.5) * steep + 0.5, 0, 1)
    return np.ascontiguousarray(large[..., :3]), np.asarray(cover, np.float32)


def _cells(sheet: Sheet, view: View, light: Light) -> tuple[Array, Array, Array]:
    """Return corners (n, 4, 2), depths (n,) and lit colours (n, 3) of a sheet's cells."""
    seen = view.seen(sheet.points)
    a, b, c, d = seen[:-1, :-1], seen[:-1, 1:], seen[1:, 1:], seen[1:, :-1]
    corners = np.stack([a, b, c, d], axis=-2)
    metric = corners / (view.scale, view.scale, 1)
    normals = np.cross(metric[..., 2, :] - metric[..., 0, :], metric[..., 3, :] - metric[..., 1, :])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    inside = normals[..., 2] < 0
    lit = shade(np.where(inside[..., None], normals, -normals), light) * np.where(inside, 0.62, 1.0)
    shown = ~inside if sheet.closed else np.ones_like(inside)
    low, high = corners[..., :2].min(-2), corners[..., :2].max(-2)
    shown &= ((high > 0) & (low < view.size)).all(-1)
    return corners[..., :2][shown], corners[..., 2].mean(-1)[shown], (lit[..., None] * sheet.colours)[shown]


def shade(normals: Array, light: Light) -> Array:
    """Return how bright surfaces with these normals (..., 3) are: soft light from above and ahead, less at the rim."""
    source = np.array([0.75 * light.across + 0.22, -0.52, -0.83])
    source /= np.linalg.norm(source)
    soft = 0.5 + 0.5 * normals @ source
    rim = np.clip(-normals[..., 2], 0, 1)
    return np.asarray((0.50 + 0.56 * soft**1.4) * (0.86 + 0.14 * rim**0.6))
