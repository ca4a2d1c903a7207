"""A face drawn with a few ellipses, whose points are known: what any finder of landmarks must get right."""

import cv2
import numpy as np
from numpy.typing import NDArray

SIDE = 256
BOX = (72.0, 62.0, 112.0, 148.0)
"""x, y, width, height of the drawn face, hairline to chin."""
POINTS = ((105.0, 122.0), (151.0, 122.0), (128.0, 157.0), (106.0, 180.0), (150.0, 180.0))
"""Both eyes, the tip of the nose, the corners of the mouth."""

_CLOTH, _WALL, _HAIR = (60, 60, 120), (70, 90, 110), (60, 40, 30)
_SKIN, _SHADE, _FOLD = (214, 170, 140), (190, 148, 120), (170, 125, 100)
_WHITE, _IRIS, _PUPIL = (250, 250, 250), (70, 50, 30), (10, 10, 10)
_LIP, _GAP = (180, 80, 80), (110, 40, 45)


def drawn_face() -> NDArray[np.uint8]:
    """Return the drawing, SIDE x SIDE x 3 RGB."""
    image = np.full((SIDE, SIDE, 3), _WALL, np.uint8)
    _ellipse(image, (128, 238), (80, 50), _CLOTH)
    _ellipse(image, (128, 205), (26, 40), _SHADE)
    _ellipse(image, (128, 118), (66, 84), _HAIR)
    _ellipse(image, (128, 136), (56, 74), _SKIN)
    for x in (105, 151):
        _ellipse(image, (x, 122), (13, 7), _WHITE)
        _ellipse(image, (x, 122), (6, 6), _IRIS)
        _ellipse(image, (x, 122), (3, 3), _PUPIL)
        cv2.ellipse(image, (x, 108), (16, 5), 0, 190, 350, _HAIR, 5)
    cv2.line(image, (124, 126), (121, 152), _FOLD, 3)
    cv2.ellipse(image, (128, 156), (11, 6), 0, 0, 180, _FOLD, 3)
    _ellipse(image, (128, 180), (22, 7), _LIP)
    cv2.line(image, (108, 180), (148, 180), _GAP, 2)
    return np.asarray(cv2.GaussianBlur(image, (0, 0), 1.5), np.uint8)


def _ellipse(
    image: NDArray[np.uint8], centre: tuple[int, int], axes: tuple[int, int], colour: tuple[int, int, int]
) -> None:
    cv2.ellipse(image, centre, axes, 0, 0, 360, colour, -1)
