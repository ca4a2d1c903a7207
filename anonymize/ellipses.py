"""The mask of one face in one frame: ellipses that sweep along with the face, fading out around it."""

import math
from dataclasses import dataclass
from itertools import pairwise

import cv2
import numpy as np
from numpy.typing import NDArray

_CORNERS = 64
# The polygon goes around the ellipse, not inside it, and a tenth of a pixel more, for rounding.
_AROUND = 1 / math.cos(math.pi / _CORNERS)
_ROUNDING = 0.1
_TURN = np.linspace(0, 2 * np.pi, _CORNERS, endpoint=False)
_CIRCLE = np.stack([np.cos(_TURN), np.sin(_TURN)], axis=1)
# OpenCV draws polygons in fixed point: sixteenths of a pixel, and no further out than this.
_SHIFT = 4
_FAR = 30_000.0

Ellipses = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Area:
    """A rectangle of the picture and how much each of its pixels is hidden.

    Attributes:
        x: of the upper left corner.
        y: of the upper left corner.
        alpha: (h, w) uint8; 255 hides fully.
    """

    x: int
    y: int
    alpha: NDArray[np.uint8]


@dataclass(frozen=True, slots=True, eq=False)
class FaceMask:
    """The mask of one face in one frame: everything between an ellipse and the next.

    Attributes:
        track_id: whose it is.
        face_width: the greatest width of the face in its track, in pixels; the strength of a method derives from
            it, so that it does not change from frame to frame and is never too weak.
        box: (4,) float64, x, y, width, height of the face itself in this frame.
        ellipses: (k, 4) float64, x and y of the centre, half width, half height: in the frame before, in this one
            and in the next, as far as the track goes.
        feather: share of the radius over which the mask fades out.
    """

    track_id: str
    face_width: float
    box: NDArray[np.float64]
    ellipses: Ellipses
    feather: float

    def area(self, width: int, height: int, grid: int = 1) -> Area | None:
        """Draw the mask into a picture.

        Args:
            width: of the picture.
            height: of the picture.
            grid: the rectangle starts and ends on multiples of this, save at the right and lower edge.

        Returns:
            None where the mask lies outside the picture.
        """
        centres, radii = self.ellipses[:, :2], self.ellipses[:, 2:]
        reach = radii * (1 + self.feather) * _AROUND + 2
        left, top = (math.floor(v / grid) * grid for v in np.clip((centres - reach).min(0), 0, (width, height)))
        right, bottom = (math.ceil(v / grid) * grid for v in np.clip((centres + reach).max(0), 0, (width, height)))
        right, bottom = min(right, width), min(bottom, height)
        if right <= left or bottom <= top:
            return None
        alpha = np.zeros((bottom - top, right - left), np.uint8)
        if np.abs(self.ellipses).max() > _FAR:
            alpha[:] = 255
            return Area(left, top, alpha)
        corner = left + 0.5, top + 0.5  # OpenCV counts from the middle of the first pixel.
        kernel = [2 * math.ceil(self.feather * float(radius) / 2) + 1 for radius in radii.max(0)]
        if max(kernel) > 1:
            # Grown by half of the feather and smeared by the other half, it falls from the ellipse to the rim.
            _fill(alpha, centres - corner, radii * (1 + self.feather / 2))
            cv2.blur(alpha, kernel, alpha, borderType=cv2.BORDER_REPLICATE)
        _fill(alpha, centres - corner, radii)
        return Area(left, top, alpha)


def _fill(alpha: NDArray[np.uint8], centres: NDArray[np.float64], radii: NDArray[np.float64]) -> None:
    """Set all that lies in an ellipse or on its way to the next, and no pixel less, to 255."""
    grown = radii * _AROUND + _ROUNDING
    corners = np.rint((centres[:, None] + _CIRCLE * grown[:, None]) * (1 << _SHIFT)).astype(np.int32)
    ways = [corners[0]] if len(corners) == 1 else [np.concatenate(way) for way in pairwise(corners)]
    for way in ways:
        cv2.fillConvexPoly(alpha, cv2.convexHull(way), 255, cv2.LINE_8, _SHIFT)
