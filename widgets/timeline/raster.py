"""Rasterizes many small segments into one picture: the cost is bounded by pixels, not by segments.

All sizes are device pixels.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPen, QPixmap

from project.schemes.scheme import Pattern
from widgets import theme
from widgets.labels import LabelLook, label_ink, mix, pattern_brush, sign_pixmap
from widgets.theme import Palette
from widgets.timeline.timeline_model import MAX_ROWS

PATTERNS = tuple(Pattern)
"""Order of the pattern codes in `RasterColours.patterns`."""


@dataclass(frozen=True, slots=True)
class RasterColours:
    """Premultiplied ARGB values.

    Attributes:
        fills: (n, 2) uint32 for each label: ground and pattern.
        patterns: for each label, its position in `PATTERNS`.
        selected: of the lines above and below what is selected.
        hatch: distance of the lines of patterns; dots lie a little closer.
        stroke: thickness of those lines.
    """

    fills: NDArray[np.uint32]
    patterns: tuple[int, ...]
    selected: int
    hatch: int
    stroke: int


def pixel_columns(times_us: NDArray[np.int64], start_us: float, us_per_px: float, width: int) -> NDArray[np.int32]:
    """Return the pixel columns in which times lie, clamped to 0..width."""
    scaled = (times_us - start_us) * (1.0 / us_per_px)
    return np.clip(np.rint(scaled), 0, width).astype(np.int32)


def coverage(
    left: NDArray[np.int32], right: NDArray[np.int32], group: NDArray[np.intp], groups: int, width: int
) -> NDArray[np.int32]:
    """Return (groups, width) how many spans of each group lie over each column."""
    size = groups * (width + 1)
    base = group * (width + 1)
    change = np.bincount(base + left, minlength=size) - np.bincount(base + right, minlength=size)
    return np.cumsum(change.reshape(groups, width + 1)[:, :width], axis=1, dtype=np.int32)


def pattern_mask(
    pattern: Pattern, height: int, width: int, phase: int, inks: RasterColours
) -> NDArray[np.bool_] | None:
    """Return where a pattern is inked, (height, width); None where it is solid.

    Args:
        pattern: which one.
        height: of a row.
        width: of the picture.
        phase: column at which the pattern starts, so that it moves with the segments.
        inks: distance and thickness.
    """
    x, y = np.arange(phase, phase + width), np.arange(height)
    pitch, line = inks.hatch, inks.stroke
    # One period of rows is worked out, the others are copies of it.
    period = np.arange(pitch)[:, None]
    match pattern:
        case Pattern.SOLID:
            return None
        case Pattern.DOTS:
            pitch, line = max(3, round(pitch * 0.6)), max(1, line - 1)
            tile = ((x % pitch < line)[None, :]) & (np.arange(pitch) < line)[:, None]
        case Pattern.HATCH:
            tile = (x[None, :] + period) % pitch < line
        case Pattern.BACK_HATCH:
            tile = (x[None, :] - period) % pitch < line
        case Pattern.BARS:
            tile = np.broadcast_to(period < line, (pitch, width))
        case Pattern.POSTS:
            tile = np.broadcast_to((x % pitch < line)[None, :], (pitch, width))
        case Pattern.GRID:
            tile = (x % pitch < line)[None, :] | (period < line)
    return tile[y % pitch]


def pattern_masks(
    present: Iterable[int], height: int, width: int, phase: int, inks: RasterColours
) -> dict[int, NDArray[np.bool_]]:
    """Return label -> `pattern_mask` for the labels that have a pattern; labels of one pattern share its mask."""
    made: dict[int, NDArray[np.bool_] | None] = {}
    found: dict[int, NDArray[np.bool_]] = {}
    for label in present:
        code = inks.patterns[label]
        if code not in made:
            made[code] = pattern_mask(PATTERNS[code], height, width, phase, inks)
        mask = made[code]
        if mask is not None:
            found[label] = mask
    return found


def row_picture(
    counts: NDArray[np.int32],
    labels: Sequence[int],
    height: int,
    masks: Mapping[int, NDArray[np.bool_]],
    inks: RasterColours,
) -> NDArray[np.uint32]:
    """Draw one sub-row.

    Where several labels share a column, each gets the part of its height that its share of the segments is.

    Args:
        counts: (k, width) segments of each of `labels` over each column.
        labels: the labels that are counted, positions in `inks`.
        height: of the row.
        masks: see `pattern_masks`; at least `height` high.
        inks: what to draw with.

    Returns:
        (height, width) ARGB.
    """
    kept = np.flatnonzero(counts.any(axis=1)).tolist()
    if not kept:
        return np.zeros((height, counts.shape[1]), np.uint32)
    counts = counts[kept]
    total = counts.sum(axis=0)
    used = np.maximum(total, 1)
    tops = np.rint(np.cumsum(counts, axis=0) * height / used).astype(np.int16)
    y = np.arange(height, dtype=np.int16)[:, None]
    # Which label each pixel shows; twice that, plus one where its pattern is inked, finds its colour.
    ink = np.zeros((height, counts.shape[1]), np.uint16)
    above: NDArray[np.bool_] | None = None
    for place, at in enumerate(kept):
        last = place == len(kept) - 1
        below = None if last else y >= tops[place]
        mask = masks.get(labels[at])
        if mask is not None:
            part = mask[:height]
            if above is not None:
                part = part & above
            if below is not None:
                part = part & ~below
            ink += part
        if below is not None:
            ink += below.view(np.uint8) << 1
        above = below
    ink[:, total == 0] = 2 * len(kept)
    fills = inks.fills[[labels[at] for at in kept]]
    return np.append(fills.ravel(), np.uint32(0)).take(ink)


def segments_picture(
    spans: tuple[NDArray[np.int32], NDArray[np.int32]],
    labels: NDArray[np.uint8],
    rows: NDArray[np.uint8],
    selected: NDArray[np.bool_],
    places: list[tuple[int, int]],
    size: tuple[int, int],
    phase: int,
    inks: RasterColours,
) -> NDArray[np.uint32]:
    """Draw segments into their sub-rows.

    Args:
        spans: (n,) first column and (n,) column after the last.
        labels: (n,) positions in `inks`.
        rows: (n,) sub-rows, `MAX_ROWS` left out.
        selected: (n,) which to mark.
        places: top and height of each sub-row.
        size: height and width of the picture.
        phase: see `pattern_mask`.
        inks: what to draw with.

    Returns:
        (height, width) ARGB, transparent where nothing is.
    """
    height, width = size
    left, right = spans
    picture = np.zeros(size, np.uint32)
    drawn = rows < MAX_ROWS
    seen = np.bincount(labels[drawn], minlength=len(inks.patterns)) > 0
    present: list[int] = np.flatnonzero(seen).tolist()
    if not present:
        return picture
    place_of = np.cumsum(seen) - 1
    group = rows[drawn].astype(np.intp) * len(present) + place_of[labels[drawn]]
    counts = coverage(left[drawn], right[drawn], group, len(places) * len(present), width).reshape(
        len(places), len(present), width
    )
    marked = drawn & selected
    marks = None
    if marked.any():
        marks = coverage(left[marked], right[marked], rows[marked].astype(np.intp), len(places), width)
    masks = pattern_masks(present, max(tall for _, tall in places), width, phase, inks)
    for row, (top, tall) in enumerate(places):
        if not counts[row].any():
            continue
        tall = min(tall, height - top)
        part = row_picture(counts[row], present, tall, masks, inks)
        if marks is not None:
            line = max(2, inks.stroke)
            part[:line, marks[row] > 0] = inks.selected
            part[-line:, marks[row] > 0] = inks.selected
        picture[top : top + tall] = part
    return picture


def waveform_picture(peaks: NDArray[np.float32], height: int, loud: int, soft: int) -> NDArray[np.uint32]:
    """Draw (columns, 2) lowest and highest samples as a band around the middle; (height, columns) ARGB.

    The outer part is drawn with `soft`, the inner 60 % with `loud`, so that bursts stand out of a dense band.
    """
    middle = (height - 1) / 2
    low, high = np.clip(peaks[:, 0], -1, 1), np.clip(peaks[:, 1], -1, 1)
    top, bottom = middle - high * middle, middle - low * middle
    y = np.arange(height)[:, None]
    outer = (y >= np.floor(top)) & (y <= np.ceil(bottom))
    inner = (y >= middle - high * middle * 0.6) & (y <= middle - low * middle * 0.6)
    return np.where(inner, np.uint32(loud), np.where(outer, np.uint32(soft), np.uint32(0)))


def runs(counts: NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return (first column, column after the last, highest count) of each stretch of (width,) counts over zero."""
    present = np.concatenate(([False], counts > 0, [False]))
    edges = np.flatnonzero(present[1:] != present[:-1])
    pairs = zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True)
    return [(a, b, int(counts[a:b].max())) for a, b in pairs]


