"""What a search found that is not about a segment: utterances, recordings, people."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtWidgets import QListView, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_tip import plain_tip
from widgets.segments.drawing import CellDelegate
from widgets.segments.model import MARKS

Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class FoundText:
    """One text: where it is in words, the text, what matches in it, and where to go, if anywhere."""

    where: str
    text: str
    marks: tuple[tuple[int, int], ...]
    recording_id: str | None = None
    time_us: int = 0


class _Texts(QAbstractListModel):
    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.texts: Sequence[FoundText] = ()

    def set_texts(self, texts: Sequence[FoundText]) -> None:
        self.beginResetModel()
        self.texts = texts
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.texts)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        one = self.texts[index.row()]
        before = len(one.where) + 2
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = f"{one.where}: {one.text}"
            return plain_tip(text) if role == Qt.ItemDataRole.ToolTipRole else text
        if role == Qt.ItemDataRole.SizeHintRole:
            return QSize(0, theme.GRID * 7 // 2)
        if role == MARKS:
            return tuple((start + before, end + before) for start, end in one.marks)
        return None


class HitsList(QListView):
    """A line for each text.

    Signals:
        opened (str, object): recording and time in microseconds to look at.
    """

    opened = Signal(str, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Found elsewhere"))
        self._texts = _Texts(self)
        self.setModel(self._texts)
        self.setItemDelegate(CellDelegate(self))
        self.setUniformItemSizes(True)
        self.activated.connect(self._open)

    def set_texts(self, texts: Sequence[FoundText]) -> None:
        """Show these."""
        self._texts.set_texts(texts)

    def _open(self, where: QModelIndex) -> None:
        one = self._texts.texts[where.row()]
        if one.recording_id is not None:
            self.opened.emit(one.recording_id, one.time_us)
