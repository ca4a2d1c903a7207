"""The drawn robot of the sample."""

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

WIDTH, HEIGHT = 400, 560
_OVERSAMPLE = 3
_BARS = 9
_LEVELS = 8


@dataclass(frozen=True)
class RobotPose:
    """What can change about the robot.

    Attributes:
        level: Loudness of its voice, 0 (silent) to 8.
        eyelid: How far the eyes are open, 0 to 4.
        gaze: Sideways offset of the eyes, in units of the drawing.
        sorry: Whether the eyes slant down.
    """

    level: int
    eyelid: int
    gaze: int
    sorry: bool


def pose(loudness: float, openness: float, gaze: float, *, sorry: bool) -> RobotPose:
    """The nearest pose that can be drawn; loudness and openness go from 0 to 1."""
    return RobotPose(round(loudness * _LEVELS), round(openness * 4), round(gaze), sorry)


@cache
def draw(pose: RobotPose, scale: float) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Draw the robot.

    Args:
        pose: What it does.
        scale: Pixels of the result for one unit of the drawing.

    Returns:
        Colour times opacity (h, w, 3) and opacity (h, w, 1), both float32, 0 to 255 and 0 to 1.
    """
    factor = scale * _OVERSAMPLE
    canvas = Image.new("RGBA", (round(WIDTH * factor), round(HEIGHT * factor)))
    light = Image.new("RGBA", canvas.size)
    _body(_RobotPen(canvas, factor))
    _face(_RobotPen(light, factor), pose)
    size = (round(WIDTH * scale), round(HEIGHT * scale))
    colour, opacity = _premultiplied(canvas, size)
    lit, lit_opacity = _premultiplied(light, size)
    colour = colour * (1 - lit_opacity) + lit
    opacity = opacity + lit_opacity * (1 - opacity)
    glow = cv2.GaussianBlur(lit, (0, 0), 9 * scale) * 0.55
    return np.minimum(colour + glow * opacity, 255), opacity


class _RobotPen:
    """Draws in the robot's units."""

    def __init__(self, image: Image.Image, factor: float) -> None:
        self._draw = ImageDraw.Draw(image)
        self._factor = factor

    def box(self, x: float, y: float, w: float, h: float, radius: float, colour: str) -> None:
        f = self._factor
        self._draw.rounded_rectangle((x * f, y * f, (x + w) * f, (y + h) * f), radius * f, fill=colour)

    def oval(self, x: float, y: float, rx: float, ry: float, colour: str) -> None:
        f = self._factor
        self._draw.ellipse(((x - rx) * f, (y - ry) * f, (x + rx) * f, (y + ry) * f), fill=colour)

    def shape(self, points: list[tuple[float, float]], colour: str) -> None:
        self._draw.polygon([(x * self._factor, y * self._factor) for x, y in points], fill=colour)


def _body(pen: _RobotPen) -> None:
    pen.box(42, 378, 70, 210, 35, "#c3ccd4")
    pen.box(288, 378, 70, 210, 35, "#c3ccd4")
    pen.box(168, 318, 64, 60, 10, "#8995a0")
    pen.box(168, 332, 64, 6, 3, "#74808b")
    pen.box(88, 352, 224, 260, 66, "#dbe2e8")
    pen.box(88, 352, 212, 260, 64, "#eef2f5")
    pen.box(140, 428, 120, 84, 22, "#cfd8df")
    pen.box(143, 431, 114, 78, 20, "#e1e7ec")
    for number, colour in enumerate(("#f0915a", "#f4c95d", "#6fb7c4")):
        pen.oval(170 + 30 * number, 470, 9, 9, colour)
    pen.box(196, 54, 8, 60, 4, "#8995a0")
    pen.box(34, 176, 40, 92, 18, "#e0793f")
    pen.box(326, 176, 40, 92, 18, "#e0793f")
    pen.box(58, 100, 284, 232, 82, "#cdd6dd")
    pen.box(58, 100, 284, 222, 80, "#e6ecf0")
    pen.box(64, 102, 262, 208, 76, "#f6f8fa")
    pen.box(84, 138, 232, 156, 58, "#0f1a23")
    pen.box(88, 142, 224, 148, 54, "#182733")
    pen.box(120, 150, 160, 10, 5, "#24394a")


def _face(pen: _RobotPen, pose: RobotPose) -> None:
    speaking = pose.level > 0
    pen.oval(200, 48, 17, 17, "#ffb765" if speaking else "#9c8268")
    pen.oval(196, 43, 6, 6, "#ffe2bd" if speaking else "#b59c82")
    height = 3 + 23 * pose.eyelid / 4
    for side in (-1, 1):
        x = 200 + side * 52 + pose.gaze
        pen.oval(x, 204, 19, height, "#7fe4f7")
        if pose.sorry:
            inner, outer = x - side * 24, x + side * 24
            pen.shape([(inner, 172), (outer, 172), (outer, 206), (inner, 180)], "#182733")
    for number in range(_BARS):
        from_middle = abs(number - _BARS // 2) / (_BARS // 2)
        tall = 5 + 30 * pose.level / _LEVELS * (1 - 0.75 * from_middle**1.5)
        pen.box(200 + (number - _BARS // 2) * 13 - 4, 260 - tall / 2, 8, tall, 3, "#7fe4f7" if speaking else "#3f6f80")


def _premultiplied(image: Image.Image, size: tuple[int, int]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    pixels = np.asarray(image, np.float32)
    opacity = pixels[..., 3:] / 255
    layers = np.concatenate([pixels[..., :3] * opacity, opacity], axis=2)
    small = np.asarray(cv2.resize(layers, size, interpolation=cv2.INTER_AREA), np.float32)
    return small[..., :3], small[..., 3:]
