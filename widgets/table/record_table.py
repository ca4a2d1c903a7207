"""Tables of records: rows to read and choose, and cells that are a choice from a list."""

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.text_labels import plain_tip
from widgets.theme import icon, paint_icon

_CHOICES_ROLE = Qt.ItemDataRole.UserRole
_KEY_ROLE = Qt.ItemDataRole.UserRole + 1
_MIN_COLUMN_WIDTH = 64
_ARROW_PX = 14
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class ChoiceCell:
    """One cell.

    Attributes:
        text: what it shows; with choices, the text of the chosen one is shown instead.
        choices: (key, text) of each choice; a cell without any cannot be changed, unless `is_editable`.
        key: of the choice that is made.
        is_editable: whether any text can be typed.
        tip: what hovering over it says.
    """

    text: str = ""
    choices: tuple[tuple[str, str], ...] = ()
    key: str = ""
    is_editable: bool = False
    tip: str = ""


class ChoiceTable(QTableWidget):
    """Shows cells; it changes nothing but what the user chooses.

    Signals:
        choice_made (int, int, str): another choice was made in a row and column: its key, or the text that was typed.
    """

    choice_made = Signal(int, int, str)

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
        self.setItemDelegate(_ChoiceDelegate(self))
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(_LEFT)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setMinimumSectionSize(_MIN_COLUMN_WIDTH)
        self.itemChanged.connect(self._emit_choice)

    def set_rows(self, rows: Sequence[Sequence[ChoiceCell]]) -> None:
        """Show other rows; the row that is current stays so."""
        current = self.currentRow()
        self._filling = True
        self.setRowCount(len(rows))
        for y, cells in enumerate(rows):
            for x, cell in enumerate(cells):
                self._set_cell(y, x, cell)
        self._filling = False
        if 0 <= current < len(rows):
            self.setCurrentCell(current, 0)

    def show_cell(self, row: int, column: int, cell: ChoiceCell) -> None:
        """Show another cell in one place."""
        self._filling = True
        self._set_cell(row, column, cell)
        self._filling = False

    def _set_cell(self, row: int, column: int, cell: ChoiceCell) -> None:
        item, heading = _make_item(cell), self.horizontalHeaderItem(column)
        self.setItem(row, column, item)
        if not row and heading is not None:
            heading.setTextAlignment(_RIGHT if _is_count(cell) else _LEFT)

    def _emit_choice(self, item: QTableWidgetItem) -> None:
        if not self._filling:
            self.choice_made.emit(
                item.row(), item.column(), item.data(_KEY_ROLE) if item.data(_CHOICES_ROLE) else item.text()
            )


