"""Paints nodes: the outline of each kind, its text, time and participants.

Colours and pictures are cached for each theme.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap, QPolygonF

from project.entities.causal_chains import ChainNode, NodeKind
from project.text_format import escape_unprintable
from project.timebase import format_time
from widgets import theme
from widgets.graph.graph_layout import HEIGHT, WIDTH, Box, row_person
from widgets.graph.graph_model import ARROW_SIZE, NO_TEXT, ArrowDirection, GraphModel
from widgets.labels import KIND_LOOKS, label_ink, mix, participant_ink
from widgets.theme import Palette

_SLANT = 14.0
"""How far a corner is drawn in, in pixels at a node's full size."""
_INSETS: dict[NodeKind, tuple[float, float]] = {
    NodeKind.EVENT: (10, 10),
    NodeKind.BELIEF: (18, 16),
    NodeKind.INTENT: (10, 20),
    NodeKind.DESIRE: (20, 20),
    NodeKind.EMOTION: (22, 22),
}


def node_outline(kind: NodeKind, area: QRectF, slant: float = _SLANT) -> QPainterPath:
    """Return a rectangle for an event; a slanted one, an arrow, a hexagon and a pill for the states of a mind.

    Args:
        kind: belief, intent, desire and emotion in that order.
        area: what it fills.
        slant: how far its corners are drawn in.
    """
    path = QPainterPath()
    left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
    middle = area.center().y()
    if kind is NodeKind.EVENT:
        path.addRoundedRect(area, 2, 2)
    elif kind is NodeKind.EMOTION:
        path.addRoundedRect(area, area.height() / 2, area.height() / 2)
    else:
        corners = {
            NodeKind.BELIEF: ((left + slant, top), (right, top), (right - slant, bottom), (left, bottom)),
            NodeKind.INTENT: (
                (left, top),
                (right - slant, top),
                (right, middle),
                (right - slant, bottom),
                (left, bottom),
            ),
            NodeKind.DESIRE: (
                (left + slant, top),
                (right - slant, top),
                (right, middle),
                (right - slant, bottom),
                (left + slant, bottom),
                (left, middle),
            ),
        }[kind]
        path.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
        path.closeSubpath()
    return path


def text_margins(kind: NodeKind) -> tuple[float, float]:
    """Return the pixels that text keeps from the left and the right edge of a node."""
    return _INSETS[kind]


PIXMAP_MARGIN = 3
"""Pixels around a picture of a node, for its outline."""


class NodeHighlight(StrEnum):
    """How a node is drawn."""

    PLAIN = "plain"
    MEMBER = "member"
    SELECTED = "selected"
    TARGET = "target"
    REFUSED = "refused"


_FILLS = {
    NodeHighlight.PLAIN: 0.16,
    NodeHighlight.MEMBER: 0.28,
    NodeHighlight.SELECTED: 0.34,
    NodeHighlight.TARGET: 0.34,
    NodeHighlight.REFUSED: 0.1,
}
_RIMS = {NodeHighlight.SELECTED: "accent", NodeHighlight.TARGET: "competence", NodeHighlight.REFUSED: "error"}


@dataclass(frozen=True, slots=True)
class ChainColours:
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

    def kind_colour(self, kind: NodeKind) -> QColor:
        """Return the colour of a kind."""
        return label_ink(KIND_LOOKS[kind], self.colours)


def chain_colours(colours: Palette) -> ChainColours:
    """Return the colours of the graph in a theme."""
    hull = QColor(colours.accent)
    hull.setAlphaF(0.13)
    return ChainColours(colours, mix(colours.text, colours.field, 0.5), colours.accent, colours.uncertain, hull)


def graph_font(pixels: int, *, semibold: bool = False) -> QFont:
    """Return the typeface so that it scales with the graph."""
    result = theme.font(semibold=semibold)
    result.setPixelSize(pixels)
    result.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return result


def paint_shape(painter: QPainter, kind: NodeKind, state: NodeHighlight, look: ChainColours, zoom: float = 1.0) -> None:
    """Draw the outline of a node with its upper left corner at the origin."""
    ink = look.kind_colour(kind)
    rim = getattr(look.colours, _RIMS[state]) if state in _RIMS else ink
    width = (2.6 if state in _RIMS else 1.4) * min(1.0, max(zoom, 0.6))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(rim, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap, Qt.PenJoinStyle.RoundJoin))
    painter.setBrush(mix(ink, look.colours.field, _FILLS[state] + (0.25 if zoom < 0.4 else 0)))
    painter.drawPath(node_outline(kind, QRectF(0, 0, WIDTH * zoom, HEIGHT * zoom), 14 * zoom))


