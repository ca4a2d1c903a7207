"""The rows of tables in which one decides: places, or words with all their places."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from widgets.icons import icon
from widgets.plain_tip import plain_tip
from widgets.segments.model import MARKS

Index = QModelIndex | QPersistentModelIndex

UNDECIDED, HIDE, KEEP, MIXED = "undecided", "hide", "keep", "mixed"
SIGNS = {
    UNDECIDED: ("circle-dashed", "uncertain"),
    HIDE: ("shield-check", "competence"),
    KEEP: ("check", "muted"),
    MIXED: ("circle-alert", "uncertain"),
}
"""State -> icon and colour."""
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class DecisionRow:
    """One row.

    Attributes:
        key: tells it from the others, also after a reload.
        cells: one text a column.
        state: `UNDECIDED`, `HIDE`, `KEEP` or, of several places, `MIXED`.
        marks: what stands out in the first cell, as (start, end) in characters.
        spoken: whether it can be heard.
    """

    key: str
    cells: tuple[str, ...]
    state: str
    marks: tuple[tuple[int, int], ...] = ()
    spoken: bool = False


class RowsModel(QAbstractTableModel):
    """Rows in the order given; a cell is asked for when it is drawn."""

    def __init__(
        self, columns: Sequence[str], state: int, numbers: Collection[int] = (), parent: QObject | None = None
    ) -> None:
        """Have columns with these titles; the sign of the state stands in the one at the place `state`.

        Numbers stand in those at the places `numbers`.
        """
        super().__init__(parent)
        self._numbers = frozenset(numbers)
        self._columns = tuple(columns)
        self._state = state
        self._rows: Sequence[DecisionRow] = ()
        self._places: dict[str, int] = {}

    def set_rows(self, rows: Sequence[DecisionRow]) -> bool:
        """Show these; returns whether they are others, or in another order, than before."""
        same = [one.key for one in rows] == [one.key for one in self._rows]
        if same:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
        else:
            self.beginResetModel()
            self._rows = rows
            self._places = {one.key: place for place, one in enumerate(rows)}
            self.endResetModel()
        return not same

    def rows(self) -> Sequence[DecisionRow]:
        """Return the rows in the order shown."""
        return self._rows

    def place(self, key: str) -> int | None:
        """Return where a row is, or None."""
        return self._places.get(key)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation == Qt.Orientation.Vertical:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _RIGHT if section in self._numbers else _LEFT
        return self._columns[section] if role == Qt.ItemDataRole.DisplayRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self._rows[index.row()]
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return row.cells[index.column()]
            case Qt.ItemDataRole.TextAlignmentRole if index.column() in self._numbers:
                return _RIGHT
            case Qt.ItemDataRole.ToolTipRole:
                return plain_tip(row.cells[index.column()])
            case Qt.ItemDataRole.DecorationRole if index.column() == self._state:
                return icon(*SIGNS[row.state])
            case _ if role == MARKS and index.column() == 0:
                return row.marks
        return None
