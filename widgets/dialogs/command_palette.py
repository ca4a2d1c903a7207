"""The command palette: finds every command by a few letters of its name and runs it.

Its popup also serves the node picker.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from project.text_matching.text_views import fold
from resources.translation import tr
from widgets import theme
from widgets.form.controls import line_edit
from widgets.form.input_fields import OVERLAY_PROPERTY
from widgets.form.layouts import make_column
from widgets.text_labels import key_height, key_width, paint_key, split_keys

_NAVIGATION_KEYS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


class FilterListPopup(QFrame):
    """A field for letters over a list: Up and Down choose, Return takes, Esc gives up; the focus stays in the field.

    A subclass calls `set_widgets` and says what is taken, and how it is left.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setProperty(OVERLAY_PROPERTY, True)

    def set_widgets(self, field: QLineEdit, found: QAbstractItemView) -> None:
        """Use this field and this list."""
        self._found = found
        field.installEventFilter(self)
        found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusProxy(field)

    def accept_current(self) -> None:
        """Take what is chosen."""
        raise NotImplementedError

    def dismiss(self) -> None:
        """Go away: the focus went elsewhere."""
        raise NotImplementedError

    def cancel(self) -> None:
        """Go away: Esc was pressed."""
        self.dismiss()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.dismiss()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            # The window may use Esc itself; it is this one's as long as it is open.
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.cancel()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _NAVIGATION_KEYS:
            self._found.keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.accept_current()
        else:
            super().keyPressEvent(event)


_ROW_HEIGHT = theme.GRID * 4
_GAP = 4.0
Index = QModelIndex | QPersistentModelIndex


@dataclass(frozen=True, slots=True)
class CommandEntry:
    """One command.

    Attributes:
        group: where it belongs: its menu, its page, its window.
        keys: the first of its shortcuts, as people write it; "" for none.
        why_not: what has to be done first, where it cannot be done now.
        keywords: further words by which it is found.
    """

    key: str
    text: str
    group: str = ""
    keys: str = ""
    why_not: str = ""
    keywords: str = ""

    @property
    def accessible_text(self) -> str:
        """What a screen reader says."""
        return ", ".join(part for part in (self.text, self.group, self.keys, self.why_not) if part)


class EntriesModel(QAbstractListModel):
    """The entries that fit what is typed."""

    def __init__(self) -> None:
        super().__init__()
        self.entries: Sequence[CommandEntry] = ()

    def set_entries(self, entries: Sequence[CommandEntry]) -> None:
        """Show these, in this order."""
        self.beginResetModel()
        self.entries = entries
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self.entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        command_entry = self.entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return command_entry.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return command_entry.accessible_text
        return command_entry if role == Qt.ItemDataRole.UserRole else None


