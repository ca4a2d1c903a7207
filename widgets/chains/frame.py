"""What stands around a graph: the names of its rows at the left and its times at the top."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from project.names import shown
from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.chains.axis import TimeAxis
from widgets.chains.layout import NOBODY, Layout, Row
from widgets.chains.looks import Person
from widgets.chains.model import GraphModel
from widgets.chains.painting import Sight
from widgets.label_paint import mix
from widgets.participant_looks import participant_ink
from widgets.theme import Palette

HEADER, RULER = 112, 24
"""Width of the names and height of the times, in pixels; the same at every zoom."""
_STEPS = (100_000, 200_000, 500_000, *(n * 1_000_000 for n in (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600)))
_APART = 84.0
_UNKNOWN = Person(tr("Somebody unknown"))


def paint_frame(painter: QPainter, model: GraphModel, sight: Sight, colours: Palette) -> None:
    """Draw both over the graph."""
    assert model.picture is not None
    layout = model.picture.layout
    _names(painter, layout, model, sight, colours)
    painter.fillRect(QRectF(0, 0, sight.width, RULER), colours.panel)
    painter.save()
    painter.setClipRect(QRectF(HEADER, 0, sight.width - HEADER, RULER))
    _times(painter, layout.axis, sight, colours)
    painter.restore()
    painter.fillRect(QRectF(0, RULER - 1, sight.width, 1), colours.border)
    painter.fillRect(QRectF(HEADER - 1, 0, 1, sight.height), colours.border)


def _names(painter: QPainter, layout: Layout, model: GraphModel, sight: Sight, colours: Palette) -> None:
    painter.save()
    painter.setClipRect(QRectF(0, RULER, HEADER, sight.height - RULER))
    painter.fillRect(QRectF(0, RULER, HEADER, sight.height - RULER), colours.panel)
    for row in layout.rows:
        top, bottom = sight.to_view(0, row.top)[1], sight.to_view(0, row.top + row.height)[1]
        painter.fillRect(QRectF(0, bottom - 1, HEADER, 1), colours.border)
        seen_top, seen_bottom = max(top, RULER), min(bottom, sight.height)
        if seen_bottom - seen_top >= 10:
            _name(painter, row, model, (seen_top + seen_bottom) / 2, colours)
    painter.restore()


def _name(painter: QPainter, row: Row, model: GraphModel, middle: float, colours: Palette) -> None:
    x = 10.0
    if row.person != NOBODY:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(participant_ink(model.people.get(row.person, _UNKNOWN).colour, colours))
        painter.drawEllipse(QPointF(x + 5, middle), 5, 5)
        x += 17
    painter.setFont(theme.font(9))
    painter.setPen(colours.muted if row.person == NOBODY else colours.text)
    room = QRectF(x, middle - 9, HEADER - x - 6, 18)
    text = painter.fontMetrics().elidedText(row_name(row, model), Qt.TextElideMode.ElideRight, int(room.width()))
    painter.drawText(room, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)


def row_name(row: Row, model: GraphModel) -> str:
    """Return what a row is called."""
    return tr("Nobody") if row.person == NOBODY else shown(model.people.get(row.person, _UNKNOWN).name)


def _times(painter: QPainter, axis: TimeAxis, sight: Sight, colours: Palette) -> None:
    painter.setFont(theme.font(8))
    last = -_APART
    for time, waited in ticks(axis, sight):
        x = sight.to_view(axis.x(time), 0)[0]
        if waited and x - last < _APART * 0.9:
            continue
        if waited:
            painter.setPen(QPen(mix(colours.uncertain, colours.panel, 0.8), 1.2))
            painter.drawPolyline([QPointF(x + dx, 12 + dy) for dx, dy in ((-4, -6), (0, -2), (-4, 2), (0, 6))])
        elif x - last >= _APART:
            painter.setPen(colours.outline)
            painter.drawLine(QPointF(x, RULER - 7), QPointF(x, RULER - 1))
            painter.setPen(colours.muted)
            painter.drawText(QPointF(x + 3, RULER - 9), _written(time))
            last = x


def _written(time_us: int) -> str:
    return format_time(time_us)[: -2 if time_us % 1_000_000 else -4]


def ticks(axis: TimeAxis, sight: Sight) -> list[tuple[int, bool]]:
    """Return the times to mark in sight, rising; True where time is shortened there, in the middle of the wait.

    None lies before the recording.
    """
    left, _, right, _ = sight.area
    left += HEADER / sight.zoom
    step = next((one for one in _STEPS if one * axis.scale * sight.zoom >= _APART), _STEPS[-1])
    first, last = max(0, axis.us(left)), axis.us(right)
    found: list[tuple[int, bool]] = []
    pieces = [(first, axis.times[0], False), *axis.stretches(), (axis.times[-1], last, False)]
    for start, end, shortened in pieces:
        if end <= first or start >= last:
            continue
        if shortened and (axis.x(end) - axis.x(start)) * sight.zoom > 24:
            found += [((start + end) // 2, True), (end, False)]
        elif not shortened:
            begin = -(-max(start, first) // step) * step
            found += [(time, False) for time in range(begin, min(end, last), step)]
    return found
