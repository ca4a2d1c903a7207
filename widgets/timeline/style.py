"""The timeline's colours, patterns and signs, made once a theme and scale."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPen, QPixmap

from widgets import theme
from widgets.label_looks import LabelLook, Pattern, label_ink
from widgets.label_paint import SIGN, mix, pattern_brush, sign_pixmap
from widgets.theme import Palette
from widgets.timeline.raster import PATTERNS, Inks

__all__ = ["SIGN", "Look", "Style", "argb", "mix", "picture", "style"]

_HATCH = 7


@dataclass(frozen=True, slots=True)
class Look:
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
    small: QFont
    hatch: int
    stroke: int

    def look(self, label: LabelLook) -> Look:
        """Return how to draw a label's segments."""
        return _look(label, self.shade, self.scale)

    def inks(self, labels: tuple[LabelLook, ...]) -> Inks:
        """Return what small segments of these labels are drawn with."""
        return _inks(labels, self.shade, self.scale)


def style(scale: float) -> Style:
    """Return the style of the theme in use."""
    return _style(theme.shade(), scale)


def argb(colour: QColor) -> int:
    """Return a colour as an ARGB value."""
    return colour.rgba()


def picture(pixels: np.ndarray) -> QImage:
    """Wrap (height, width) premultiplied ARGB; the array must outlive the image."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)


@lru_cache(maxsize=8)
def _style(shade: theme.Shade, scale: float) -> Style:
    hatch, stroke = max(4, round(_HATCH * scale)), max(1, round(1.5 * scale))
    return Style(theme.load(shade), scale, shade, theme.font(8), hatch, stroke)


@lru_cache(maxsize=512)
def _look(label: LabelLook, shade: theme.Shade, scale: float) -> Look:
    own = _style(shade, scale)
    lane, ink = own.colours.lane, label_ink(label, own.colours)
    ground, pattern = _shades(label.pattern)
    pen = QPen(mix(ink, lane, 0.85), 1)
    if label.pattern is Pattern.DOTS:
        pen.setDashPattern([2, 2])

    def brush(more: float) -> QBrush:
        under, over = mix(ink, lane, ground + more), mix(ink, lane, pattern + more)
        return pattern_brush(label.pattern, under, over, own.hatch, own.stroke, scale)

    return Look(
        label.name,
        ink,
        brush(0),
        brush(0.2),
        pen,
        sign_pixmap(label.sign, mix(ink, own.colours.text, 0.6), scale),
        None if label.pattern is Pattern.SOLID else (mix(ink, lane, ground), mix(ink, lane, ground + 0.1)),
    )


@lru_cache(maxsize=256)
def _inks(labels: tuple[LabelLook, ...], shade: theme.Shade, scale: float) -> Inks:
    own = _style(shade, scale)
    fills = np.zeros((len(labels), 2), np.uint32)
    for code, label in enumerate(labels):
        ink = label_ink(label, own.colours)
        ground, pattern = _shades(label.pattern)
        lane = own.colours.lane
        fills[code] = argb(mix(ink, lane, ground + 0.12)), argb(mix(ink, lane, pattern + 0.2))
    patterns = tuple(PATTERNS.index(label.pattern) for label in labels)
    return Inks(fills, patterns, argb(own.colours.accent), own.hatch, own.stroke)


def _shades(pattern: Pattern) -> tuple[float, float]:
    """Shares of the label's colour in the ground and in the pattern."""
    shares = {Pattern.SOLID: (0.45, 0.45), Pattern.DOTS: (0.16, 0.7)}
    return shares.get(pattern, (0.22, 0.62))
