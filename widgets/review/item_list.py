"""The items of a review in the order of time: what each marked, what differs, and how far it is."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from project.timebase import format_time
from widgets import theme
from widgets.icons import paint_icon
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
_ROW = Qt.ItemDataRole.UserRole
_Index = QModelIndex | QPersistentModelIndex


class ItemModel(QAbstractListModel):
    """Holds the rows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[ItemRow, ...] = ()

    def set_rows(self, rows: Sequence[ItemRow]) -> None:
        """Show these rows; where the items are the same, only what changed is drawn again."""
        new = tuple(rows)
        if [row.key for row in new] == [row.key for row in self.rows]:
            self.rows = new
            if new:
                self.dataChanged.emit(self.index(0), self.index(len(new) - 1))
            return
        self.beginResetModel()
        self.rows = new
        self.endResetModel()

    def rowCount(self, parent: _Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == _ROW:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            labels = " and ".join(look.name if look else "nothing" for look in row.looks)
            return f"{format_time(row.start_us)}, {labels}, {row.text}, {row.state}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"{row.text}\n{row.state}"
        return None


class ItemList(QListView):
    """Shows the items; one is current.

    Signals:
        chosen (str): key of the item that became current by the user.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = ItemModel(self)
        self._quiet = False
        self.setModel(self._rows)
        self.setItemDelegate(_Delegate(self))
        self.setAccessibleName("Items to review")
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._changed)
        theme.notifier.changed.connect(self.viewport().update)

    def rows(self) -> tuple[ItemRow, ...]:
        """Return what is listed."""
        return self._rows.rows

    def set_rows(self, rows: Sequence[ItemRow], current: str = "") -> None:
        """List these items, without a signal; `current` is a key, or "" for none."""
        self._quiet = True
        self._rows.set_rows(rows)
        self._quiet = False
        self.set_current(current)

    def set_current(self, key: str) -> None:
        """Make an item current without a signal."""
        place = next((at for at, row in enumerate(self._rows.rows) if row.key == key), -1)
        self._quiet = True
        self.setCurrentIndex(self._rows.index(place) if place >= 0 else QModelIndex())
        self._quiet = False

    def current(self) -> int:
        """Return the place of the current item, or -1."""
        return self.currentIndex().row()

    def _changed(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.chosen.emit(self._rows.rows[current.row()].key)


class _Delegate(QStyledItemDelegate):
    """Draws a row without a widget of its own."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: _Index) -> QSize:
        return QSize(0, _HEIGHT)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        row = index.data(_ROW)
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
            text, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignRight, "" if waits else row.state.value
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