def paint_arrowhead(painter: QPainter, way: ArrowDirection, ink: QColor, zoom: float = 1.0) -> None:
    """Draw an arrowhead with its tip at the origin."""
    long, wide = ARROW_SIZE * zoom, ARROW_SIZE * 0.45 * zoom
    corners = {
        ArrowDirection.RIGHT: ((0, 0), (-long, -wide), (-long, wide)),
        ArrowDirection.DOWN: ((0, 0), (-wide, -long), (wide, -long)),
        ArrowDirection.UP: ((0, 0), (-wide, long), (wide, long)),
    }[way]
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))


@lru_cache(maxsize=256)
def shape_pixmap(kind: NodeKind, state: NodeHighlight, shade: theme.Shade, zoom: float, scale: float) -> QPixmap:
    """Return the outline of a node, with `PIXMAP_MARGIN` logical pixels around it."""
    made = _blank_pixmap(WIDTH * zoom + 2 * PIXMAP_MARGIN, HEIGHT * zoom + 2 * PIXMAP_MARGIN, scale)
    painter = QPainter(made)
    painter.translate(PIXMAP_MARGIN, PIXMAP_MARGIN)
    paint_shape(painter, kind, state, chain_colours(theme.load(shade)), zoom)
    painter.end()
    return made


@lru_cache(maxsize=128)
def arrowhead_pixmap(way: ArrowDirection, ink: int, zoom: float, scale: float) -> QPixmap:
    """Return an arrowhead in an ARGB colour; its tip is in the middle."""
    side = 2 * (ARROW_SIZE * zoom + 1)
    made = _blank_pixmap(side, side, scale)
    painter = QPainter(made)
    painter.translate(side / 2, side / 2)
    paint_arrowhead(painter, way, QColor.fromRgba(ink), zoom)
    painter.end()
    return made


def _blank_pixmap(width: float, height: float, scale: float) -> QPixmap:
    made = QPixmap(max(1, round(width * scale)), max(1, round(height * scale)))
    made.setDevicePixelRatio(scale)
    made.fill(Qt.GlobalColor.transparent)
    return made


_TEXT_PX, _SMALL_TEXT_PX = 12, 10
_LINE_HEIGHT = 15.0
_MIN_TEXT_PX, _MIN_LINE_HEIGHT = 11, 13.5
"""Pixels on the screen below which no text is made, and the height of a line of it."""
_MARK_RADIUS = 6.5
_DOT_RADIUS = 3.0
_MAX_MARKS = 3


def paint_texts(
    painter: QPainter, placed: Sequence[tuple[ChainNode, Box]], model: GraphModel, look: ChainColours
) -> None:
    """Write into nodes whose boxes are where the painter says; each typeface is set once, because that takes long."""
    zoom = painter.worldTransform().m11()
    if zoom * _TEXT_PX < _MIN_TEXT_PX:
        _paint_small(painter, placed, model, look, zoom)
        return
    colours = look.colours
    painter.setFont(cached_font(_TEXT_PX))
    painter.setPen(colours.text)
    for node, box in placed:
        left, _ = text_margins(node.kind)
        lines = wrap_text(node.text, WIDTH - sum(text_margins(node.kind)))
        top = box.y + (16 if len(lines) > 1 else 23)
        for place, line in enumerate(lines):
            painter.drawText(QPointF(box.x + left, top + place * _LINE_HEIGHT), line)
    painter.setFont(cached_font(_SMALL_TEXT_PX))
    painter.setPen(colours.muted)
    for node, box in placed:
        left, _ = text_margins(node.kind)
        painter.drawText(
            QPointF(box.x + left, box.y + HEIGHT - 7), f"{KIND_LOOKS[node.kind].name} {short_time(node.start_us)}"
        )
        if not node.text:
            painter.drawText(QPointF(box.x + left, box.y + 21), NO_TEXT)
    for node, box in placed:
        if len(node.people) > 1:
            _paint_marks(painter, node, model, look, box)


