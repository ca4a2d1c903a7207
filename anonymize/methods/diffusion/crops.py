"""Crops that stay with a face without trembling, with room for hair and jaw, and the way back into the picture."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

# A mask of the usual margin is 1.7 times as wide as the box; the crop shows a little more than that.
SIDE = 2.0
_WITHIN = 1.7
_SECONDS = 0.4
_MULTIPLE = 64


@dataclass(frozen=True, slots=True)
class View:
    """A rectangle of the picture, in pixels; it may reach outside."""

    x: float
    y: float
    width: float
    height: float

    def cut(self, picture: Image, size: tuple[int, int]) -> Image:
        """Return what the rectangle shows, `size` wide and high; beyond the picture its edge is repeated."""
        across, down = size[0] / self.width, size[1] / self.height
        # From the middle of a pixel to the middle of a pixel.
        way = np.array([[across, 0, (0.5 - self.x) * across - 0.5], [0, down, (0.5 - self.y) * down - 0.5]])
        return np.asarray(cv2.warpAffine(picture, way, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def place(self, drawn: Image, rect: tuple[int, int, int, int]) -> Image:
        """Return what a drawn crop shows in a rectangle of the picture; beyond the crop its edge is repeated.

        Args:
            drawn: (H, W, 3), the crop at any size.
            rect: x, y, width, height of the rectangle.

        Returns:
            (height, width, 3).
        """
        height, width = drawn.shape[:2]
        across, down = width / self.width, height / self.height
        x, y, wide, high = rect
        way = np.array(
            [
                [across, 0, (x + 0.5 - self.x) * across - 0.5],
                [0, down, (y + 0.5 - self.y) * down - 0.5],
            ]
        )
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        placed = cv2.warpAffine(drawn, way, (wide, high), flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(placed, np.uint8)


def steady(boxes: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return a square around each box whose centre and size change smoothly.

    Args:
        boxes: (n, 4) x, y, width, height of one face in consecutive frames.
        rate: frames per second.

    Returns:
        (n, 3) x and y of the centre and the side; each square holds the mask of its box.
    """
    reach = max(1, round(_SECONDS * rate))
    centres = boxes[:, :2] + boxes[:, 2:] / 2
    calm = np.stack([_smoothed(column, reach) for column in centres.T], axis=1)
    extent = boxes[:, 2:].max(axis=1)
    needed = np.maximum(SIDE * extent, 2 * np.abs(centres - calm).max(axis=1) + _WITHIN * extent)
    padded = np.pad(needed, reach, mode="edge")
    greatest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    return np.concatenate([calm, _smoothed(greatest, reach)[:, None]], axis=1)


def whole(size: tuple[int, int], shorter: int) -> tuple[View, tuple[int, int]]:
    """Return the view of a whole picture, and the size that it goes through the network in.

    Args:
        size: width and height of the picture.
        shorter: side of what goes through the network.

    Returns:
        The view; width and height, each a multiple of 64.
    """
    scale = shorter / min(size)
    wide, high = (max(_MULTIPLE, round(each * scale / _MULTIPLE) * _MULTIPLE) for each in size)
    return View(0, 0, *size), (wide, high)


def _smoothed(values: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """Return weighted means over `reach` values on either side; the ends are repeated."""
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (reach / 2)) ** 2)
    return np.convolve(np.pad(values, reach, mode="edge"), weights / weights.sum(), mode="valid")
