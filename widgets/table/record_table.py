"""A table of records: each column says what it shows of a record, how it sorts, what can be chosen or typed in it."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from operator import attrgetter
from typing import Any, Generic, TypeAlias, TypeVar

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QPixmap, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from resources.translation import tr
from widgets import theme
from widgets.empty_state import EmptyHint
from widgets.labels import LabelLook
from widgets.table.cell_delegate import CHOICE_ROLE, CHOICES_ROLE, ELIDE_ROLE, LOOK_ROLE, MARKS_ROLE, CellDelegate
from widgets.text_labels import plain_tip
from widgets.theme import icon

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ALIGNMENT = int(Qt.ItemDataRole.TextAlignmentRole)
_READ_ONLY = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
_EDITABLE, _TICKABLE = _READ_ONLY | Qt.ItemFlag.ItemIsEditable, _READ_ONLY | Qt.ItemFlag.ItemIsUserCheckable
_ELIDE_MIDDLE, _ELIDE_RIGHT = Qt.TextElideMode.ElideMiddle, Qt.TextElideMode.ElideRight
_ROWS_MEASURED = 30
"""Rows by which columns find their width, those in sight first; measuring all of thousands would stop the window."""
_MIN_STRETCH_WIDTH = 200
"""Pixels that a column which takes the remaining room gets in any case."""
_NUMBER_PATTERN = re.compile(r"[-+\u2212]?[\d,]*\d(\.\d+)?( ?%| s| min| times| eye\sdistances)?( ± [\d.]+( ?%)?)?")
NOT_MEASURED = tr("not measured")
"""Stands in a column of numbers where one is still to come."""
_EMPTY_NUMBERS = frozenset({"", "\N{EN DASH}", NOT_MEASURED})
_OPEN_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


@dataclass(frozen=True)
class RecordColumn(Generic[R]):
    """One column; everything but the title is asked of a record when its cell comes into sight.

    Attributes:
        title_tip: shown over the title.
        width: pixels that it gets at most while the others need the room; 0 for what its texts need.
        stretch: whether it takes the room that is left.
        shrinks: whether it gives way to the others, with its texts cut in the middle: names differ at both ends.
        number: whether it is set right; None for where all its texts are numbers.
        icon: name of an icon, or name and colour; "" for none.
        colour: of `Palette`.
        sort: what rows are sorted by where it is not the text; None comes first.
        look: how a label is drawn, with its sign.
        marks: what stands out in the text, as (start, end) in characters.
        choices: (key, text) of what can be chosen; none where nothing can.
        choice: key of what is chosen.
        write: takes the key that was chosen or the text that was typed; a column without it is only read.
        is_writable: whether a cell can be written, where not all can.
    """

    title: str
    text: Callable[[R], str]
    _: KW_ONLY
    title_tip: str = ""
    width: int = 0
    stretch: bool = False
    shrinks: bool = False
    number: bool | None = None
    icon: Callable[[R], str | tuple[str, str | None] | QPixmap] | None = None
    colour: Callable[[R], str] | None = None
    bold: Callable[[R], bool] | None = None
    tip: Callable[[R], str] | None = None
    spoken: Callable[[R], str] | None = None
    sort: Callable[[R], Any] | None = None
    look: Callable[[R], LabelLook] | None = None
    marks: Callable[[R], Sequence[tuple[int, int]]] | None = None
    choices: Callable[[R], Sequence[tuple[str, str]]] | None = None
    choice: Callable[[R], str] | None = None
    ticked: Callable[[R], bool] | None = None
    write: Callable[[R, str], object] | None = None
    is_writable: Callable[[R], bool] | None = None


@dataclass(frozen=True, slots=True)
class TableRow:
    """A record that is texts already: its cells, the name of an icon for the first one or "", and where it leads."""

    key: str
    cells: tuple[str, ...]
    icon: str = ""
    time_us: int = 0


def text_columns(titles: Sequence[str], shrinks: int | None = None) -> list[RecordColumn[TableRow]]:
    """Return the columns of rows that are texts; the one at the place `shrinks` gives way to the others."""
    return [_text_column(title, place, place == shrinks) for place, title in enumerate(titles)]


def _text_column(title: str, place: int, shrinks: bool) -> RecordColumn[TableRow]:
    return RecordColumn(
        title,
        lambda row: row.cells[place] if place < len(row.cells) else "",
        shrinks=shrinks,
        icon=None if place else lambda row: row.icon,
    )


class RecordModel(QAbstractTableModel, Generic[R]):
    """Holds the records in the order shown."""

    def __init__(self, key: Callable[[R], str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[RecordColumn[R], ...] = ()
        self.records: list[R] = []
        self.writable = True
        self.wraps = False
        self.key_of = key
        self._given: tuple[R, ...] = ()
        self._keys: dict[str, int] = {}
        self._numbers: frozenset[int] = frozenset()
        self._order: tuple[int, Qt.SortOrder] = -1, Qt.SortOrder.AscendingOrder

    def set_columns(self, columns: Sequence[RecordColumn[R]]) -> None:
        """Have these columns, and no records until they are shown."""
        self.beginResetModel()
        self.columns = tuple(columns)
        self._given = ()
        self._hold([], [])
        self.endResetModel()

    def set_records(self, records: Sequence[R]) -> bool:
        """Show these records; return whether they are others, or in another order, than before."""
        self._given = tuple(records)
        ordered = self._sorted(records)
        keys = [self.key_of(record) for record in ordered]
        # Two records may have one key, such as two changes of a recording.
        before = [self.key_of(record) for record in self.records]
        if keys == before:
            self.records = ordered
            self._find_numbers()
            if ordered:
                self.dataChanged.emit(self.index(0, 0), self.index(len(ordered) - 1, len(self.columns) - 1))
            return False
        if before and keys[: len(before)] == before:
            self.beginInsertRows(_TOP, len(before), len(keys) - 1)
            self._hold(ordered, keys)
            self.endInsertRows()
        else:
            self.beginResetModel()
            self._hold(ordered, keys)
            self.endResetModel()
        return True

    def key(self, row: int) -> str:
        """Return the key of a row."""
        return self.key_of(self.records[row])

    def row_of(self, key: str) -> int | None:
        """Return the row of a key; None where there is none."""
        return self._keys.get(key)

    def _hold(self, records: list[R], keys: list[str]) -> None:
        self.records, self._keys = records, {}
        for row, key in enumerate(keys):
            self._keys.setdefault(key, row)
        self._find_numbers()

    def _find_numbers(self) -> None:
        self._numbers = frozenset(
            place
            for place, column in enumerate(self.columns)
            if (self._is_numeric(column) if column.number is None else column.number)
        )

    def _is_numeric(self, column: RecordColumn[R]) -> bool:
        if column.write is not None:
            return False
        texts = {column.text(record) for record in self.records[:_ROWS_MEASURED]} - _EMPTY_NUMBERS
        return bool(texts) and all(_NUMBER_PATTERN.fullmatch(text) for text in texts)

    def _sorted(self, records: Sequence[R]) -> list[R]:
        place, order = self._order
        if not 0 <= place < len(self.columns):
            return list(records)
        column = self.columns[place]
        value = column.sort or column.text
        known = [record for record in records if value(record) is not None]
        known.sort(key=value, reverse=order is Qt.SortOrder.DescendingOrder)
        unknown = [record for record in records if value(record) is None]
        return known + unknown if order is Qt.SortOrder.DescendingOrder else unknown + known

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self._order = column, order
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self.key(index.row()) for index in before]
        ordered = self._sorted(self._given)
        self._hold(ordered, [self.key_of(record) for record in ordered])
        self.changePersistentIndexList(
            before, [self.index(self._keys[key], index.column()) for key, index in zip(keys, before, strict=True)]
        )
        self.layoutChanged.emit()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self.records)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def ends(self, first: int, last: int) -> tuple[QModelIndex, QModelIndex]:
        """Return the first and the last cell of some rows; for thousands of them `index` takes ten times as long."""
        return self.createIndex(first, 0), self.createIndex(last, len(self.columns) - 1)

    def alignment(self, column: int) -> Qt.AlignmentFlag:
        """Return the side on which a column is set."""
        return _RIGHT if column in self._numbers else _LEFT

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical:
            return None
        column = self.columns[section]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return column.title
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(column.title_tip or column.title)
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment(section)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role == _ALIGNMENT:
            return self.alignment(index.column())
        read = _READERS.get(int(role))
        return None if read is None else read(self, self.columns[index.column()], self.records[index.row()])

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        column = self.columns[index.column()]
        if column.write is None or not self.writable:
            return _READ_ONLY
        if column.is_writable is not None and not column.is_writable(self.records[index.row()]):
            return _READ_ONLY
        return _TICKABLE if column.ticked else _EDITABLE

    def setData(self, index: Index, value: Any, _role: int = Qt.ItemDataRole.EditRole) -> bool:
        record, column = self.records[index.row()], self.columns[index.column()]
        if column.write is None:
            return False
        if column.choice is not None:
            unchanged = value == column.choice(record)
        elif column.ticked is not None:
            value = "yes" if Qt.CheckState(value) is Qt.CheckState.Checked else ""
            unchanged = bool(value) == column.ticked(record)
        else:
            unchanged = str(value).strip() == column.text(record)
        if not unchanged:
            column.write(record, str(value))
        return True


def _shown_text(model: RecordModel[Any], column: RecordColumn[Any], record: Any) -> str:
    return column.text(record) if model.wraps else column.text(record).replace("\n", " ")


def _check_state(_model: RecordModel[Any], column: RecordColumn[Any], record: Any) -> Qt.CheckState | None:
    if column.ticked is None:
        return None
    return Qt.CheckState.Checked if column.ticked(record) else Qt.CheckState.Unchecked


def _optional(attribute: str) -> "_Reader":
    """Return what reads a role that not every column has."""
    get = attrgetter(attribute)

    def read(_model: RecordModel[Any], column: RecordColumn[Any], record: Any) -> Any:
        of_record = get(column)
        return None if of_record is None else of_record(record)

    return read


_Reader: TypeAlias = Callable[[RecordModel[Any], RecordColumn[Any], Any], Any]
_READERS: dict[int, _Reader] = {
    int(role): read
    for role, read in {
        Qt.ItemDataRole.DisplayRole: _shown_text,
        Qt.ItemDataRole.EditRole: _optional("text"),
        Qt.ItemDataRole.ToolTipRole: lambda _, column, record: plain_tip((column.tip or column.text)(record)),
        Qt.ItemDataRole.AccessibleTextRole: lambda _, column, record: (column.spoken or column.text)(record),
        Qt.ItemDataRole.ForegroundRole: lambda _, column, record: (
            getattr(theme.palette(), column.colour(record)) if column.colour else None
        ),
        Qt.ItemDataRole.FontRole: lambda _, column, record: (
            theme.font(semibold=True) if column.bold and column.bold(record) else None
        ),
        Qt.ItemDataRole.DecorationRole: lambda _, column, record: (
            _decoration(column.icon(record)) if column.icon else None
        ),
        Qt.ItemDataRole.CheckStateRole: _check_state,
        ELIDE_ROLE: lambda _, column, _record: _ELIDE_MIDDLE if column.shrinks else _ELIDE_RIGHT,
        LOOK_ROLE: _optional("look"),
        MARKS_ROLE: _optional("marks"),
        CHOICES_ROLE: _optional("choices"),
        CHOICE_ROLE: _optional("choice"),
    }.items()
}
"""What is read of a record for each of Qt's roles: a cell asks for a dozen of them each time that it is painted."""


