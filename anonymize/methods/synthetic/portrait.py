"""One drawn head as a layer of a picture, with background and light.

Both are estimated from pixels outside all masks only.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.methods.face_methods import Face, Image
from anonymize.methods.synthetic.expression import Expression, HeadPose
from anonymize.methods.synthetic.face_drawing import Features, HeadProjection, SceneLight, paint_meshes
from anonymize.methods.synthetic.head_shape import Head, generate_appearance

# Width of a usual head in millimetres, and the widths in pixels at which one is drawn: small ones are drawn larger and
# reduced, so that their lines are smooth; very large ones are drawn smaller and enlarged, so that they take no longer.
_HEAD_WIDTH_MM = 150.0
_MIN_DRAWN_WIDTH, _GOOD_DRAWN_WIDTH, _MAX_DRAWN_WIDTH = 72.0, 180.0, 300.0
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

    def paste_onto(self, image: Image, x: int, y: int) -> None:
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
        self._head = Head(generate_appearance(identity))
        self._features = Features(self._head)

    def draw_layer(self, face: Face, pose: HeadPose, expression: Expression, light: SceneLight) -> Layer:
        """Draw the head for a face's rectangle."""
        x, y, width, height = face.rect
        wide = max(pose.scale * _HEAD_WIDTH_MM, 1.0)
        aim = (
            min(_GOOD_DRAWN_WIDTH, max(_MIN_DRAWN_WIDTH, 2 * wide))
            if wide < _GOOD_DRAWN_WIDTH
            else min(wide, _MAX_DRAWN_WIDTH)
        )
        zoom = aim / wide
        size = max(8, round(width * zoom)), max(8, round(height * zoom))
        place = (pose.place - (x, y)) * np.array(size) / (width, height)
        view = HeadProjection(
            np.asarray(cv2.Rodrigues(np.asarray(pose.turn, np.float64))[0]), place, pose.scale * zoom, size
        )
        canvas, cover = paint_meshes(self._head.build_meshes(expression, view.turn), view, light)
        self._features.draw(canvas, view, expression)
        way = cv2.INTER_AREA if zoom > 1 else cv2.INTER_LINEAR
        canvas = np.asarray(cv2.resize(_apply_light(canvas, light), (width, height), interpolation=way), np.uint8)
        cover = cv2.resize(cover, (width, height), interpolation=way) * _inside(face)
        return Layer(x, y, pose.scale, canvas, np.asarray(cover, np.float32))


def _apply_light(canvas: Image, light: SceneLight) -> Image:
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


Rect = tuple[int, int, int, int]

# Cells per width of a face: what is left of the surroundings at the edge of the mask, and blurs towards its middle.
_CELLS = 20
_SURROUNDINGS_SHARE = 0.3
_SCENE_WIDTH = 64
_NEUTRAL = 128
_LEVELLING_STEPS = 60
# How much of the light of a face is that of what is near it; the rest is that of the whole picture.
_LIGHT_NEAR = 0.7
_DARKEST = 0.28


def visible_pixels(face: Face, others: Sequence[Rect], region: Rect) -> NDArray[np.bool_]:
    """Return (h, w) which pixels of a region x, y, width, height of the picture lie outside all masks.

    `others` are rectangles of the other masks of the frame.
    """
    left, top, wide, high = region
    seen = np.ones((high, wide), np.bool_)
    for x, y, w, h in others:
        seen[max(0, y - top) : max(0, y + h - top), max(0, x - left) : max(0, x + w - left)] = False
    x, y, w, h = face.rect
    rows, columns = slice(max(0, y - top), max(0, y + h - top)), slice(max(0, x - left), max(0, x + w - left))
    part = seen[rows, columns]
    alpha = face.alpha[max(0, top - y) :, max(0, left - x) :][: part.shape[0], : part.shape[1]]
    seen[rows, columns] &= alpha == 0
    return seen


def paint_background(face: Face, others: Sequence[Rect]) -> Image:
    """Return (h, w, 3) what is painted in a face's rectangle before the head: its surroundings, grown inwards.

    The colours of visible cells around the mask are averaged at ever coarser steps, and each hidden cell gets the
    finest average that reaches it (pull-push: Gortler et al., "The Lumigraph", SIGGRAPH 1996, section 3.3). Then hidden
    cells are levelled with their neighbours, so that nothing is seen of the steps.
    """
    x, y, w, h = face.rect
    height, width = face.image.shape[:2]
    reach = round(_SURROUNDINGS_SHARE * float(face.box[2]))
    left, top = max(0, x - reach), max(0, y - reach)
    region = (left, top, min(width, x + w + reach) - left, min(height, y + h + reach) - top)
    cell = max(1.0, float(face.box[2]) / _CELLS)
    size = max(2, round(region[2] / cell)), max(2, round(region[3] / cell))
    colours, known = _cell_means(face, others, region, size)
    grown = _smooth_grown(_pull_push(colours, known), known)
    grown = np.clip(grown + 0.5, 0, 255).astype(np.uint8)
    large = cv2.resize(grown, region[2:], interpolation=cv2.INTER_LINEAR)[
        y - top : y - top + h, x - left : x - left + w
    ]
    return np.array(large, np.uint8)


