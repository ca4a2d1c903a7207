"""One drawn head as a layer of a picture, and layers put over each other."""

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.methods.base import Face, Image
from anonymize.methods.synthetic.expression import Expression, Pose, matrix
from anonymize.methods.synthetic.features import Features
from anonymize.methods.synthetic.head import Head
from anonymize.methods.synthetic.look import look_of
from anonymize.methods.synthetic.rasterise import Light, View, paint

# Width of a usual head in millimetres, and the widths in pixels at which one is drawn: small ones are drawn larger and
# reduced, so that their lines are smooth; very large ones are drawn smaller and enlarged, so that they take no longer.
_HEAD = 150.0
_LEAST, _GOOD, _MOST = 72.0, 180.0, 300.0
_FADE = 0.055


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """A head on nothing.

    Attributes:
        x: left edge in the picture.
        y: upper edge.
        scale: pixels per millimetre; a larger one is nearer.
        colours: (h, w, 3) RGB.
        cover: (h, w), 0 to 1.
    """

    x: int
    y: int
    scale: float
    colours: Image
    cover: NDArray[np.float32]

    def over(self, image: Image, x: int, y: int) -> None:
        """Put it over an image whose corner lies at x, y in the picture, in place."""
        high, wide = self.cover.shape
        left, top = max(self.x, x), max(self.y, y)
        right, bottom = min(self.x + wide, x + image.shape[1]), min(self.y + high, y + image.shape[0])
        if left >= right or top >= bottom:
            return
        own = slice(top - self.y, bottom - self.y), slice(left - self.x, right - self.x)
        part = image[top - y : bottom - y, left - x : right - x]
        cover = np.ascontiguousarray(self.cover[own])
        part[:] = cv2.blendLinear(np.ascontiguousarray(self.colours[own]), part.copy(), cover, 1 - cover)


class Portrait:
    """Draws one identity."""

    def __init__(self, identity: str) -> None:
        self._head = Head(look_of(identity))
        self._features = Features(self._head)

    def layer(self, face: Face, pose: Pose, expression: Expression, light: Light) -> Layer:
        """Draw the head for a face's rectangle."""
        x, y, width, height = face.rect
        wide = max(pose.scale * _HEAD, 1.0)
        aim = min(_GOOD, max(_LEAST, 2 * wide)) if wide < _GOOD else min(wide, _MOST)
        zoom = aim / wide
        size = max(8, round(width * zoom)), max(8, round(height * zoom))
        place = (pose.place - (x, y)) * np.array(size) / (width, height)
        view = View(matrix(pose.turn), place, pose.scale * zoom, size)
        canvas, cover = paint(self._head.sheets(expression, view.turn), view, light)
        self._features.draw(canvas, view, expression)
        way = cv2.INTER_AREA if zoom > 1 else cv2.INTER_LINEAR
        canvas = np.asarray(cv2.resize(_in_light(canvas, light), (width, height), interpolation=way), np.uint8)
        cover = cv2.resize(cover, (width, height), interpolation=way) * _inside(face)
        return Layer(x, y, pose.scale, canvas, np.asarray(cover, np.float32))


def _in_light(canvas: Image, light: Light) -> Image:
    gain = light.level * light.colour
    table = np.clip(np.arange(256)[:, None] * gain, 0, 255).astype(np.uint8)
    lit = np.asarray(cv2.LUT(canvas, table.reshape(256, 1, 3)), np.uint8)
    if light.saturation < 1:
        grey = cv2.cvtColor(cv2.cvtColor(lit, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
        lit = np.asarray(cv2.addWeighted(lit, light.saturation, grey, 1 - light.saturation, 0), np.uint8)
    return lit


def _inside(face: Face) -> NDArray[np.float32]:
    """Return how much of the head is shown: it fades where the mask ends, and what lies behind it takes over."""
    sigma = max(_FADE * float(face.box[2]), 0.8)
    reduced = max(1, int(sigma / 2))
    high, wide = face.alpha.shape
    small = cv2.resize(face.alpha, (-(-wide // reduced), -(-high // reduced)), interpolation=cv2.INTER_AREA)
    soft = cv2.GaussianBlur(small, (0, 0), sigma / reduced, borderType=cv2.BORDER_REPLICATE)
    soft = cv2.resize(soft, (wide, high), interpolation=cv2.INTER_LINEAR)
    return np.asarray(np.clip((soft.astype(np.float32) / 255 - 0.5) / 0.42, 0, 1), np.float32)
