"""The timeline's colours, patterns and signs, made once a theme and scale."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QImage, QPainter, QPen, QPixmap, QTransform

from project.types import Verdict
from widgets import theme
from widgets.theme import Palette
from widgets.timeline.raster import Inks
from widgets.timeline.track import VERDICTS

SIGN = 12
_HATCH = 7


@dataclass(frozen=True, slots=True)
class Look:
    """How segments of one verdict look.

    Attributes:
        ink: the verdict's colour.
        brush: ground with pattern: hatched, solid or dotted.
        strong: the same for what is selected or dragged.
        pen: outline.
        sign: cross, tick or ring, 12 pixels.
        plates: what lies under the sign and the name where the ground is patterned, plain and strong.
    """

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
    looks: tuple[Look, ...]
    inks: Inks
    small: QFont
    hatch: int

    def look(self, verdict: str) -> Look:
        """Return how a verdict looks."""
        return self.looks[VERDICTS.index(verdict)]


def style(scale: float) -> Style:
    """Return the style of the theme in use."""
    return _style(theme.shade(), scale)


def mix(ink: QColor, ground: QColor, share: float) -> QColor:
    """Return an opaque colour between two."""
    parts = zip(ink.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def argb(colour: QColor) -> int:
    """Return a colour as an ARGB value."""
    return colour.rgba()


def picture(pixels: np.ndarray) -> QImage:
    """Wrap (height, width) premultiplied ARGB; the array must outlive the image."""
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied)


@lru_cache(maxsize=8)
def _style(shade: theme.Shade, scale: float) -> Style:
    colours = theme.load(shade)
    hatch = max(4, round(_HATCH * scale))
    stroke = max(1, round(1.5 * scale))
    looks: list[Look] = []
    fills = np.zeros((len(VERDICTS), 2), np.uint32)
    for code, verdict in enumerate(VERDICTS):
        ink = {
            Verdict.ERROR: colours.error,
            Verdict.COMPETENCE: colours.competence,
            Verdict.NONE: colours.uncertain,
        }[verdict]
        ground, pattern = _shades(verdict)
        fills[code] = argb(mix(ink, colours.lane, ground + 0.12)), argb(mix(ink, colours.lane, pattern + 0.2))
        pen = QPen(mix(ink, colours.lane, 0.85), 1)
        if verdict == Verdict.NONE:
            pen.setDashPattern([2, 2])
        looks.append(
            Look(
                ink,
                _brush(verdict, mix(ink, colours.lane, ground), mix(ink, colours.lane, pattern), hatch, stroke, scale),
                _brush(
                    verdict,
                    mix(ink, colours.lane, ground + 0.2),
                    mix(ink, colours.lane, pattern + 0.2),
                    hatch,
                    stroke,
                    scale,
                ),
                pen,
                _sign(verdict, mix(ink, colours.text, 0.6), scale),
                None
                if verdict == Verdict.COMPETENCE
                else (mix(ink, colours.lane, ground), mix(ink, colours.lane, ground + 0.1)),
            )
        )
    inks = Inks(fills, argb(colours.accent), hatch, stroke)
    return Style(colours, scale, tuple(looks), inks, theme.font(8), hatch)


def _sign(verdict: str, ink: QColor, scale: float) -> QPixmap:
    """Draw a cross, a tick or a ring of dots, heavier than the icons of buttons because it stands on a pattern."""
    sign = QPixmap(round(SIGN * scale), round(SIGN * scale))
    sign.setDevicePixelRatio(scale)
    sign.fill(Qt.GlobalColor.transparent)
    painter = QPainter(sign)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if verdict == Verdict.NONE:
        pen.setDashPattern([0.01, 1.9])
    painter.setPen(pen)
    if verdict == Verdict.ERROR:
        painter.drawLine(QPointF(3, 3), QPointF(9, 9))
        painter.drawLine(QPointF(9, 3), QPointF(3, 9))
    elif verdict == Verdict.COMPETENCE:
        painter.drawPolyline([QPointF(2, 6.5), QPointF(4.8, 9.2), QPointF(10, 3)])
    else:
        painter.drawEllipse(QPointF(6, 6), 4, 4)
    painter.end()
    return sign


def _shades(verdict: str) -> tuple[float, float]:
    """Shares of the verdict's colour in the ground and in the pattern."""
    shares: dict[str, tuple[float, float]] = {Verdict.ERROR: (0.22, 0.62), Verdict.COMPETENCE: (0.45, 0.45)}
    return shares.get(verdict, (0.16, 0.7))


def _brush(verdict: str, ground: QColor, pattern: QColor, hatch: int, stroke: int, scale: float) -> QBrush:
    if verdict == Verdict.COMPETENCE:
        return QBrush(ground)
    y, x = np.mgrid[0:hatch, 0:hatch]
    if verdict == Verdict.ERROR:
        distance = np.minimum((x + y) % hatch, hatch - (x + y) % hatch)
        share = np.clip(stroke / 2 + 0.5 - distance, 0, 1)
    else:
        middle = (hatch - 1) / 2
        share = np.clip(stroke * 0.75 + 0.5 - np.hypot(x - middle, y - middle), 0, 1)
    tile = QImage(hatch, hatch, QImage.Format.Format_RGB32)
    for row in range(hatch):
        for column in range(hatch):
            tile.setPixelColor(column, row, mix(pattern, ground, float(share[row, column])))
    brush = QBrush(QPixmap.fromImage(tile))
    brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))
    return brush
