"""Draws the charts: bars, histograms, lines, heat maps and radar plots.

Exports them as SVG or PNG, always dark on white.
"""

import math
from itertools import pairwise

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter, QPen, QPolygonF
from PySide6.QtSvg import QSvgGenerator

from project.text_format import escape_unprintable
from resources.translation import tr
from widgets import theme
from widgets.labels import mix
from widgets.plots.plot_canvas import (
    AXIS_HEIGHT,
    HEAD_HEIGHT,
    LEFT,
    MARGIN,
    MIDDLE,
    RIGHT,
    ROW_HEIGHT,
    SMALL,
    TEXT,
    Entry,
    PlotCanvas,
    PlotHotspot,
    draw_head,
    draw_legend,
    draw_x_axis,
    draw_y_axis,
    export_palette,
    legend_rows,
    text_width,
)
from widgets.plots.plot_data import (
    AxisTicks,
    BarPlot,
    Histogram,
    HistogramPanel,
    Lines,
    Matrix,
    Plot,
    PlotNumberFormat,
    PlottedValue,
    Radar,
    Series,
    format_value,
    nice_ticks,
    plot_text,
)

_BAR_HEIGHT, _BAR_GAP = 16, 10
_MAX_BAR_NAMES_SHARE = 0.5
"""The most of the width that names take."""


def bars_height(plot: BarPlot, width: float) -> float:
    """Return how high the plot is."""
    legend = ROW_HEIGHT * len(legend_rows(_legend_entries(plot), width)) + (ROW_HEIGHT if plot.references else 0)
    return MARGIN + HEAD_HEIGHT + legend + len(plot.groups) * _group_pitch(plot) + _BAR_GAP / 2 + AXIS_HEIGHT + 4


