"""Draws the charts with matplotlib: bars, histograms, lines, heat maps and radar plots; for the screen and for files.

Importing this module imports matplotlib, so callers import it when they draw.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from itertools import pairwise
from threading import Lock

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from numpy.typing import NDArray
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QImage

from project.text_format import escape_unprintable
from resources.translation import tr
from widgets import theme
from widgets.labels import MIN_CONTRAST, contrast, mix
from widgets.plots.plot_data import (
    BarPlot,
    Histogram,
    HistogramPanel,
    Lines,
    Matrix,
    Plot,
    PlotFormat,
    PlotNumberFormat,
    PlottedValue,
    Radar,
    Series,
    format_value,
    plot_text,
)
from widgets.plots.plot_figure import DPI, PX, PlotFigure, PlotHotspot, export_palette, round_ticks
from widgets.plots.plot_layout import (
    AXIS_LABEL_MARGIN,
    BAR_GAP,
    BAR_HEIGHT,
    CELL_HEIGHT,
    LINES_HEIGHT,
    MARGIN,
    PILE_HEIGHT,
    RADAR_HEIGHT,
    RADIUS,
    ROW_HEIGHT,
    TEXT,
    TOP,
    group_pitch,
    legend_entries,
    plot_height,
    radar_columns,
    text_width,
)

_MAX_NAMES_SHARE = 0.5
"""The most of the width that names of bars or lines take."""
_MAX_VALUES_SHARE = 0.25


def _draw_bars(figure: PlotFigure, plot: BarPlot) -> None:
    width, pitch = figure.width, group_pitch(plot)
    top = figure.legend(legend_entries(plot), TOP)
    if plot.references:
        figure.diamonds([MARGIN + 11], [top + ROW_HEIGHT / 2])
        figure.text(plot.reference, MARGIN + 26, top + ROW_HEIGHT / 2, width - 2 * MARGIN - 26)
        top += ROW_HEIGHT
    names = min(_MAX_NAMES_SHARE * width, max((text_width(name) for name in plot.groups), default=0) + 12)
    texts = min(_MAX_VALUES_SHARE * width, max(map(text_width, _value_texts(plot)), default=0) + 14)
    area = QRectF(MARGIN + names, top + 4, width - 2 * MARGIN - names - texts, len(plot.groups) * pitch + BAR_GAP / 2)
    axes = figure.axes(area)
    whole = plot.stacked or plot.number is PlotNumberFormat.COUNT
    figure.scale(axes, "x", round_ticks(_bar_ends(plot), max(2, min(6, int(area.width() / 64))), whole=whole), whole)
    axes.set_ylim(area.height(), 0)
    axes.yaxis.set_visible(False)
    figure.axis_title(plot.axis, area)
    for place, name in enumerate(plot.groups):
        y = BAR_GAP / 2 + place * pitch
        figure.text(name, MARGIN + names - 8, area.top() + y + (pitch - BAR_GAP) / 2, names - 8, "right")
        figure.add_hotspot(QRectF(MARGIN, area.top() + y, names - 8, pitch - BAR_GAP), name)
        (_draw_stack if plot.stacked else _draw_group)(figure, axes, plot, place, y)
    if not plot.stacked:
        _draw_bar_whiskers(figure, axes, plot)
    references = [(value, place) for place, value in enumerate(plot.references) if value is not None]
    middles = [BAR_GAP / 2 + place * pitch + (pitch - BAR_GAP) / 2 for _, place in references]
    figure.diamonds([value for value, _ in references], middles, axes)


def _value_texts(plot: BarPlot) -> list[str]:
    if plot.stacked:
        return [format_value(_stack_total(plot, place), plot.number) for place in range(len(plot.groups))]
    return [format_value(measured.value, plot.number) for series in plot.series for measured in series.values]


def _stack_total(plot: BarPlot, place: int) -> float:
    return sum(series.values[place].value or 0 for series in plot.series)


def _bar_ends(plot: BarPlot) -> list[float | None]:
    if plot.stacked:
        return [_stack_total(plot, place) for place in range(len(plot.groups))]
    return [end for series in plot.series for measured in series.values for end in _ends(measured)] + [*plot.references]


def _ends(measured: PlottedValue) -> tuple[float | None, ...]:
    return measured.value, measured.low, measured.high


def _draw_group(figure: PlotFigure, axes: Axes, plot: BarPlot, place: int, top: float) -> None:
    reference = plot.references[place] if plot.references else None
    for index, series in enumerate(plot.series):
        measured, y = series.values[place], top + index * BAR_HEIGHT
        value = measured.value
        if value is None:
            low, high = axes.get_xlim()
            figure.add_hotspot(QRectF(low, y, high - low, BAR_HEIGHT), f"{plot.groups[place]}: {measured.reason}", axes)
        else:
            bar = QRectF(min(0.0, value), y + 1, abs(value), BAR_HEIGHT - 2)
            figure.box(bar, series.look, _bar_tooltip(plot, place, series.name, measured), axes)
        end = max(0.0, *(known for known in (value, measured.high, reference) if known is not None), 0.0)
        gap = 11 if end == reference else 6
        _write_beside(figure, axes, end, y + BAR_HEIGHT / 2, format_value(value, plot.number), gap)


def _write_beside(figure: PlotFigure, axes: Axes, x: float, y: float, text: str, gap: float = 6, **kind: bool) -> None:
    across, down = figure.pixel(axes, x, y)
    figure.text(text, across + gap, down, figure.width - across - gap - 4, **kind)  # type: ignore[arg-type]


def _draw_bar_whiskers(figure: PlotFigure, axes: Axes, plot: BarPlot) -> None:
    known = [
        (BAR_GAP / 2 + place * group_pitch(plot) + (index + 0.5) * BAR_HEIGHT, measured.low, measured.high)
        for index, series in enumerate(plot.series)
        for place, measured in enumerate(series.values)
        if measured.low is not None and measured.high is not None
    ]
    if known:
        figure.whiskers(axes, *zip(*known, strict=True))


def _draw_stack(figure: PlotFigure, axes: Axes, plot: BarPlot, place: int, top: float) -> None:
    sum_so_far = 0.0
    for series in plot.series:
        measured = series.values[place]
        if measured.value:
            part = QRectF(sum_so_far, top, measured.value, BAR_HEIGHT)
            figure.box(part, series.look, _bar_tooltip(plot, place, series.name, measured), axes)
            text, shown = format_value(measured.value, plot.number), figure.hotspots[-1].area
            need = text_width(text)
            if shown.width() > need + 14:
                x, y = shown.center().x(), shown.center().y()
                plate = QRectF(x - need / 2 - 3, y - BAR_HEIGHT / 2 + 1, need + 6, BAR_HEIGHT - 2)
                figure.box(plate, None, ground=figure.colours.field)
                figure.text(text, x, y, need, "center")
        sum_so_far += measured.value or 0
    total = format_value(_stack_total(plot, place), plot.number)
    _write_beside(figure, axes, sum_so_far, top + BAR_HEIGHT / 2, total, semibold=True)


def _bar_tooltip(plot: BarPlot, place: int, name: str, measured: PlottedValue) -> str:
    of = f"{plot.groups[place]}, {name}" if len(plot.series) > 1 else plot.groups[place]
    return f"{of}: {_measured_text(measured, plot.number)}"


def _measured_text(measured: PlottedValue, number: PlotNumberFormat = PlotNumberFormat.FIGURE) -> str:
    between = (
        ""
        if measured.low is None or measured.high is None
        else tr(", 95 % {low} to {high}").format(low=format_value(measured.low), high=format_value(measured.high))
    )
    return f"{format_value(measured.value, number)}{between}" + ("" if measured.n is None else f", n = {measured.n:,}")


_COUNT_AXIS_WIDTH = 44


def _draw_histogram(figure: PlotFigure, plot: Histogram) -> None:
    inner = figure.width - 2 * MARGIN - _COUNT_AXIS_WIDTH
    across = round_ticks(plot.edges, max(2, int(inner / 64)))
    top = TOP
    for index, pile in enumerate(plot.piles):
        begin = float(MARGIN)
        if pile.look is not None:
            figure.box(QRectF(begin, top + 4, 22, 12), pile.look)
            figure.sign(pile.look, begin + 31, top + 10)
            begin += 42
        figure.text(f"{pile.name}, n = {sum(pile.counts):,}", begin, top + 10, figure.width - MARGIN - begin)
        area = QRectF(MARGIN + _COUNT_AXIS_WIDTH, top + ROW_HEIGHT + 4, inner, PILE_HEIGHT)
        axes = figure.axes(area)
        figure.scale(axes, "y", round_ticks(pile.counts, 2, whole=True), whole=True)
        figure.scale(axes, "x", across[across <= plot.edges[-1]], high=plot.edges[-1])
        axes.tick_params("y", length=0)
        if index == len(plot.piles) - 1:
            figure.axis_title(plot.axis, area)
        else:
            axes.xaxis.set_visible(False)
        _draw_pile(figure, axes, plot, pile)
        top += ROW_HEIGHT + PILE_HEIGHT + 8


def _draw_pile(figure: PlotFigure, axes: Axes, plot: Histogram, pile: HistogramPanel) -> None:
    for place, count in enumerate(pile.counts):
        left, right = plot.edges[place : place + 2]
        beyond = plot.open_end and place == len(pile.counts) - 1
        span = (
            tr("{value:g} and more").format(value=left)
            if beyond
            else tr("{low:g} to {high:g}").format(low=left, high=right)
        )
        if count:
            figure.box(QRectF(left, 0, right - left, count), pile.look, f"{pile.name}, {span}: {count:,}", axes)
    if pile.mark is not None:
        axes.axvline(pile.mark, color=figure.colours.text.name(), linewidth=1.5 * PX, linestyle="--")
        x, top = figure.pixel(axes, pile.mark, axes.get_ylim()[1])
        need = text_width(pile.mark_name) + 8
        left = x + 5 if x + 5 + need < figure.width - MARGIN else x - 5 - need
        figure.box(QRectF(left, top, need, 16), None, ground=figure.colours.field)
        figure.text(pile.mark_name, left + 4, top + 8, need)


_VALUE_AXIS_WIDTH = 48
_LINE_DASHES: tuple[tuple[float, ...], ...] = ((), (6, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))


def _draw_lines(figure: PlotFigure, plot: Lines) -> None:
    figure.text(plot.y_axis, MARGIN, TOP + 10, figure.width - 2 * MARGIN, colour=figure.colours.muted)
    longest = max((text_width(series.name) for series in plot.series), default=0)
    named = min(_MAX_NAMES_SHARE * figure.width, longest + 32)
    wide = figure.width - 2 * MARGIN - _VALUE_AXIS_WIDTH - named
    area = QRectF(MARGIN + _VALUE_AXIS_WIDTH, TOP + ROW_HEIGHT + 6, wide, LINES_HEIGHT)
    axes = figure.axes(area)
    ends = [end for series in plot.series for measured in series.values for end in _ends(measured)]
    figure.scale(axes, "y", round_ticks(ends, 4))
    across = round_ticks(plot.x, max(2, int(wide / 64)))
    figure.scale(axes, "x", across)
    figure.axis_title(plot.x_axis, area)
    pixel = (across[-1] - across[0]) / wide
    for index, series in enumerate(plot.series):
        known = [
            (x + pixel * _side_offset(plot, index), measured.low, measured.high)
            for x, measured in zip(plot.x, series.values, strict=True)
            if measured.low is not None and measured.high is not None
        ]
        if known:
            figure.whiskers(axes, *zip(*known, strict=True), upright=True)
    last: list[float] = []
    for index, series in enumerate(plot.series):
        points = [
            (x + pixel * _side_offset(plot, index), measured.value, f"{series.name}, {x:g}: {_measured_text(measured)}")
            for x, measured in zip(plot.x, series.values, strict=True)
            if measured.value is not None
        ]
        _draw_series(figure, axes, series, _LINE_DASHES[index % len(_LINE_DASHES)], points)
        last.append(figure.pixel(axes, 0, points[-1][1])[1] if points else area.bottom())
    for series, y in zip(plot.series, spread_apart(last, 17, area.bottom()), strict=True):
        figure.sign(series.look, area.right() + 14, y)
        figure.text(series.name, area.right() + 26, y, named - 24, colour=figure.ink(series.look))


def _draw_series(
    figure: PlotFigure, axes: Axes, series: Series, dashes: tuple[float, ...], points: list[tuple[float, float, str]]
) -> None:
    axes.plot(
        [x for x, _, _ in points],
        [y for _, y, _ in points],
        color=figure.ink(series.look).name(),
        linewidth=2 * PX,
        linestyle=(0, dashes) if dashes else "-",
        marker="o",
        markersize=5 * PX,
        markeredgewidth=0,
        clip_on=False,
    )
    for x, y, says in points:
        across, down = figure.pixel(axes, x, y)
        figure.add_hotspot(QRectF(across - 5, down - 5, 10, 10), says)


def _side_offset(plot: Lines, number: int) -> float:
    """Return how many pixels a series is moved so that intervals of one x lie side by side."""
    whiskers = any(measured.low is not None for measured in plot.series[number].values)
    return 7 * (number - (len(plot.series) - 1) / 2) if whiskers else 0.0


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


_MAX_CELL_WIDTH = 104
_ROW_NUMBER_WIDTH = 22
_MAX_MATRIX_NAMES_SHARE = 0.45
"""The most of the width that names take."""
_MIN_MATRIX_NAMES_WIDTH = 64
"""What is left to names where numbers are long."""


def _draw_matrix(figure: PlotFigure, plot: Matrix) -> None:
    width, colours = figure.width, figure.colours
    names, side, numbered = _names_width(plot, width), _cell_side(plot, width), _is_numbered(plot, width)
    left, top = MARGIN + names, TOP
    if plot.across:
        figure.text(f"{plot.across} →", left, top + 10, width - left - MARGIN, colour=colours.muted)
        figure.text(f"{plot.down} ↓", left - 8, top + 10, names - 8, "right", colour=colours.muted)
        top += ROW_HEIGHT
    for place, name in enumerate(plot.columns):
        area = QRectF(left + place * side, top, side, ROW_HEIGHT)
        figure.text(str(place + 1) if numbered else name, area.center().x(), top + 10, side - 4, "center")
        figure.add_hotspot(area, name)
    top += ROW_HEIGHT
    values = [value for row in plot.values for value in row if value is not None]
    most = 1.0 if plot.number is PlotNumberFormat.FIGURE else max(values, default=0) or 1
    numbers = _ROW_NUMBER_WIDTH if numbered else 0
    for row, name in enumerate(plot.rows):
        y = top + row * CELL_HEIGHT
        middle = y + CELL_HEIGHT / 2
        figure.text(name, left - 8 - numbers, middle, names - 8 - numbers, "right")
        if numbered:
            figure.text(str(row + 1), left - 8, middle, numbers, "right")
        figure.add_hotspot(QRectF(MARGIN, y, names - 8, CELL_HEIGHT), name)
        for column, other in enumerate(plot.columns):
            value = plot.values[row][column]
            if value is None:
                continue
            cell = QRectF(left + column * side + 1, y + 1, side - 2, CELL_HEIGHT - 2)
            text, ground = format_value(value, plot.number), cell_colour(value / most, colours)
            figure.box(cell, None, f"{name}, {other}: {text}", ground=ground)
            if plot.diagonal and row == column:
                sides = [(cell.left(), cell.top()), (cell.right(), cell.top()), (cell.right(), cell.bottom())]
                figure.line([*sides, (cell.left(), cell.bottom()), *sides[:2]], 1.5)
            ink = cell_ink(ground, colours)
            figure.text(text, cell.center().x(), middle, width, "center", TEXT, ink)


def cell_colour(share: float, colours: theme.Palette) -> QColor:
    """Return the ground of a cell of a heat map, darker with its share (0 to 1)."""
    return mix(colours.accent, colours.field, 0.05 + 0.8 * max(0.0, share))


def cell_ink(ground: QColor, colours: theme.Palette) -> QColor:
    """Return what is read well on a cell. On some blues neither of the theme's two is; black or white always is."""
    inks = (colours.text, colours.field, QColor("black"), QColor("white"))
    return next(ink for ink in inks if contrast(ink, ground) >= MIN_CONTRAST)


