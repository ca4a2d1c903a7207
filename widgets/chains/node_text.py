"""What is written inside a node: its text, its kind and its time, and marks of further people.

A graph that is made smaller takes its texts along only as far as they can be read: below that, the texts keep their
size and take the room of kind and time, which shape, colour and ruler tell as well.
"""

from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from project.chains import Node
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
_LEAST, _LEAST_LINE = 11, 13.5
"""Pixels on the screen below which no text is made, and the height of a line of it."""
_MARK = 6.5
_DOT = 3.0
_MOST_MARKS = 3


def paint_texts(painter: QPainter, placed: Sequence[tuple[Node, Box]], model: GraphModel, look: Inks) -> None:
    """Write into nodes whose boxes are where the painter says; each typeface is set once, because that takes long."""
    zoom = painter.worldTransform().m11()
    if zoom * _TEXT < _LEAST:
        _paint_small(painter, placed, model, look, zoom)
        return
    colours = look.colours
    painter.setFont(font_of(_TEXT))
    painter.setPen(colours.text)
    for node, box in placed:
        left, _ = margins(node.kind)
        lines = wrapped(node.text, WIDTH - sum(margins(node.kind)))
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


def _paint_small(
    painter: QPainter, placed: Sequence[tuple[Node, Box]], model: GraphModel, look: Inks, zoom: float
) -> None:
    """Write in the size of the screen into nodes that are smaller."""
    painter.save()
    painter.scale(1 / zoom, 1 / zoom)
    painter.setFont(font_of(_LEAST))
    height = HEIGHT * zoom
    most = max(1, int((height - 6) / _LEAST_LINE))
    for node, box in placed:
        left, right = margins(node.kind)
        lines = wrapped(node.text, round((WIDTH - left - right) * zoom), _LEAST, most) or (NO_TEXT,)
        painter.setPen(look.colours.text if node.text else look.colours.muted)
        top = box.y * zoom + (height - len(lines) * _LEAST_LINE) / 2 + _LEAST - 0.5
        for place, line in enumerate(lines):
            painter.drawText(QPointF((box.x + left) * zoom, top + place * _LEAST_LINE), line)
    painter.setPen(Qt.PenStyle.NoPen)
    for node, box in placed:
        for place, who in enumerate(_others(node, model)[:_MOST_MARKS]):
            painter.setBrush(participant_ink(model.people[who].colour if who in model.people else None, look.colours))
            right = (box.right - margins(node.kind)[1]) * zoom - place * (2 * _DOT + 2)
            painter.drawEllipse(QPointF(right, box.y * zoom + height - _DOT - 2), _DOT, _DOT)
    painter.restore()


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
def wrapped(text: str, width: float, pixels: int = _TEXT, most: int = 2) -> tuple[str, ...]:
    """Return a text on a few lines of a width in pixels, the last one cut short with dots."""
    words, metrics = shown(" ".join(text.split())).split(" "), _metrics(pixels)
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


def _others(node: Node, model: GraphModel) -> list[str]:
    """Return its people but the one whose row it stands in."""
    return [one for one in node.people if one != row_of(node, [*model.people])]


def _marks(painter: QPainter, node: Node, model: GraphModel, look: Inks, box: Box) -> None:
    """Draw a dot with an initial for each of its people but the one whose row it stands in."""
    right = box.right - margins(node.kind)[1]
    others = _others(node, model)
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