def draw_bars(canvas: PlotCanvas, plot: BarPlot, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = draw_legend(canvas, _legend_entries(plot), width, HEAD_HEIGHT + MARGIN / 2)
    if plot.references:
        canvas.diamond(MARGIN + 11, top + ROW_HEIGHT / 2)
        canvas.text(QRectF(MARGIN + 26, top, width - 2 * MARGIN - 26, ROW_HEIGHT), plot.reference)
        top += ROW_HEIGHT
    names = min(_MAX_BAR_NAMES_SHARE * width, max((text_width(name) for name in plot.groups), default=0) + 12)
    texts = max((text_width(text) for text in _value_texts(plot)), default=0) + 14
    area = QRectF(
        MARGIN + names,
        top + 4,
        width - 2 * MARGIN - names - texts,
        len(plot.groups) * _group_pitch(plot) + _BAR_GAP / 2,
    )
    ticks = _bar_ticks(plot, area.width())
    draw_x_axis(canvas, ticks, area, plot.axis)
    for place, name in enumerate(plot.groups):
        y = area.top() + _BAR_GAP / 2 + place * _group_pitch(plot)
        high = _group_pitch(plot) - _BAR_GAP
        canvas.text(QRectF(MARGIN, y, names - 8, high), name, RIGHT)
        canvas.spots.append(PlotHotspot(QRectF(MARGIN, y, names - 8, high), name))
        (_draw_stack if plot.stacked else _draw_group)(canvas, plot, place, ticks, area, y)
        reference = plot.references[place] if plot.references else None
        if reference is not None:
            canvas.diamond(ticks.position(reference, area.left(), area.right()), y + high / 2)


def _legend_entries(plot: BarPlot) -> list[Entry]:
    return [(series.name, series.look) for series in plot.series]


def _group_pitch(plot: BarPlot) -> float:
    return _BAR_GAP + _BAR_HEIGHT * (1 if plot.stacked else max(1, len(plot.series)))


def _value_texts(plot: BarPlot) -> list[str]:
    if plot.stacked:
        return [format_value(_stack_total(plot, place), plot.number) for place in range(len(plot.groups))]
    return [format_value(measured.value, plot.number) for series in plot.series for measured in series.values]


def _stack_total(plot: BarPlot, place: int) -> float:
    return sum(series.values[place].value or 0 for series in plot.series)


def _bar_ticks(plot: BarPlot, room: float) -> AxisTicks:
    wanted = max(2, min(6, int(room / 64)))
    if plot.stacked:
        return nice_ticks([_stack_total(plot, place) for place in range(len(plot.groups))], wanted, whole=True)
    every = [
        end
        for series in plot.series
        for measured in series.values
        for end in (measured.value, measured.low, measured.high)
    ]
    return nice_ticks([*every, *plot.references], wanted, whole=plot.number == "count")


def _draw_group(canvas: PlotCanvas, plot: BarPlot, place: int, ticks: AxisTicks, area: QRectF, top: float) -> None:
    zero = ticks.position(0, area.left(), area.right())
    for index, series in enumerate(plot.series):
        measured = series.values[place]
        y = top + index * _BAR_HEIGHT
        end = ticks.position(measured.value or 0, area.left(), area.right())
        if measured.value is not None:
            bar = QRectF(min(zero, end), y + 1, abs(end - zero), _BAR_HEIGHT - 2)
            canvas.box(bar, series.look, _bar_tooltip(plot, place, series.name, measured))
        last = max(zero, end)
        if measured.low is not None and measured.high is not None:
            low, high = (ticks.position(side, area.left(), area.right()) for side in (measured.low, measured.high))
            canvas.whisker(low, high, y + _BAR_HEIGHT / 2)
            last = max(last, high)
        reference = plot.references[place] if plot.references else None
        if reference is not None:
            last = max(last, ticks.position(reference, area.left(), area.right()) + 5)
        room = QRectF(last + 6, y, text_width(format_value(measured.value, plot.number)) + 2, _BAR_HEIGHT)
        canvas.text(room, format_value(measured.value, plot.number))
        if measured.value is None:
            canvas.spots.append(
                PlotHotspot(
                    QRectF(area.left(), y, area.width(), _BAR_HEIGHT), f"{plot.groups[place]}: {measured.reason}"
                )
            )


def _draw_stack(canvas: PlotCanvas, plot: BarPlot, place: int, ticks: AxisTicks, area: QRectF, top: float) -> None:
    sum_so_far, x = 0.0, area.left()
    for series in plot.series:
        measured = series.values[place]
        sum_so_far += measured.value or 0
        end = ticks.position(sum_so_far, area.left(), area.right())
        part = QRectF(x, top, end - x, _BAR_HEIGHT)
        if part.width() > 0:
            canvas.box(part, series.look, _bar_tooltip(plot, place, series.name, measured))
            text = format_value(measured.value, plot.number)
            if part.width() > text_width(text) + 14:
                plate = QRectF(
                    part.center().x() - text_width(text) / 2 - 3, top + 1, text_width(text) + 6, _BAR_HEIGHT - 2
                )
                canvas.painter.fillRect(plate, canvas.colours.field)
                canvas.text(plate, text, MIDDLE, SMALL)
        x = end
    text = format_value(_stack_total(plot, place), plot.number)
    canvas.text(QRectF(x + 6, top, text_width(text) + 2, _BAR_HEIGHT), text, semibold=True)


def _bar_tooltip(plot: BarPlot, place: int, name: str, measured: PlottedValue) -> str:
    of = f"{plot.groups[place]}, {name}" if len(plot.series) > 1 else plot.groups[place]
    between = (
        ""
        if measured.low is None or measured.high is None
        else tr(", 95 % {low} to {high}").format(low=format_value(measured.low), high=format_value(measured.high))
    )
    return f"{of}: {format_value(measured.value, plot.number)}{between}" + (
        "" if measured.n is None else f", n = {measured.n:,}"
    )


_PILE_HEIGHT = 84
_COUNT_AXIS_WIDTH = 44


def histogram_height(plot: Histogram) -> float:
    """Return how high the plot is."""
    return MARGIN + HEAD_HEIGHT + len(plot.piles) * (_PILE_HEIGHT + ROW_HEIGHT + 8) + AXIS_HEIGHT - 8


def draw_histogram(canvas: PlotCanvas, plot: Histogram, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    across = _histogram_ticks(plot, width - 2 * MARGIN - _COUNT_AXIS_WIDTH)
    top = HEAD_HEIGHT + MARGIN / 2
    for index, pile in enumerate(plot.piles):
        begin = float(MARGIN)
        if pile.look is not None:
            canvas.box(QRectF(begin, top + 4, 22, 12), pile.look)
            canvas.sign(pile.look, begin + 31, top + 10)
            begin += 42
        canvas.text(QRectF(begin, top, width - MARGIN - begin, ROW_HEIGHT), f"{pile.name}, n = {sum(pile.counts):,}")
        top += ROW_HEIGHT
        area = QRectF(MARGIN + _COUNT_AXIS_WIDTH, top + 4, width - 2 * MARGIN - _COUNT_AXIS_WIDTH, _PILE_HEIGHT)
        if index == len(plot.piles) - 1:
            draw_x_axis(canvas, across, area, plot.axis)
        _draw_pile(canvas, plot, pile, across, area)
        top += _PILE_HEIGHT + 8


def _histogram_ticks(plot: Histogram, room: float) -> AxisTicks:
    wanted = max(2, int(room / 64))
    found = nice_ticks(plot.edges, wanted)
    return AxisTicks((*found.values[:-1], max(found.high, plot.edges[-1])), found.texts)


def _draw_pile(canvas: PlotCanvas, plot: Histogram, pile: HistogramPanel, across: AxisTicks, area: QRectF) -> None:
    up = nice_ticks(pile.counts, 2, whole=True)
    draw_y_axis(canvas, up, area)
    for place, count in enumerate(pile.counts):
        left, right = (across.position(plot.edges[place + side], area.left(), area.right()) for side in (0, 1))
        y = up.position(count, area.bottom(), area.top())
        beyond = plot.open_end and place == len(pile.counts) - 1
        span = (
            tr("{value:g} and more").format(value=plot.edges[place])
            if beyond
            else tr("{low:g} to {high:g}").format(low=plot.edges[place], high=plot.edges[place + 1])
        )
        if count:
            says = f"{pile.name}, {span}: {count:,}"
            canvas.box(QRectF(left + 0.5, y, right - left - 1, area.bottom() - y), pile.look, says)
    if pile.mark is not None:
        x = across.position(pile.mark, area.left(), area.right())
        pen = QPen(canvas.colours.text, 1.5, Qt.PenStyle.DashLine)
        canvas.painter.setPen(pen)
        canvas.painter.drawLine(round(x), round(area.top()), round(x), round(area.bottom()))
        need = text_width(pile.mark_name) + 8
        left = x + 5 if x + 5 + need < area.right() else x - 5 - need
        plate = QRectF(left, area.top(), need, 16)
        canvas.painter.fillRect(plate, canvas.colours.field)
        canvas.text(plate.adjusted(4, 0, 0, 0), pile.mark_name)


_LINES_HEIGHT = 190
_VALUE_AXIS_WIDTH = 48
_LINE_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))


