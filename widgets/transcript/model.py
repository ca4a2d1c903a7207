"""The lines of a transcript as a list that views follow."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from project.timebase import format_time
from resources.translation import tr
from widgets.plain_tip import plain_tip
from widgets.transcript.line import Line

_ROOT = QModelIndex()
Index = QModelIndex | QPersistentModelIndex


class TranscriptModel(QAbstractListModel):
    """Lines in the order of time. New ones come in where they differ, so that what is selected stays so."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.lines: list[Line] = []
        self._rows: dict[str, int] = {}

    def set_lines(self, lines: Sequence[Line]) -> None:
        """Show these lines."""
        new = list(lines)
        order = {one.said.id: place for place, one in enumerate(new)}
        at = [order.get(one.said.id, -1) for one in self.lines]
        # What was moved past others goes, and comes again at its new place.
        stays, highest = [False] * len(at), -1
        for row, place in enumerate(at):
            stays[row] = place > highest
            highest = max(highest, place)
        for first, last in reversed(_runs([row for row, one in enumerate(stays) if not one])):
            self.beginRemoveRows(_ROOT, first, last)
            del self.lines[first : last + 1]
            self._number()
            self.endRemoveRows()
        for first, last in _runs([row for row, one in enumerate(new) if one.said.id not in self._rows]):
            self.beginInsertRows(_ROOT, first, last)
            self.lines[first:first] = new[first : last + 1]
            self._number()
            self.endInsertRows()
        for row, line in enumerate(new):
            if self.lines[row] != line:
                self.lines[row] = line
                here = self.index(row)
                self.dataChanged.emit(here, here)

    def row(self, utterance_id: str) -> int:
        """Return where an utterance stands, or -1."""
        return self._rows.get(utterance_id, -1)

    def line(self, utterance_id: str) -> Line | None:
        """Return the line of an utterance, or None."""
        row = self.row(utterance_id)
        return self.lines[row] if row >= 0 else None

    def rowCount(self, parent: Index = _ROOT) -> int:
        return 0 if parent.isValid() else len(self.lines)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.lines[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return line.said.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return told(line)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(line.flag) or None
        return None

    def _number(self) -> None:
        self._rows = {line.said.id: row for row, line in enumerate(self.lines)}


def _runs(rows: Sequence[int]) -> list[tuple[int, int]]:
    """Return ascending rows as runs of neighbours, the first and the last of each."""
    runs: list[tuple[int, int]] = []
    for row in rows:
        if runs and row == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], row)
        else:
            runs.append((row, row))
    return runs


def told(line: Line) -> str:
    """Return a line as a screen reader says it."""
    said = line.said
    guess = tr(", a guess") if said.suggested or (line.speaker and not line.colour) else ""
    state = "checked" if said.checked else "draft"
    flag = f", {line.flag}" if line.flag else ""
    cues = ", ".join(tr("{text}, suggested").format(text=one.text) if one.pale else one.text for one in line.cues)
    who, when = line.speaker or tr("Nobody yet"), format_time(said.start_us)
    return f"{who}{guess}, {when}, {state}{flag}: {said.text or 'empty'}{f' ({cues})' if cues else ''}"
