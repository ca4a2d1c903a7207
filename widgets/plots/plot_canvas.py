"""Drawing primitives of plots: text, lines, patterned fills, legends and axes, and the hotspots that have a tooltip."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from project.text_format import escape_unprintable
from widgets import theme
from widgets.labels import MIN_CONTRAST, SIGN_PX, LabelLook, Pattern, contrast, label_ink, mix, paint_sign
from widgets.plots.plot_data import AxisTicks

Stroke = tuple[float, float, float, float]
"""x and y of both ends."""


def strokes(pattern: Pattern, x: float, y: float, width: float, height: float, gap: float = 6) -> list[Stroke]:
    """Return the lines of a pattern, cut at the edges of a rectangle; a dot is a line without length.

    Lines lie on a lattice of the whole plot, so that rectangles side by side go together.
    """
    if width <= 0 or height <= 0 or pattern is Pattern.SOLID:
        return []
    right, bottom = x + width, y + height
    found: list[Stroke] = []
    if pattern in (Pattern.BARS, Pattern.GRID):
        found += [(x, at, right, at) for at in _lattice(y, bottom, gap)]
    if pattern in (Pattern.POSTS, Pattern.GRID):
        found += [(at, y, at, bottom) for at in _lattice(x, right, gap)]
    if pattern is Pattern.DOTS:
        found += [(at, row, at, row) for row in _lattice(y, bottom, gap) for at in _lattice(x, right, gap)]
    if pattern is Pattern.HATCH:
        for total in _lattice(x + y, right + bottom, gap * 1.4):
            left, stop = max(x, total - bottom), min(right, total - y)
            found.append((left, total - left, stop, total - stop))
    if pattern is Pattern.BACK_HATCH:
        for offset in _lattice(x - bottom, right - y, gap * 1.4):
            left, stop = max(x, offset + y), min(right, offset + bottom)
            found.append((left, left - offset, stop, stop - offset))
    return found


def _lattice(first: float, last: float, gap: float) -> Iterator[float]:
    at = (first // gap + 1) * gap
    while at < last:
        yield at
        at += gap


TITLE, TEXT, SMALL = 15, 13, 12
"""Sizes of type, in pixels."""
_Flag = Qt.AlignmentFlag
LEFT, RIGHT, MIDDLE = _Flag.AlignLeft, _Flag.AlignRight, _Flag.AlignHCenter


@dataclass(frozen=True, slots=True)
class PlotHotspot:
    """A part of a plot and what it says."""

    area: QRectF
    text: str


@cache
def export_palette() -> theme.Palette:
    """Return the colours of what is saved: the light theme on white."""
    white = QColor("white")
    return replace(theme.load("light"), field=white, lane=white)


@cache
def plot_font(pixels: int, semibold: bool = False) -> QFont:
    """Return the typeface at a size in pixels, which is the same on every device."""
    font = theme.font(semibold=semibold)
    font.setPixelSize(pixels)
    return font


def text_width(text: str, pixels: int = SMALL, semibold: bool = False) -> float:
    """Return how wide a line is, in pixels."""
    return QFontMetricsF(plot_font(pixels, semibold)).horizontalAdvance(text)


class PlotCanvas:
    """Draws with one painter in the colours given, and remembers the spots."""

    def __init__(self, painter: QPainter, colours: theme.Palette) -> None:
        self.painter = painter
        self.colours = colours
        self.spots: list[PlotHotspot] = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def ink(self, look: LabelLook | None) -> QColor:
        """Return the colour of a series."""
        return self.colours.accent if look is None else label_ink(look, self.colours)

    def text(
        self,
        area: QRectF,
        text: str,
        align: Qt.AlignmentFlag = LEFT,
        pixels: int = SMALL,
        colour: QColor | None = None,
        semibold: bool = False,
    ) -> None:
        """Write one line, in the middle of the area's height, shortened where it does not fit."""
        # What cannot be printed makes an SVG that no program reads.
        text = escape_unprintable(text)
        font = plot_font(pixels, semibold)
        metrics = QFontMetricsF(font)
        short = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width() + 1)
        width = metrics.horizontalAdvance(short)
        x = {LEFT: area.left(), RIGHT: area.right() - width, MIDDLE: area.center().x() - width / 2}[align]
        y = area.center().y() + (metrics.ascent() - metrics.descent()) / 2
        self.painter.setFont(font)
        self.painter.setPen(colour or self.colours.text)
        self.painter.drawText(QPointF(x, y), short)

    def line(self, x1: float, y1: float, x2: float, y2: float, colour: QColor, width: float = 1) -> None:
        """Draw a line."""
        self.painter.setPen(QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap))
        self.painter.drawLine(QPointF(x1, y1), QPointF(x2, y2))

    def box(self, area: QRectF, look: LabelLook | None, says: str = "") -> None:
        """Fill a rectangle with a label's colour and pattern."""
        ink = self.ink(look)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(mix(ink, self.colours.field, 0.72 if look is None else 0.5))
        self.painter.drawRect(area)
        if look is not None:
            self.painter.setPen(QPen(ink, 1.6, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
            for x1, y1, x2, y2 in strokes(look.pattern, area.x(), area.y(), area.width(), area.height()):
                self.painter.drawLine(QPointF(x1, y1), QPointF(x2, y2 + (0.01 if x1 == x2 and y1 == y2 else 0)))
            self.painter.setBrush(Qt.BrushStyle.NoBrush)
            self.painter.setPen(QPen(ink, 1))
            self.painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))
        if says:
            self.spots.append(PlotHotspot(area, says))

    def tile(self, area: QRectF, share: float, text: str, says: str) -> None:
        """Draw a cell of a heat map, darker with its share (0 to 1), and its number."""
        ground = mix(self.colours.accent, self.colours.field, 0.05 + 0.8 * share)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(ground)
        self.painter.drawRect(area)
        # Between the two of the theme there are blues on which neither is read well; black or white always is.
        inks = (self.colours.text, self.colours.field, QColor("black"), QColor("white"))
        self.text(area, text, MIDDLE, TEXT, next(ink for ink in inks if contrast(ink, ground) >= MIN_CONTRAST))
        self.spots.append(PlotHotspot(area, says))

    def whisker(self, low: float, high: float, at: float, *, upright: bool = False) -> None:
        """Draw an interval with caps, on a halo so that it is seen over a bar."""
        for colour, width in ((self.colours.field, 4.0), (self.colours.text, 1.5)):
            for x1, y1, x2, y2 in ((low, at, high, at), (low, at - 4, low, at + 4), (high, at - 4, high, at + 4)):
                if upright:
                    x1, y1, x2, y2 = y1, x1, y2, x2
                self.line(x1, y1, x2, y2, colour, width)

    def diamond(self, x: float, y: float, side: float = 5.5) -> None:
        """Draw a mark for a reference value."""
        corners = [QPointF(x, y - side), QPointF(x + side, y), QPointF(x, y + side), QPointF(x - side, y)]
        self.painter.setPen(QPen(self.colours.text, 1.5))
        self.painter.setBrush(self.colours.field)
        self.painter.drawPolygon(corners)

    def sign(self, look: LabelLook | None, x: float, y: float) -> None:
        """Draw a label's sign around a point."""
        if look is not None:
            paint_sign(self.painter, look.sign, QPointF(x - SIGN_PX / 2, y - SIGN_PX / 2), self.ink(look))


