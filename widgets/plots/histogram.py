"""Draws histograms over one axis, a panel for each."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPen

from resources.translation import tr
from widgets.plots.canvas import Canvas, text_width
from widgets.plots.frame import AXIS, HEAD, MARGIN, ROW, draw_across, draw_head, draw_up
from widgets.plots.scene import Histogram, Pile
from widgets.plots.ticks import Ticks, nice_ticks

_PANEL = 84
_COUNTS = 44


def height(plot: Histogram) -> float:
    """Return how high the plot is."""
    return MARGIN + HEAD + len(plot.piles) * (_PANEL + ROW + 8) + AXIS - 8


def draw(canvas: Canvas, plot: Histogram, width: float) -> None:
    """Draw into a canvas of that width."""
    draw_head(canvas, plot.title, plot.note, width)
    across = _across(plot, width - 2 * MARGIN - _COUNTS)
    top = HEAD + MARGIN / 2
    for number, pile in enumerate(plot.piles):
        begin = float(MARGIN)
        if pile.look is not None:
            canvas.box(QRectF(begin, top + 4, 22, 12), pile.look)
            canvas.sign(pile.look, begin + 31, top + 10)
            begin += 42
        canvas.text(QRectF(begin, top, width - MARGIN - begin, ROW), f"{pile.name}, n = {sum(pile.counts):,}")
        top += ROW
        area = QRectF(MARGIN + _COUNTS, top + 4, width - 2 * MARGIN - _COUNTS, _PANEL)
        if number == len(plot.piles) - 1:
            draw_across(canvas, across, area, plot.axis)
        _draw_pile(canvas, plot, pile, across, area)
        top += _PANEL + 8


def _across(plot: Histogram, room: float) -> Ticks:
    wanted = max(2, int(room / 64))
    found = nice_ticks(plot.edges, wanted)
    return Ticks((*found.values[:-1], max(found.high, plot.edges[-1])), found.texts)


def _draw_pile(canvas: Canvas, plot: Histogram, pile: Pile, across: Ticks, area: QRectF) -> None:
    up = nice_ticks(pile.counts, 2, whole=True)
    draw_up(canvas, up, area)
    for place, count in enumerate(pile.counts):
        left, right = (across.place(plot.edges[place + side], area.left(), area.right()) for side in (0, 1))
        y = up.place(count, area.bottom(), area.top())
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
        x = across.place(pile.mark, area.left(), area.right())
        pen = QPen(canvas.colours.text, 1.5, Qt.PenStyle.DashLine)
        canvas.painter.setPen(pen)
        canvas.painter.drawLine(round(x), round(area.top()), round(x), round(area.bottom()))
        need = text_width(pile.mark_name) + 8
        left = x + 5 if x + 5 + need < area.right() else x - 5 - need
        plate = QRectF(left, area.top(), need, 16)
        canvas.painter.fillRect(plate, canvas.colours.field)
        canvas.text(plate.adjusted(4, 0, 0, 0), pile.mark_name)
