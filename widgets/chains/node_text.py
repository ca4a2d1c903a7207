"""What is written inside a node: its text on two lines, its kind and its time, and marks of further people."""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from project.chains import Node, NodeKind
from project.names import shown
from project.timebase import format_time
from widgets.chains.describe import NO_TEXT
from widgets.chains.ink import Inks, font
from widgets.chains.layout import HEIGHT, WIDTH, Box, row_of
from widgets.chains.looks import KINDS
from widgets.chains.model import GraphModel
from widgets.chains.shapes import margins
from widgets.participant_looks import participant_ink

_TEXT, _SMALL = 12, 10
_LINE = 15.0
_MARK = 6.5
_MOST_MARKS = 3


def paint_texts(painter: QPainter, placed: Sequence[tuple[Node, Box]], model: GraphModel, look: Inks) -> None:
    """Write into nodes whose boxes are where the painter says; each typeface is set once, because that takes long."""
    colours = look.colours
    painter.setFont(font_of(_TEXT))
    painter.setPen(colours.text)
    for node, box in placed:
        left, _ = margins(node.kind)
        lines = wrapped(node.text, node.kind)
        top = box.y + (16 if len(lines) > 1 else 23)
        for place, line in enumerate(lines):
            painter.drawText(QPointF(box.x + left, top + place * _LINE), line)
    painter.setFont(font_of(_SMALL))
    painter.setPen(colours.muted)
    for node, box in placed:
        left, _ = margins(node.kind)
        painter.drawText(QPointF(box.x + left, box.y + HEIGHT - 7), f"{KINDS[node.kind].name} {clock(node.start_us)}")
        if not node.text:
            painter.drawText(QPointF(box.x + left, box.y + 21), NO_TEXT)
    for node, box in placed:
        if len(node.people) > 1:
            _marks(painter, node, model, look, box)


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
def wrapped(text: str, kind: NodeKind) -> tuple[str, ...]:
    """Return a text on at most two lines as it fits into a node, the second one cut short with dots."""
    width = WIDTH - sum(margins(kind))
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


def _marks(painter: QPainter, node: Node, model: GraphModel, look: Inks, box: Box) -> None:
    """Draw a dot with an initial for each of its people but the one whose row it stands in."""
    right = box.right - margins(node.kind)[1]
    others = [one for one in node.people if one != row_of(node, [*model.people])]
    shown_marks = [model.people[one].name[:1].upper() if one in model.people else "?" for one in others]
    inks = [model.people[one].colour if one in model.people else None for one in others]
    if len(others) > _MOST_MARKS:
        rest = len(others) - _MOST_MARKS + 1
        shown_marks, inks = [*shown_marks[: _MOST_MARKS - 1], f"+{rest}"], [*inks[: _MOST_MARKS - 1], None]
    for place, (text, colour) in enumerate(zip(reversed(shown_marks), reversed(inks), strict=True)):
        middle = QPointF(right - _MARK - place * (2 * _MARK + 2), box.y + HEIGHT - 11)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(participant_ink(colour, look.colours))
        painter.drawEllipse(middle, _MARK, _MARK)
        painter.setPen(look.colours.field)
        painter.setFont(font_of(9))
        area = QRectF(middle.x() - _MARK, middle.y() - _MARK, 2 * _MARK, 2 * _MARK)
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, text)
