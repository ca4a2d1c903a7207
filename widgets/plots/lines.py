"""Draws lines with intervals, each named at its end."""

from itertools import pairwise

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPen, QPolygonF

from resources.translation import tr
from widgets.plots.canvas import SMALL, Canvas, Spot, text_width
from widgets.plots.frame import AXIS, HEAD, MARGIN, ROW, draw_across, draw_head, draw_up
from widgets.plots.scene import Lines, shown
from widgets.plots.ticks import Ticks, nice_ticks

_AREA = 190
_NUMBERS = 48
_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))


def height() -> float:
    """Return how high the plot is."""
    return MARGIN + HEAD + ROW + _AREA + AXIS + 4


def draw(canvas: Canvas, plot: Lines, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = HEAD + MARGIN / 2
    canvas.text(QRectF(MARGIN, top, width - 2 * MARGIN, ROW), plot.y_axis, colour=canvas.colours.muted)
    named = max((text_width(series.name) for series in plot.series), default=0) + 32
    area = QRectF(MARGIN + _NUMBERS, top + ROW + 6, width - 2 * MARGIN - _NUMBERS - named, _AREA)
    ends = [end for series in plot.series for one in series.values for end in (one.value, one.low, one.high)]
    up = nice_ticks(ends, 4)
    across = nice_ticks(plot.x, max(2, int(area.width() / 64)))
    draw_up(canvas, up, area)
    draw_across(canvas, across, area, plot.x_axis)
    _draw_whiskers(canvas, plot, across, up, area)
    last: list[float] = []
    for number, series in enumerate(plot.series):
        _draw_series(canvas, plot, number, across, up, area)
        known = [one.value for one in series.values if one.value is not None]
        last.append(up.place(known[-1], area.bottom(), area.top()) if known else area.bottom())
    for series, y in zip(plot.series, apart(last, 17, area.bottom()), strict=True):
        canvas.sign(series.look, area.right() + 14, y)
        canvas.text(
            QRectF(area.right() + 26, y - 8, named - 24, 16), series.name, pixels=SMALL, colour=canvas.ink(series.look)
        )


def apart(places: list[float], gap: float, high: float) -> list[float]:
    """Return places in the same order, moved down to lie a gap apart, or up where they would leave the lower end."""
    found = list(places)
    order = sorted(range(len(places)), key=lambda one: places[one])
    for before, one in pairwise(order):
        found[one] = max(found[one], found[before] + gap)
    ceiling = high
    for one in reversed(order):
        found[one] = min(found[one], ceiling)
        ceiling = found[one] - gap
    return found


def _aside(plot: Lines, number: int) -> float:
    """Return how far a series is moved so that intervals of one x lie side by side."""
    whiskers = any(one.low is not None for one in plot.series[number].values)
    return 7 * (number - (len(plot.series) - 1) / 2) if whiskers else 0.0


def _draw_whiskers(canvas: Canvas, plot: Lines, across: Ticks, up: Ticks, area: QRectF) -> None:
    """Draw the intervals of all series, under every line."""
    for number, series in enumerate(plot.series):
        aside = _aside(plot, number)
        for x_value, one in zip(plot.x, series.values, strict=True):
            if one.low is not None and one.high is not None:
                low, high = (up.place(end, area.bottom(), area.top()) for end in (one.low, one.high))
                canvas.whisker(low, high, across.place(x_value, area.left(), area.right()) + aside, upright=True)


def _draw_series(canvas: Canvas, plot: Lines, number: int, across: Ticks, up: Ticks, area: QRectF) -> None:
    series, dashes, aside = plot.series[number], _DASHES[number % len(_DASHES)], _aside(plot, number)
    ink = canvas.ink(series.look)
    line = QPolygonF()
    for x_value, one in zip(plot.x, series.values, strict=True):
        if one.value is None:
            continue
        x = across.place(x_value, area.left(), area.right()) + aside
        y = up.place(one.value, area.bottom(), area.top())
        line.append(QPointF(x, y))
        between = (
            ""
            if one.low is None or one.high is None
            else tr(", 95 % {low} to {high}").format(low=shown(one.low), high=shown(one.high))
        )
        says = f"{series.name}, {x_value:g}: {shown(one.value)}{between}" + (
            "" if one.n is None else f", n = {one.n:,}"
        )
        canvas.spots.append(Spot(QRectF(x - 5, y - 5, 10, 10), says))
    pen = QPen(ink, 2)
    if dashes:
        pen.setDashPattern(list(dashes))
    canvas.painter.setPen(pen)
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
    canvas.painter.drawPolyline(line)
    canvas.painter.setPen(Qt.PenStyle.NoPen)
    canvas.painter.setBrush(ink)
    for point in line.toList():
        canvas.painter.drawEllipse(point, 2.5, 2.5)