_HATCH = 7


@dataclass(frozen=True, slots=True)
class LabelStyle:
    """How segments of one label look.

    Attributes:
        name: of the label.
        ink: the label's colour.
        brush: ground with pattern.
        strong: the same for what is selected or dragged.
        pen: outline.
        sign: of 12 pixels.
        plates: what lies under the sign and the name where the ground is patterned, plain and strong.
    """

    name: str
    ink: QColor
    brush: QBrush
    strong: QBrush
    pen: QPen
    sign: QPixmap
    plates: tuple[QColor, QColor] | None


@dataclass(frozen=True, slots=True)
class Style:
    """Everything to draw with, for one theme and one device pixel ratio."""

    colours: Palette
    scale: float
    shade: theme.Shade
    hatch: int
    stroke: int

    @property
    def small_font(self) -> QFont:
        """Of times and names."""
        return theme.font(8)

    def label_style(self, label: LabelLook) -> LabelStyle:
        """Return how to draw a label's segments."""
        return _label_style(label, self.shade, self.scale)

    def stem_colours(self, labels: tuple[LabelLook, ...]) -> RasterColours:
        """Return what the stems of points of these labels are drawn with: they are narrow, so they are stronger."""
        return _stem_colours(labels, self.shade, self.scale)

    def raster_colours(self, labels: tuple[LabelLook, ...]) -> RasterColours:
        """Return what small segments of these labels are drawn with."""
        return _raster_colours(labels, self.shade, self.scale)


