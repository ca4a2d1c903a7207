"""How large the parts of a plot are, in pixels: a page is laid out without matplotlib, and before it is drawn."""

from collections.abc import Sequence
from functools import cache

from PySide6.QtGui import QFont, QFontMetricsF

from widgets import theme
from widgets.labels import LabelLook
from widgets.plots.plot_data import BarPlot, Histogram, Matrix, Plot, Radar

MARGIN = 16
HEAD_HEIGHT = 48
"""Height of the title and the note."""
ROW_HEIGHT = 20
AXIS_HEIGHT = 44
"""Height of an axis with its texts and its title."""
TITLE, TEXT, SMALL = 15, 13, 12
"""Sizes of type, in pixels."""
TOP = HEAD_HEIGHT + MARGIN / 2
BAR_HEIGHT, BAR_GAP = 16, 10
PILE_HEIGHT = 84
LINES_HEIGHT = 190
CELL_HEIGHT = 34
_MIN_RADAR_WIDTH = 290
"""The least width of a panel."""
RADIUS = 78
AXIS_LABEL_MARGIN = 24
"""Between the outermost ring and the end of a panel, above and below."""
RADAR_HEIGHT = ROW_HEIGHT + 2 * (RADIUS + AXIS_LABEL_MARGIN)


Entry = tuple[str, LabelLook | None]


@cache
def plot_font(pixels: int, semibold: bool = False) -> QFont:
    """Return the typeface at a size in pixels, to measure texts with."""
    font = QFont(theme.FAMILY)
    font.setPixelSize(pixels)
    if semibold:
        font.setWeight(QFont.Weight.DemiBold)
    return font


def text_width(text: str, pixels: int = SMALL, semibold: bool = False) -> float:
    """Return how wide a line is, in pixels."""
    return QFontMetricsF(plot_font(pixels, semibold)).horizontalAdvance(text)


def legend_rows(entries: Sequence[Entry], width: float) -> list[list[Entry]]:
    """Return which entries stand in which row; nothing for a single one."""
    rows: list[list[Entry]] = []
    x = width
    for entry in entries if len(entries) > 1 else ():
        need = 44 + text_width(entry[0])
        if x + need > width - MARGIN:
            rows.append([])
            x = MARGIN
        rows[-1].append(entry)
        x += need + 12
    return rows


def _bars_height(plot: BarPlot, width: float) -> float:
    legend = ROW_HEIGHT * len(legend_rows(legend_entries(plot), width)) + (ROW_HEIGHT if plot.references else 0)
    return MARGIN + HEAD_HEIGHT + legend + len(plot.groups) * group_pitch(plot) + BAR_GAP / 2 + AXIS_HEIGHT + 4


def legend_entries(plot: BarPlot) -> list[Entry]:
    """Return what a legend of the series says."""
    return [(series.name, series.look) for series in plot.series]


def group_pitch(plot: BarPlot) -> float:
    """Return the height of a group of bars with the gap below it."""
    return BAR_GAP + BAR_HEIGHT * (1 if plot.stacked else max(1, len(plot.series)))


def _radar_height(plot: Radar, width: float) -> float:
    rows = -(-len(plot.shapes) // radar_columns(plot, width))
    return MARGIN + HEAD_HEIGHT + (ROW_HEIGHT if plot.outlines else 0) + rows * (RADAR_HEIGHT + MARGIN / 2)


def radar_columns(plot: Radar, width: float) -> int:
    """Return how many panels stand side by side."""
    return max(1, min(len(plot.shapes), int((width - 2 * MARGIN) // _MIN_RADAR_WIDTH)))


def plot_height(plot: Plot, width: float) -> int:
    """Return how high a plot of some width is, in logical pixels."""
    if isinstance(plot, BarPlot):
        return round(_bars_height(plot, width))
    if isinstance(plot, Radar):
        return round(_radar_height(plot, width))
    if isinstance(plot, Matrix):
        titles = ROW_HEIGHT if plot.across else 0
        return round(TOP + titles + ROW_HEIGHT + len(plot.rows) * CELL_HEIGHT + MARGIN)
    if isinstance(plot, Histogram):
        return round(MARGIN + HEAD_HEIGHT + len(plot.piles) * (PILE_HEIGHT + ROW_HEIGHT + 8) + AXIS_HEIGHT - 8)
    return MARGIN + HEAD_HEIGHT + ROW_HEIGHT + LINES_HEIGHT + AXIS_HEIGHT + 4
