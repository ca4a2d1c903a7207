"""The questions that reach a step, with what becomes of each and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from resources.translation import tr
from widgets.icons import icon
from widgets.long_table import LongTable
from widgets.plain_tip import plain_tip

_COLUMNS = ("", tr("Why"), tr("Kind"), tr("Question"))
_WIDTHS = {0: 72, 2: 64}
"""Pixels by column; the others share the room that these leave."""
_WHY = 1
_MEASURED = 60
"""Rows beyond those in sight by which a column finds its width."""
_ICONS = {"kept": "circle-check", "fell": "circle-x", "open": "circle-dashed"}
_Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class VerdictRow:
    """One question: `verdict` is `kept`, `fell` or `open`; texts hold nothing that acts."""

    key: str
    verdict: str
    why: str
    kind: str
    text: str

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """What stands in the columns."""
        return self.verdict, self.why, self.kind, self.text


class _Rows(QAbstractTableModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[VerdictRow, ...] = ()

    def show_rows(self, rows: Sequence[VerdictRow]) -> None:
        self.beginResetModel()
        self.rows = tuple(rows)
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.rows[index.row()]
        text = row.cells[index.column()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return text.replace("\n", " ")
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(text)
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0:
            return icon(_ICONS[row.verdict])
        return None


class VerdictsTable(LongTable):
    """As many questions as there are.

    Signals:
        chosen (str): id of the question that is now the current one, "" for none.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Questions at this step"), parent)
        self._rows = _Rows(self)
        self.setModel(self._rows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        for column, width in _WIDTHS.items():
            self.setColumnWidth(column, width)
        head = self.horizontalHeader()
        head.setStretchLastSection(True)
        head.setResizeContentsPrecision(_MEASURED)
        head.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.selectionModel().currentRowChanged.connect(lambda _now, _before: self.chosen.emit(self.current()))

    def show_rows(self, rows: Sequence[VerdictRow]) -> None:
        """Show other questions; the current one stays so if it is among them, else the first is."""
        before = self.current()
        if tuple(rows) == self._rows.rows:
            return
        self._rows.show_rows(rows)
        self._fit()
        place = next((at for at, one in enumerate(self._rows.rows) if one.key == before), 0)
        if self._rows.rows:
            self.selectRow(place)
        self.chosen.emit(self.current())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Give the reasons what they need, and no more than the questions have."""
        room = self.viewport().width() - sum(_WIDTHS.values())
        needed = max(self.sizeHintForColumn(_WHY), self.horizontalHeader().sectionSizeHint(_WHY))
        self.setColumnWidth(_WHY, min(needed, room // 2))

    def current(self) -> str:
        """Return the id of the current question, or ""."""
        at = self.currentIndex().row()
        return self._rows.rows[at].key if 0 <= at < len(self._rows.rows) else ""

    def texts(self) -> list[tuple[str, str, str, str]]:
        """Return what is shown."""
        return [one.cells for one in self._rows.rows]
