"""The items of a review in the order of time: what each marked, what differs, and how far it is."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from project.timebase import format_time
from resources.translation import tr
from widgets import theme
from widgets.keyed_list import ROW, KeyedList, paint_ground
from widgets.label_looks import LabelLook, label_ink
from widgets.label_paint import SIGN, paint_sign
from widgets.review.shown import ItemRow, State

_HEIGHT = 40
_ICONS = {
    State.WAITS: ("circle-dashed", "accent"),
    State.WAITS_FOR_OTHER: ("loader", "muted"),
    State.AGREED: ("circle-check", "competence"),
    State.DISAGREED: ("circle-x", "error"),
    State.SETTLED: ("check", "competence"),
    State.DISPUTED: ("triangle-alert", "uncertain"),
    State.ALIKE: ("check", "muted"),
    State.THIRD: ("info", "muted"),
}
_Index = QModelIndex | QPersistentModelIndex


def _told(row: ItemRow) -> tuple[str, str]:
    labels = tr(" and ").join(look.name if look else "nothing" for look in row.looks)
    return f"{format_time(row.start_us)}, {labels}, {row.text}, {tr(row.state)}", f"{row.text}\n{tr(row.state)}"


class ItemList(KeyedList[ItemRow]):
    """Shows the items; one is current."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Items to review"), _told, _Delegate(), parent)


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
        for place, look in enumerate(row.looks):
            _sign(painter, look, QPointF(area.left() + 36 + 18 * place, area.center().y() - SIGN / 2), colours.disabled)
        text = area.adjusted(42 + 18 * len(row.looks), 4, -10, -4)
        quiet = colours.text if selected else colours.muted
        waits = row.state is State.WAITS
        painter.setFont(theme.font(semibold=waits))
        painter.setPen(quiet if row.state is State.ALIKE else colours.text)
        time = format_time(row.start_us)
        painter.drawText(text, Qt.AlignmentFlag.AlignTop, time)
        painter.setFont(theme.font(theme.POINTS - 1))
        painter.setPen(quiet)
        metrics = QFontMetrics(painter.font())
        wide = round(text.width())
        painter.drawText(
            text, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight, "" if waits else tr(row.state.value)
        )
        line = metrics.elidedText(row.text, Qt.TextElideMode.ElideRight, wide)
        painter.drawText(text, Qt.AlignmentFlag.AlignBottom, line)
        painter.restore()


def _sign(painter: QPainter, look: LabelLook | None, corner: QPointF, nothing: QColor) -> None:
    if look is not None:
        paint_sign(painter, look.sign, corner, label_ink(look, theme.palette()))
        return
    painter.setPen(QPen(nothing, 1.5))
    painter.drawLine(corner + QPointF(2, SIGN / 2), corner + QPointF(SIGN - 2, SIGN / 2))
