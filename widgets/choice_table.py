"""A table in which some cells are a choice out of a list, opened with a click or Return."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from widgets import theme
from widgets.icons import paint_icon
from widgets.plain_tip import plain_tip

_CHOICES = Qt.ItemDataRole.UserRole
_KEY = Qt.ItemDataRole.UserRole + 1
_NARROWEST = 64
_ARROW = 14
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        text: what it shows; with choices, the text of the chosen one is shown instead.
        choices: (key, text) of each choice; a cell without any cannot be changed, unless it is `free`.
        key: of the choice that is made.
        free: whether any text can be typed.
        tip: what hovering over it says.
    """

    text: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    key: str = ""
    free: bool = False
    tip: str = ""


class ChoiceTable(QTableWidget):
    """Shows cells; it changes nothing but what the user chooses.

    Signals:
        chosen (int, int, str): another choice was made in a row and column: its key, or the text that was typed.
    """

    chosen = Signal(int, int, str)

    def __init__(self, headings: Sequence[str], name: str, parent: QWidget | None = None) -> None:
        super().__init__(0, len(headings), parent)
        self._filling = False
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(list(headings))
        self.verticalHeader().hide()
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.CurrentChanged
            | QAbstractItemView.EditTrigger.SelectedClicked
            | QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
        )
        self.setItemDelegate(_Delegate(self))
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(_LEFT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(_NARROWEST)
        self.itemChanged.connect(self._tell)

    def fill(self, rows: Sequence[Sequence[Cell]]) -> None:
        """Show other rows; the row that is current stays so."""
        current = self.currentRow()
        self._filling = True
        self.setRowCount(len(rows))
        for y, cells in enumerate(rows):
            for x, cell in enumerate(cells):
                self._put(y, x, cell)
        self._filling = False
        if 0 <= current < len(rows):
            self.setCurrentCell(current, 0)

    def show_cell(self, row: int, column: int, cell: Cell) -> None:
        """Show another cell in one place."""
        self._filling = True
        self._put(row, column, cell)
        self._filling = False

    def _put(self, row: int, column: int, cell: Cell) -> None:
        item, heading = _item(cell), self.horizontalHeaderItem(column)
        self.setItem(row, column, item)
        if not row and heading is not None:
            heading.setTextAlignment(_RIGHT if _counts(cell) else _LEFT)

    def _tell(self, item: QTableWidgetItem) -> None:
        if not self._filling:
            self.chosen.emit(item.row(), item.column(), item.data(_KEY) if item.data(_CHOICES) else item.text())


class _Delegate(QStyledItemDelegate):
    """Opens the list of a cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.data(_CHOICES):
            area = QRectF(option.rect)
            where = QRectF(area.right() - theme.GRID - _ARROW, area.center().y() - _ARROW / 2, _ARROW, _ARROW)
            paint_icon(painter, "chevron-down", where, theme.palette().muted)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        choices = index.data(_CHOICES)
        if not choices:
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        for key, text in choices:
            box.addItem(text, key)
        box.activated.connect(lambda _: self._done(box))
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(_KEY))))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if not isinstance(editor, QComboBox):
            super().setModelData(editor, model, index)
        elif editor.currentData() != index.data(_KEY):
            # Both at once, so that the change is told once.
            model.setItemData(index, {_KEY: editor.currentData(), Qt.ItemDataRole.EditRole: editor.currentText()})

    def _done(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


def _item(cell: Cell) -> QTableWidgetItem:
    texts = dict(cell.choices)
    item = QTableWidgetItem(texts.get(cell.key, cell.text))
    flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    if cell.choices or cell.free:
        flags |= Qt.ItemFlag.ItemIsEditable
    item.setFlags(flags)
    item.setData(_CHOICES, cell.choices)
    item.setData(_KEY, cell.key)
    item.setToolTip(plain_tip(cell.tip or item.text()))
    if _counts(cell):
        item.setTextAlignment(_RIGHT)
    return item


def _counts(cell: Cell) -> bool:
    return not cell.choices and not cell.free and cell.text.replace(" ", "").isdecimal()
