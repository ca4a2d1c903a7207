"""Draws radar plots, a panel for each shape."""

import math
from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from widgets.label_paint import mix
from widgets.plots.canvas import LEFT, MIDDLE, RIGHT, TEXT, Canvas, Spot, text_width
from widgets.plots.frame import HEAD, MARGIN, ROW, draw_head
from widgets.plots.scene import Measured, Radar, Series, shown

_PANEL = 290
"""The least width of a panel."""
_RADIUS = 78
_LABELS = 24
"""Between the outermost ring and the end of a panel, above and below."""
_RINGS = (0.25, 0.5, 0.75, 1.0)
_DASHES: tuple[tuple[float, ...], ...] = ((5, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))
_HIGH = ROW + 2 * (_RADIUS + _LABELS)


def height(plot: Radar, width: float) -> float:
    """Return how high the plot is."""
    rows = -(-len(plot.shapes) // _columns(plot, width))
    return MARGIN + HEAD + (ROW if plot.outlines else 0) + rows * (_HIGH + MARGIN / 2)


def draw(canvas: Canvas, plot: Radar, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = HEAD + MARGIN / 2
    if plot.outlines:
        _draw_legend(canvas, plot, width, top)
        top += ROW
    columns = _columns(plot, width)
    wide = (width - 2 * MARGIN) / columns
    for place, shape in enumerate(plot.shapes):
        row, column = divmod(place, columns)
        area = QRectF(MARGIN + column * wide, top + row * (_HIGH + MARGIN / 2), wide, _HIGH)
        _draw_panel(canvas, plot, shape, area)


def _columns(plot: Radar, width: float) -> int:
    return max(1, min(len(plot.shapes), int((width - 2 * MARGIN) // _PANEL)))


def _draw_legend(canvas: Canvas, plot: Radar, width: float, top: float) -> None:
    x = float(MARGIN)
    for number, outline in enumerate(plot.outlines):
        canvas.painter.setPen(_pen(canvas, number))
        canvas.painter.drawLine(QPointF(x, top + ROW / 2), QPointF(x + 28, top + ROW / 2))
        room = min(text_width(outline.name) + 4, width - MARGIN - x - 34)
        canvas.text(QRectF(x + 34, top, room, ROW), outline.name)
        x += 34 + text_width(outline.name) + 18


def _draw_panel(canvas: Canvas, plot: Radar, shape: Series, area: QRectF) -> None:
    canvas.text(QRectF(area.left(), area.top(), area.width(), ROW), shape.name, MIDDLE, TEXT, semibold=True)
    middle = QPointF(area.center().x(), area.top() + ROW + _LABELS + _RADIUS)
    _draw_web(canvas, plot, middle, area)
    _draw_shape(canvas, plot, shape, middle)
    for number, outline in enumerate(plot.outlines):
        canvas.painter.setPen(_pen(canvas, number))
        _draw_line(canvas, _points(outline.values, middle))


def _draw_web(canvas: Canvas, plot: Radar, middle: QPointF, area: QRectF) -> None:
    many = len(plot.axes)
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
    for ring in _RINGS:
        canvas.painter.setPen(QPen(canvas.colours.outline if ring == 1 else canvas.colours.border, 1))
        canvas.painter.drawPolygon(QPolygonF([_at(middle, place, many, ring) for place in range(many)]))
        canvas.text(QRectF(middle.x() + 3, middle.y() - ring * _RADIUS, 30, 12), f"{ring:g}", pixels=9,
                    colour=canvas.colours.muted)  # fmt: skip
    for place, name in enumerate(plot.axes):
        end = _at(middle, place, many, 1)
        canvas.line(middle.x(), middle.y(), end.x(), end.y(), canvas.colours.border)
        _write_name(canvas, name, _at(middle, place, many, 1 + 9 / _RADIUS), middle, area)


def _write_name(canvas: Canvas, name: str, at: QPointF, middle: QPointF, area: QRectF) -> None:
    aside = at.x() - middle.x()
    if abs(aside) < 1:
        room = QRectF(area.left(), at.y() - 8, area.width(), 16)
        canvas.text(room, name, MIDDLE)
    elif aside > 0:
        room = QRectF(at.x(), at.y() - 8, area.right() - at.x(), 16)
        canvas.text(room, name, LEFT)
    else:
        room = QRectF(area.left(), at.y() - 8, at.x() - area.left(), 16)
        canvas.text(room, name, RIGHT)
    canvas.spots.append(Spot(room, name))


def _draw_shape(canvas: Canvas, plot: Radar, shape: Series, middle: QPointF) -> None:
    ink = canvas.ink(shape.look)
    points = _points(shape.values, middle)
    known = [point for point in points if point is not None]
    if len(known) == len(points) and len(known) > 2:
        ground = mix(ink, canvas.colours.field, 0.28)
        ground.setAlphaF(0.55)
        canvas.painter.setPen(Qt.PenStyle.NoPen)
        canvas.painter.setBrush(ground)
        canvas.painter.drawPolygon(QPolygonF(known))
    canvas.painter.setPen(QPen(ink, 2))
    _draw_line(canvas, points)
    canvas.painter.setPen(Qt.PenStyle.NoPen)
    canvas.painter.setBrush(ink)
    for point, axis, one in zip(points, plot.axes, shape.values, strict=True):
        if point is not None:
            canvas.painter.drawEllipse(point, 2.5, 2.5)
            canvas.spots.append(Spot(QRectF(point.x() - 6, point.y() - 6, 12, 12), _says(shape, axis, one)))


def _says(shape: Series, axis: str, one: Measured) -> str:
    return f"{shape.name}, {axis}: {shown(one.value)}" + ("" if one.n is None else f", n = {one.n:,}")


def _draw_line(canvas: Canvas, points: list[QPointF | None]) -> None:
    """Join neighbours; beside what is not known there is a gap."""
    for before, after in pairwise([*points, *points[:1]]):
        if before is not None and after is not None:
            canvas.painter.drawLine(before, after)


def _points(values: tuple[Measured, ...], middle: QPointF) -> list[QPointF | None]:
    return [
        None if one.value is None else _at(middle, place, len(values), min(max(one.value, 0.0), 1.0))
        for place, one in enumerate(values)
    ]


def _at(middle: QPointF, place: int, many: int, share: float) -> QPointF:
    turn = 2 * math.pi * place / many
    return QPointF(middle.x() + share * _RADIUS * math.sin(turn), middle.y() - share * _RADIUS * math.cos(turn))


def _pen(canvas: Canvas, number: int) -> QPen:
    pen = QPen(canvas.colours.text, 1.4)
    pen.setDashPattern([*_DASHES[number % len(_DASHES)]])
    return pen
