"""The photograph in the sample recording, and the virtual camera that moves over it."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from skimage.data import astronaut

FACE = (181.0, 60.0, 88.0, 119.0)
"""The face in the photograph, hairline to chin and cheek to cheek, without the ears: x, y, w, h.

Read off the photograph enlarged five times under a grid: the left cheek ends at 181, the right one at 269, the chin
at 179; hair grows from about 60, under the fringe. CenterFace and YuNet, at five sizes of the photograph each, put the
box at x 175-184, y 54-65, w 86-100, h 111-127.
"""

_ENLARGED = 2
_SHARPEN = 0.5


@dataclass(frozen=True)
class PortraitCrop:
    """A rectangle of the picture, in pixels, that shows a part of the photograph."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True)
class Aim:
    """Where the camera points at one moment.

    Attributes:
        time_s: The moment.
        x: Column of the photograph in the middle of the viewport.
        y: Row of the photograph in the middle of the viewport.
        zoom: Pixels of the picture for one of the photograph.
    """

    time_s: float
    x: float
    y: float
    zoom: float


class Camera:
    """Moves smoothly from aim to aim."""

    def __init__(self, aims: list[Aim]) -> None:
        times = [aim.time_s for aim in aims]
        # Zooming looks even when its logarithm is.
        self._path = PchipInterpolator(times, [(aim.x, aim.y, np.log(aim.zoom)) for aim in aims])

    def face(self, viewport: PortraitCrop, time_s: float) -> tuple[float, float, float, float]:
        """The true face box: x, y, w, h in pixels of the picture, edges counted from the picture's corner."""
        zoom, dx, dy = self._placing(viewport, time_s)
        x, y, w, h = FACE
        return zoom * x + dx, zoom * y + dy, zoom * w, zoom * h

    def view(self, viewport: PortraitCrop, time_s: float, size: tuple[int, int]) -> NDArray[np.float32]:
        """What the camera sees.

        Args:
            viewport: Where in the picture it is shown; what lies outside of it means nothing.
            time_s: The moment.
            size: Width and height of the picture.

        Returns:
            (h, w, 3) float32 RGB, 0 to 255, of the whole picture.

        Raises:
            ValueError: When the camera sees beyond the photograph.
        """
        zoom, dx, dy = self._placing(viewport, time_s)
        photograph = _photograph()
        right, bottom = dx + zoom * photograph.shape[1] / _ENLARGED, dy + zoom * photograph.shape[0] / _ENLARGED
        beyond_x = dx > viewport.x or right < viewport.x + viewport.w
        beyond_y = dy > viewport.y or bottom < viewport.y + viewport.h
        if beyond_x or beyond_y:
            raise ValueError(f"the camera looks past the photograph at {time_s:.2f} s")
        step = zoom / _ENLARGED
        # warpAffine counts from the middle of the first pixel, boxes from its corner.
        matrix = np.array([[step, 0, dx + step / 2 - 0.5], [0, step, dy + step / 2 - 0.5]])
        seen = cv2.warpAffine(photograph, matrix, size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(seen, np.float32)

    def _placing(self, viewport: PortraitCrop, time_s: float) -> tuple[float, float, float]:
        """Zoom, and what to add to zoomed photograph coordinates to get those of the picture."""
        x, y, log_zoom = self._path(time_s)
        zoom = float(np.exp(log_zoom))
        middle_x, middle_y = viewport.x + viewport.w / 2, viewport.y + viewport.h / 2
        return zoom, middle_x - zoom * float(x), middle_y - zoom * float(y)


@cache
def _photograph() -> NDArray[np.float32]:
    """The photograph enlarged, because a moving warp of the enlarged one neither blurs nor shimmers."""
    original = np.asarray(astronaut(), np.float32)  # type: ignore[no-untyped-call]
    large = cv2.resize(original, None, fx=_ENLARGED, fy=_ENLARGED, interpolation=cv2.INTER_LANCZOS4)
    soft = cv2.GaussianBlur(large, (0, 0), 1.6)
    return np.asarray(np.clip(large + _SHARPEN * (large - soft), 0, 255), np.float32)
