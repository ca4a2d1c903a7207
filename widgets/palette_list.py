"""The rows of the command palette: what a command is called, where it is in the menus, and its keys."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from resources.translation import tr
from widgets import theme
from widgets.key_caps import caps, key_width, paint_key

_ROW = theme.GRID * 4
_GAP = 4.0
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class Entry:
    """One command.

    Attributes:
        group: where it belongs: its menu, its page, its window.
        keys: the first of its shortcuts, as people write it; "" for none.
        why_not: what has to be done first, where it cannot be done now.
        also: further words by which it is found.
    """

    key: str
    text: str
    group: str = ""
    keys: str = ""
    why_not: str = ""
    also: str = ""

    @property
    def said(self) -> str:
        """What a screen reader says."""
        return ", ".join(part for part in (self.text, self.group, self.keys, self.why_not) if part)


class EntriesModel(QAbstractListModel):
    """The entries that fit what is typed."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        """Show these, in this order."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        one = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return one.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return one.said
        return one if role == Qt.ItemDataRole.UserRole else None


class EntryDelegate(QStyledItemDelegate):
    """Draws an entry in one line; one that cannot be done now says what has to be done first."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, _ROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        one, colours = index.data(Qt.ItemDataRole.UserRole), theme.palette()
        area = QRectF(option.rect).adjusted(theme.GRID, 0, -theme.GRID, 0)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen and one.key:
            painter.fillRect(option.rect, colours.selection)
        right = self._keys(painter, one.keys, area)
        painter.setFont(theme.font())
        measure = QFontMetricsF(theme.font())
        beside = one.why_not or one.group
        least = min(measure.horizontalAdvance(beside), area.width() / 3)
        room = max(0.0, right - area.left() - least - theme.GRID)
        name = measure.elidedText(one.text, Qt.TextElideMode.ElideRight, room)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(colours.disabled if one.why_not and one.key else colours.text)
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, name)
        left = area.left() + measure.horizontalAdvance(name) + theme.GRID
        painter.setPen(colours.muted)
        rest = QRectF(left, area.top(), right - left, area.height())
        words = measure.elidedText(beside, Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, middle | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()

    def _keys(self, painter: QPainter, keys: str, area: QRectF) -> float:
        """Draw caps at the right; returns where they begin."""
        left = area.right()
        for key in reversed(caps(keys)) if keys else ():
            width = key_width(key)
            left -= width
            paint_key(painter, key, QRectF(left, area.center().y() - 9, width, 18))
            left -= _GAP
        return left - theme.GRID if keys else left


def nothing_fits(typed: str) -> Entry:
    """Return the row that stands where no command fits."""
    return Entry("", tr("Nothing is called “{typed}”").format(typed=typed), why_not=tr("Use fewer letters."))