def _is_numbered(plot: Matrix, width: float) -> bool:
    """Tell whether numbers stand over the columns, since names do not fit there; the rows have them too then."""
    side = _cell_side(plot, width)
    return plot.rows == plot.columns and any(text_width(name) > side - 4 for name in plot.columns)


def _names_width(plot: Matrix, width: float) -> float:
    longest = max(text_width(name) for name in (*plot.rows, f"{plot.down} ↓")) + 12 + _ROW_NUMBER_WIDTH
    texts = (format_value(value, plot.number) for row in plot.values for value in row if value is not None)
    numbers = max((text_width(text, TEXT) for text in texts), default=0)
    left = width - 2 * MARGIN - len(plot.columns) * (numbers + 8)
    return min(_MAX_MATRIX_NAMES_SHARE * width, longest, max(_MIN_MATRIX_NAMES_WIDTH, left))


def _cell_side(plot: Matrix, width: float) -> float:
    room = width - 2 * MARGIN - _names_width(plot, width)
    return min(_MAX_CELL_WIDTH, room / max(1, len(plot.columns)))


_RADAR_RINGS = (0.25, 0.5, 0.75)
_RADAR_DASHES: tuple[tuple[float, ...], ...] = ((5, 3), (1.5, 2.5), (8, 3, 2, 3), (3, 2))


