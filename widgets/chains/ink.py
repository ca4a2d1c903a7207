"""The graph's colours, made once for each theme, and pictures of nodes and arrowheads that are drawn often."""

from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPen, QPixmap, QPolygonF

from project.chains import NodeKind
from widgets import theme
from widgets.chains.edges import HEAD, Way
from widgets.chains.layout import HEIGHT, WIDTH
from widgets.chains.looks import KINDS
from widgets.chains.shapes import outline
from widgets.label_looks import label_ink
from widgets.label_paint import mix
from widgets.theme import Palette

MARGIN = 3
"""Pixels around a picture of a node, for its outline."""


class State(StrEnum):
    """How a node is drawn."""

    PLAIN = "plain"
    MEMBER = "member"
    SELECTED = "selected"
    TARGET = "target"
    REFUSED = "refused"


_FILLS = {State.PLAIN: 0.16, State.MEMBER: 0.28, State.SELECTED: 0.34, State.TARGET: 0.34, State.REFUSED: 0.1}
_RIMS = {State.SELECTED: "accent", State.TARGET: "competence", State.REFUSED: "error"}


@dataclass(frozen=True, slots=True)
class Inks:
    """Colours for one palette.

    Attributes:
        edge: of an edge.
        strong: of an edge of the selected subchain.
        late: of an edge whose reason starts after its result.
        hull: around the selected subchain, half transparent.
    """

    colours: Palette
    edge: QColor
    strong: QColor
    late: QColor
    hull: QColor

    def of(self, kind: NodeKind) -> QColor:
        """Return the colour of a kind."""
        return label_ink(KINDS[kind], self.colours)


def inks(colours: Palette) -> Inks:
    """Return the colours of the graph in a theme."""
    hull = QColor(colours.accent)
    hull.setAlphaF(0.13)
    return Inks(colours, mix(colours.text, colours.field, 0.5), colours.accent, colours.uncertain, hull)


def font(pixels: int, *, semibold: bool = False) -> QFont:
    """Return the typeface so that it scales with the graph."""
    result = theme.font(semibold=semibold)
    result.setPixelSize(pixels)
    result.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return result


def paint_shape(painter: QPainter, kind: NodeKind, state: State, look: Inks, zoom: float = 1.0) -> None:
    """Draw the outline of a node with its upper left corner at the origin."""
    ink = look.of(kind)
    rim = getattr(look.colours, _RIMS[state]) if state in _RIMS else ink
    width = (2.6 if state in _RIMS else 1.4) * min(1.0, max(zoom, 0.6))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(rim, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(mix(ink, look.colours.field, _FILLS[state] + (0.25 if zoom < 0.4 else 0)))
    painter.drawPath(outline(kind, QRectF(0, 0, WIDTH * zoom, HEIGHT * zoom), 14 * zoom))


def paint_head(painter: QPainter, way: Way, ink: QColor, zoom: float = 1.0) -> None:
    """Draw an arrowhead with its tip at the origin."""
    long, wide = HEAD * zoom, HEAD * 0.45 * zoom
    corners = {
        Way.RIGHT: ((0, 0), (-long, -wide), (-long, wide)),
        Way.DOWN: ((0, 0), (-wide, -long), (wide, -long)),
        Way.UP: ((0, 0), (-wide, long), (wide, long)),
    }[way]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))


@lru_cache(maxsize=256)
def shape_pixmap(kind: NodeKind, state: State, shade: theme.Shade, zoom: float, scale: float) -> QPixmap:
    """Return the outline of a node, with `MARGIN` logical pixels around it."""
    made = _blank(WIDTH * zoom + 2 * MARGIN, HEIGHT * zoom + 2 * MARGIN, scale)
    painter = QPainter(made)
    painter.translate(MARGIN, MARGIN)
    paint_shape(painter, kind, state, inks(theme.load(shade)), zoom)
    painter.end()
    return made


@lru_cache(maxsize=128)
def head_pixmap(way: Way, ink: int, zoom: float, scale: float) -> QPixmap:
    """Return an arrowhead in an ARGB colour; its tip is in the middle."""
    side = 2 * (HEAD * zoom + 1)
    made = _blank(side, side, scale)
    painter = QPainter(made)
    painter.translate(side / 2, side / 2)
    paint_head(painter, way, QColor.fromRgba(ink), zoom)
    painter.end()
    return made


def _blank(width: float, height: float, scale: float) -> QPixmap:
    made = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    made.setDevicePixelRatio(scale)
    made.fill(Qt.GlobalColor.transparent)
    return made