def lines_height() -> float:
    """Return how high the plot is."""
    return MARGIN + HEAD_HEIGHT + ROW_HEIGHT + _LINES_HEIGHT + AXIS_HEIGHT + 4


def draw_lines(canvas: PlotCanvas, plot: Lines, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = HEAD_HEIGHT + MARGIN / 2
    canvas.text(QRectF(MARGIN, top, width - 2 * MARGIN, ROW_HEIGHT), plot.y_axis, colour=canvas.colours.muted)
    named = max((text_width(series.name) for series in plot.series), default=0) + 32
    area = QRectF(
        MARGIN + _VALUE_AXIS_WIDTH, top + ROW_HEIGHT + 6, width - 2 * MARGIN - _VALUE_AXIS_WIDTH - named, _LINES_HEIGHT
    )
    ends = [
        end
        for series in plot.series
        for measured in series.values
        for end in (measured.value, measured.low, measured.high)
    ]
    up = nice_ticks(ends, 4)
    across = nice_ticks(plot.x, max(2, int(area.width() / 64)))
    draw_y_axis(canvas, up, area)
    draw_x_axis(canvas, across, area, plot.x_axis)
    _draw_whiskers(canvas, plot, across, up, area)
    last: list[float] = []
    for index, series in enumerate(plot.series):
        _draw_series(canvas, plot, index, across, up, area)
        known = [measured.value for measured in series.values if measured.value is not None]
        last.append(up.position(known[-1], area.bottom(), area.top()) if known else area.bottom())
    for series, y in zip(plot.series, spread_apart(last, 17, area.bottom()), strict=True):
        canvas.sign(series.look, area.right() + 14, y)
        canvas.text(
            QRectF(area.right() + 26, y - 8, named - 24, 16), series.name, pixels=SMALL, colour=canvas.ink(series.look)
        )


def spread_apart(places: list[float], gap: float, high: float) -> list[float]:
    """Return places in the same order, moved down to lie a gap apart, or up where they would leave the lower end."""
    found = list(places)
    order = sorted(range(len(places)), key=lambda number: places[number])
    for before, number in pairwise(order):
        found[number] = max(found[number], found[before] + gap)
    ceiling = high
    for number in reversed(order):
        found[number] = min(found[number], ceiling)
        ceiling = found[number] - gap
    return found


def _side_offset(plot: Lines, number: int) -> float:
    """Return how far a series is moved so that intervals of one x lie side by side."""
    whiskers = any(measured.low is not None for measured in plot.series[number].values)
    return 7 * (number - (len(plot.series) - 1) / 2) if whiskers else 0.0


def _draw_whiskers(canvas: PlotCanvas, plot: Lines, across: AxisTicks, up: AxisTicks, area: QRectF) -> None:
    """Draw the intervals of all series, under every line."""
    for index, series in enumerate(plot.series):
        aside = _side_offset(plot, index)
        for x_value, measured in zip(plot.x, series.values, strict=True):
            if measured.low is not None and measured.high is not None:
                low, high = (up.position(end, area.bottom(), area.top()) for end in (measured.low, measured.high))
                canvas.whisker(low, high, across.position(x_value, area.left(), area.right()) + aside, upright=True)


def _draw_series(canvas: PlotCanvas, plot: Lines, number: int, across: AxisTicks, up: AxisTicks, area: QRectF) -> None:
    series, dashes, aside = plot.series[number], _LINE_DASHES[number % len(_LINE_DASHES)], _side_offset(plot, number)
    ink = canvas.ink(series.look)
    line = QPolygonF()
    for x_value, measured in zip(plot.x, series.values, strict=True):
        if measured.value is None:
            continue
        x = across.position(x_value, area.left(), area.right()) + aside
        y = up.position(measured.value, area.bottom(), area.top())
        line.append(QPointF(x, y))
        between = (
            ""
            if measured.low is None or measured.high is None
            else tr(", 95 % {low} to {high}").format(low=format_value(measured.low), high=format_value(measured.high))
        )
        says = f"{series.name}, {x_value:g}: {format_value(measured.value)}{between}" + (
            "" if measured.n is None else f", n = {measured.n:,}"
        )
        canvas.spots.append(PlotHotspot(QRectF(x - 5, y - 5, 10, 10), says))
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


_CELL_HEIGHT = 34
_MAX_CELL_WIDTH = 104
_ROW_NUMBER_WIDTH = 22
_MAX_MATRIX_NAMES_SHARE = 0.45
"""The most of the width that names take."""
_MIN_MATRIX_NAMES_WIDTH = 64
"""What is left to names where numbers are long."""


def matrix_height(plot: Matrix) -> float:
    """Return how high the plot is."""
    titles = ROW_HEIGHT if plot.across else 0
    return MARGIN + HEAD_HEIGHT + titles + ROW_HEIGHT + len(plot.rows) * _CELL_HEIGHT + MARGIN / 2


def draw_matrix(canvas: PlotCanvas, plot: Matrix, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    names, side, numbered = _names_width(plot, width), _cell_side(plot, width), is_numbered(plot, width)
    left, top = MARGIN + names, HEAD_HEIGHT + MARGIN / 2
    if plot.across:
        canvas.text(
            QRectF(left, top, width - left - MARGIN, ROW_HEIGHT), f"{plot.across} →", colour=canvas.colours.muted
        )
        canvas.text(QRectF(MARGIN, top, names - 8, ROW_HEIGHT), f"{plot.down} ↓", RIGHT, colour=canvas.colours.muted)
        top += ROW_HEIGHT
    for place, name in enumerate(plot.columns):
        area = QRectF(left + place * side, top, side, ROW_HEIGHT)
        canvas.text(area.adjusted(2, 0, -2, 0), str(place + 1) if numbered else name, MIDDLE)
        canvas.spots.append(PlotHotspot(area, name))
    top += ROW_HEIGHT
    values = [value for row in plot.values for value in row if value is not None]
    most = 1.0 if plot.number is PlotNumberFormat.FIGURE else max(values, default=0) or 1
    for row, name in enumerate(plot.rows):
        y = top + row * _CELL_HEIGHT
        canvas.text(QRectF(MARGIN, y, names - 8 - (_ROW_NUMBER_WIDTH if numbered else 0), _CELL_HEIGHT), name, RIGHT)
        if numbered:
            canvas.text(QRectF(left - 8 - _ROW_NUMBER_WIDTH, y, _ROW_NUMBER_WIDTH, _CELL_HEIGHT), str(row + 1), RIGHT)
        canvas.spots.append(PlotHotspot(QRectF(MARGIN, y, names - 8, _CELL_HEIGHT), name))
        for column, other in enumerate(plot.columns):
            value = plot.values[row][column]
            cell = QRectF(left + column * side, y, side, _CELL_HEIGHT).adjusted(1, 1, -1, -1)
            if value is None:
                continue
            text = format_value(value, plot.number)
            canvas.tile(cell, max(0.0, value / most), text, f"{name}, {other}: {text}")
            if plot.diagonal and row == column:
                canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
                canvas.painter.setPen(QPen(canvas.colours.text, 1.5))
                canvas.painter.drawRect(cell.adjusted(0.5, 0.5, -0.5, -0.5))


def is_numbered(plot: Matrix, width: float) -> bool:
    """Tell whether numbers stand over the columns, since names do not fit there; the rows have them too then."""
    side = _cell_side(plot, width)
    return plot.rows == plot.columns and any(text_width(name) > side - 4 for name in plot.columns)


def _names_width(plot: Matrix, width: float) -> float:
    longest = max(text_width(name) for name in (*plot.rows, f"{plot.down} ↓")) + 12 + _ROW_NUMBER_WIDTH
    numbers = max(
        (
            text_width(format_value(value, plot.number), TEXT)
            for row in plot.values
            for value in row
            if value is not None
        ),
        default=0,
    )
    left = width - 2 * MARGIN - len(plot.columns) * (numbers + 8)
    return min(_MAX_MATRIX_NAMES_SHARE * width, longest, max(_MIN_MATRIX_NAMES_WIDTH, left))


def _cell_side(plot: Matrix, width: float) -> float:
    room = width - 2 * MARGIN - _names_width(plot, width)
    return min(_MAX_CELL_WIDTH, room / max(1, len(plot.columns)))


_MIN_RADAR_WIDTH = 290
"""The least width of a panel."""
_RADIUS = 78
_AXIS_LABEL_MARGIN = 24
"""Between the outermost ring and the end of a panel, above and below."""
_RADAR_RINGS = (0.25, 0.5, 0.75, 1.0)
_RADAR_DASHES: tuple[tuple[float, ...], ...] = ((5, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))
_RADAR_HEIGHT = ROW_HEIGHT + 2 * (_RADIUS + _AXIS_LABEL_MARGIN)


def radar_height(plot: Radar, width: float) -> float:
    """Return how high the plot is."""
    rows = -(-len(plot.shapes) // _radar_columns(plot, width))
    return MARGIN + HEAD_HEIGHT + (ROW_HEIGHT if plot.outlines else 0) + rows * (_RADAR_HEIGHT + MARGIN / 2)


def draw_radar(canvas: PlotCanvas, plot: Radar, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    top = HEAD_HEIGHT + MARGIN / 2
    if plot.outlines:
        _draw_radar_legend(canvas, plot, width, top)
        top += ROW_HEIGHT
    columns = _radar_columns(plot, width)
    wide = (width - 2 * MARGIN) / columns
    for place, shape in enumerate(plot.shapes):
        row, column = divmod(place, columns)
        area = QRectF(MARGIN + column * wide, top + row * (_RADAR_HEIGHT + MARGIN / 2), wide, _RADAR_HEIGHT)
        _draw_radar_panel(canvas, plot, shape, area)


def _radar_columns(plot: Radar, width: float) -> int:
    return max(1, min(len(plot.shapes), int((width - 2 * MARGIN) // _MIN_RADAR_WIDTH)))


def _draw_radar_legend(canvas: PlotCanvas, plot: Radar, width: float, top: float) -> None:
    x = float(MARGIN)
    for index, outline in enumerate(plot.outlines):
        canvas.painter.setPen(_outline_pen(canvas, index))
        canvas.painter.drawLine(QPointF(x, top + ROW_HEIGHT / 2), QPointF(x + 28, top + ROW_HEIGHT / 2))
        room = min(text_width(outline.name) + 4, width - MARGIN - x - 34)
        canvas.text(QRectF(x + 34, top, room, ROW_HEIGHT), outline.name)
        x += 34 + text_width(outline.name) + 18


def _draw_radar_panel(canvas: PlotCanvas, plot: Radar, shape: Series, area: QRectF) -> None:
    canvas.text(QRectF(area.left(), area.top(), area.width(), ROW_HEIGHT), shape.name, MIDDLE, TEXT, semibold=True)
    middle = QPointF(area.center().x(), area.top() + ROW_HEIGHT + _AXIS_LABEL_MARGIN + _RADIUS)
    _draw_radar_web(canvas, plot, middle, area)
    _draw_radar_shape(canvas, plot, shape, middle)
    for index, outline in enumerate(plot.outlines):
        canvas.painter.setPen(_outline_pen(canvas, index))
        _draw_line(canvas, _radar_points(outline.values, middle))


def _draw_radar_web(canvas: PlotCanvas, plot: Radar, middle: QPointF, area: QRectF) -> None:
    many = len(plot.axes)
    canvas.painter.setBrush(Qt.BrushStyle.NoBrush)
    for ring in _RADAR_RINGS:
        canvas.painter.setPen(QPen(canvas.colours.outline if ring == 1 else canvas.colours.border, 1))
        canvas.painter.drawPolygon(QPolygonF([_polar_point(middle, place, many, ring) for place in range(many)]))
        canvas.text(QRectF(middle.x() + 3, middle.y() - ring * _RADIUS, 30, 12), f"{ring:g}", pixels=9,
                    colour=canvas.colours.muted)  # fmt: skip
    for place, name in enumerate(plot.axes):
        end = _polar_point(middle, place, many, 1)
        canvas.line(middle.x(), middle.y(), end.x(), end.y(), canvas.colours.border)
        _write_axis_name(canvas, name, _polar_point(middle, place, many, 1 + 9 / _RADIUS), middle, area)


def _write_axis_name(canvas: PlotCanvas, name: str, at: QPointF, middle: QPointF, area: QRectF) -> None:
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
    canvas.spots.append(PlotHotspot(room, name))


def _draw_radar_shape(canvas: PlotCanvas, plot: Radar, shape: Series, middle: QPointF) -> None:
    ink = canvas.ink(shape.look)
    points = _radar_points(shape.values, middle)
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
    for point, axis, measured in zip(points, plot.axes, shape.values, strict=True):
        if point is not None:
            canvas.painter.drawEllipse(point, 2.5, 2.5)
            canvas.spots.append(
                PlotHotspot(QRectF(point.x() - 6, point.y() - 6, 12, 12), _radar_tooltip(shape, axis, measured))
            )


def _radar_tooltip(shape: Series, axis: str, measured: PlottedValue) -> str:
    return f"{shape.name}, {axis}: {format_value(measured.value)}" + (
        "" if measured.n is None else f", n = {measured.n:,}"
    )


def _draw_line(canvas: PlotCanvas, points: list[QPointF | None]) -> None:
    """Join neighbours; beside what is not known there is a gap."""
    for before, after in pairwise([*points, *points[:1]]):
        if before is not None and after is not None:
            canvas.painter.drawLine(before, after)


def _radar_points(values: tuple[PlottedValue, ...], middle: QPointF) -> list[QPointF | None]:
    return [
        None if measured.value is None else _polar_point(middle, place, len(values), min(max(measured.value, 0.0), 1.0))
        for place, measured in enumerate(values)
    ]


def _polar_point(middle: QPointF, place: int, many: int, share: float) -> QPointF:
    turn = 2 * math.pi * place / many
    return QPointF(middle.x() + share * _RADIUS * math.sin(turn), middle.y() - share * _RADIUS * math.cos(turn))


def _outline_pen(canvas: PlotCanvas, number: int) -> QPen:
    pen = QPen(canvas.colours.text, 1.4)
    pen.setDashPattern([*_RADAR_DASHES[number % len(_RADAR_DASHES)]])
    return pen


def plot_height(plot: Plot, width: float) -> int:
    """Return how high a plot of some width is, in logical pixels."""
    if isinstance(plot, BarPlot):
        return round(bars_height(plot, width))
    if isinstance(plot, Matrix):
        return round(matrix_height(plot))
    if isinstance(plot, Histogram):
        return round(histogram_height(plot))
    if isinstance(plot, Radar):
        return round(radar_height(plot, width))
    return round(lines_height())


def draw_plot(painter: QPainter, plot: Plot, width: float, colours: theme.Palette) -> list[PlotHotspot]:
    """Draw a plot without its ground, and return what lies where."""
    canvas = PlotCanvas(painter, colours)
    if isinstance(plot, BarPlot):
        draw_bars(canvas, plot, width)
    elif isinstance(plot, Matrix):
        draw_matrix(canvas, plot, width)
    elif isinstance(plot, Histogram):
        draw_histogram(canvas, plot, width)
    elif isinstance(plot, Radar):
        draw_radar(canvas, plot, width)
    else:
        draw_lines(canvas, plot, width)
    return canvas.spots


DEFAULT_WIDTH = 640
"""Of what is saved, in logical pixels."""
_PNG_SCALE = 2
_DOTS_PER_INCH = 96


def as_image(plot: Plot, width: int = DEFAULT_WIDTH, scale: float = _PNG_SCALE) -> QImage:
    """Return a plot as a picture of `scale` dots a logical pixel."""
    high = plot_height(plot, width)
    image = QImage(round(width * scale), round(high * scale), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(scale)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    draw_plot(painter, plot, width, export_palette())
    painter.end()
    return image


def as_png(plot: Plot, width: int = DEFAULT_WIDTH) -> bytes:
    """Return a plot as a PNG file."""
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    as_image(plot, width).save(buffer, "PNG")  # type: ignore[call-overload]
    buffer.close()
    return bytes(data.data())


def as_svg(plot: Plot, width: int = DEFAULT_WIDTH) -> bytes:
    """Return a plot as an SVG file; its text stays text."""
    data = QByteArray()
    buffer = QBuffer(data)
    size = QSize(width, plot_height(plot, width))
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setSize(size)
    made.setViewBox(QRect(0, 0, size.width(), size.height()))
    made.setResolution(_DOTS_PER_INCH)
    made.setTitle(escape_unprintable(plot.title))
    made.setDescription("\n".join(escape_unprintable(line) for line in plot_text(plot).split("\n")))
    painter = QPainter(made)
    painter.fillRect(QRect(0, 0, size.width(), size.height()), Qt.GlobalColor.white)
    draw_plot(painter, plot, width, export_palette())
    painter.end()
    family = f'font-family="{theme.FAMILY}"'.encode()
    others = f'font-family="{theme.FAMILY}, Helvetica, Arial, sans-serif"'.encode()
    return bytes(data.data()).replace(family, others)