def _draw_radar(figure: PlotFigure, plot: Radar) -> None:
    top, x = TOP, float(MARGIN)
    for outline, dashes in zip(plot.outlines, _outline_dashes(plot), strict=True):
        figure.line([(x, top + 10), (x + 28, top + 10)], 1.4, (0, dashes))
        need = text_width(outline.name)
        figure.text(outline.name, x + 34, top + 10, min(need + 4, figure.width - MARGIN - x - 34))
        x += 52 + need
    top += ROW_HEIGHT if plot.outlines else 0
    columns = radar_columns(plot, figure.width)
    wide = (figure.width - 2 * MARGIN) / columns
    for place, shape in enumerate(plot.shapes):
        row, column = divmod(place, columns)
        area = QRectF(MARGIN + column * wide, top + row * (RADAR_HEIGHT + MARGIN / 2), wide, RADAR_HEIGHT)
        _draw_radar_panel(figure, plot, shape, area)


def _outline_dashes(plot: Radar) -> list[tuple[float, ...]]:
    return [_RADAR_DASHES[number % len(_RADAR_DASHES)] for number in range(len(plot.outlines))]


def _draw_radar_panel(figure: PlotFigure, plot: Radar, shape: Series, area: QRectF) -> None:
    figure.text(shape.name, area.center().x(), area.top() + 10, area.width(), "center", TEXT, semibold=True)
    left, top = area.center().x() - RADIUS, area.top() + ROW_HEIGHT + AXIS_LABEL_MARGIN
    axes = figure.axes(QRectF(left, top, 2 * RADIUS, 2 * RADIUS), projection="polar")
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    axes.set_ylim(0, 1)
    turns = 2 * np.pi * np.arange(len(plot.axes)) / len(plot.axes)
    axes.set_xticks(turns, [""] * len(turns))
    axes.set_rgrids(_RADAR_RINGS, [f"{ring:g}" for ring in _RADAR_RINGS], angle=0, fontsize=9 * PX)
    axes.spines["polar"].set(visible=True, color=figure.colours.outline.name(), linewidth=PX)
    for turn, name in zip(turns, plot.axes, strict=True):
        _write_axis_name(figure, name, *figure.pixel(axes, turn, 1 + 9 / RADIUS), area)
    ink = figure.ink(shape.look)
    shares = _closed_shares(shape)
    around = [*turns, turns[0]]
    if not np.isnan(shares).any() and len(turns) > 2:
        axes.fill(around, shares, color=mix(ink, figure.colours.field, 0.28).name(), alpha=0.55, linewidth=0)
    axes.plot(around, shares, color=ink.name(), linewidth=2 * PX, marker="o", markersize=5 * PX, markeredgewidth=0)
    for turn, share, axis, measured in zip(turns, shares, plot.axes, shape.values, strict=False):
        if measured.value is not None:
            x, y = figure.pixel(axes, turn, share)
            n = "" if measured.n is None else f", n = {measured.n:,}"
            says = f"{shape.name}, {axis}: {format_value(measured.value)}{n}"
            figure.add_hotspot(QRectF(x - 6, y - 6, 12, 12), says)
    for outline, dashes in zip(plot.outlines, _outline_dashes(plot), strict=True):
        text = figure.colours.text.name()
        axes.plot(around, _closed_shares(outline), color=text, linewidth=1.4 * PX, linestyle=(0, dashes))


