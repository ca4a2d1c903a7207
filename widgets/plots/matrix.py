"""Draws a heat map with its numbers."""

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen

from widgets.plots.canvas import MIDDLE, RIGHT, Canvas, text_width
from widgets.plots.frame import HEAD, MARGIN, ROW, draw_head
from widgets.plots.scene import Matrix

_CELL = 34
_WIDEST = 104
_SLOPE = 35
"""Degrees by which names of columns rise that are too long to lie."""
_RUN, _RISE = math.cos(math.radians(_SLOPE)), math.sin(math.radians(_SLOPE))
_LONGEST = 150
_NAMES = 0.4


def height(plot: Matrix, width: float) -> float:
    """Return how high the plot is."""
    titles = ROW if plot.across else 0
    return MARGIN + HEAD + titles + _head(plot, width) + len(plot.rows) * _CELL + MARGIN


def draw(canvas: Canvas, plot: Matrix, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    names, side = _names(plot, width), _side(plot, width)
    left, top = MARGIN + names, HEAD + MARGIN / 2
    if plot.across:
        canvas.text(QRectF(left, top, width - left - MARGIN, ROW), f"{plot.across} →", colour=canvas.colours.muted)
        canvas.text(QRectF(MARGIN, top, names - 8, ROW), f"{plot.down} ↓", RIGHT, colour=canvas.colours.muted)
        top += ROW
    head = _head(plot, width)
    for place, name in enumerate(plot.columns):
        _draw_column_name(canvas, name, QRectF(left + place * side, top, side, head), _lies(plot, side))
    top += head
    most = max((value for row in plot.values for value in row if value is not None), default=0) or 1
    for row, name in enumerate(plot.rows):
        y = top + row * _CELL
        canvas.text(QRectF(MARGIN, y, names - 8, _CELL), name, RIGHT)
        for column, other in enumerate(plot.columns):
            value = plot.values[row][column]
            cell = QRectF(left + column * side, y, side, _CELL).adjusted(1, 1, -1, -1)
            if value is not None:
                canvas.tile(cell, value / most, f"{value:,}", f"{name}, {other}: {value:,}")
            if plot.diagonal and row == column and value is not None:
                canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
                canvas.painter.setPen(QPen(canvas.colours.text, 1.5))
                canvas.painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))


def _names(plot: Matrix, width: float) -> float:
    longest = max((text_width(name) for name in (*plot.rows, f"{plot.down} ↓")), default=0)
    return min(_NAMES * width, longest + 12)


def _side(plot: Matrix, width: float) -> float:
    """Return how wide a cell is: the names lie, or rise to the right, and the last one must not leave the plot."""
    room = width - 2 * MARGIN - _names(plot, width)
    side = min(_WIDEST, room / max(1, len(plot.columns)))
    if _lies(plot, side):
        return side
    room -= max(0.0, _RUN * _longest(plot) - side / 2)
    return max(24.0, min(_WIDEST, room / max(1, len(plot.columns))))


def _lies(plot: Matrix, side: float) -> bool:
    return all(text_width(name) <= side - 6 for name in plot.columns)


def _longest(plot: Matrix) -> float:
    return min(_LONGEST, max((text_width(name) for name in plot.columns), default=0)) + 2


def _head(plot: Matrix, width: float) -> float:
    return ROW if _lies(plot, _side(plot, width)) else _RISE * _longest(plot) + 18


def _draw_column_name(canvas: Canvas, name: str, area: QRectF, lies: bool) -> None:
    if lies:
        canvas.text(area, name, MIDDLE)
        return
    painter = canvas.painter
    painter.save()
    painter.translate(QPointF(area.center().x() - 2, area.bottom() - 6))
    painter.rotate(-_SLOPE)
    canvas.text(QRectF(0, -8, _LONGEST, 16), name)
    painter.restore()
