"""A table of rows that are read and chosen: figures, recordings, segments, minutes."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from widgets.icons import icon


@dataclass(frozen=True, slots=True)
class Row:
    """One row: the cells as texts, an icon's name for the first one or "", and where choosing it leads."""

    key: str
    cells: tuple[str, ...]
    icon: str = ""
    time_us: int = 0


class RowsTable(QTableWidget):
    """Rows that are read and chosen, never written.

    Signals:
        row_chosen (str, int): key and time of the row that was clicked, or on which Return was pressed.
    """

    row_chosen = Signal(str, int)

    def __init__(self, name: str, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(0, len(columns), parent)
        self._rows: Sequence[Row] = ()
        self.setAccessibleName(name)
        self.setHorizontalHeaderLabels(list(columns))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.horizontalHeader().setStretchLastSection(True)
        self.cellClicked.connect(lambda row, _column: self._choose(row))
        self.cellActivated.connect(lambda row, _column: self._choose(row))

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show other rows; the one with the same key stays chosen."""
        chosen = self.current_key()
        self._rows = tuple(rows)
        self.setRowCount(len(rows))
        for place, row in enumerate(rows):
            for column, text in enumerate(row.cells):
                item = QTableWidgetItem(text)
                item.setToolTip(text)
                if column == 0 and row.icon:
                    item.setIcon(icon(row.icon))
                self.setItem(place, column, item)
        for place, row in enumerate(rows):
            if row.key == chosen:
                self.selectRow(place)

    def fit(self, most: int) -> None:
        """Be as tall as the rows need, and no taller than so many pixels."""
        rows = sum(self.rowHeight(place) for place in range(self.rowCount()))
        self.setFixedHeight(min(most, self.horizontalHeader().sizeHint().height() + rows + 2 * self.frameWidth() + 2))

    def current_key(self) -> str:
        """Return the key of the chosen row, or ""."""
        place = self.currentRow()
        return self._rows[place].key if 0 <= place < len(self._rows) else ""

    def texts(self) -> list[tuple[str, ...]]:
        """Return what is shown."""
        return [row.cells for row in self._rows]

    def _choose(self, place: int) -> None:
        row = self._rows[place]
        self.row_chosen.emit(row.key, row.time_us)