def _paint_small(
    painter: QPainter, placed: Sequence[tuple[ChainNode, Box]], model: GraphModel, look: ChainColours, zoom: float
) -> None:
    """Write in the size of the screen into nodes that are smaller."""
    painter.save()
    painter.scale(1 / zoom, 1 / zoom)
    painter.setFont(cached_font(_MIN_TEXT_PX))
    height = HEIGHT * zoom
    most = max(1, int((height - 6) / _MIN_LINE_HEIGHT))
    for node, box in placed:
        left, right = text_margins(node.kind)
        lines = wrap_text(node.text, round((WIDTH - left - right) * zoom), _MIN_TEXT_PX, most) or (NO_TEXT,)
        painter.setPen(look.colours.text if node.text else look.colours.muted)
        top = box.y * zoom + (height - len(lines) * _MIN_LINE_HEIGHT) / 2 + _MIN_TEXT_PX - 0.5
        for place, line in enumerate(lines):
            painter.drawText(QPointF((box.x + left) * zoom, top + place * _MIN_LINE_HEIGHT), line)
    painter.setPen(Qt.PenStyle.NoPen)
    for node, box in placed:
        for place, who in enumerate(_other_people(node, model)[:_MAX_MARKS]):
            painter.setBrush(participant_ink(model.people[who].colour if who in model.people else None, look.colours))
            right = (box.right - text_margins(node.kind)[1]) * zoom - place * (2 * _DOT_RADIUS + 2)
            painter.drawEllipse(QPointF(right, box.y * zoom + height - _DOT_RADIUS - 2), _DOT_RADIUS, _DOT_RADIUS)
    painter.restore()


def short_time(time_us: int) -> str:
    """Return a time as short as a node has room for: minutes, seconds and tenths."""
    whole = format_time(time_us)[:-2]
    return whole.removeprefix("0:")


@lru_cache(maxsize=8)
def _cached_metrics(pixels: int) -> QFontMetricsF:
    return QFontMetricsF(graph_font(pixels))


@lru_cache(maxsize=8)
def cached_font(pixels: int) -> QFont:
    """Return the typeface of a size."""
    return graph_font(pixels)


@lru_cache(maxsize=4096)
def wrap_text(text: str, width: float, pixels: int = _TEXT_PX, most: int = 2) -> tuple[str, ...]:
    """Return a text on a few lines of a width in pixels, the last one cut short with dots."""
    words, metrics = escape_unprintable(" ".join(text.split())).split(" "), _cached_metrics(pixels)
    if words == [""]:
        return ()
    lines: list[str] = []
    while words and len(lines) < most - 1 and metrics.horizontalAdvance(words[0]) <= width:
        line = words.pop(0)
        while words and metrics.horizontalAdvance(f"{line} {words[0]}") <= width:
            line = f"{line} {words.pop(0)}"
        lines.append(line)
    if words:
        lines.append(metrics.elidedText(" ".join(words), Qt.TextElideMode.ElideRight, width))
    return tuple(lines)


def _other_people(node: ChainNode, model: GraphModel) -> list[str]:
    """Return its people but the one whose row it stands in."""
    return [person for person in node.people if person != row_person(node, [*model.people])]


def _paint_marks(painter: QPainter, node: ChainNode, model: GraphModel, look: ChainColours, box: Box) -> None:
    """Draw a dot with an initial for each of its people but the one whose row it stands in."""
    right = box.right - text_margins(node.kind)[1]
    others = _other_people(node, model)
    shown_marks = [model.people[person].name[:1].upper() if person in model.people else "?" for person in others]
    inks = [model.people[person].colour if person in model.people else None for person in others]
    if len(others) > _MAX_MARKS:
        rest = len(others) - _MAX_MARKS + 1
        shown_marks, inks = [*shown_marks[: _MAX_MARKS - 1], f"+{rest}"], [*inks[: _MAX_MARKS - 1], None]
    for place, (text, colour) in enumerate(zip(reversed(shown_marks), reversed(inks), strict=True)):
        middle = QPointF(right - _MARK_RADIUS - place * (2 * _MARK_RADIUS + 2), box.y + HEIGHT - 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(participant_ink(colour, look.colours))
        painter.drawEllipse(middle, _MARK_RADIUS, _MARK_RADIUS)
        painter.setPen(look.colours.field)
        painter.setFont(cached_font(9))
        area = QRectF(middle.x() - _MARK_RADIUS, middle.y() - _MARK_RADIUS, 2 * _MARK_RADIUS, 2 * _MARK_RADIUS)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
