"""The sheet of all keys, on Ctrl+F1."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QKeyCombination, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QScrollArea, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.escape import mark_search
from widgets.key_caps import KeyCaps
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_AGAIN = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_F1)


@dataclass(frozen=True, slots=True)
class Shortcut:
    """One line of the sheet.

    Attributes:
        group: the heading it stands under.
        keys: as people write them, alternatives parted by a comma and a space: `Ctrl+Z`, `J, K, L`.
        text: what it does.
    """

    group: str
    keys: str
    text: str


class ShortcutSheet(OwnDialog):
    """Lists keys by group in two columns and finds them by word or by key. Not modal; Esc or Ctrl+F1 closes it.

    Signals:
        change_requested: the keys are to be changed.
    """

    change_requested = Signal()

    def __init__(self, shortcuts: Sequence[Shortcut], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[Shortcut, QWidget]] = []
        self._headings: dict[str, QWidget] = {}
        self.setWindowTitle(tr("Keyboard shortcuts"))
        self.setAccessibleName(tr("Keyboard shortcuts"))
        self.setModal(False)
        self.resize(760, 560)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID * 2)
        self.search = QLineEdit(placeholderText=tr("Find a key or what it does"), clearButtonEnabled=True)
        mark_search(self.search)
        self.search.setAccessibleName(tr("Find a shortcut"))
        self.search.textChanged.connect(self._filter)
        column.addWidget(self.search)
        self._nothing = PlainLabel(tr("No shortcut has these words."), alignment=Qt.AlignmentFlag.AlignHCenter)
        self._nothing.hide()
        column.addWidget(self._nothing)
        area = QScrollArea(widgetResizable=True)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(tr("Shortcuts"))
        area.setWidget(self._columns(shortcuts))
        column.addWidget(area, 1)
        change = QPushButton(tr("Change…"), autoDefault=False)
        change.setToolTip(tr("Give actions other keys"))
        change.clicked.connect(self.change_requested)
        change.clicked.connect(self.close)
        close = close_button(self, by_escape=False)
        close.setAutoDefault(False)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        foot.addWidget(change)
        foot.addStretch()
        foot.addWidget(close)
        column.addLayout(foot)

    def visible_shortcuts(self) -> list[Shortcut]:
        """Return the lines that match what is searched for."""
        return [shortcut for shortcut, row in self._rows if not row.isHidden()]

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.search.setFocus()
        self.search.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.keyCombination() == _AGAIN:
            self.close()
        else:
            super().keyPressEvent(event)

    def _columns(self, shortcuts: Sequence[Shortcut]) -> QWidget:
        groups = [(name, list(rows)) for name, rows in groupby(shortcuts, key=lambda shortcut: shortcut.group)]
        result = QWidget()
        both = QHBoxLayout(result)
        both.setContentsMargins(0, 0, theme.GRID, 0)
        both.setSpacing(theme.GRID * 4)
        sides = (QVBoxLayout(), QVBoxLayout())
        half = (len(shortcuts) + 2 * len(groups)) / 2
        filled = 0
        for name, rows in groups:
            side = sides[0] if filled + len(rows) / 2 <= half else sides[1]
            filled += len(rows) + 2
            side.addWidget(self._group(name, rows))
        for side in sides:
            side.setSpacing(theme.GRID * 2)
            side.addStretch()
            both.addLayout(side, 1)
        return result

    def _group(self, name: str, shortcuts: Sequence[Shortcut]) -> QWidget:
        result = QWidget()
        column = QVBoxLayout(result)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        heading = PlainLabel(name)
        heading.setFont(theme.font(semibold=True))
        column.addWidget(heading)
        for shortcut in shortcuts:
            row = QWidget()
            line = QHBoxLayout(row)
            line.setContentsMargins(0, 2, 0, 2)
            text = PlainLabel(shortcut.text, wordWrap=True)
            line.addWidget(text, 1)
            line.addWidget(KeyCaps(shortcut.keys), 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop)
            row.setAccessibleName(f"{shortcut.text}: {shortcut.keys}")
            column.addWidget(row)
            self._rows.append((shortcut, row))
        self._headings[name] = result
        return result

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for shortcut, row in self._rows:
            native = QKeySequence(shortcut.keys).toString(QKeySequence.SequenceFormat.NativeText)
            searched = f"{shortcut.group} {shortcut.text} {shortcut.keys} {native}".casefold()
            row.setVisible(all(word in searched for word in words))
        shown = {shortcut.group for shortcut in self.visible_shortcuts()}
        for group, widget in self._headings.items():
            widget.setVisible(group in shown)
        self._nothing.setVisible(not shown)
