"""Pens, type and fills for drawing plots, and where the parts lie that say something under the mouse."""

from dataclasses import dataclass, replace
from functools import cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from project.names import shown
from widgets import theme
from widgets.label_looks import READABLE, LabelLook, contrast, label_ink
from widgets.label_paint import SIGN, mix, paint_sign
from widgets.plots.strokes import strokes

TITLE, TEXT, SMALL = 15, 13, 12
"""Sizes of type, in pixels."""
_Flag = Qt.AlignmentFlag
LEFT, RIGHT, MIDDLE = _Flag.AlignLeft, _Flag.AlignRight, _Flag.AlignHCenter


@dataclass(frozen=True, slots=True)
class Spot:
    """A part of a plot and what it says."""

    area: QRectF
    text: str


@cache
def paper() -> theme.Palette:
    """Return the colours of what is saved: the light theme on white."""
    white = QColor("white")
    return replace(theme.load("light"), field=white, lane=white)


@cache
def type_of(pixels: int, semibold: bool = False) -> QFont:
    """Return the typeface at a size in pixels, which is the same on every device."""
    font = theme.font(semibold=semibold)
    font.setPixelSize(pixels)
    return font


def text_width(text: str, pixels: int = SMALL, semibold: bool = False) -> float:
    """Return how wide a line is, in pixels."""
    return QFontMetricsF(type_of(pixels, semibold)).horizontalAdvance(text)


class Canvas:
    """Draws with one painter in the colours given, and remembers the spots."""

    def __init__(self, painter: QPainter, colours: theme.Palette) -> None:
        self.painter = painter
        self.colours = colours
        self.spots: list[Spot] = []
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
        text = shown(text)
        font = type_of(pixels, semibold)
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
            self.spots.append(Spot(area, says))

    def tile(self, area: QRectF, share: float, text: str, says: str) -> None:
        """Draw a cell of a heat map, darker with its share (0 to 1), and its number."""
        ground = mix(self.colours.accent, self.colours.field, 0.05 + 0.8 * share)
        self.painter.setPen(Qt.PenStyle.NoPen)
        self.painter.setBrush(ground)
        self.painter.drawRect(area)
        # Between the two of the theme there are blues on which neither is read well; black or white always is.
        inks = (self.colours.text, self.colours.field, QColor("black"), QColor("white"))
        self.text(area, text, MIDDLE, TEXT, next(ink for ink in inks if contrast(ink, ground) >= READABLE))
        self.spots.append(Spot(area, says))

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
            paint_sign(self.painter, look.sign, QPointF(x - SIGN / 2, y - SIGN / 2), self.ink(look))
