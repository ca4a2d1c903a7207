"""The lines of a transcript as a list that views follow."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from project.timebase import format_time
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
        old_ids, new_ids = [one.said.id for one in self.lines], [one.said.id for one in new]
        limit = min(len(old_ids), len(new_ids))
        head = next((i for i in range(limit) if old_ids[i] != new_ids[i]), limit)
        tail = next((i for i in range(limit - head) if old_ids[-1 - i] != new_ids[-1 - i]), limit - head)
        if head + tail < len(old_ids):
            self.beginRemoveRows(_ROOT, head, len(old_ids) - tail - 1)
            del self.lines[head : len(old_ids) - tail]
            self._number()
            self.endRemoveRows()
        if head + tail < len(new_ids):
            self.beginInsertRows(_ROOT, head, len(new_ids) - tail - 1)
            self.lines[head:head] = new[head : len(new_ids) - tail]
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
            return line.flag or None
        return None

    def _number(self) -> None:
        self._rows = {line.said.id: row for row, line in enumerate(self.lines)}


def told(line: Line) -> str:
    """Return a line as a screen reader says it."""
    said = line.said
    guess = ", a guess" if said.suggested or (line.speaker and not line.colour) else ""
    state = "checked" if said.checked else "draft"
    flag = f", {line.flag}" if line.flag else ""
    return f"{line.speaker or 'Nobody yet'}{guess}, {format_time(said.start_us)}, {state}{flag}: {said.text or 'empty'}"