class RecordTable(QTableView, Generic[R]):
    """Shows records: one or several are selected, and a column that can be sorted is sorted by a click on its title.

    Signals:
        chosen (object): the record whose row was clicked, or on which Return was pressed.
        opened (object): the record whose row was double-clicked, or on which Return was pressed.
        selection_changed (): other records are selected, or none.
    """

    chosen = Signal(object)
    opened = Signal(object)
    selection_changed = Signal()

    def __init__(
        self,
        name: str,
        columns: Sequence[RecordColumn[R]],
        key: Callable[[R], str] = attrgetter("key"),
        empty: str = "",
        parent: QWidget | None = None,
        *,
        several: bool = False,
        sortable: bool = False,
        follows_end: bool = False,
        wraps: bool = False,
    ) -> None:
        """Make the table.

        Args:
            name: for screen readers.
            columns: from left to right.
            key: tells a record from the others; what is selected stays so while its key is there.
            empty: what is said where there is no record.
            parent: Qt's.
            several: whether more than one row can be selected.
            sortable: whether a click on a title sorts.
            follows_end: whether it stays at its end as records are added there.
            wraps: whether texts are shown whole, on as many lines as they need, each cell to be chosen by itself.
        """
        super().__init__(parent)
        self._silent = False
        self._follows_end = follows_end
        self._fitted: list[int] = []
        self._needed: list[int] = []
        self.records_model: RecordModel[R] = RecordModel(key, self)
        self.records_model.wraps = wraps
        self.setModel(self.records_model)
        self.setItemDelegate(CellDelegate(self, cut=True))
        self.setAccessibleName(name)
        behaviour = QAbstractItemView.SelectionBehavior
        self.setSelectionBehavior(behaviour.SelectItems if wraps else behaviour.SelectRows)
        mode = QAbstractItemView.SelectionMode
        self.setSelectionMode(mode.ExtendedSelection if several else mode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(wraps)
        resizing = QHeaderView.ResizeMode
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(resizing.ResizeToContents if wraps else resizing.Fixed)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setResizeContentsPrecision(_ROWS_MEASURED)
        # Qt's header asks for each column whether every row of it is selected, whatever it is told to highlight.
        head.setSelectionModel(QItemSelectionModel(self.records_model, head))
        if sortable:
            head.setSortIndicatorClearable(True)
            head.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
            self.setSortingEnabled(True)
        if empty:
            EmptyHint(self, empty)
        self.set_columns(columns)
        self.clicked.connect(self._on_click)
        self.doubleClicked.connect(lambda index: self.opened.emit(self.records_model.records[index.row()]))
        self.selectionModel().selectionChanged.connect(self._emit_selection)
        theme.notifier.changed.connect(self._follow_theme)
        self._follow_theme()

    def _follow_theme(self) -> None:
        self.verticalHeader().setDefaultSectionSize(theme.scaled(theme.GRID * 7 / 2))
        self._needed = []
        self._fit_columns()
        self.viewport().update()

    def set_columns(self, columns: Sequence[RecordColumn[R]]) -> None:
        """Have these columns, and no records until they are shown."""
        self.records_model.set_columns(columns)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.SelectedClicked | triggers.DoubleClicked | triggers.EditKeyPressed
            if any(column.write for column in columns)
            else triggers.NoEditTriggers
        )
        self._fitted = []
        self._needed = []
        self._fit_columns()

    def show_records(self, records: Sequence[R], *, writable: bool = True) -> None:
        """Show these records; what was selected stays so where it is still there, and the place is kept."""
        bar, model = self.verticalScrollBar(), self.records_model
        kept, current = self.selected_keys(), self.current_key()
        place, at_end = bar.value(), bar.value() == bar.maximum()
        model.writable = writable
        self._silent = True
        try:
            changed = model.set_records(records)
            self._needed = []
            self._fit_columns()
            if changed:
                self.select(kept, current)
                bar.setValue(place)
                if self._follows_end and at_end:
                    self.scrollToBottom()
        finally:
            self._silent = False
        if changed and any(model.row_of(key) is None for key in kept):
            self.selection_changed.emit()

    def records(self) -> list[R]:
        """Return the records in the order shown."""
        return self.records_model.records

    def texts(self) -> list[tuple[str, ...]]:
        """Return what is shown, row by row."""
        return [tuple(column.text(record) for column in self.records_model.columns) for record in self.records()]

    def current(self) -> R | None:
        """Return the record with the focus."""
        row = self.currentIndex().row()
        return self.records()[row] if 0 <= row < len(self.records()) else None

    def current_key(self) -> str:
        """Return the key of the record with the focus; "" where none has it."""
        row = self.currentIndex().row()
        return self.records_model.key(row) if 0 <= row < len(self.records()) else ""

    def selected(self) -> list[R]:
        """Return the selected records, in the order shown."""
        # Asking for each row's index takes a third of a second where ten thousand are selected.
        selection = self.selectionModel().selection()
        ranges = [selection.at(number) for number in range(selection.count())]
        rows = {row for selected in ranges for row in range(selected.top(), selected.bottom() + 1)}
        records = self.records()
        return [records[row] for row in sorted(rows)]

    @property
    def selected_count(self) -> int:
        """How many records are selected."""
        selection = self.selectionModel().selection()
        return sum(selection.at(number).height() for number in range(selection.count()))

    def selected_keys(self) -> list[str]:
        """Return the keys of the selected records, in the order shown."""
        return [self.records_model.key_of(record) for record in self.selected()]

    def select(self, keys: Iterable[str], current: str | None = None) -> None:
        """Select exactly these records, without `chosen`; the focus goes to `current`, else to the first."""
        model, selection = self.records_model, self.selectionModel()
        rows = sorted(row for key in keys if (row := model.row_of(key)) is not None)
        chosen, first = QItemSelection(), 0
        for place, row in enumerate(rows):
            if place + 1 == len(rows) or rows[place + 1] != row + 1:
                chosen.select(*model.ends(rows[first], row))
                first = place + 1
        focus = None if current is None else model.row_of(current)
        focus = rows[0] if focus is None and rows else focus
        here = _TOP if focus is None else model.index(focus, max(0, self.currentIndex().column()))
        selection.setCurrentIndex(here, QItemSelectionModel.SelectionFlag.NoUpdate)
        if here.isValid():
            self.scrollTo(here)
        selection.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def click_row(self, row: int) -> None:
        """Choose a row as a click on it does."""
        self.selectRow(row)
        self._emit_chosen(self.records_model.index(row, 0))

    def fit_height(self, most: int) -> None:
        """Be as tall as the rows need, and no taller than so many pixels."""
        rows = self.verticalHeader().defaultSectionSize() * len(self.records())
        self.setFixedHeight(min(most, self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth() + 2))

    def dragged_widths(self) -> list[int]:
        """Return the widths of the columns where somebody dragged one; nothing while they follow the texts."""
        widths = [self.columnWidth(place) for place in range(len(self.records_model.columns))]
        return widths if self._fitted and self._fitted != widths else []

    def restore_widths(self, widths: Sequence[int]) -> None:
        """Give the columns widths that `dragged_widths` returned; other columns than then keep theirs."""
        if len(widths) == len(self.records_model.columns):
            for place, width in enumerate(widths):
                self.setColumnWidth(place, width)
            self._fitted = [0] * len(widths)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in _OPEN_KEYS and index.isValid() and self.state() is not QAbstractItemView.State.EditingState:
            self._emit_chosen(index)
            self.opened.emit(self.records()[index.row()])
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_columns()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fit_columns()

    def _fit_columns(self) -> None:
        """Give columns what their texts need and the room allows, until somebody drags one."""
        columns, head = self.records_model.columns, self.horizontalHeader()
        if not self.isVisible() or (
            self._fitted and self._fitted != [self.columnWidth(place) for place in range(len(columns))]
        ):
            return
        needed = self._needed = self._needed or [
            max(self.sizeHintForColumn(place), head.sectionSizeHint(place)) for place in range(len(columns))
        ]
        widths = [
            min(need, _MIN_STRETCH_WIDTH if column.stretch or column.shrinks else column.width or need)
            for need, column in zip(needed, columns, strict=True)
        ]
        spare = self.viewport().width() - sum(widths)
        waiting = list(range(len(columns)))
        while waiting and spare > 0:
            place = min(waiting, key=lambda place: needed[place] - widths[place])
            more = min(spare // len(waiting), needed[place] - widths[place])
            widths[place] += more
            spare -= more
            waiting.remove(place)
        takers = [place for place, column in enumerate(columns) if column.stretch]
        if columns and not takers and self.records_model.alignment(len(columns) - 1) != _RIGHT:
            takers = [len(columns) - 1]
        for place in takers if spare > 0 else ():
            widths[place] += spare // len(takers)
        for place, width in enumerate(widths):
            self.setColumnWidth(place, width)
        self._fitted = [self.columnWidth(place) for place in range(len(columns))]

    def _on_click(self, index: QModelIndex) -> None:
        self._emit_chosen(index)
        column = self.records_model.columns[index.column()]
        if column.choices is not None and index.flags() & Qt.ItemFlag.ItemIsEditable:
            self.edit(index)

    def _emit_chosen(self, index: Index) -> None:
        self.chosen.emit(self.records()[index.row()])

    def _emit_selection(self) -> None:
        if not self._silent:
            self.selection_changed.emit()


def _decoration(found: str | tuple[str, str | None] | QPixmap) -> Any:
    if isinstance(found, tuple):
        return icon(*found)
    return icon(found) if isinstance(found, str) and found else found or None
