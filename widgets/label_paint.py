"""Paints patterns and signs of labels."""

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QIcon, QImage, QPainter, QPen, QPixmap, QTransform

from widgets import theme
from widgets.label_looks import LabelLook, Pattern, Sign, label_ink

SIGN = 12
"""Size of a sign, in logical pixels."""


def mix(ink: QColor, ground: QColor, share: float) -> QColor:
    """Return an opaque colour between two."""
    parts = zip(ink.getRgb()[:3], ground.getRgb()[:3], strict=True)  # type: ignore[index]
    return QColor(*(round(a * share + b * (1 - share)) for a, b in parts))


def pattern_brush(
    pattern: Pattern, ground: QColor, ink: QColor, period: int, stroke: int, scale: float = 1.0
) -> QBrush:
    """Return a brush that draws a pattern; period and stroke are device pixels."""
    if pattern is Pattern.SOLID:
        return QBrush(ground)
    share = _tile(pattern, period, stroke)
    tile = QImage(period, period, QImage.Format.Format_RGB32)
    for row in range(period):
        for column in range(period):
            tile.setPixelColor(column, row, mix(ink, ground, float(share[row, column])))
    brush = QBrush(QPixmap.fromImage(tile))
    brush.setTransform(QTransform.fromScale(1 / scale, 1 / scale))
    return brush


def _tile(pattern: Pattern, period: int, stroke: int) -> NDArray[np.float64]:
    """Return (period, period) shares of ink, with soft edges."""
    y, x = np.mgrid[0:period, 0:period]
    if pattern is Pattern.DOTS:
        middle = (period - 1) / 2
        return np.clip(stroke * 0.75 + 0.5 - np.hypot(x - middle, y - middle), 0, 1)
    if pattern is Pattern.GRID:
        return np.maximum(_line(x, period, stroke), _line(y, period, stroke))
    along = {Pattern.HATCH: x + y, Pattern.BACK_HATCH: x - y, Pattern.BARS: y, Pattern.POSTS: x}[pattern]
    return _line(along, period, stroke)


def _line(along: NDArray[np.int64], period: int, stroke: int) -> NDArray[np.float64]:
    distance = np.minimum(along % period, period - along % period)
    return np.clip(stroke / 2 + 0.5 - distance, 0, 1)


def paint_sign(painter: QPainter, sign: Sign, corner: QPointF, ink: QColor) -> None:
    """Draw a sign of `SIGN` pixels, heavier than the icons of buttons because it may stand on a pattern."""
    painter.save()
    painter.translate(corner)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    pen = QPen(ink, 1.8, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap, Qt.PenJoinStyle.RoundJoin)
    if sign is Sign.RING:
        pen.setDashPattern([0.01, 1.9])
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    if sign is Sign.RING:
        painter.drawEllipse(QPointF(6, 6), 4, 4)
    elif sign is Sign.QUESTION:
        painter.drawPolyline(_points((3.6, 4), (4.4, 2.4), (6.2, 2), (8, 3), (8, 4.6), (6, 6.2), (6, 7.4)))
        painter.drawPoint(QPointF(6, 10))
    else:
        for line in _LINES[sign]:
            painter.drawPolyline(_points(*line))
    painter.restore()


_LINES: dict[Sign, tuple[tuple[tuple[float, float], ...], ...]] = {
    Sign.CROSS: (((3, 3), (9, 9)), ((9, 3), (3, 9))),
    Sign.TICK: (((2, 6.5), (4.8, 9.2), (10, 3)),),
    Sign.SQUARE: (((2.5, 2.5), (9.5, 2.5), (9.5, 9.5), (2.5, 9.5), (2.5, 2.5)),),
    Sign.TRIANGLE: (((6, 2), (10.3, 9.6), (1.7, 9.6), (6, 2)),),
    Sign.DIAMOND: (((6, 1.6), (10.4, 6), (6, 10.4), (1.6, 6), (6, 1.6)),),
    Sign.PLUS: (((6, 2), (6, 10)), ((2, 6), (10, 6))),
    Sign.WAVE: (((1.5, 7), (3.5, 4), (6, 7), (8.5, 4), (10.5, 7)),),
}


def _points(*pairs: tuple[float, float]) -> list[QPointF]:
    return [QPointF(x, y) for x, y in pairs]


def sign_pixmap(sign: Sign, ink: QColor, scale: float = 1.0) -> QPixmap:
    """Return a sign on nothing."""
    pixmap = QPixmap(round(SIGN * scale), round(SIGN * scale))
    pixmap.setDevicePixelRatio(scale)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    paint_sign(painter, sign, QPointF(0, 0), ink)
    painter.end()
    return pixmap


def sign_icon(look: LabelLook, scale: float) -> QIcon:
    """Return a label's sign in its colour, for a button; muted where the button is off."""
    colours = theme.palette()
    icon = QIcon(sign_pixmap(look.sign, label_ink(look, colours), scale))
    icon.addPixmap(sign_pixmap(look.sign, colours.disabled, scale), QIcon.Mode.Disabled)
    return icon


def plate_size(text_width: float) -> QSize:
    """Return the size of a plate with a sign and a name of some width."""
    return QSize(round(text_width) + 36, theme.GRID * 3)


def paint_plate(painter: QPainter, look: LabelLook, area: QRectF) -> None:
    """Draw a plate with a label's pattern, sign and name."""
    colours = theme.palette()
    ink = label_ink(look, colours)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    plate = area.adjusted(0.5, 0.5, -0.5, -0.5)
    ground = mix(ink, colours.panel, 0.12)
    painter.setBrush(pattern_brush(look.pattern, ground, mix(ink, colours.panel, 0.3), 7, 2))
    line = Qt.PenStyle.DotLine if look.pattern is Pattern.DOTS else Qt.PenStyle.SolidLine
    painter.setPen(QPen(ink, 1, line))
    painter.drawRoundedRect(plate, 4, 4)
    if look.pattern is not Pattern.SOLID:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(mix(ink, colours.panel, 0.08))
        painter.drawRoundedRect(plate.adjusted(4, 3, -4, -3), 3, 3)
    paint_sign(painter, look.sign, QPointF(area.left() + 9, area.top() + (area.height() - SIGN) / 2), ink)
    painter.setPen(ink)
    painter.setFont(theme.font(semibold=True))
    painter.drawText(plate.adjusted(27, 0, -4, 0), Qt.AlignmentFlag.AlignVCenter, look.name)