class EntryDelegate(QStyledItemDelegate):
    """Draws an entry in one line; one that cannot be done now says what has to be done first."""

    def sizeHint(self, _option: QStyleOptionViewItem, _index: Index) -> QSize:
        return QSize(0, theme.scaled(_ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry, colours = index.data(Qt.ItemDataRole.UserRole), theme.palette()
        area = QRectF(option.rect).adjusted(theme.GRID, 0, -theme.GRID, 0)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen and entry.key:
            painter.fillRect(option.rect, colours.selection)
        right = self._draw_keys(painter, entry.keys, area)
        painter.setFont(theme.font())
        measure = QFontMetricsF(theme.font())
        beside = entry.why_not or entry.group
        least = min(measure.horizontalAdvance(beside), area.width() / 3)
        room = max(0.0, right - area.left() - least - theme.GRID)
        name = measure.elidedText(entry.text, Qt.TextElideMode.ElideRight, room)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.setPen(colours.disabled if entry.why_not and entry.key else colours.text)
        painter.drawText(area, middle | Qt.AlignmentFlag.AlignLeft, name)
        left = area.left() + measure.horizontalAdvance(name) + theme.GRID
        painter.setPen(colours.muted)
        rest = QRectF(left, area.top(), right - left, area.height())
        words = measure.elidedText(beside, Qt.TextElideMode.ElideRight, rest.width())
        painter.drawText(rest, middle | Qt.AlignmentFlag.AlignLeft, words)
        painter.restore()

    def _draw_keys(self, painter: QPainter, keys: str, area: QRectF) -> float:
        """Draw caps at the right; returns where they begin."""
        left = area.right()
        for key in reversed(split_keys(keys)) if keys else ():
            width = key_width(key)
            left -= width
            paint_key(painter, key, QRectF(left, area.center().y() - key_height() / 2, width, key_height()))
            left -= _GAP
        return left - theme.GRID if keys else left


def no_match_entry(typed: str) -> CommandEntry:
    """Return the row that stands where no command fits."""
    return CommandEntry("", tr("Nothing is called “{typed}”").format(typed=typed), why_not=tr("Use fewer letters."))


_PREFIX_SCORE, _WORD_SCORE, _INSIDE_SCORE, _INITIALS_SCORE = 100.0, 60.0, 35.0, 15.0
_GROUP_WEIGHT = 0.5
"""What stands in the group counts half as much as what stands in the name."""


def match_score(typed: str, name: str, group: str = "") -> float | None:
    """Return how well each word that is typed is found in a name or its group; None where one is in neither.

    The start of the name is best, then the start of a word, then letters inside a word, then the initials of words in
    this order, such as `msm` for `Make segment from marks`. Capitals and accents make no difference. Of two names that
    fit alike, the shorter one fits better.
    """
    there, beside = fold(name), fold(group)
    total = 0.0
    for part in fold(typed).split():
        own, other = _word_score(part, there), _word_score(part, beside) * _GROUP_WEIGHT
        best = max(own, other)
        if best <= 0:
            return None
        total += best
    return total - min(len(there), 99) / 100


def _word_score(part: str, text: str) -> float:
    if text.startswith(part):
        return _PREFIX_SCORE
    at = text.find(part)
    while at > 0:
        if not text[at - 1].isalnum():
            return _WORD_SCORE
        at = text.find(part, at + 1)
    if part in text:
        return _INSIDE_SCORE
    initials = iter(re.findall(r"\b\w", text))
    return _INITIALS_SCORE if all(letter in initials for letter in part) else 0.0


_PALETTE_SIZE = QSize(620, 420)
_MAX_SHOWN = 300


class CommandPalettePopup(FilterListPopup):
    """Lies over its window: letters narrow the list down, Up and Down choose, Return does it, Esc gives up.

    Signals:
        entry_chosen (str): the key of the entry that is to be done; the focus is where it was before.
        dismissed: it goes away; `entry_chosen` follows where something is to be done.
    """

    entry_chosen = Signal(str)
    dismissed = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._before = window.focusWidget()
        self._entries: Sequence[CommandEntry] = ()
        self.setObjectName("palette")
        self.setAccessibleName(tr("Commands"))
        self.field = line_edit(tr("Letters of a command"), tr("What do you want to do?"))
        self.field.textChanged.connect(self._filter)
        self.list = QListView()
        self.list.setAccessibleName(tr("Commands that fit"))
        self.list.setUniformItemSizes(True)
        self._model = EntriesModel()
        self.list.setModel(self._model)
        self.list.setItemDelegate(EntryDelegate(self.list))
        self.list.clicked.connect(lambda _index: self.accept_current())
        self.list.selectionModel().currentChanged.connect(lambda *_: self._announce_current())
        self.setLayout(make_column(self.field, self.list, margin=theme.GRID, spacing=theme.GRID // 2))
        self.set_widgets(self.field, self.list)
        self.setGeometry(palette_rect(window))

    def open_with(self, entries: Sequence[CommandEntry]) -> None:
        """Open with these; they stand in this order until something is typed."""
        self._entries = entries
        self._filter("")
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def shown_entries(self) -> list[CommandEntry]:
        """Return what fits what is typed, the best first."""
        return list(self._model.entries)

    def _filter(self, typed: str) -> None:
        fits = (
            [(match_score(typed, entry.text, f"{entry.group} {entry.keywords}"), entry) for entry in self._entries]
            if typed.strip()
            else []
        )
        found = [
            (how - (1000 if command_entry.why_not else 0), command_entry)
            for how, command_entry in fits
            if how is not None
        ]
        ordered = (
            [command_entry for _, command_entry in sorted(found, key=lambda pair: -pair[0])]
            if typed.strip()
            else [*self._entries]
        )
        self._model.set_entries(ordered[:_MAX_SHOWN] or [no_match_entry(typed)])
        self.list.setCurrentIndex(self._model.index(0))

    def _announce_current(self) -> None:
        """Let a screen reader hear which one is chosen, while the focus stays with the letters."""
        entry = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        self.field.setAccessibleDescription(entry.accessible_text if entry is not None else "")

    def accept_current(self) -> None:
        entry = self.list.currentIndex().data(Qt.ItemDataRole.UserRole)
        if entry is None or not entry.key or entry.why_not:
            return
        self.dismiss()
        self.entry_chosen.emit(entry.key)

    def dismiss(self) -> None:
        if self.isHidden():
            return
        self.field.removeEventFilter(self)
        self.hide()
        if self._before is not None and self._before.isVisible():
            self._before.setFocus(Qt.FocusReason.OtherFocusReason)
        self.dismissed.emit()
        self.deleteLater()


def palette_rect(window: QWidget) -> QRect:
    """Return where the palette lies in a window, in its pixels."""
    room = window.rect().adjusted(theme.GRID, theme.GRID, -theme.GRID, -theme.GRID)
    size = _PALETTE_SIZE.boundedTo(room.size())
    return QRect(
        QPoint((window.width() - size.width()) // 2, min(theme.GRID * 10, room.bottom() - size.height())), size
    )