def estimate_light(face: Face, others: Sequence[Rect]) -> SceneLight:
    """Return the light of the scene, estimated from the picture outside all masks."""
    height, width = face.image.shape[:2]
    size = _SCENE_WIDTH, max(2, round(_SCENE_WIDTH * height / width))
    known = np.ones(size[::-1], np.bool_)
    for x, y, w, h in (face.rect, *others):
        first, last = np.floor_divide((x * size[0], (x + w) * size[0]), width)
        upper, lower = np.floor_divide((y * size[1], (y + h) * size[1]), height)
        known[max(0, upper - 1) : lower + 2, max(0, first - 1) : last + 2] = False
    if not known.any():
        return SceneLight(0.85, 0.0, np.ones(3), 1.0)
    seen = cv2.resize(face.image, size, interpolation=cv2.INTER_AREA)[known].astype(np.float32)
    luma = seen @ (0.299, 0.587, 0.114)
    place = (np.stack(np.nonzero(known)[::-1], axis=1) + 0.5) * (width / size[0])
    away = (place - (face.box[:2] + face.box[2:] / 2)) / max(float(face.box[2]), 1.0)
    near = np.exp(-0.5 * ((away / 1.5) ** 2).sum(1)) + 1e-6
    level = _LIGHT_NEAR * _face_brightness(luma, near) + (1 - _LIGHT_NEAR) * _face_brightness(luma, np.ones_like(near))
    right, left = (
        float((luma * near * side).sum() / max((near * side).sum(), 1e-6)) for side in (away[:, 0] > 0, away[:, 0] < 0)
    )
    across = float(np.clip(0.8 * (right - left) / max(right + left, 20.0), -0.45, 0.45))
    cast = seen.mean(0) / max(float(seen.mean()), 1.0)
    saturation = float(np.clip((np.ptp(seen, axis=1).sum() / max(seen.max(axis=1).sum(), 1.0) - 0.015) / 0.03, 0, 1))
    return SceneLight(level, across, 1 + 0.18 * (np.clip(cast, 0.6, 1.5) - 1), saturation)


def _face_brightness(luma: NDArray[np.floating], weight: NDArray[np.floating]) -> float:
    """Return how bright a face is where the brightest twentieth of what is seen, by weight, starts at some luma."""
    order = np.argsort(luma)
    share = np.cumsum(weight[order]) / weight.sum()
    bright = float(luma[order][min(int(np.searchsorted(share, 0.95)), len(order) - 1)]) / 255
    return _DARKEST + (1 - _DARKEST) * math.sqrt(bright)


def _cell_means(
    face: Face, others: Sequence[Rect], region: Rect, size: tuple[int, int]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return (h, w, 3) means of the cells of a region, and (h, w) which cells no mask touches; others are 0."""
    left, top, wide, high = region
    part = face.image[top : top + high, left : left + wide]
    hidden = (~visible_pixels(face, others, region)).astype(np.float32)
    colours = cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.float32)
    known = cv2.resize(hidden, size, interpolation=cv2.INTER_AREA) == 0
    colours[~known] = 0
    return colours, np.asarray(known)


def _pull_push(colours: NDArray[np.float32], known: NDArray[np.bool_]) -> NDArray[np.float32]:
    weight = known.astype(np.float32)
    levels = [(colours * weight[..., None], weight)]
    while max(levels[-1][1].shape) > 1:
        sums, weight = levels[-1]
        size = tuple(-(-side // 2) for side in weight.shape[::-1])
        sums, weight = (
            cv2.resize(part, size, interpolation=cv2.INTER_AREA).astype(np.float32) for part in (sums, weight)
        )
        levels.append((sums, weight))
    sums, weight = levels[-1]
    sums, weight = sums.reshape(1, 1, 3), weight.reshape(1, 1)
    grown = np.where(weight[..., None] > 0, sums / np.maximum(weight, 1e-6)[..., None], np.float32(_NEUTRAL))
    for sums, weight in levels[-2::-1]:
        coarse = cv2.resize(grown.astype(np.float32), weight.shape[::-1], interpolation=cv2.INTER_LINEAR)
        own = np.minimum(weight * 4, 1)[..., None]
        fine = sums / np.maximum(weight, 1e-6)[..., None]
        grown = own * fine + (1 - own) * coarse.reshape(*weight.shape, 3)
    return np.asarray(grown, np.float32)


def _smooth_grown(grown: NDArray[np.float32], known: NDArray[np.bool_]) -> NDArray[np.float32]:
    fixed = known[..., None]
    level = grown
    for _ in range(_LEVELLING_STEPS):
        level = np.where(fixed, grown, cv2.blur(level, (5, 5), borderType=cv2.BORDER_REPLICATE))
    return np.asarray(level, np.float32)
