"""The outline of each kind of node."""

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from project.chains import NodeKind

_SLANT = 14.0
"""How far a corner is drawn in, in pixels at a node's full size."""
_INSETS: dict[NodeKind, tuple[float, float]] = {
    NodeKind.EVENT: (10, 10),
    NodeKind.BELIEF: (18, 16),
    NodeKind.INTENT: (10, 20),
    NodeKind.DESIRE: (20, 20),
    NodeKind.EMOTION: (22, 22),
}


def outline(kind: NodeKind, area: QRectF, slant: float = _SLANT) -> QPainterPath:
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


def margins(kind: NodeKind) -> tuple[float, float]:
    """Return the pixels that text keeps from the left and the right edge of a node."""
    return _INSETS[kind]
