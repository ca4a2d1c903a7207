"""Draws the cues of an utterance: a mark under the word at which each begins, and a chip below the text."""

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen

from widgets.theme import Palette
from widgets.transcript.line import Chip, Line
from widgets.transcript.looks import BOTTOM, CHIPS, LEADING, LEFT, RIGHT, Geometry

_HEIGHT, _GAP, _PAD, _MARK = 15, 4, 6, 2


def paint_chips(
    painter: QPainter, line: Line, rect: QRect, geometry: Geometry, metrics: QFontMetricsF, colours: Palette
) -> None:
    """Draw the cues of a line into its row; `metrics` are those of the font that the painter has."""
    area = geometry.text_area(rect)
    begins = {chip.word for chip in line.cues}
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colours.accent)
    for piece in geometry.wrapped(line, rect.width()).pieces:
        if piece.word in begins:
            below = area.top() + (piece.line + 1) * geometry.line_height - LEADING
            painter.drawRect(QRectF(area.left() + piece.left, below, min(piece.width, 8), _MARK))
    left, top = float(rect.left() + LEFT), rect.bottom() - BOTTOM - CHIPS + 3.0
    right = float(rect.right() - RIGHT)
    for at, chip in enumerate(line.cues):
        rest = len(line.cues) - at
        left = _chip(painter, chip, QPointF(left, top), right, metrics, colours)
        if left > right - 40 and rest > 1:
            painter.setPen(colours.muted)
            painter.drawText(QRectF(left, top, 40, _HEIGHT), Qt.AlignmentFlag.AlignVCenter, f"+{rest - 1}")
            return


def _chip(painter: QPainter, chip: Chip, at: QPointF, right: float, metrics: QFontMetricsF, colours: Palette) -> float:
    """Draw one chip; returns where the next one begins."""
    text = metrics.elidedText(chip.text, Qt.TextElideMode.ElideRight, max(30.0, right - at.x() - 44))
    plate = QRectF(at.x() + 0.5, at.y() + 0.5, metrics.horizontalAdvance(text) + 2 * _PAD, _HEIGHT)
    pen = QPen(colours.outline if chip.pale else colours.accent, 1)
    if chip.pale:
        pen.setStyle(Qt.PenStyle.DashLine)
    painter.setPen(pen)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRoundedRect(plate, 7, 7)
    painter.setPen(colours.muted if chip.pale else colours.text)
    painter.drawText(plate, Qt.AlignmentFlag.AlignCenter, text)
    return plate.right() + _GAP
