"""What is written inside a node: its text on two lines, its kind and its time, and marks of further people."""

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from project.chains import Node
from project.names import shown
from project.timebase import format_time
from widgets.chains.describe import NO_TEXT
from widgets.chains.ink import Inks, font
from widgets.chains.layout import HEIGHT, WIDTH, row_of
from widgets.chains.looks import KINDS
from widgets.chains.model import GraphModel
from widgets.chains.shapes import inside
from widgets.participant_looks import participant_ink

_TEXT, _SMALL = 12, 10
_LINE = 15.0
_MARK = 6.5
_MOST_MARKS = 3


def paint_text(painter: QPainter, node: Node, model: GraphModel, look: Inks) -> None:
    """Write into a node whose upper left corner is the origin, at a zoom of 1."""
    room = inside(node.kind, QRectF(0, 0, WIDTH, HEIGHT))
    colours = look.colours
    lines = wrapped(node.text, room.width()) or (NO_TEXT,)
    painter.setFont(font_of(_TEXT))
    painter.setPen(colours.text if node.text.strip() else colours.muted)
    top = room.top() + (11 if len(lines) > 1 else 18)
    for place, line in enumerate(lines):
        painter.drawText(QPointF(room.left(), top + place * _LINE), line)
    painter.setFont(font_of(_SMALL))
    painter.setPen(colours.muted)
    painter.drawText(QPointF(room.left(), HEIGHT - 7), f"{KINDS[node.kind].name} {clock(node.start_us)}")
    if len(node.people) > 1:
        _marks(painter, node, model, look, room.right())


def clock(time_us: int) -> str:
    """Return a time as short as a node has room for: minutes, seconds and tenths."""
    whole = format_time(time_us)[:-2]
    return whole.removeprefix("0:")


@lru_cache(maxsize=8)
def _metrics(pixels: int) -> QFontMetricsF:
    return QFontMetricsF(font(pixels))


@lru_cache(maxsize=8)
def font_of(pixels: int) -> QFont:
    """Return the typeface of a size."""
    return font(pixels)


@lru_cache(maxsize=4096)
def wrapped(text: str, width: float) -> tuple[str, ...]:
    """Return a text on at most two lines, the second one cut short with dots."""
    words, metrics = shown(" ".join(text.split())).split(" "), _metrics(_TEXT)
    if words == [""]:
        return ()
    first = ""
    while words:
        longer = f"{first} {words[0]}".strip()
        if metrics.horizontalAdvance(longer) > width:
            break
        first = longer
        words.pop(0)
    short = Qt.TextElideMode.ElideRight
    if not first:
        return (metrics.elidedText(" ".join(words), short, width),)
    return (first, metrics.elidedText(" ".join(words), short, width)) if words else (first,)


def _marks(painter: QPainter, node: Node, model: GraphModel, look: Inks, right: float) -> None:
    """Draw a dot with an initial for each of its people but the one whose row it stands in."""
    others = [one for one in node.people if one != row_of(node, [*model.people])]
    shown_marks = [model.people[one].name[:1].upper() if one in model.people else "?" for one in others]
    inks = [model.people[one].colour if one in model.people else None for one in others]
    if len(others) > _MOST_MARKS:
        rest = len(others) - _MOST_MARKS + 1
        shown_marks, inks = [*shown_marks[: _MOST_MARKS - 1], f"+{rest}"], [*inks[: _MOST_MARKS - 1], None]
    for place, (text, colour) in enumerate(zip(reversed(shown_marks), reversed(inks), strict=True)):
        middle = QPointF(right - _MARK - place * (2 * _MARK + 2), HEIGHT - 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(participant_ink(colour, look.colours))
        painter.drawEllipse(middle, _MARK, _MARK)
        painter.setPen(look.colours.field)
        painter.setFont(font_of(9))
        area = QRectF(middle.x() - _MARK, middle.y() - _MARK, 2 * _MARK, 2 * _MARK)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