class _ChoiceDelegate(QStyledItemDelegate):
    """Opens the list of a cell."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        if index.data(_CHOICES_ROLE):
            area = QRectF(option.rect)
            where = QRectF(
                area.right() - theme.GRID - _ARROW_PX, area.center().y() - _ARROW_PX / 2, _ARROW_PX, _ARROW_PX
            )
            paint_icon(painter, "chevron-down", where, theme.palette().muted)

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        choices = index.data(_CHOICES_ROLE)
        if not choices:
            return super().createEditor(parent, option, index)
        box = QComboBox(parent)
        for key, text in choices:
            box.addItem(text, key)
        box.activated.connect(lambda _: self._commit(box))
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentIndex(max(0, editor.findData(index.data(_KEY_ROLE))))
        else:
            super().setEditorData(editor, index)

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        if not isinstance(editor, QComboBox):
            super().setModelData(editor, model, index)
        elif editor.currentData() != index.data(_KEY_ROLE):
            # Both at once, so that the change is told once.
            model.setItemData(index, {_KEY_ROLE: editor.currentData(), Qt.ItemDataRole.EditRole: editor.currentText()})

    def _commit(self, box: QComboBox) -> None:
        self.commitData.emit(box)
        self.closeEditor.emit(box)


def _make_item(cell: ChoiceCell) -> QTableWidgetItem:
    texts = dict(cell.choices)
    item = QTableWidgetItem(texts.get(cell.key, cell.text))
    flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
    if cell.choices or cell.is_editable:
        flags |= Qt.ItemFlag.ItemIsEditable
    item.setFlags(flags)
    item.setData(_CHOICES_ROLE, cell.choices)
    item.setData(_KEY_ROLE, cell.key)
    item.setToolTip(plain_tip(cell.tip or item.text()))
    if _is_count(cell):
        item.setTextAlignment(_RIGHT)
    return item


def _is_count(cell: ChoiceCell) -> bool:
    return not cell.choices and not cell.is_editable and cell.text.replace(" ", "").isdecimal()


_ROWS_MEASURED = 60
"""Rows beyond those in sight by which columns find their width; measuring all of thousands would stop the window."""
_NUMBER_PATTERN = re.compile(r"[-+\u2212]?[\d,]*\d(\.\d+)?( ?%| s| min| times| eye\sdistances)?( ± [\d.]+( ?%)?)?")
NOT_MEASURED = tr("not measured")
"""Stands in a column of numbers where one is still to come."""
_EMPTY_NUMBERS = frozenset({"", "\N{EN DASH}", NOT_MEASURED})
_MIN_NAME_WIDTH = 200
"""Pixels that the column of names gets in any case, where they are kept short."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row: the cells as texts, an icon's name for the first one or "", and where choosing it leads."""

    key: str
    cells: tuple[str, ...]
    icon: str = ""
    time_us: int = 0