def _closed_shares(series: Series) -> NDArray[np.float64]:
    """Return (axes + 1,) shares of a ring, the first one again at the end; NaN where there is none."""
    shares = np.array([np.nan if measured.value is None else measured.value for measured in series.values])
    return np.clip([*shares, *shares[:1]], 0, 1)


def _write_axis_name(figure: PlotFigure, name: str, x: float, y: float, area: QRectF) -> None:
    aside = x - area.center().x()
    if abs(aside) < 1:
        align, left, right = "center", area.left(), area.right()
    elif aside > 0:
        align, left, right = "left", x, area.right()
    else:
        align, left, right = "right", area.left(), x
    figure.text(name, x, y, right - left, align)
    figure.add_hotspot(QRectF(left, y - 8, right - left, 16), name)


def draw_plot(plot: Plot, width: int, colours: theme.Palette) -> PlotFigure:
    """Draw a plot without its ground, at 96 dots an inch."""
    figure = PlotFigure(plot.title, plot.note, width, plot_height(plot, width), colours)
    if isinstance(plot, BarPlot):
        _draw_bars(figure, plot)
    elif isinstance(plot, Matrix):
        _draw_matrix(figure, plot)
    elif isinstance(plot, Histogram):
        _draw_histogram(figure, plot)
    elif isinstance(plot, Radar):
        _draw_radar(figure, plot)
    else:
        _draw_lines(figure, plot)
    return figure


