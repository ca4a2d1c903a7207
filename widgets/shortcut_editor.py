"""Changing keys: choose an action, press its new key, and be told who has it already."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.escape import mark_search
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip

_KEY = Qt.ItemDataRole.UserRole
_ROW = 26


@dataclass(frozen=True, slots=True)
class Row:
    """One action: its key in the table, the menu it is in, what it does, its keys, and whether they were changed."""

    action: str
    group: str
    text: str
    keys: tuple[str, ...]
    changed: bool


class ShortcutEditor(OwnDialog):
    """Not modal. It decides nothing: what is free is said by who listens.

    Signals:
        pressed (str, str, bool): action, its new key, and whether it keeps its others.
        take_requested (str, str, bool): the same; the key is to be taken from the action that has it.
        clear_requested (str): the action is to have no key.
        reset_requested (str): the action is to have its usual keys; "" for all.
        import_requested, export_requested
    """

    pressed = Signal(str, str, bool)
    take_requested = Signal(str, str, bool)
    clear_requested = Signal(str)
    reset_requested = Signal(str)
    import_requested = Signal()
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._waiting = ""
        self.setWindowTitle(tr("Change keyboard shortcuts"))
        self.setModal(False)
        self.resize(720, 600)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        self.search = QLineEdit(placeholderText=tr("Find an action or a key"), clearButtonEnabled=True)
        mark_search(self.search)
        self.search.setAccessibleName(tr("Find an action or a key"))
        self.search.setToolTip(tr("Words of what it does, or its key"))
        self.search.textChanged.connect(self._filter)
        column.addWidget(self.search)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Actions"))
        self.tree.setHeaderLabels([tr("Action"), tr("Keys")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.currentItemChanged.connect(lambda *_: self._chosen())
        self.tree.itemActivated.connect(lambda *_: self.key.setFocus())
        column.addWidget(self.tree, 1)
        column.addLayout(self._edit_row())
        column.addWidget(self._make_warning())
        column.addLayout(self._foot())
        self._chosen()

    def show_rows(self, rows: Sequence[Row]) -> None:
        """Show the actions; the chosen one stays chosen."""
        action = self.action()
        self.tree.blockSignals(True)
        self.tree.clear()
        for row in rows:
            item = QTreeWidgetItem([f"{row.group}: {row.text}", ", ".join(map(_native, row.keys)) or "\N{EN DASH}"])
            item.setData(0, _KEY, row.action)
            item.setSizeHint(0, QSize(0, _ROW))
            if row.changed:
                item.setFont(1, theme.font(semibold=True))
                item.setToolTip(1, tr("Changed by you"))
            self.tree.addTopLevelItem(item)
            if row.action == action:
                self.tree.setCurrentItem(item)
        self.tree.blockSignals(False)
        self._filter(self.search.text())
        self._chosen()

    def action(self) -> str:
        """Return the action that is chosen, or ""."""
        item = self.tree.currentItem()
        return str(item.data(0, _KEY)) if item is not None else ""

    def choose(self, action: str) -> None:
        """Choose an action."""
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None and item.data(0, _KEY) == action:
                self.tree.setCurrentItem(item)

    def warn(self, text: str, key: str = "") -> None:
        """Say what stands against a key; with `key`, offer to use it all the same. No text hides the line."""
        self._waiting = key
        self.warning.setText(text)
        self.take.setVisible(bool(key))
        self._warning_row.setVisible(bool(text))

    def _edit_row(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.addWidget(PlainLabel(tr("New key")))
        self.key = QKeySequenceEdit()
        self.key.setMaximumSequenceLength(1)
        self.key.setAccessibleName(tr("New key"))
        self.key.setToolTip(tr("Click here and press the key"))
        for field in self.key.findChildren(QLineEdit):
            field.setAccessibleName(tr("New key"))
            field.setToolTip(tr("Click here and press the key"))
            field.setPlaceholderText(tr("Press the key"))
        self.key.keySequenceChanged.connect(self._pressed)
        row.addWidget(self.key, 1)
        self.add = QCheckBox(tr("Keep its other keys"))
        self.add.setToolTip(tr("The action has several keys then"))
        row.addWidget(self.add)
        self.clear = QPushButton(tr("No key"))
        self.clear.setToolTip(tr("Take the keys of this action away"))
        self.clear.clicked.connect(lambda: self.clear_requested.emit(self.action()))
        row.addWidget(self.clear)
        self.reset = QPushButton(tr("Reset"))
        self.reset.setToolTip(tr("Give this action its usual keys, as far as they are free"))
        self.reset.clicked.connect(lambda: self.reset_requested.emit(self.action()))
        row.addWidget(self.reset)
        return row

    def _make_warning(self) -> QWidget:
        self._warning_row = QWidget()
        row = QHBoxLayout(self._warning_row)
        row.setContentsMargins(0, 0, 0, 0)
        self.warning = PlainLabel(wordWrap=True)
        row.addWidget(self.warning, 1)
        self.take = QPushButton(tr("Use it here"))
        self.take.setToolTip(tr("Give this key to the chosen action all the same"))
        self.take.clicked.connect(self._take)
        row.addWidget(self.take)
        self._warning_row.hide()
        return self._warning_row

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        for text, tip, signal in (
            (tr("Reset all"), tr("Every action gets its usual keys"), None),
            (tr("Import…"), tr("Read keys from a file"), self.import_requested),
            (tr("Export…"), tr("Write your keys to a file"), self.export_requested),
        ):
            button = QPushButton(text)
            button.setToolTip(plain_tip(tip))
            button.setAutoDefault(False)
            if signal is None:
                button.clicked.connect(lambda: self.reset_requested.emit(""))
            else:
                button.clicked.connect(signal)
            row.addWidget(button)
        row.addStretch()
        close = QPushButton(tr("Close"))
        close.setToolTip(tr("Close this window (Esc)"))
        close.clicked.connect(self.close)
        row.addWidget(close)
        for button in (self.take, self.clear, self.reset, close):
            button.setAutoDefault(False)
        return row

    def _pressed(self, sequence: QKeySequence) -> None:
        key = sequence.toString(QKeySequence.SequenceFormat.PortableText)
        if key and self.action():
            self.warn("")
            self.pressed.emit(self.action(), key, self.add.isChecked())
            self.key.blockSignals(True)
            self.key.clear()
            self.key.blockSignals(False)

    def _take(self) -> None:
        key = self._waiting
        self.warn("")
        self.take_requested.emit(self.action(), key, self.add.isChecked())

    def _chosen(self) -> None:
        there = bool(self.action())
        for control in (self.key, self.add, self.clear, self.reset):
            control.setEnabled(there)
        self.warn("")

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None:
                said = f"{item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in said for word in words))


def _native(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