MARGIN = 16
HEAD_HEIGHT = 48
"""Height of the title and the note."""
ROW_HEIGHT = 20
AXIS_HEIGHT = 44
"""Height of an axis with its texts and its title."""
_BUTTONS_WIDTH = 68
"""What the buttons of a plot on the screen take of its first line; kept free in files, too, so that both look alike."""
Entry = tuple[str, LabelLook | None]


def draw_head(canvas: PlotCanvas, title: str, note: str, width: float) -> None:
    """Write the title and the note."""
    inner = width - 2 * MARGIN
    head = QRectF(MARGIN, MARGIN - 4, inner - _BUTTONS_WIDTH, 22)
    canvas.text(head, title, pixels=TITLE, semibold=True)
    if text_width(title, TITLE, semibold=True) > head.width():
        canvas.spots.append(PlotHotspot(head, title))
    canvas.text(QRectF(MARGIN, MARGIN + 18, inner, 18), note, colour=canvas.colours.muted)


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


def draw_legend(canvas: PlotCanvas, entries: Sequence[Entry], width: float, top: float) -> float:
    """Draw a swatch, a sign and a name for each; returns where it ends."""
    for row in legend_rows(entries, width):
        x = float(MARGIN)
        for name, look in row:
            canvas.box(QRectF(x, top + 4, 22, 12), look)
            canvas.sign(look, x + 31, top + 10)
            canvas.text(QRectF(x + 42, top, text_width(name) + 4, ROW_HEIGHT), name)
            x += 56 + text_width(name)
        top += ROW_HEIGHT
    return top


def draw_x_axis(canvas: PlotCanvas, ticks: AxisTicks, area: QRectF, title: str) -> None:
    """Draw an axis under an area, with a line up at each tick."""
    for value, text in zip(ticks.values, ticks.texts, strict=True):
        x = ticks.position(value, area.left(), area.right())
        strong = value == 0
        canvas.line(x, area.top(), x, area.bottom() + 4, canvas.colours.outline if strong else canvas.colours.border)
        canvas.text(QRectF(x - 40, area.bottom() + 5, 80, 16), text, MIDDLE, SMALL, canvas.colours.muted)
    wide = QRectF(MARGIN, area.bottom() + 22, area.right() - MARGIN, 18)
    need = text_width(title)
    left = max(wide.left(), area.center().x() - need / 2)
    canvas.text(QRectF(left, wide.top(), wide.right() - left, 18), title)


def draw_y_axis(canvas: PlotCanvas, ticks: AxisTicks, area: QRectF) -> None:
    """Draw an axis at the left of an area, with a line across at each tick."""
    for value, text in zip(ticks.values, ticks.texts, strict=True):
        y = ticks.position(value, area.bottom(), area.top())
        strong = value == 0
        canvas.line(area.left(), y, area.right(), y, canvas.colours.outline if strong else canvas.colours.border)
        canvas.text(QRectF(area.left() - 66, y - 8, 60, 16), text, RIGHT, SMALL, canvas.colours.muted)
