"""Shape and appearance of a drawn head, which follow from an identity and from nothing in the picture.

Millimetres: x to the picture's right, y down, z away from the camera.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonymize.methods.synthetic.expression import Expression

Colour = tuple[float, float, float]
_Choice = TypeVar("_Choice")

_SKIN: tuple[Colour, ...] = (
    (244, 209, 184),
    (238, 195, 164),
    (228, 180, 145),
    (214, 162, 124),
    (194, 140, 102),
    (168, 116, 82),
    (140, 94, 66),
    (112, 74, 54),
)
_HAIR: tuple[Colour, ...] = (
    (44, 36, 36),
    (62, 46, 40),
    (90, 62, 46),
    (124, 86, 56),
    (176, 134, 84),
    (150, 78, 48),
    (70, 52, 44),
    (150, 144, 140),
)
_IRIS: tuple[Colour, ...] = ((84, 56, 36), (104, 76, 46), (86, 104, 74), (84, 112, 140), (70, 84, 96))


@dataclass(frozen=True, slots=True)
class FaceAppearance:
    """How one identity is drawn. Lengths are millimetres, factors are around 1.

    Attributes:
        skin: RGB, 0 to 255, in full light.
        hair: the same.
        iris: the same.
        wide: width of the head.
        jaw: width of its lower half.
        long: length of the face below the eyes.
        eyes: half of the distance between the centres of the eyes.
        eye: size of the eyes.
        slant: how much higher the eyes' outer corners lie than the inner ones.
        nose: width of the nose.
        bridge: how far the nose stands out.
        lips: thickness of the lips.
        mouth: width of the mouth.
        brow: thickness of the brows.
        arch: how much they are arched.
        hairline: where the hair starts above the eyes.
        length: where it ends at the sides, below the eyes.
        volume: how far it stands off the head.
        parting: to which side it is combed, -1 to 1.
    """

    skin: Colour
    hair: Colour
    iris: Colour
    wide: float
    jaw: float
    long: float
    eyes: float
    eye: float
    slant: float
    nose: float
    bridge: float
    lips: float
    mouth: float
    brow: float
    arch: float
    hairline: float
    length: float
    volume: float
    parting: float


def generate_appearance(identity: str) -> FaceAppearance:
    """Return the appearance of an identity: always the same, and different for most others."""
    drawn = _HashNumbers(identity)
    skin = drawn.mix_colours(_SKIN)
    dark = sum(skin) < 430
    return FaceAppearance(
        skin=skin,
        hair=drawn.choose(_HAIR[:3] if dark else _HAIR),
        iris=drawn.choose(_IRIS[:2] if dark else _IRIS),
        wide=drawn.between(0.95, 1.04),
        jaw=drawn.between(0.90, 1.07),
        long=drawn.between(0.95, 1.05),
        eyes=drawn.between(30.0, 33.5),
        eye=drawn.between(1.08, 1.24),
        slant=drawn.between(-1.2, 2.2),
        nose=drawn.between(0.85, 1.2),
        bridge=drawn.between(0.8, 1.15),
        lips=drawn.between(0.85, 1.25),
        mouth=drawn.between(0.92, 1.08),
        brow=drawn.between(0.8, 1.3),
        arch=drawn.between(1.5, 5.0),
        hairline=drawn.between(55.0, 68.0),
        length=drawn.choose((8.0, 14.0, 20.0, 58.0, 84.0, 112.0)),
        volume=drawn.between(0.8, 1.35),
        parting=drawn.between(-1.0, 1.0),
    )


class _HashNumbers:
    """Draws numbers from a hash, so that they are the same on every machine and in every version of Python."""

    def __init__(self, seed: str) -> None:
        self._seed, self._drawn = seed, 0

    def between(self, low: float, high: float) -> float:
        self._drawn += 1
        digest = hashlib.sha256(f"{self._drawn}:{self._seed}".encode()).digest()
        return low + (high - low) * int.from_bytes(digest[:8], "big") / float(1 << 64)

    def choose(self, choices: Sequence[_Choice]) -> _Choice:
        return choices[int(self.between(0, len(choices)))]

    def mix_colours(self, scale: Sequence[Colour]) -> Colour:
        """Return a colour between two neighbours of a scale."""
        place = self.between(0, len(scale) - 1)
        first, share = int(place), place - int(place)
        red, green, blue = ((1 - share) * a + share * b for a, b in zip(scale[first], scale[first + 1], strict=True))
        return red, green, blue


Array = NDArray[np.float64]

# Of a horizontal cut at a height: half its width, how far back it is widest, how far forward and back it reaches.
_CUTS = np.array(
    [
        (-120, 3, 70, 62, 78),
        (-116, 26, 68, 36, 100),
        (-108, 43, 66, 14, 118),
        (-95, 58, 65, -5, 138),
        (-75, 70, 64, -17, 155),
        (-50, 76, 63, -24, 163),
        (-25, 77, 63, -26, 165),
        (0, 75, 62, -21, 163),
        (25, 72, 60, -20, 155),
        (45, 69, 57, -18, 140),
        (65, 64, 53, -16, 120),
        (82, 57, 47, -14, 100),
        (96, 47, 40, -14, 82),
        (107, 35, 32, -12, 66),
        (114, 22, 26, -5, 50),
        (118, 8, 22, 8, 34),
    ],
    np.float64,
)
_TURNS = np.concatenate(
    [
        np.linspace(-np.pi, -1.25, 9, endpoint=False),
        np.linspace(-1.25, 1.25, 35),
        np.linspace(np.pi, 1.25, 9, endpoint=False)[::-1],
    ]
)
_ROWS = np.concatenate([np.linspace(-120, -60, 7, endpoint=False), np.linspace(-60, 118, 36)])
_JAW = 56.0
# The surface of the face is looked up on a grid: its upper and lower end, its half width and its step.
_TOP, _LOW, _WIDE, _STEP = -80.0, 140.0, 84.0, 2.0


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceMesh:
    """A grid of points and what it is covered with.

    Attributes:
        points: (rows, columns, 3), mm.
        colours: (rows - 1, columns - 1, 3), RGB 0 to 1 of each cell, without light.
        closed: whether its inside is never seen.
    """

    points: Array
    colours: Array
    closed: bool = True


class Head:
    """The head of one look, at rest and with an expression."""

    def __init__(self, look: FaceAppearance) -> None:
        self.look = look
        self._skin = np.array(look.skin) / 255
        self._hair = np.array(look.hair) / 255
        rows, turns = np.meshgrid(_ROWS, _TURNS, indexing="ij")
        width, centre, front, back = self._cross_section(rows)
        forward = np.cos(turns) > 0
        x = width * np.sin(turns)
        z = centre - np.where(forward, centre - front, back - centre) * np.cos(turns)
        self._rest = np.stack([x, self._down(rows), z + np.where(forward, self._relief(x, rows), 0)], axis=-1)
        self._depth = self._front()
        self._albedo = self._face_colours()
        self._cap = self._hair_sheet()
        self._ears = [self._ear(side) for side in (-1.0, 1.0)] if look.length < 40 else []

    def build_meshes(self, face: Expression, turn: Array) -> list[SurfaceMesh]:
        """Return skin, hair, ears and neck with an expression and the (3, 3) turn of the head to the camera."""
        return [self._neck(turn), SurfaceMesh(self.lower_jaw(self._rest, face), self._albedo), self._cap, *self._ears]

    def surface_points(self, x: Array, y: Array, out: float = 0.0) -> Array:
        """Return (n, 3) points of the resting face's surface at x and y, `out` mm before it."""
        column = np.clip((x + _WIDE) / _STEP, 0, self._depth.shape[1] - 1.001)
        row = np.clip((y - _TOP) / _STEP, 0, self._depth.shape[0] - 1.001)
        left, upper = column.astype(np.int64), row.astype(np.int64)
        right, lower = column - left, row - upper
        above = self._depth[upper, left] * (1 - right) + self._depth[upper, left + 1] * right
        below = self._depth[upper + 1, left] * (1 - right) + self._depth[upper + 1, left + 1] * right
        return np.stack([x, self._down(y), above * (1 - lower) + below * lower - out], axis=-1)

    def lower_jaw(self, points: Array, face: Expression) -> Array:
        """Return points with the jaw lowered as the chin is."""
        drop = np.clip(face.chin - 65.0, -6, 30)
        low = np.clip((points[..., 1] - _JAW) / 50.0, 0, 1)
        ahead = np.clip((90.0 - points[..., 2]) / 60.0, 0, 1)
        down = drop * low * low * (3 - 2 * low) * ahead
        moved = points.copy()
        moved[..., 1] += down
        moved[..., 2] += 0.25 * down
        return moved

    def _cross_section(self, y: Array) -> tuple[Array, Array, Array, Array]:
        width, centre, front, back = (np.interp(y, _CUTS[:, 0], column) for column in _CUTS[:, 1:].T)
        low = np.clip((y - 10) / 70, 0, 1)
        return width * self.look.wide * (1 + (self.look.jaw - 1) * low), centre, front, back

    def _down(self, y: Array) -> Array:
        return np.where(y > 0, y * self.look.long, y)

    def _front(self) -> Array:
        """Return how deep the resting face lies on a grid of `_STEP` mm."""
        y, x = np.meshgrid(np.arange(_TOP, _LOW, _STEP), np.arange(-_WIDE, _WIDE + _STEP, _STEP), indexing="ij")
        width, centre, front, _ = self._cross_section(y)
        across = np.sqrt(np.clip(1 - (x / np.maximum(width, 1)) ** 2, 0, 1))
        return np.asarray(centre - (centre - front) * across + self._relief(x, y))

    def _relief(self, x: Array, y: Array) -> Array:
        look = self.look
        ridge = np.interp(y, (-14, -4, 8, 24, 37, 42, 48, 53), (0, 3, 7, 15, 23, 23, 12, 0)) * look.bridge
        slope = np.interp(y, (-14, 8, 30, 42, 53), (9, 7, 8, 9.5, 9)) * look.nose
        high = ridge * np.exp(-0.5 * (x / slope) ** 2)
        for where, size, height in (
            ((12.5 * look.nose, 43), (5.5, 5.5), 8.0),
            ((31, 0), (15, 10), -7.0),
            ((30, -19), (20, 7), 3.0),
            ((47, 27), (17, 13), 4.0),
            ((0, 69), (20, 9), 4.0),
            ((0, 88), (15, 5), -3.0),
            ((0, 104), (15, 9), 5.0),
        ):
            high = high + height * np.exp(
                -0.5 * (((np.abs(x) - where[0]) / size[0]) ** 2 + ((y - where[1]) / size[1]) ** 2)
            )
        return -np.asarray(high)

    def _face_colours(self) -> Array:
        points = (self._rest[1:, 1:] + self._rest[:-1, :-1]) / 2
        x, y = points[..., 0], points[..., 1]
        colours = np.broadcast_to(self._skin, points.shape).copy()
        warm = self._skin * (1.0, 0.80, 0.78)
        for (a, b), (wide, high), share in (
            ((46, 32), (16, 13), 0.42),
            ((0, 40), (10, 8), 0.3),
            ((31, -3), (14, 9), 0.2),
        ):
            near = np.exp(-0.5 * (((np.abs(x) - a) / wide) ** 2 + ((y - b) / high) ** 2))
            colours += (near * share)[..., None] * (warm - colours)
        under_hair = points[..., 2] > 80
        colours[under_hair] = self._hair * 0.8
        return colours

    def _hair_sheet(self) -> SurfaceMesh:
        """Return a shell around the skull that ends at the hairline, before and behind the ears, or hangs down."""
        look = self.look
        turns = np.linspace(-np.pi, np.pi, 49)
        side = np.abs(np.degrees(turns))
        edge = np.interp(side, (0, 14, 30, 44, 52, 58), (0, -1, -3, 6, 20, 34)) - look.hairline
        edge = edge + look.parting * 13 * np.sin(turns) * np.cos(turns / 2) ** 2
        temple = float(np.interp(58, side[24:], edge[24:]))
        if look.length > 40:
            beside = np.interp(side, (58, 65, 72, 90, 180), (temple, -8, 0.8 * look.length, look.length, look.length))
        else:
            beside = np.interp(side, (58, 74, 84, 100, 125, 180), (temple, -2, look.length, -12, 40, 75))
        edge = np.where(side > 58, beside, edge)
        share = np.linspace(0, 1, 17)[:, None]
        rows = -120 + share * (edge[None] + 120)
        width, centre, front, back = self._cross_section(np.minimum(rows, 0))
        thick = 8.0 * look.volume * np.interp(share, (0, 0.8, 1), (1, 1, 0.6 if look.length < 40 else 0.8))
        ahead = np.cos(turns)[None] > 0
        x = (width + thick) * np.sin(turns)[None]
        z = centre - np.where(ahead, centre - front + thick, back - centre + thick) * np.cos(turns)[None]
        points = np.stack([x, rows - thick * np.clip((-rows - 50) / 70, 0, 1), z], axis=-1)
        strands = 1 + 0.025 * np.sin(turns * 19 + 2 * np.sin(turns * 5))[None] * np.clip(share * 3, 0, 1)
        band = 0.20 * np.exp(-0.5 * ((share - 0.45) / 0.14) ** 2)
        return SurfaceMesh(points, np.clip(self._hair * (strands + band)[1:, 1:, None], 0, 1), closed=False)

    def _ear(self, side: float) -> SurfaceMesh:
        up, around = np.meshgrid(np.linspace(-1, 1, 8), side * np.linspace(0, 2 * np.pi, 11), indexing="ij")
        ring = np.sqrt(np.clip(1 - up**2, 0, 1))
        x = side * (72.0 * self.look.wide + 3 + 6 * ring * np.cos(around))
        points = np.stack([x, 14 + 27 * up, 72 + 14 * ring * side * np.sin(around) - 3 * up], axis=-1)
        return SurfaceMesh(points, np.broadcast_to(self._skin * (1.0, 0.9, 0.88), (7, 10, 3)).copy())

    def _neck(self, turn: Array) -> SurfaceMesh:
        """Return a neck that starts under the head and hangs straight down, however the head is turned."""
        down, around = np.meshgrid(np.linspace(0, 1, 7), np.linspace(-np.pi, np.pi, 25), indexing="ij")
        wide = (47.0 + 22.0 * down**3) * self.look.wide
        ring = np.stack([wide * np.sin(around), 190.0 * down, -wide * np.cos(around)], axis=-1)
        top = np.array([0.0, 60.0 * self.look.long, 78.0]) @ turn.T
        shadow = np.clip(0.62 + 0.8 * down[1:, 1:], 0.62, 0.92)[..., None]
        return SurfaceMesh((ring + top) @ turn, self._skin * (1.0, 0.93, 0.91) * shadow)
