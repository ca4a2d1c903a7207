"""Draws utterances with their words inside: a tinted bar in the speaker's colour, dashed while somebody should look."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from widgets.label_looks import LabelLook, label_ink
from widgets.timeline.layout import HEADER
from widgets.timeline.spoken import UNSURE, SpokenBar
from widgets.timeline.style import Style, mix

_ROUND = 3.0
_TEXT_FROM = 22.0
_TEXT_HEIGHT = 12
_FLAG = 7.0

Shown = tuple[QRectF, SpokenBar, LabelLook, bool]
"""Where an utterance is drawn, the look of its lane, and whether it is selected."""


def paint_spoken(painter: QPainter, found: Sequence[Shown], look: Style) -> None:
    """Draw utterances one by one."""
    lane, text = look.colours.lane, look.colours.text
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for rect, bar, label, selected in found:
        ink = label_ink(label, look.colours)
        unsure = bar.label == UNSURE
        painter.setBrush(mix(ink, lane, (0.1 if unsure else 0.3) + (0.12 if selected else 0)))
        painter.setPen(_outline(mix(ink, lane, 0.9), look.colours.accent, unsure, selected))
        inset = 1.0 if selected else 0.5
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), _ROUND, _ROUND)
        if bar.flag:
            _flag(painter, rect, look.colours.uncertain)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small)
    painter.setPen(text)
    metrics = painter.fontMetrics()
    for rect, bar, _, _ in found:
        left = max(rect.left(), float(HEADER)) + 5
        room = rect.right() - left - (_FLAG + 6 if bar.flag else 4)
        if room < _TEXT_FROM or rect.height() < _TEXT_HEIGHT or not bar.text:
            continue
        # What cannot be seen need not be measured: a character takes two pixels at least.
        words = metrics.elidedText(bar.text[: int(room / 2) + 1], Qt.TextElideMode.ElideRight, int(room))
        where = QRectF(left, rect.top(), room, rect.height())
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)


def _outline(ink: QColor, accent: QColor, unsure: bool, selected: bool) -> QPen:
    pen = QPen(accent, 2) if selected else QPen(ink, 1)
    if unsure:
        pen.setDashPattern([2, 1.5] if selected else [3, 2])
    return pen


def _flag(painter: QPainter, rect: QRectF, ink: QColor) -> None:
    """Draw a small pennant in the upper right corner."""
    right, top = rect.right() - 4, rect.top() + 3
    if rect.width() < _FLAG + 6:
        return
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(ink)
    painter.drawPolygon(
        QPolygonF([QPointF(right - _FLAG, top), QPointF(right, top + _FLAG / 2), QPointF(right - _FLAG, top + _FLAG)])
    )
    painter.drawRect(QRectF(right - _FLAG, top, 1.2, rect.height() - 6))
