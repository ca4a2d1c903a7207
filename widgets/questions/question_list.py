"""The questions, one beside a mark of how far it is."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from resources.translation import tr
from widgets import theme
from widgets.keyed_list import ROW, KeyedList, paint_ground
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
    said = f"{row.kind}, {row.where}, {row.text}, {tr(row.state.value)}"
    return said, tr("{state} (made by {maker})").format(state=tr(row.state.value).capitalize(), maker=row.maker)


class QuestionList(KeyedList[QuestionRow]):
    """Shows the questions; one is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Questions"), _told, _Delegate(), parent)


class _Delegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(ROW)
        colours = theme.palette()
        area = QRectF(option.rect)
        painter.save()
        selected = paint_ground(painter, option, *_ICONS[row.state])
        text = area.adjusted(38, 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        top = Qt.AlignmentFlag.AlignTop
        painter.drawText(text, top, f"{row.kind}  ·  {row.where}")
        painter.drawText(text, top | Qt.AlignmentFlag.AlignRight, tr(row.state.value))
        painter.setFont(theme.font(semibold=row.state in (RowState.WAITS, RowState.AGAIN)))
        painter.setPen(colours.text)
        words = " ".join(row.text.split())
        line = QFontMetrics(painter.font()).elidedText(words, Qt.TextElideMode.ElideRight, round(text.width()))
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()