_drawing = Lock()
"""Matplotlib draws in one thread at a time."""


def render_plot(plot: Plot, width: int, scale: float, colours: theme.Palette) -> tuple[QImage, list[PlotHotspot]]:
    """Return a plot on nothing, as a picture of `scale` dots a logical pixel, and what lies where; in any thread."""
    with _drawing, _missing_glyphs_ignored():
        drawn = draw_plot(plot, width, colours)
        drawn.figure.set_dpi(DPI * scale)
        canvas = FigureCanvasAgg(drawn.figure)
        canvas.draw()
    dots = np.asarray(canvas.buffer_rgba())
    high, wide = dots.shape[:2]
    image = QImage(dots.data, wide, high, 4 * wide, QImage.Format.Format_RGBA8888).copy()
    image.setDevicePixelRatio(scale)
    return image, drawn.hotspots


@contextmanager
def _missing_glyphs_ignored() -> Iterator[None]:
    """Say nothing of letters that no typeface of this machine has: they are boxes, here as elsewhere."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph")
        yield


DEFAULT_WIDTH = 640
"""Of what is saved, in logical pixels."""
_FILE_SCALE = 2
_NAMELESS = {
    PlotFormat.SVG: {"Creator": None, "Date": None},
    PlotFormat.PNG: {"Software": None},
    PlotFormat.PDF: {"Creator": None, "Producer": None, "CreationDate": None},
}
"""What matplotlib would write about the program and the time."""


def encode_plot(plot: Plot, kind: PlotFormat, width: int = DEFAULT_WIDTH) -> bytes:
    """Return a plot as a file, dark on white; the text of SVG and PDF stays text."""
    words = {"Title": escape_unprintable(plot.title)}
    if kind is PlotFormat.SVG:
        words["Description"] = "\n".join(escape_unprintable(line) for line in plot_text(plot).split("\n"))
    file = BytesIO()
    with _drawing, _missing_glyphs_ignored():
        figure = draw_plot(plot, width, export_palette()).figure
        figure.set_facecolor("white")
        figure.savefig(file, format=kind, dpi=DPI * _FILE_SCALE, metadata=_NAMELESS[kind] | words)
    # A program that lacks our typeface takes another one without serifs.
    family = f"font-family: '{theme.FAMILY}'".encode()
    return file.getvalue().replace(family, family + b", Helvetica, Arial, sans-serif")