def current_style(scale: float) -> Style:
    """Return the style of the theme in use."""
    return _style(theme.shade(), scale)


def argb(colour: QColor) -> int:
    """Return a colour as an ARGB value."""
    return colour.rgba()


def to_image(pixels: np.ndarray) -> QImage:
    """Wrap (height, width) premultiplied ARGB; the array must outlive the image."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)


@lru_cache(maxsize=8)
def _style(shade: theme.Shade, scale: float) -> Style:
    hatch, stroke = max(4, round(_HATCH * scale)), max(1, round(1.5 * scale))
    return Style(theme.load(shade), scale, shade, hatch, stroke)


@lru_cache(maxsize=512)
def _label_style(label: LabelLook, shade: theme.Shade, scale: float) -> LabelStyle:
    own = _style(shade, scale)
    lane, ink = own.colours.lane, label_ink(label, own.colours)
    ground, pattern = _ink_shares(label.pattern)
    pen = QPen(mix(ink, lane, 0.85), 1)
    if label.pattern is Pattern.DOTS:
        pen.setDashPattern([2, 2])

    def brush(more: float) -> QBrush:
        under, over = mix(ink, lane, ground + more), mix(ink, lane, pattern + more)
        return pattern_brush(label.pattern, under, over, own.hatch, own.stroke, scale)

    return LabelStyle(
        label.name,
        ink,
        brush(0),
        brush(0.2),
        pen,
        sign_pixmap(label.sign, mix(ink, own.colours.text, 0.6), scale),
        None if label.pattern is Pattern.SOLID else (mix(ink, lane, ground), mix(ink, lane, ground + 0.1)),
    )


@lru_cache(maxsize=256)
def _raster_colours(labels: tuple[LabelLook, ...], shade: theme.Shade, scale: float) -> RasterColours:
    own = _style(shade, scale)
    fills = np.zeros((len(labels), 2), np.uint32)
    for code, label in enumerate(labels):
        ink = label_ink(label, own.colours)
        ground, pattern = _ink_shares(label.pattern)
        lane = own.colours.lane
        fills[code] = argb(mix(ink, lane, ground + 0.12)), argb(mix(ink, lane, pattern + 0.2))
    patterns = tuple(PATTERNS.index(label.pattern) for label in labels)
    return RasterColours(fills, patterns, argb(own.colours.accent), own.hatch, own.stroke)


@lru_cache(maxsize=256)
def _stem_colours(labels: tuple[LabelLook, ...], shade: theme.Shade, scale: float) -> RasterColours:
    own = _raster_colours(labels, shade, scale)
    lane = _style(shade, scale).colours.lane
    inks = [label_ink(label, _style(shade, scale).colours) for label in labels]
    solid = [label.pattern is Pattern.SOLID for label in labels]
    fills = [(argb(mix(ink, lane, 1 if plain else 0.5)), argb(ink)) for ink, plain in zip(inks, solid, strict=True)]
    return replace(own, fills=np.array(fills, np.uint32).reshape(-1, 2))


def _ink_shares(pattern: Pattern) -> tuple[float, float]:
    """Shares of the label's colour in the ground and in the pattern."""
    shares = {Pattern.SOLID: (0.45, 0.45), Pattern.DOTS: (0.16, 0.7)}
    return shares.get(pattern, (0.22, 0.62))
