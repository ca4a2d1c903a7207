"""Draws nodes of a chain with their sign and words inside: a tinted bar in the colour of the kind."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from widgets.label_looks import LabelLook, label_ink
from widgets.timeline.layout import HEADER
from widgets.timeline.nodes import NodeBar
from widgets.timeline.style import SIGN, Style, mix

_ROUND = 3.0
_SIGN_FROM = 18.0
_TEXT_FROM = 44.0

Shown = tuple[QRectF, NodeBar, LabelLook, bool]
"""Where a node is drawn, the look of its kind, and whether it is selected."""


def paint_nodes(painter: QPainter, found: Sequence[Shown], look: Style) -> None:
    """Draw nodes one by one; one with a problem has a line of the warning's colour under it."""
    lane, text = look.colours.lane, look.colours.text
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for rect, bar, label, selected in found:
        ink = label_ink(label, look.colours)
        painter.setBrush(mix(ink, lane, 0.5 if selected else 0.32))
        painter.setPen(QPen(look.colours.accent, 2) if selected else QPen(mix(ink, lane, 0.9), 1))
        inset = 1.0 if selected else 0.5
        painter.drawRoundedRect(rect.adjusted(inset, inset, -inset, -inset), _ROUND, _ROUND)
        if bar.flag:
            under = QRectF(rect.left() + 3, rect.bottom() - 3.5, max(2.0, rect.width() - 6), 2)
            painter.fillRect(under, look.colours.uncertain)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setFont(look.small)
    painter.setPen(text)
    metrics = painter.fontMetrics()
    for rect, bar, label, _ in found:
        left = max(rect.left(), float(HEADER)) + 4
        room = rect.right() - left - 4
        if room < _SIGN_FROM - 8 or rect.height() < SIGN:
            continue
        painter.drawPixmap(QPointF(left, rect.top() + (rect.height() - SIGN) / 2), look.look(label).sign)
        words = bar.text or label.name
        if room < _TEXT_FROM:
            continue
        where = QRectF(left + SIGN + 4, rect.top(), room - SIGN - 4, rect.height())
        # What cannot be seen need not be measured: a character takes two pixels at least.
        shown = metrics.elidedText(words[: int(room / 2) + 1], Qt.TextElideMode.ElideRight, int(where.width()))
        painter.drawText(where, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)
