"""Paints the lit surfaces of a drawn head, and its eyes, brows, nose and mouth as antialiased polygons."""

from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from anonymize.methods.synthetic.expression import Expression
from anonymize.methods.synthetic.head_shape import Head, SurfaceMesh

Array = NDArray[np.float64]

# Cells are painted on a smaller canvas and smeared there by this many of its pixels, so that none is seen.
_REDUCTION = 2
_SMEAR_SIGMA = 1.4
_SHIFT = 4
_FAR = 30_000.0


@dataclass(frozen=True, slots=True, eq=False)
class SceneLight:
    """How the scene is lit.

    Attributes:
        level: 1 is full light.
        across: how much more light comes from the picture's right, -1 to 1.
        colour: (3,) factors around 1.
        saturation: 0 draws in grey, for a picture without colours.
    """

    level: float
    across: float
    colour: NDArray[np.float64]
    saturation: float


@dataclass(frozen=True, slots=True, eq=False)
class HeadProjection:
    """How a head is seen on a canvas.

    Attributes:
        turn: (3, 3), from the head's axes to the camera's.
        place: (2,) of the head's origin on the canvas, in pixels.
        scale: pixels of the canvas per millimetre.
        size: width and height of the canvas.
    """

    turn: Array
    place: Array
    scale: float
    size: tuple[int, int]

    def project(self, points: Array) -> Array:
        """Return (..., 3): x and y on the canvas in pixels, and z in millimetres, larger further away."""
        turned = points @ self.turn.T
        flat = turned[..., :2] * self.scale + self.place
        return np.concatenate([flat, turned[..., 2:]], axis=-1)


