"""Lists of painted rows that are known by a key, one of them current."""

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QListView,
    QListWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from widgets import theme
from widgets.text_labels import plain_tip
from widgets.theme import paint_icon

ROW_ROLE = Qt.ItemDataRole.UserRole
"""Role of a row itself, for what draws it."""
_Index = QModelIndex | QPersistentModelIndex


def paint_row_ground(painter: QPainter, option: QStyleOptionViewItem, icon: str, ink: str) -> bool:
    """Paint what lies under a row's words, and its icon in the ink of that name; return whether it is selected."""
    colours, area = theme.palette(), QRectF(option.rect)
    selected = bool(option.state & QStyle.StateFlag.State_Selected)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if selected or option.state & QStyle.StateFlag.State_MouseOver:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.selection if selected else colours.hover)
        painter.drawRoundedRect(area.adjusted(3, 1, -3, -1), 4, 4)
    paint_icon(painter, icon, QRectF(area.left() + 10, area.center().y() - 8, 16, 16), getattr(colours, ink))
    return selected


class KeyedRow(Protocol):
    """A row of such a list."""

    @property
    def key(self) -> str:
        """What it is known by."""
        ...


Row = TypeVar("Row", bound=KeyedRow)
Told = Callable[[Row], tuple[str, str]]
"""What a row says to who cannot see it, and where the pointer rests on it."""


class KeyedModel(QAbstractListModel, Generic[Row]):
    """Holds the rows."""

    def __init__(self, told: Told[Row], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: tuple[Row, ...] = ()
        self._told = told

    def set_rows(self, rows: Sequence[Row]) -> None:
        """Show these rows; where their keys are the same, only what changed is drawn again."""
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
        if role == ROW_ROLE:
            return row
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self._told(row)[0]
        return plain_tip(self._told(row)[1]) if role == Qt.ItemDataRole.ToolTipRole else None


class KeyedList(QListView, Generic[Row]):
    """Shows the rows.

    Signals:
        row_chosen (str): key of the row that became current by the user.
    """

    row_chosen = Signal(str)

    def __init__(
        self, name: str, told: Told[Row], delegate: QStyledItemDelegate, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._rows: KeyedModel[Row] = KeyedModel(told, self)
        self._quiet = False
        self.setModel(self._rows)
        delegate.setParent(self)
        self.setItemDelegate(delegate)
        self.setAccessibleName(name)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        theme.notifier.changed.connect(self.viewport().update)

    def rows(self) -> tuple[Row, ...]:
        """Return what is listed."""
        return self._rows.rows

    def set_rows(self, rows: Sequence[Row], current: str = "") -> None:
        """List these rows, without a signal; `current` is a key, or "" for none."""
        self._quiet = True
        self._rows.set_rows(rows)
        self._quiet = False
        self.set_current(current)

    def set_current(self, key: str) -> None:
        """Make a row current without a signal."""
        place = next((at for at, row in enumerate(self._rows.rows) if row.key == key), -1)
        self._quiet = True
        self.setCurrentIndex(self._rows.index(place) if place >= 0 else QModelIndex())
        self._quiet = False

    def current_row(self) -> int:
        """Return the place of the current row, or -1."""
        return self.currentIndex().row()

    def current_key(self) -> str:
        """Return the key of the current row, or ""."""
        return self._rows.rows[self.current_row()].key if self.current_row() >= 0 else ""

    def _on_current_changed(self, current: QModelIndex) -> None:
        if not self._quiet and current.isValid():
            self.row_chosen.emit(self._rows.rows[current.row()].key)


class ShortList(QListWidget):
    """Lays its rows out when it is shown: those that were placed before it had its style would overlap."""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scheduleDelayedItemsLayout()


_PADDING = 4
"""What the style sheet leaves free on both sides of a row together, in pixels."""


class WrappingDelegate(QStyledItemDelegate):
    """Qt measures a text as if padding and spacing were room for it, and so leaves out its last line."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        room = QStyleOptionViewItem(option)
        room.rect.setWidth(self._view.viewport().width() - 2 * self._view.spacing() - _PADDING)
        return super().sizeHint(room, index)
