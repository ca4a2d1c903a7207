"""Brings a face to where networks for identity were trained to see it."""

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 112
TEMPLATE = np.array(
    [(38.2946, 51.6963), (73.5318, 51.5014), (56.0252, 71.7366), (41.5493, 92.3655), (70.7299, 92.2041)], np.float32
)
"""Where right and left eye, nose and corners of the mouth lie in a face of 112x112 pixels: Deng et al., "ArcFace",
arXiv 1801.07698, as its authors' code has it."""


def aligned(image: NDArray[np.uint8], five_points: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return (n, 112, 112, 3) faces of a picture, turned, scaled and moved onto `TEMPLATE`; black past its edges.

    Args:
        image: HxWx3.
        five_points: (n, 5, 2) in pixels of the picture.
    """
    moves = [similarity(points) for points in np.asarray(five_points, np.float32).reshape(-1, 5, 2)]
    faces = [cv2.warpAffine(image, move, (SIDE, SIDE), flags=cv2.INTER_LINEAR) for move in moves]
    return np.asarray(faces, np.uint8).reshape(-1, SIDE, SIDE, 3)


def similarity(points: NDArray[np.float32], template: NDArray[np.float32] = TEMPLATE) -> NDArray[np.float64]:
    """Return the (2, 3) turn, scale and shift that brings points closest to a template.

    Least squares after Umeyama, "Least-Squares Estimation of Transformation Parameters Between Two Point Patterns",
    IEEE PAMI 13(4), 1991, equations 40 to 42, in two dimensions, where a turn and a scale are one complex number.
    Points that all coincide are moved only.

    Args:
        points: (n, 2).
        template: (n, 2).
    """
    ours, theirs = (np.asarray(each, np.float64) @ (1, 1j) for each in (points, template))
    middle, aim = ours.mean(), theirs.mean()
    spread = np.vdot(ours - middle, ours - middle).real
    turn = np.vdot(ours - middle, theirs - aim) / spread if spread > 0 else 1.0 + 0j
    shift = aim - turn * middle
    return np.array([[turn.real, -turn.imag, shift.real], [turn.imag, turn.real, shift.imag]])