def paint_meshes(
    sheets: Sequence[SurfaceMesh], view: HeadProjection, light: SceneLight
) -> tuple[NDArray[np.uint8], NDArray[np.float32]]:
    """Paint sheets, the nearest on top; (h, w, 3) RGB, and (h, w) how much of each pixel is covered, 0 to 1."""
    corners, depths, colours = (
        np.concatenate(part) for part in zip(*(_cells(s, view, light) for s in sheets), strict=True)
    )
    order = np.argsort(-depths)
    width, height = view.size
    small = (-(-width // _REDUCTION), -(-height // _REDUCTION))
    fixed = np.rint(np.clip(corners[order] / _REDUCTION, -_FAR, _FAR) * (1 << _SHIFT)).astype(np.int32)
    tones = (np.clip(colours[order], 0, 1) * 255).tolist()
    canvas = np.zeros((small[1], small[0], 4), np.uint8)
    for cell, (red, green, blue) in zip(fixed, tones, strict=True):
        cv2.fillConvexPoly(canvas, cell, (red, green, blue, 255.0), cv2.LINE_8, _SHIFT)
    smeared = np.asarray(cv2.GaussianBlur(canvas.astype(np.float32), (0, 0), _SMEAR_SIGMA), np.float32)
    smeared[..., :3] *= (255 / np.maximum(smeared[..., 3], 1.0))[..., None]
    size = small[0] * _REDUCTION, small[1] * _REDUCTION
    large = cv2.resize(smeared.astype(np.uint8), size, interpolation=cv2.INTER_LINEAR)[:height, :width]
    steep = 2.2 * _SMEAR_SIGMA * _REDUCTION / 255
    cover = np.clip((large[..., 3].astype(np.float32) - 127.5) * steep + 0.5, 0, 1)
    return np.ascontiguousarray(large[..., :3]), np.asarray(cover, np.float32)


def _cells(sheet: SurfaceMesh, view: HeadProjection, light: SceneLight) -> tuple[Array, Array, Array]:
    """Return corners (n, 4, 2), depths (n,) and lit colours (n, 3) of a sheet's cells."""
    seen = view.project(sheet.points)
    a, b, c, d = seen[:-1, :-1], seen[:-1, 1:], seen[1:, 1:], seen[1:, :-1]
    corners = np.stack([a, b, c, d], axis=-2)
    metric = corners / (view.scale, view.scale, 1)
    normals = np.cross(metric[..., 2, :] - metric[..., 0, :], metric[..., 3, :] - metric[..., 1, :])
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-9)
    inside = normals[..., 2] < 0
    lit = shade_normals(np.where(inside[..., None], normals, -normals), light) * np.where(inside, 0.62, 1.0)
    shown = ~inside if sheet.closed else np.ones_like(inside)
    low, high = corners[..., :2].min(-2), corners[..., :2].max(-2)
    shown &= ((high > 0) & (low < view.size)).all(-1)
    return corners[..., :2][shown], corners[..., 2].mean(-1)[shown], (lit[..., None] * sheet.colours)[shown]


def shade_normals(normals: Array, light: SceneLight) -> Array:
    """Return how bright surfaces with these normals (..., 3) are: soft light from above and ahead, less at the rim."""
    source = np.array([0.75 * light.across + 0.22, -0.52, -0.83])
    source /= np.linalg.norm(source)
    soft = 0.5 + 0.5 * normals @ source
    rim = np.clip(-normals[..., 2], 0, 1)
    return np.asarray((0.50 + 0.56 * soft**1.4) * (0.86 + 0.14 * rim**0.6))


Canvas = NDArray[np.uint8]
Tone = NDArray[np.float64]
# A line shows less of a smile than lips with all their shades do.
_SMILE_GAIN = 1.3
_LINE_POSITIONS = np.linspace(-1, 1, 17)
_DARK = np.array([34.0, 22.0, 20.0])
_MOUTH = np.array([84.0, 34.0, 36.0])
_TEETH = np.array([240.0, 234.0, 224.0])
_TONGUE = np.array([176.0, 86.0, 84.0])
_WHITE = np.array([246.0, 243.0, 238.0])


class Features:
    """Draws the features of one look on the face of its head."""

    def __init__(self, head: Head) -> None:
        self._head, self._look = head, head.look
        self._skin, self._hair = np.array(head.look.skin), np.array(head.look.hair)
        self._lip = self._skin * 0.58 + np.array([168.0, 66.0, 70.0]) * 0.42
        if self._skin.sum() < 430:
            self._lip = self._skin * 0.66 + np.array([132.0, 52.0, 56.0]) * 0.34

    def draw(self, canvas: Canvas, view: HeadProjection, face: Expression) -> None:
        """Draw all of them onto a canvas that holds the lit skin, in place."""
        pen = _OutlinePen(canvas, view, self._head)
        turned = float(view.turn[0, 2])
        sides = (1.0, -1.0) if turned < 0 else (-1.0, 1.0)
        far = sides[0] if abs(turned) > 0.2 else 0.0
        for side in sides:
            if side == far:
                self._behind_nose(pen, side, face)
            else:
                self._eye(pen, side, face)
                self._brow(pen, side, face)
        self._nose(pen)
        self._cheeks(pen, face)
        self._mouth(pen, face)

    def _behind_nose(self, pen: "_OutlinePen", side: float, face: Expression) -> None:
        """Draw the eye that the bridge of the nose may hide, and then the bridge before it."""
        before = pen.canvas.copy()
        self._eye(pen, side, face)
        self._brow(pen, side, face)
        y = np.array([-12.0, -4, 6, 16, 26, 34, 40])
        ridge = pen.project(np.zeros(7), y, 0.0)
        near = pen.project(np.full(7, -side * 16.0), y, 0.0)
        nose = np.zeros(pen.canvas.shape[:2], np.uint8)
        cv2.fillPoly(nose, [_fixed_point(np.concatenate([ridge, near[::-1]]))], 255, cv2.LINE_AA, _SHIFT)
        cv2.copyTo(before, nose, pen.canvas)

    def _eye(self, pen: "_OutlinePen", side: float, face: Expression) -> None:
        look = self._look
        value, other = (face.eye_right, face.eye_left) if side < 0 else (face.eye_left, face.eye_right)
        opened = float(np.clip(0.9 * value + 0.1 * other, 0, 1.4))
        half, tall = 15.0 * look.eye, 9.0 * look.eye
        u = _LINE_POSITIONS
        x = side * (look.eyes + u * half)
        corner = 1.2 - look.slant * (u + 1) / 2
        bow = (1 - np.abs(u) ** 2.3) ** 0.75
        low = corner + bow * (3.6 * look.eye * (0.55 + 0.45 * min(opened, 1.0)))
        shut = corner + bow * 2.6 * look.eye
        high = shut * (1 - opened) + (corner - bow * tall * 0.80) * opened
        high = np.minimum(high, low)
        crease = corner - bow * (tall * (0.66 + 0.42 * opened)) - 1.6
        skin = pen.lit_tone(self._skin)
        pen.fill_between(x, crease, high, skin * 0.90, 1.0)
        if opened > 0.06:
            self._ball(pen, side, face, x, high, low, opened)
        pen.line(x, crease, skin * 0.66, 0.9, 0.65)
        pen.line(x[2:-2], low[2:-2] + 0.3, skin * 0.62, 0.8, 0.8)
        lash = np.concatenate([high[:-1], high[-1:] - 1.6 * min(opened, 1.0)])
        pen.line(np.concatenate([x[:-1], x[-1:] + side * 1.8]), lash, _DARK * pen.lit, 2.3, 1.0)

    def _ball(
        self, pen: "_OutlinePen", side: float, face: Expression, x: Array, high: Array, low: Array, opened: float
    ) -> None:
        look = self._look
        outline = np.concatenate([pen.project(x, high, 0.0), pen.project(x, low, 0.0)[::-1]])
        piece = pen.cut_patch(outline)
        if piece is None:
            return
        part, mask, corner = piece
        part_before = part.copy()
        white = pen.lit_tone(_WHITE)
        part[:] = white
        middle = (
            np.array([side * look.eyes + face.across * 31.0 * look.eye]),
            np.array([0.2 - look.slant / 2 + np.clip(face.down * 30.0, -5, 5) * look.eye]),
        )
        where = pen.project(*middle, 0.0)[0] - corner
        radius = 7.5 * look.eye * pen.view.scale
        slim = float(np.clip(abs(pen.view.turn[2, 2]), 0.55, 1))
        iris = pen.lit_tone(np.array(look.iris))
        for size, tone in ((1.0, iris * 0.55), (0.86, iris * 1.12), (0.44, _DARK * 0.6)):
            _ellipse(part, where, (radius * size * slim, radius * size), tone)
        _ellipse(part, where + np.array([0.34, -0.36]) * radius, (radius * 0.22, radius * 0.22), white)
        shadow = pen.project(x, high + 2.2 * min(opened, 1.0), 0.0)
        strip = np.concatenate([pen.project(x, high - 1.5, 0.0), shadow[::-1]]) - corner
        veil = part.copy()
        cv2.fillPoly(veil, [_fixed_point(strip)], tuple(float(v) for v in white * 0.62), cv2.LINE_AA, _SHIFT)
        cv2.addWeighted(veil, 0.45, part, 0.55, 0, part)
        share = mask[..., None].astype(np.uint16)
        part[:] = (part * share + part_before * (255 - share) + 127) // 255

    def _brow(self, pen: "_OutlinePen", side: float, face: Expression) -> None:
        look = self._look
        inner, outer = (face.inner_right, face.outer_right) if side < 0 else (face.inner_left, face.outer_left)
        u = np.linspace(0, 1, 13)
        x = side * (look.eyes - 17.0 + u * 40.0)
        lift = (inner + 1.5) * (1 - u) + (outer - 1.0) * u
        middle = (
            -lift - look.arch * np.sin(np.pi * np.clip(u, 0, 1) ** 1.4) + 4.2 * np.clip(u - 0.62, 0, 1) ** 1.3 * 4 - 0.5
        )
        thick = 5.6 * look.brow * np.interp(u, (0, 0.12, 0.55, 1), (0.55, 1.0, 0.82, 0.16))
        tone = (self._hair * 0.72 + self._skin * 0.12) * pen.lit
        pen.fill_between(x, middle - thick / 2, middle + thick / 2, tone, 0.88)

    def _nose(self, pen: "_OutlinePen") -> None:
        wide = self._look.nose
        skin = pen.lit_tone(self._skin)
        for side in (-1.0, 1.0):
            u = np.linspace(0, 1, 7)
            pen.line(
                side * wide * (17.0 + 1.6 * np.sin(np.pi * u)),
                37.5 + 10.0 * u,
                skin * 0.70,
                1.2,
                0.45 * pen.side_visibility(side),
            )
            turn = np.linspace(0, 2 * np.pi, 12, endpoint=False)
            pen.fill_outline(
                side * wide * (8.0 + 3.8 * np.cos(turn)),
                49.2 + 1.9 * np.sin(turn) - 0.4 * np.cos(turn),
                skin * 0.42,
                0.8,
            )
        u = np.linspace(-1, 1, 9)
        pen.line(u * 6.0 * wide, 51.6 - 1.2 * u**2, skin * 0.66, 1.2, 0.6)

    def _cheeks(self, pen: "_OutlinePen", face: Expression) -> None:
        """Draw the folds from the nose to the mouth, as deep as the smile."""
        for side, corner in ((-1.0, face.corner_right), (1.0, face.corner_left)):
            smile = float(np.clip((17.0 - corner) / 8.0 + (face.width - 58.0) / 16.0, 0, 1))
            u = np.linspace(0, 1, 9)
            end = np.array([face.width / 2 * self._look.mouth + 6.5, 49.0 + corner - 2.0])
            x = side * (18.5 * self._look.nose * (1 - u) + end[0] * u + 3.5 * np.sin(np.pi * u))
            pen.line(
                x,
                41.0 * (1 - u) + end[1] * u,
                pen.lit_tone(self._skin) * 0.74,
                1.6,
                (0.05 + 0.36 * smile) * pen.side_visibility(side),
            )

    def _mouth(self, pen: "_OutlinePen", face: Expression) -> None:
        look = self._look
        u, half = _LINE_POSITIONS, float(np.clip(face.width, 30, 80)) / 2 * look.mouth
        x = u * half + face.aside
        base = 49.0
        right, left = (_SMILE_GAIN * (corner - 17.0) + 17.0 for corner in (face.corner_right, face.corner_left))
        corner = base + right * (1 - u) / 2 + left * (1 + u) / 2
        top, gap = base + face.lip, max(face.open, 0.0)
        middle_corner = base + (right + left) / 2
        bow = 1 - np.abs(u) ** 1.8
        upper = corner + (top - middle_corner) * bow
        lower = corner + (top + gap - middle_corner) * (1 - np.abs(u) ** 2.2)
        lower = np.maximum(upper, lower)
        narrow = float(np.clip(1.0 - (face.width - 56.0) / 30.0, 0.72, 1.5))
        cupid = 1 - 0.22 * np.exp(-((u / 0.16) ** 2))
        over = upper - 6.6 * look.lips * narrow * (1 - np.abs(u) ** 1.7) * cupid
        under = lower + 8.2 * look.lips * narrow * (1 - np.abs(u) ** 2.4)
        lip = pen.lit_tone(self._lip)
        pen.fill_between(x, over, upper, lip * 0.90, 0.95, ahead=True)
        pen.fill_between(x, lower, under, lip * 1.05, 0.95, ahead=True)
        pen.line(x[3:-3], under[3:-3] + 1.6, pen.lit_tone(self._skin) * 0.72, 1.8, 0.35, ahead=True)
        if gap > 0.9:
            self._inside(pen, x, upper, lower, gap)
        pen.line(x, upper, _MOUTH * 0.75 * pen.lit, 1.1, 0.9, ahead=True)
        if gap > 0.9:
            pen.line(x, lower, lip * 0.62, 0.8, 0.7, ahead=True)

    def _inside(self, pen: "_OutlinePen", x: Array, upper: Array, lower: Array, gap: float) -> None:
        pen.fill_between(x, upper, lower, _MOUTH * pen.lit, 1.0, ahead=True)
        if gap > 9:
            rise = (lower - upper) * float(np.clip((gap - 9) / 30, 0, 0.4))
            pen.fill_between(x[3:-3], (lower - rise)[3:-3], lower[3:-3], _TONGUE * pen.lit, 0.9, ahead=True)
        teeth = np.minimum(upper + 7.0 * (1 - 0.35 * np.abs(_LINE_POSITIONS) ** 2), upper + 0.62 * (lower - upper))
        pen.fill_between(x[1:-1], upper[1:-1], teeth[1:-1], _TEETH * 0.94 * pen.lit, 1.0, ahead=True)


class _OutlinePen:
    """Draws outlines given in millimetres of the resting face, on the surface of its head."""

    def __init__(self, canvas: Canvas, view: HeadProjection, head: Head) -> None:
        self.canvas, self.view, self._head = canvas, view, head
        self.lit = 0.97

    def lit_tone(self, colour: Tone) -> Tone:
        """Return a colour in the light of the middle of the face."""
        return colour * self.lit

    def side_visibility(self, side: float) -> float:
        """Return how much a line beside the nose is seen: not at all on the far side of a turned head."""
        return float(np.clip(1 + 3 * min(0.0, side * float(self.view.turn[0, 2])), 0, 1))

    def project(self, x: Array, y: Array, out: float) -> Array:
        """Return (n, 2) pixels of points that lie `out` mm before the surface."""
        return self.view.project(self._head.surface_points(x, y, out))[:, :2]

    def fill_outline(self, x: Array, y: Array, tone: Tone, share: float) -> None:
        """Fill a closed outline."""
        self._fill(self.project(x, y, 0.0), tone, share)

    def fill_between(
        self, x: Array, upper: Array, lower: Array, tone: Tone, share: float, *, ahead: bool = False
    ) -> None:
        """Fill what lies between two lines; `ahead` are lips, which stand out."""
        out = 1.0 if ahead else 0.0
        self._fill(np.concatenate([self.project(x, upper, out), self.project(x, lower, out)[::-1]]), tone, share)

    def line(self, x: Array, y: Array, tone: Tone, wide: float, share: float, *, ahead: bool = False) -> None:
        """Draw a line, `wide` mm thick in its middle and pointed at its ends."""
        path = self.project(x, y, 1.0 if ahead else 0.0)
        along = np.gradient(path, axis=0)
        across = np.stack([-along[:, 1], along[:, 0]], axis=1)
        across /= np.maximum(np.linalg.norm(across, axis=1, keepdims=True), 1e-6)
        taper = np.interp(np.linspace(0, 1, len(path)), (0, 0.25, 0.75, 1), (0.35, 1, 1, 0.35))[:, None]
        off = across * taper * wide * self.view.scale / 2
        self._fill(np.concatenate([path + off, (path - off)[::-1]]), tone, share)

    def cut_patch(self, outline: Array) -> tuple[Canvas, NDArray[np.uint8], Array] | None:
        """Return the part of the canvas around an outline, the outline's mask in it, and the part's corner."""
        box = self._box(outline)
        if box is None:
            return None
        left, top, right, bottom = box
        mask = np.zeros((bottom - top, right - left), np.uint8)
        corner = np.array([left, top], np.float64)
        cv2.fillPoly(mask, [_fixed_point(outline - corner)], 255, cv2.LINE_AA, _SHIFT)
        return self.canvas[top:bottom, left:right], mask, corner

    def _fill(self, outline: Array, tone: Tone, share: float) -> None:
        box = self._box(outline)
        if box is None:
            return
        left, top, right, bottom = box
        part = self.canvas[top:bottom, left:right]
        over = part if share >= 1 else part.copy()
        colour = tuple(float(v) for v in np.clip(tone, 0, 255))
        cv2.fillPoly(over, [_fixed_point(outline - (left, top))], colour, cv2.LINE_AA, _SHIFT)
        if share < 1:
            cv2.addWeighted(over, share, part, 1 - share, 0, part)

    def _box(self, outline: Array) -> tuple[int, int, int, int] | None:
        high, wide = self.canvas.shape[:2]
        low, most = np.floor(outline.min(0)) - 2, np.ceil(outline.max(0)) + 3
        left, top = (int(v) for v in np.clip(low, 0, (wide, high)))
        right, bottom = (int(v) for v in np.clip(most, 0, (wide, high)))
        return None if right <= left or bottom <= top else (left, top, right, bottom)


def _fixed_point(outline: Array) -> NDArray[np.int32]:
    return np.rint(np.clip(outline, -_FAR, _FAR) * (1 << _SHIFT)).astype(np.int32)


def _ellipse(canvas: Canvas, centre: Array, radii: tuple[float, float], tone: Tone) -> None:
    scale = 1 << _SHIFT
    colour = tuple(float(v) for v in np.clip(tone, 0, 255))
    middle = round(float(centre[0]) * scale), round(float(centre[1]) * scale)
    across, down = (max(1, round(radius * scale)) for radius in radii)
    cv2.ellipse(canvas, middle, (across, down), 0, 0, 360, colour, -1, cv2.LINE_AA, _SHIFT)
