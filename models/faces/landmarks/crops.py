"""Square pieces of a picture around the boxes of faces, and the way back."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, eq=False)
class Crop:
    """A square piece of a picture.

    Attributes:
        image: SxSx3; black where it reaches past the picture.
        corner: x, y of its upper left corner in the picture, in pixels; may lie outside.
        scale: pixels of the picture per pixel of the piece.
    """

    image: NDArray[np.uint8]
    corner: tuple[float, float]
    scale: float

    def to_picture(self, points: NDArray[np.float32]) -> NDArray[np.float32]:
        """Bring (n, 3) points, x, y, z in pixels of the piece, to pixels of the picture."""
        back = points * np.float32(self.scale)
        back[:, :2] += np.array(self.corner, np.float32)
        return np.asarray(back, np.float32)


def square_crop(image: NDArray[np.uint8], box: NDArray[np.float32], reach: float, largest: int) -> Crop | None:
    """Cut out the square around a box whose side is `reach` times the box's longer one.

    Args:
        image: HxWx3.
        box: (4,) x, y, width, height in pixels.
        reach: 1 is a square that just holds the box.
        largest: larger squares are made smaller to this side, in pixels.

    Returns:
        The piece, or None where it does not touch the picture or is under a pixel.
    """
    x, y, width, height = (float(value) for value in box)
    side = round(max(width, height) * reach)
    rows, columns = image.shape[:2]
    left, top = round(x + (width - side) / 2), round(y + (height - side) / 2)
    right, bottom = left + side, top + side
    if side < 1 or right <= 0 or bottom <= 0 or left >= columns or top >= rows:
        return None
    inside = image[max(top, 0) : min(bottom, rows), max(left, 0) : min(right, columns)]
    borders = (max(-top, 0), max(bottom - rows, 0), max(-left, 0), max(right - columns, 0))
    if any(borders):
        inside = cv2.copyMakeBorder(inside, *borders, cv2.BORDER_CONSTANT).astype(np.uint8, copy=False)
    if side > largest:
        method = cv2.INTER_AREA if side >= 2 * largest else cv2.INTER_LINEAR
        inside = cv2.resize(inside, (largest, largest), interpolation=method).astype(np.uint8, copy=False)
    return Crop(np.ascontiguousarray(inside), (left, top), side / inside.shape[0])
