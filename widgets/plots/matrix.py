"""Draws a heat map with its numbers."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from widgets.plots.canvas import MIDDLE, RIGHT, TEXT, Canvas, Spot, text_width
from widgets.plots.frame import HEAD, MARGIN, ROW, draw_head
from widgets.plots.scene import Matrix, Number, shown

_CELL = 34
_WIDEST = 104
_NUMBER = 22
_NAMES = 0.45
"""The most of the width that names take."""
_FEWEST = 64
"""What is left to names where numbers are long."""


def height(plot: Matrix) -> float:
    """Return how high the plot is."""
    titles = ROW if plot.across else 0
    return MARGIN + HEAD + titles + ROW + len(plot.rows) * _CELL + MARGIN / 2


def draw(canvas: Canvas, plot: Matrix, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    names, side, numbered = _names(plot, width), _side(plot, width), is_numbered(plot, width)
    left, top = MARGIN + names, HEAD + MARGIN / 2
    if plot.across:
        canvas.text(QRectF(left, top, width - left - MARGIN, ROW), f"{plot.across} →", colour=canvas.colours.muted)
        canvas.text(QRectF(MARGIN, top, names - 8, ROW), f"{plot.down} ↓", RIGHT, colour=canvas.colours.muted)
        top += ROW
    for place, name in enumerate(plot.columns):
        area = QRectF(left + place * side, top, side, ROW)
        canvas.text(area.adjusted(2, 0, -2, 0), str(place + 1) if numbered else name, MIDDLE)
        canvas.spots.append(Spot(area, name))
    top += ROW
    values = [value for row in plot.values for value in row if value is not None]
    most = 1.0 if plot.number is Number.FIGURE else max(values, default=0) or 1
    for row, name in enumerate(plot.rows):
        y = top + row * _CELL
        canvas.text(QRectF(MARGIN, y, names - 8 - (_NUMBER if numbered else 0), _CELL), name, RIGHT)
        if numbered:
            canvas.text(QRectF(left - 8 - _NUMBER, y, _NUMBER, _CELL), str(row + 1), RIGHT)
        canvas.spots.append(Spot(QRectF(MARGIN, y, names - 8, _CELL), name))
        for column, other in enumerate(plot.columns):
            value = plot.values[row][column]
            cell = QRectF(left + column * side, y, side, _CELL).adjusted(1, 1, -1, -1)
            if value is None:
                continue
            text = shown(value, plot.number)
            canvas.tile(cell, max(0.0, value / most), text, f"{name}, {other}: {text}")
            if plot.diagonal and row == column:
                canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
                canvas.painter.setPen(QPen(canvas.colours.text, 1.5))
                canvas.painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))


def is_numbered(plot: Matrix, width: float) -> bool:
    """Tell whether numbers stand over the columns, since names do not fit there; the rows have them too then."""
    side = _side(plot, width)
    return plot.rows == plot.columns and any(text_width(name) > side - 4 for name in plot.columns)


def _names(plot: Matrix, width: float) -> float:
    longest = max(text_width(name) for name in (*plot.rows, f"{plot.down} ↓")) + 12 + _NUMBER
    numbers = max(
        (text_width(shown(one, plot.number), TEXT) for row in plot.values for one in row if one is not None), default=0
    )
    left = width - 2 * MARGIN - len(plot.columns) * (numbers + 8)
    return min(_NAMES * width, longest, max(_FEWEST, left))


def _side(plot: Matrix, width: float) -> float:
    room = width - 2 * MARGIN - _names(plot, width)
    return min(_WIDEST, room / max(1, len(plot.columns)))
