"""A list of things that can be ticked."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QSize, Qt
from PySide6.QtWidgets import (
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from widgets import theme
from widgets.plain_tip import plain_tip

ROW = 24
"""Height of a row, in pixels."""
_KEY = Qt.ItemDataRole.UserRole


class TickList(QTreeWidget):
    """Rows with a tick, told apart by a key; Space ticks the selected one. The first column takes the room there is."""

    def __init__(self, columns: int = 1, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setColumnCount(columns)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setHeaderHidden(True)
        self.setItemDelegate(_Delegate(self))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.header().setStretchLastSection(False)
        for column in range(columns):
            mode = QHeaderView.ResizeMode.ResizeToContents if column else QHeaderView.ResizeMode.Stretch
            self.header().setSectionResizeMode(column, mode)

    def add(self, key: str, text: str, ticked: bool) -> None:
        """Add a row."""
        item = QTreeWidgetItem([text])
        item.setData(0, _KEY, key)
        item.setCheckState(0, Qt.CheckState.Checked if ticked else Qt.CheckState.Unchecked)
        item.setSizeHint(0, QSize(0, ROW))
        self.addTopLevelItem(item)

    def keys(self) -> list[str]:
        """Return the keys of all rows."""
        return [str(item.data(0, _KEY)) for item in self._items()]

    def ticked(self) -> list[str]:
        """Return the keys of those that are ticked, in the order of the rows."""
        return [str(one.data(0, _KEY)) for one in self._items() if one.checkState(0) is Qt.CheckState.Checked]

    def tick(self, key: str, on: bool = True) -> None:
        """Tick a row, or not."""
        self._item(key).setCheckState(0, Qt.CheckState.Checked if on else Qt.CheckState.Unchecked)

    def current_key(self) -> str:
        """Return the key of the selected row; "" where none is."""
        item = self.currentItem()
        return "" if item is None else str(item.data(0, _KEY))

    def select(self, key: str) -> None:
        """Select a row."""
        self.setCurrentItem(self._item(key))

    def set_row(self, key: str, texts: tuple[str, ...], tooltip: str, usable: bool) -> None:
        """Change what a row says. One that is not usable is grey, and loses its tick; it can still be selected."""
        item, colours = self._item(key), theme.palette()
        flag = Qt.ItemFlag.ItemIsUserCheckable
        item.setFlags(item.flags() | flag if usable else item.flags() & ~flag)
        if not usable:
            item.setCheckState(0, Qt.CheckState.Unchecked)
        for column, text in enumerate(texts):
            item.setText(column, text)
            item.setToolTip(column, plain_tip(tooltip))
            item.setForeground(column, colours.disabled if not usable else colours.muted if column else colours.text)

    def _items(self) -> list[QTreeWidgetItem]:
        found = (self.topLevelItem(row) for row in range(self.topLevelItemCount()))
        return [item for item in found if item is not None]

    def _item(self, key: str) -> QTreeWidgetItem:
        return next(item for item in self._items() if item.data(0, _KEY) == key)


class _Delegate(QStyledItemDelegate):
    """Draws the box of a row that is not usable as one that is shut, like its words."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if not index.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            option.state &= ~QStyle.StateFlag.State_Enabled
