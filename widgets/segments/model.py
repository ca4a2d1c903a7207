"""The rows of a table that asks for a cell when it is drawn, so that ten thousand rows cost no more than a screen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from resources.translation import tr
from widgets.icons import icon
from widgets.label_looks import LabelLook
from widgets.plain_tip import plain_tip

Index = QModelIndex | QPersistentModelIndex
LOOK = Qt.ItemDataRole.UserRole + 1
MARKS = Qt.ItemDataRole.UserRole + 2
FOUND = "found"
"""Key of the column with the piece of text that a search found."""
_NUMBERS = frozenset({"start", "end", "duration"})


@dataclass(frozen=True, slots=True)
class Marked:
    """A piece of a text with what matches in it, as (start, end) in characters."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class Cells(Protocol):
    """Where the table gets what it shows."""

    def text(self, column: str, row: str) -> str:
        """Return what stands in a cell."""

    def look(self, row: str) -> LabelLook:
        """Return how the label of a row looks."""

    def found(self, row: str) -> Marked:
        """Return what a search found in a row."""

    def is_locked(self, row: str) -> bool:
        """Tell whether a row's recording is kept back."""

    def is_open(self, row: str) -> bool:
        """Tell whether a row has comments that are not resolved."""


class SegmentsModel(QAbstractTableModel):
    """Rows by id, in the order given."""

    def __init__(self, cells: Cells, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cells = cells
        self._rows: list[str] = []
        self._places: dict[str, int] | None = None
        self.columns: tuple[str, ...] = ()
        self._titles: Mapping[str, str] = {}

    def set_columns(self, titles: Mapping[str, str]) -> None:
        """Have these columns, by key, in this order."""
        self.beginResetModel()
        self._titles, self.columns = titles, tuple(titles)
        self.endResetModel()

    def set_rows(self, rows: Sequence[str]) -> bool:
        """Show these rows; returns whether they are others, or in another order, than before."""
        same = self._rows == rows
        if same:
            if self._rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(self._rows) - 1, len(self.columns) - 1))
        else:
            self.beginResetModel()
            self._rows, self._places = list(rows), None
            self.endResetModel()
        return not same

    def rows(self) -> list[str]:
        """Return the ids in the order shown."""
        return self._rows

    def row_id(self, row: int) -> str:
        """Return the id of a row."""
        return self._rows[row]

    def place(self, row: str) -> int | None:
        """Return where a row is, or None."""
        if self._places is None:
            self._places = {one: number for number, one in enumerate(self._rows)}
        return self._places.get(row)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self._titles[self.columns[section]] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row, column = self._rows[index.row()], self.columns[index.column()]
        match role:
            case Qt.ItemDataRole.DisplayRole | Qt.ItemDataRole.ToolTipRole:
                text = self._cells.found(row).text if column == FOUND else self._cells.text(column, row)
                return plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
            case Qt.ItemDataRole.DecorationRole:
                if column == "recording" and self._cells.is_locked(row):
                    return icon("lock", "uncertain")
                if column == "comments" and self._cells.is_open(row):
                    return icon("circle-alert", "uncertain")
            case Qt.ItemDataRole.AccessibleDescriptionRole if column == "recording" and self._cells.is_locked(row):
                return tr("Held out: never exported")
            case Qt.ItemDataRole.TextAlignmentRole if column in _NUMBERS:
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _ if role == LOOK and column == "label":
                return self._cells.look(row)
            case _ if role == MARKS and column == FOUND:
                return self._cells.found(row).marks
        return None