class _RowsModel(QAbstractTableModel):
    """Makes what a cell shows when it comes into sight."""

    def __init__(self, columns: Sequence[str]) -> None:
        super().__init__()
        self._columns = tuple(columns)
        self._numbers: frozenset[int] = frozenset()
        self.rows: Sequence[TableRow] = ()
        self.over: Container[tuple[int, int]] = ()

    def set_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows."""
        self.beginResetModel()
        self.rows, self.over = tuple(rows), ()
        self._numbers = frozenset(at for at in range(len(self._columns)) if self._is_numeric(at))
        self.endResetModel()

    def _is_numeric(self, column: int) -> bool:
        """Return whether a column is one of numbers, which stand one under another."""
        texts = {row.cells[column] for row in self.rows[:_ROWS_MEASURED] if column < len(row.cells)} - _EMPTY_NUMBERS
        return bool(texts) and all(_NUMBER_PATTERN.fullmatch(text) for text in texts)

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._columns[section]
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._columns[section])
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            return _LEFT if section == len(self._columns) - 1 else self._alignment(section)
        return None

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        return _RIGHT if column in self._numbers else _LEFT

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        text = row.cells[index.column()] if index.column() < len(row.cells) else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return text
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return self._alignment(index.column())
        over = bool(self.over) and (index.row(), index.column()) in self.over
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(tr("{text}: over the limit").format(text=text) if over else text)
        if over and role == Qt.ItemDataRole.ForegroundRole:
            return theme.palette().error
        if over and role == Qt.ItemDataRole.FontRole:
            return theme.font(semibold=True)
        return icon(row.icon) if role == Qt.ItemDataRole.DecorationRole and row.icon and not index.column() else None


class _LastColumnDelegate(QStyledItemDelegate):
    """The last column takes the room that is left: numbers at its right edge would stand alone, far from its name."""

    width = 0

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.data(Qt.ItemDataRole.TextAlignmentRole) == _RIGHT:
            if option.state & QStyle.StateFlag.State_Selected:
                painter.fillRect(option.rect, theme.palette().selection)
            option.rect.setWidth(min(option.rect.width(), self.width))
        super().paint(painter, option, index)


class RowsTable(QTableView):
    """Rows that are read and chosen, never written.

    Signals:
        row_chosen (str, int): key and time of the row that was clicked, or on which Return was pressed.
        selection_changed: another row is chosen, or none.
    """

    row_chosen = Signal(str, int)
    selection_changed = Signal()

    def __init__(self, name: str, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = _RowsModel(columns)
        self._names: int | None = None
        self.setModel(self._model)
        self._last = _LastColumnDelegate(self)
        self.setItemDelegateForColumn(len(columns) - 1, self._last)
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.GRID * 7 // 2)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setResizeContentsPrecision(_ROWS_MEASURED)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setStretchLastSection(True)
        self.clicked.connect(self._emit_chosen)
        self.activated.connect(self._emit_chosen)
        self.selectionModel().selectionChanged.connect(lambda *_: self.selection_changed.emit())

    def elide_names(self, column: int = 0) -> None:
        """Let the column of names take no more than the others leave, and shorten its texts in the middle.

        Names of models are long, and differ at both ends; in full they stand in their tooltips.
        """
        self._names = column
        self.setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideMiddle)
        self._fit_names()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_names()

    def _fit_names(self) -> None:
        if self._names is not None:
            head, wide, last = self.horizontalHeader(), self.viewport().width(), self._model.columnCount() - 1
            # The last column stretches, and never gets less than what Qt gives a column by itself.
            others = sum(self._natural_width(at) for at in range(last) if at != self._names)
            others += max(self._natural_width(last), head.defaultSectionSize())
            room = max(_MIN_NAME_WIDTH, wide - others)
            name = min(room, self._natural_width(self._names))
            head.setMaximumSectionSize(room)
            head.resizeSection(self._names, name)
            # Where nothing is left for it, it takes what it needs itself.
            head.setStretchLastSection(name + others <= wide)

    def _natural_width(self, column: int) -> int:
        return max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))

    def _min_last_width(self) -> int:
        last, head = self._model.columnCount() - 1, self.horizontalHeader()
        name = str(self._model.headerData(last, Qt.Orientation.Horizontal))
        return max(self.sizeHintForColumn(last), head.fontMetrics().horizontalAdvance(name) + 2 * theme.GRID)

    def show_rows(self, rows: Sequence[TableRow]) -> None:
        """Show other rows; the one with the same key stays chosen."""
        if tuple(rows) == self._model.rows:
            return
        chosen, place = self.current_key(), self.verticalScrollBar().value()
        self._model.set_rows(rows)
        self._last.width = self._min_last_width()
        self._fit_names()
        if chosen:
            self.select_key(chosen)
            self.verticalScrollBar().setValue(place)
            if self.current_key() != chosen:
                self.selection_changed.emit()

    def mark_over_limit(self, cells: Container[tuple[int, int]]) -> None:
        """Show in red which cells, by row and column, are over a limit."""
        self._model.over = cells
        self.viewport().update()

    def fit_height(self, most: int) -> None:
        """Be as tall as the rows need, and no taller than so many pixels."""
        rows = sum(self.rowHeight(place) for place in range(len(self._model.rows)))
        self.setFixedHeight(min(most, self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth() + 2))

    def current_row(self) -> int:
        """Return the place of the chosen row, or -1."""
        return self.currentIndex().row()

    def current_key(self) -> str:
        """Return the key of the chosen row, or ""."""
        place = self.current_row()
        return self._model.rows[place].key if 0 <= place < len(self._model.rows) else ""

    def select_key(self, key: str) -> None:
        """Make a row the chosen one, without `row_chosen`; none where there is no such row."""
        places = [place for place, row in enumerate(self._model.rows) if row.key == key]
        if places:
            self.selectRow(places[0])
        else:
            self.clearSelection()
            self.setCurrentIndex(QModelIndex())

    def texts(self) -> list[tuple[str, ...]]:
        """Return what is shown."""
        return [row.cells for row in self._model.rows]

    def click_row(self, place: int) -> None:
        """Choose a row as a click on it does."""
        self.selectRow(place)
        self._emit_chosen(self._model.index(place, 0))

    def _emit_chosen(self, index: Index) -> None:
        row = self._model.rows[index.row()]
        self.row_chosen.emit(row.key, row.time_us)
