"""What two summaries say differently, what is true, and whether it is settled; all of it is written here."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from resources.translation import tr
from widgets import theme

_SETTLED, _TEXT, _TRUE = 0, 1, 2


@dataclass(frozen=True, slots=True)
class ContradictionRow:
    """One contradiction: its id, what it is, what was found out, and whether it is settled."""

    key: str
    text: str
    resolution: str
    settled: bool


class ContradictionsTable(QTableWidget):
    """One row a contradiction.

    Signals:
        worded (str, str): id, and what the contradiction is in other words.
        resolved (str, str): id, and what was found out.
        settled (str, bool): id, and whether it is settled.
    """

    worded = Signal(str, str)
    resolved = Signal(str, str)
    settled = Signal(str, bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(0, 3, parent)
        self._rows: tuple[ContradictionRow, ...] = ()
        self._writable = True
        self._typed = False
        self.setAccessibleName(tr("Contradictions"))
        self.setHorizontalHeaderLabels([tr("Settled"), tr("What differs"), tr("What is true")])
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(_SETTLED, QHeaderView.ResizeMode.ResizeToContents)
        self.itemChanged.connect(self._written)

    def sizeHintForRow(self, row: int) -> int:
        return super().sizeHintForRow(row) + theme.GRID

    def show_rows(self, rows: Sequence[ContradictionRow], *, writable: bool) -> None:
        """Show other contradictions, or the same ones changed."""
        if (tuple(rows), writable) == (self._rows, self._writable) and not self._typed:
            return
        self._typed = False
        self._rows, self._writable = tuple(rows), writable
        at = self.currentRow(), self.currentColumn()
        with QSignalBlocker(self):
            self.setRowCount(len(rows))
            for place, row in enumerate(rows):
                self._fill(place, row)
            if at[0] >= 0:
                self.setCurrentCell(*at)

    def current_key(self) -> str:
        """Return the id of the contradiction that is selected, or ""."""
        place = self.currentRow()
        return self._rows[place].key if 0 <= place < len(self._rows) else ""

    def texts(self) -> list[tuple[str, str, bool]]:
        """Return what is shown."""
        return [(row.text, row.resolution, row.settled) for row in self._rows]

    def _fill(self, place: int, row: ContradictionRow) -> None:
        seen = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        tick = QTableWidgetItem()
        tick.setFlags(seen | Qt.ItemFlag.ItemIsUserCheckable if self._writable else seen)
        tick.setCheckState(Qt.CheckState.Checked if row.settled else Qt.CheckState.Unchecked)
        tick.setToolTip(tr("Ticked: nobody has to look at it any more"))
        self.setItem(place, _SETTLED, tick)
        for column, text in ((_TEXT, row.text), (_TRUE, row.resolution)):
            item = QTableWidgetItem(text)
            item.setToolTip(tr("Press F2 or click twice to write"))
            item.setFlags(seen | Qt.ItemFlag.ItemIsEditable if self._writable else seen)
            self.setItem(place, column, item)

    def _written(self, item: QTableWidgetItem) -> None:
        # Until it is shown anew: what was typed may have been refused.
        self._typed = True
        row = self._rows[item.row()]
        if item.column() == _SETTLED:
            ticked = item.checkState() == Qt.CheckState.Checked
            if ticked != row.settled:
                self.settled.emit(row.key, ticked)
        elif item.column() == _TEXT and item.text().strip() != row.text:
            self.worded.emit(row.key, item.text())
        elif item.column() == _TRUE and item.text().strip() != row.resolution:
            self.resolved.emit(row.key, item.text())
