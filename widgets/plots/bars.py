"""Draws horizontal bars."""

from PySide6.QtCore import QRectF

from resources.translation import tr
from widgets.plots.canvas import MIDDLE, RIGHT, SMALL, Canvas, Spot, text_width
from widgets.plots.frame import AXIS, HEAD, MARGIN, ROW, Entry, draw_across, draw_head, draw_legend, legend_rows
from widgets.plots.scene import Bars, Measured, shown
from widgets.plots.ticks import Ticks, nice_ticks

_BAR, _GAP = 16, 10
_NAMES = 0.5
"""The most of the width that names take."""


def height(plot: Bars, width: float) -> float:
    """Return how high the plot is."""
    legend = ROW * len(legend_rows(_entries(plot), width)) + (ROW if plot.references else 0)
    return MARGIN + HEAD + legend + len(plot.groups) * _pitch(plot) + _GAP / 2 + AXIS + 4


def draw(canvas: Canvas, plot: Bars, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = draw_legend(canvas, _entries(plot), width, HEAD + MARGIN / 2)
    if plot.references:
        canvas.diamond(MARGIN + 11, top + ROW / 2)
        canvas.text(QRectF(MARGIN + 26, top, width - 2 * MARGIN - 26, ROW), plot.reference)
        top += ROW
    names = min(_NAMES * width, max((text_width(name) for name in plot.groups), default=0) + 12)
    texts = max((text_width(text) for text in _texts(plot)), default=0) + 14
    area = QRectF(
        MARGIN + names, top + 4, width - 2 * MARGIN - names - texts, len(plot.groups) * _pitch(plot) + _GAP / 2
    )
    ticks = _ticks(plot, area.width())
    draw_across(canvas, ticks, area, plot.axis)
    for place, name in enumerate(plot.groups):
        y = area.top() + _GAP / 2 + place * _pitch(plot)
        high = _pitch(plot) - _GAP
        canvas.text(QRectF(MARGIN, y, names - 8, high), name, RIGHT)
        canvas.spots.append(Spot(QRectF(MARGIN, y, names - 8, high), name))
        (_draw_stack if plot.stacked else _draw_group)(canvas, plot, place, ticks, area, y)
        reference = plot.references[place] if plot.references else None
        if reference is not None:
            canvas.diamond(ticks.place(reference, area.left(), area.right()), y + high / 2)


def _entries(plot: Bars) -> list[Entry]:
    return [(series.name, series.look) for series in plot.series]


def _pitch(plot: Bars) -> float:
    return _GAP + _BAR * (1 if plot.stacked else max(1, len(plot.series)))


def _texts(plot: Bars) -> list[str]:
    if plot.stacked:
        return [shown(_total(plot, place), plot.number) for place in range(len(plot.groups))]
    return [shown(one.value, plot.number) for series in plot.series for one in series.values]


def _total(plot: Bars, place: int) -> float:
    return sum(series.values[place].value or 0 for series in plot.series)


def _ticks(plot: Bars, room: float) -> Ticks:
    wanted = max(2, min(6, int(room / 64)))
    if plot.stacked:
        return nice_ticks([_total(plot, place) for place in range(len(plot.groups))], wanted, whole=True)
    every = [end for series in plot.series for one in series.values for end in (one.value, one.low, one.high)]
    return nice_ticks([*every, *plot.references], wanted, whole=plot.number == "count")


def _draw_group(canvas: Canvas, plot: Bars, place: int, ticks: Ticks, area: QRectF, top: float) -> None:
    zero = ticks.place(0, area.left(), area.right())
    for number, series in enumerate(plot.series):
        one = series.values[place]
        y = top + number * _BAR
        end = ticks.place(one.value or 0, area.left(), area.right())
        if one.value is not None:
            bar = QRectF(min(zero, end), y + 1, abs(end - zero), _BAR - 2)
            canvas.box(bar, series.look, _said(plot, place, series.name, one))
        last = max(zero, end)
        if one.low is not None and one.high is not None:
            low, high = (ticks.place(side, area.left(), area.right()) for side in (one.low, one.high))
            canvas.whisker(low, high, y + _BAR / 2)
            last = max(last, high)
        reference = plot.references[place] if plot.references else None
        if reference is not None:
            last = max(last, ticks.place(reference, area.left(), area.right()) + 5)
        room = QRectF(last + 6, y, text_width(shown(one.value, plot.number)) + 2, _BAR)
        canvas.text(room, shown(one.value, plot.number))
        if one.value is None:
            canvas.spots.append(Spot(QRectF(area.left(), y, area.width(), _BAR), f"{plot.groups[place]}: {one.reason}"))


def _draw_stack(canvas: Canvas, plot: Bars, place: int, ticks: Ticks, area: QRectF, top: float) -> None:
    sum_so_far, x = 0.0, area.left()
    for series in plot.series:
        one = series.values[place]
        sum_so_far += one.value or 0
        end = ticks.place(sum_so_far, area.left(), area.right())
        part = QRectF(x, top, end - x, _BAR)
        if part.width() > 0:
            canvas.box(part, series.look, _said(plot, place, series.name, one))
            text = shown(one.value, plot.number)
            if part.width() > text_width(text) + 14:
                plate = QRectF(part.center().x() - text_width(text) / 2 - 3, top + 1, text_width(text) + 6, _BAR - 2)
                canvas.painter.fillRect(plate, canvas.colours.field)
                canvas.text(plate, text, MIDDLE, SMALL)
        x = end
    text = shown(_total(plot, place), plot.number)
    canvas.text(QRectF(x + 6, top, text_width(text) + 2, _BAR), text, semibold=True)


def _said(plot: Bars, place: int, name: str, one: Measured) -> str:
    of = f"{plot.groups[place]}, {name}" if len(plot.series) > 1 else plot.groups[place]
    between = (
        ""
        if one.low is None or one.high is None
        else tr(", 95 % {low} to {high}").format(low=shown(one.low), high=shown(one.high))
    )
    return f"{of}: {shown(one.value, plot.number)}{between}" + ("" if one.n is None else f", n = {one.n:,}")
