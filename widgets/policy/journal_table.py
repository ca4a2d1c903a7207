"""The journal of requests as a table, of which only the rows on screen are drawn."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QWidget

from resources.translation import tr
from widgets import theme
from widgets.long_table import LongTable
from widgets.plain_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex
_TOP = QModelIndex()
_WIDTHS = (168, 104, 200, 208, 120, 190, 140, 230)
"""Pixels that every column but the last needs at most; it has more where there is room."""
_MEASURED = 60
"""Rows beyond those in sight by which columns find their width."""


@dataclass(frozen=True, slots=True)
class JournalRow:
    """One request.

    Attributes:
        key: its id.
        cells: what stands in each column.
        colour: of `Palette`, for the cell that says what became of it.
    """

    key: str
    cells: tuple[str, ...]
    colour: str = "text"


class _Rows(QAbstractTableModel):
    def __init__(self, head: Sequence[str], fate: int, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._head, self._fate = tuple(head), fate
        self.rows: Sequence[JournalRow] = ()

    def show_rows(self, rows: Sequence[JournalRow]) -> None:
        before, now = [one.key for one in self.rows], [one.key for one in rows]
        if now[: len(before)] == before and len(now) > len(before):
            self.beginInsertRows(QModelIndex(), len(before), len(now) - 1)
            self.rows = rows
            self.endInsertRows()
        elif rows != self.rows:
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._head)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.cells[index.column()])
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == self._fate:
            return getattr(theme.palette(), row.colour)
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self._head[section]
        return None


class JournalTable(LongTable):
    """Requests by time, newest last; while its end is in sight, it stays there as further ones come.

    Signals:
        opened (str): id of the request whose row was double-clicked, or on which Return was pressed.
    """

    opened = Signal(str)

    def __init__(self, head: Sequence[str], fate: int, parent: QWidget | None = None) -> None:
        """Make the table.

        Args:
            head: what stands over the columns.
            fate: place of the column that says what became of a request.
            parent: Qt's.
        """
        super().__init__(tr("Requests"), parent)
        self._model = _Rows(head, fate, self)
        self.setModel(self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setStretchLastSection(True)
        header.setResizeContentsPrecision(_MEASURED)
        self._fitted: dict[int, int] = {}
        self.activated.connect(lambda index: self.opened.emit(self._model.rows[index.row()].key))
        theme.notifier.changed.connect(self.viewport().update)

    def show_rows(self, rows: Sequence[JournalRow]) -> None:
        """Show these requests."""
        bar = self.verticalScrollBar()
        at_end = bar.value() == bar.maximum()
        self._model.show_rows(tuple(rows))
        if at_end:
            self.scrollToBottom()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give columns what their texts need and the room allows, until somebody drags one."""
        if any(self.columnWidth(column) != width for column, width in self._fitted.items()):
            return
        header = self.horizontalHeader()
        needed = [
            max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            for column in range(self._model.columnCount())
        ]
        widths = [min(one, most) for one, most in zip(needed, _WIDTHS, strict=False)]
        spare = self.viewport().width() - sum(widths) - needed[-1]
        for column, width in enumerate(widths):
            more = max(0, min(spare, needed[column] - width))
            spare -= more
            self.setColumnWidth(column, width + more)
        self._fitted = {column: self.columnWidth(column) for column in range(len(widths))}

    def texts(self) -> list[tuple[str, ...]]:
        """Return what is shown."""
        return [one.cells for one in self._model.rows]
