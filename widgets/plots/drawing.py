"""Draws any plot."""

from PySide6.QtGui import QPainter

from widgets import theme
from widgets.plots import bars, histogram, lines, matrix, radar
from widgets.plots.canvas import Canvas, Spot
from widgets.plots.scene import Bars, Histogram, Matrix, Plot, Radar


def plot_height(plot: Plot, width: float) -> int:
    """Return how high a plot of some width is, in logical pixels."""
    if isinstance(plot, Bars):
        return round(bars.height(plot, width))
    if isinstance(plot, Matrix):
        return round(matrix.height(plot))
    if isinstance(plot, Histogram):
        return round(histogram.height(plot))
    if isinstance(plot, Radar):
        return round(radar.height(plot, width))
    return round(lines.height())


def draw_plot(painter: QPainter, plot: Plot, width: float, colours: theme.Palette) -> list[Spot]:
    """Draw a plot without its ground, and return what lies where."""
    canvas = Canvas(painter, colours)
    if isinstance(plot, Bars):
        bars.draw(canvas, plot, width)
    elif isinstance(plot, Matrix):
        matrix.draw(canvas, plot, width)
    elif isinstance(plot, Histogram):
        histogram.draw(canvas, plot, width)
    elif isinstance(plot, Radar):
        radar.draw(canvas, plot, width)
    else:
        lines.draw(canvas, plot, width)
    return canvas.spots
