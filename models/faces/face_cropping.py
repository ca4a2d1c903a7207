"""Aligns faces as embedding networks expect them, and cuts square crops around face boxes."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

ALIGNED_SIDE = 112
FACE_TEMPLATE = np.array(
    [(38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041)], np.float32
)
"""Where right and left eye, nose and corners of the mouth lie in a face of 112x112 pixels: Deng et al., "ArcFace",
arXiv 1801.07698, as its authors' code has it."""


def align_faces(image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return (n, 112, 112, 3) faces of a picture, turned, scaled and moved onto `FACE_TEMPLATE`; black past its edges.

    `five_points` are (n, 5, 2) in pixels of the picture.
    """
    moves = [similarity_transform(points) for points in np.asarray(five_points, np.float32).reshape(-1, 5, 2)]
    faces = [cv2.warpAffine(image, move, (ALIGNED_SIDE, ALIGNED_SIDE), flags=cv2.INTER_LINEAR) for move in moves]
    return np.asarray(faces, np.uint8).reshape(-1, ALIGNED_SIDE, ALIGNED_SIDE, 3)


def similarity_transform(
    points: NDArray[np.float32], template: NDArray[np.float32] = FACE_TEMPLATE
) -> NDArray[np.float64]:
    """Return the (2, 3) turn, scale and shift that brings points closest to a template.

    Least squares after Umeyama, "Least-Squares Estimation of Transformation Parameters Between Two Point Patterns",
    IEEE PAMI 13(4), 1991, equations 40 to 42, in two dimensions, where a turn and a scale are one complex number.
    Points that all coincide are moved only. Both are (n, 2).
    """
    ours, theirs = (np.asarray(array, np.float64) @ (1, 1j) for array in (points, template))
    middle, aim = ours.mean(), theirs.mean()
    spread = np.vdot(ours - middle, ours - middle).real
    turn = np.vdot(ours - middle, theirs - aim) / spread if spread > 0 else 1.0 + 0j
    shift = aim - turn * middle
    return np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])


@dataclass(frozen=True, slots=True, eq=False)
class FaceCrop:
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


def square_crop(image: NDArray[np.uint8], box: NDArray[np.float32], reach: float, largest: int) -> FaceCrop | None:
    """Cut out the square around a box whose side is `reach` times the box's longer one.

    `box` is x, y, width, height in pixels; squares larger than `largest` are made smaller to this side. None where the
    square does not touch the picture or is under a pixel.
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
    return FaceCrop(np.ascontiguousarray(inside), (left, top), side / inside.shape[0])
