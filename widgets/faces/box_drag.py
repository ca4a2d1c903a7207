"""What dragging with the mouse makes of a box: a new one, one moved, one with an edge or a corner elsewhere."""

from enum import Enum

from PySide6.QtCore import QPointF, QRectF

HANDLE = 9.0
"""Side of a handle on the screen."""
LEAST = 4.0
"""A box is at least this many pixels of the picture wide and high."""


class Grip(Enum):
    """Where a box is held: how its left, top, right and bottom edges follow the mouse."""

    TOP_LEFT = (1, 1, 0, 0)
    TOP = (0, 1, 0, 0)
    TOP_RIGHT = (0, 1, 1, 0)
    RIGHT = (0, 0, 1, 0)
    BOTTOM_RIGHT = (0, 0, 1, 1)
    BOTTOM = (0, 0, 0, 1)
    BOTTOM_LEFT = (1, 0, 0, 1)
    LEFT = (1, 0, 0, 0)
    INSIDE = (1, 1, 1, 1)


def handles(box: QRectF) -> dict[Grip, QPointF]:
    """Return where the handles of a box are."""
    middle = box.center()
    return {
        Grip.TOP_LEFT: box.topLeft(),
        Grip.TOP: QPointF(middle.x(), box.top()),
        Grip.TOP_RIGHT: box.topRight(),
        Grip.RIGHT: QPointF(box.right(), middle.y()),
        Grip.BOTTOM_RIGHT: box.bottomRight(),
        Grip.BOTTOM: QPointF(middle.x(), box.bottom()),
        Grip.BOTTOM_LEFT: box.bottomLeft(),
        Grip.LEFT: QPointF(box.left(), middle.y()),
    }


def grip_at(box: QRectF, point: QPointF) -> Grip | None:
    """Return what of a box lies under a point of the screen, a handle before the inside."""
    reach = HANDLE / 2 + 2
    for grip, where in handles(box).items():
        if abs(where.x() - point.x()) <= reach and abs(where.y() - point.y()) <= reach:
            return grip
    return Grip.INSIDE if box.contains(point) else None


def dragged(box: QRectF, grip: Grip, by: QPointF, least: float) -> QRectF:
    """Return a box after what is held moved; edges stop before they would pass one another."""
    left, top, right, bottom = grip.value
    x, y = by.x(), by.y()
    if grip is Grip.INSIDE:
        return box.translated(x, y)
    result = box.adjusted(left * x, top * y, right * x, bottom * y)
    if result.width() < least:
        edge = box.right() - least if left else box.left()
        result = QRectF(edge, result.top(), least, result.height())
    if result.height() < least:
        edge = box.bottom() - least if top else box.top()
        result = QRectF(result.left(), edge, result.width(), least)
    return result
