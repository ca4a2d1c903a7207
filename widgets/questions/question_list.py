"""The questions, one beside a mark of how far it is."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from widgets import theme
from widgets.icons import paint_icon
from widgets.keyed_list import ROW, KeyedList
from widgets.questions.shown import QuestionRow, RowState

_HEIGHT = 40
_ICONS = {
    RowState.AGAIN: ("triangle-alert", "uncertain"),
    RowState.WAITS: ("circle-dashed", "accent"),
    RowState.DRAFT: ("pencil", "muted"),
    RowState.MINE: ("loader", "muted"),
    RowState.VERIFIED: ("circle-check", "competence"),
    RowState.DISPUTED: ("circle-alert", "uncertain"),
    RowState.DROPPED: ("circle-x", "error"),
    RowState.FILTERED: ("square-dashed-mouse-pointer", "muted"),
}
_Index = QModelIndex | QPersistentModelIndex


def _told(row: QuestionRow) -> tuple[str, str]:
    said = f"{row.kind}, {row.where}, {row.text}, {row.state.value}"
    return said, f"{row.state.value.capitalize()} (made by {row.maker})"


class QuestionList(KeyedList[QuestionRow]):
    """Shows the questions; one is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Questions", _told, _Delegate(), parent)


class _Delegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        colours = theme.palette()
        area, state = QRectF(option.rect), option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(colours.selection if selected else colours.hover)
            painter.drawRoundedRect(area.adjusted(3, 1, -3, -1), 4, 4)
        name, ink = _ICONS[row.state]
        paint_icon(painter, name, QRectF(area.left() + 10, area.center().y() - 8, 16, 16), getattr(colours, ink))
        text = area.adjusted(38, 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(text, top, f"{row.kind}  ·  {row.where}")
        painter.drawText(text, top | Qt.AlignmentFlag.AlignRight, row.state.value)
        painter.setFont(theme.font(semibold=row.state in (RowState.WAITS, RowState.AGAIN)))
        painter.setPen(colours.text)
        words = " ".join(row.text.split())
        line = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, round(text.width()))
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()
