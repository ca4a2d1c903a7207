"""The shortcut editor, which names the action that already has a key, and the sheet of all shortcuts (Ctrl+F1)."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QKeyCombination, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog, close_button
from widgets.form.controls import check_box, line_edit, push_button
from widgets.form.input_fields import mark_search_field
from widgets.form.layouts import make_column, make_panel, make_row, make_scroll_area
from widgets.text_labels import KeyCaps, PlainLabel, describe

_KEY_ROLE = Qt.ItemDataRole.UserRole
_ROW_HEIGHT = 26


@dataclass(frozen=True, slots=True)
class ShortcutRow:
    """One action: its key in the table, the menu it is in, what it does, its keys, and whether they were changed."""

    action: str
    group: str
    text: str
    keys: tuple[str, ...]
    is_changed: bool


class ShortcutEditor(OwnDialog):
    """Not modal. It decides nothing: what is free is said by who listens.

    Signals:
        key_pressed (str, str, bool): action, its new key, and whether it keeps its others.
        reassign_requested (str, str, bool): the same; the key is to be taken from the action that has it.
        clear_requested (str): the action is to have no key.
        reset_requested (str): the action is to have its usual keys; "" for all.
        import_requested, export_requested
    """

    key_pressed = Signal(str, str, bool)
    reassign_requested = Signal(str, str, bool)
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
        find = tr("Find an action or a key")
        self.search = line_edit(find, find, tr("Words of what it does, or its key"), clearButtonEnabled=True)
        mark_search_field(self.search)
        self.search.textChanged.connect(self._filter)
        self.tree = QTreeWidget()
        self.tree.setAccessibleName(tr("Actions"))
        self.tree.setHeaderLabels([tr("Action"), tr("Keys")])
        self.tree.setRootIsDecorated(False)
        self.tree.setUniformRowHeights(True)
        self.tree.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.tree.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.tree.header().setStretchLastSection(False)
        self.tree.header().setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        self.tree.currentItemChanged.connect(lambda *_: self._on_action_selected())
        self.tree.itemActivated.connect(lambda *_: self.key.setFocus())
        self.setLayout(
            make_column(
                self.search, self.tree, 1, self._edit_row(), self._make_warning(), self._foot(), margin=theme.GRID * 2
            )
        )
        self._on_action_selected()

    def show_rows(self, rows: Sequence[ShortcutRow]) -> None:
        """Show the actions; the chosen one stays chosen."""
        action = self.current_action()
        self.tree.blockSignals(True)
        self.tree.clear()
        for row in rows:
            item = QTreeWidgetItem(
                [f"{row.group}: {row.text}", ", ".join(map(_native_text, row.keys)) or "\N{EN DASH}"]
            )
            item.setData(0, _KEY_ROLE, row.action)
            item.setSizeHint(0, QSize(0, theme.scaled(_ROW_HEIGHT)))
            if row.is_changed:
                item.setFont(1, theme.font(semibold=True))
                item.setToolTip(1, tr("Changed by you"))
            self.tree.addTopLevelItem(item)
            if row.action == action:
                self.tree.setCurrentItem(item)
        self.tree.blockSignals(False)
        self._filter(self.search.text())
        self._on_action_selected()

    def current_action(self) -> str:
        """Return the action that is chosen, or ""."""
        item = self.tree.currentItem()
        return str(item.data(0, _KEY_ROLE)) if item is not None else ""

    def select_action(self, action: str) -> None:
        """Choose an action."""
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None and item.data(0, _KEY_ROLE) == action:
                self.tree.setCurrentItem(item)

    def show_warning(self, text: str, key: str = "") -> None:
        """Say what stands against a key; with `key`, offer to use it all the same. No text hides the line."""
        self._waiting = key
        self.warning.setText(text)
        self.take.setVisible(bool(key))
        self._warning_row.setVisible(bool(text))

    def _edit_row(self) -> QHBoxLayout:
        self.key = QKeySequenceEdit()
        self.key.setMaximumSequenceLength(1)
        describe(self.key, tr("New key"), tr("Click here and press the key"))
        for field in self.key.findChildren(QLineEdit):
            describe(field, tr("New key"), tr("Click here and press the key"))
            field.setPlaceholderText(tr("Press the key"))
        self.key.keySequenceChanged.connect(self._on_key_pressed)
        self.add = check_box(tr("Keep its other keys"), tr("The action has several keys then"))
        self.clear = push_button(
            tr("No key"),
            tr("Take the keys of this action away"),
            lambda: self.clear_requested.emit(self.current_action()),
            autoDefault=False,
        )
        self.reset = push_button(
            tr("Reset"),
            tr("Give this action its usual keys, as far as they are free"),
            lambda: self.reset_requested.emit(self.current_action()),
            autoDefault=False,
        )
        return make_row(PlainLabel(tr("New key")), self.key, 1, self.add, self.clear, self.reset)

    def _make_warning(self) -> QWidget:
        self.warning = PlainLabel(wordWrap=True)
        self.take = push_button(
            tr("Use it here"), tr("Give this key to the chosen action all the same"), self._reassign, autoDefault=False
        )
        self._warning_row = make_panel(make_row(self.warning, 1, self.take))
        self._warning_row.hide()
        return self._warning_row

    def _foot(self) -> QHBoxLayout:
        reset, bring, write, close = (
            push_button(text, tip, do, autoDefault=False)
            for text, tip, do in (
                (tr("Reset all"), tr("Every action gets its usual keys"), lambda: self.reset_requested.emit("")),
                (tr("Import…"), tr("Read keys from a file"), self.import_requested),
                (tr("Export…"), tr("Write your keys to a file"), self.export_requested),
                (tr("Close"), tr("Close this window (Esc)"), self.close),
            )
        )
        return make_row(reset, bring, write, None, close)

    def _on_key_pressed(self, sequence: QKeySequence) -> None:
        key = sequence.toString(QKeySequence.SequenceFormat.PortableText)
        if key and self.current_action():
            self.show_warning("")
            self.key_pressed.emit(self.current_action(), key, self.add.isChecked())
            self.key.blockSignals(True)
            self.key.clear()
            self.key.blockSignals(False)

    def _reassign(self) -> None:
        key = self._waiting
        self.show_warning("")
        self.reassign_requested.emit(self.current_action(), key, self.add.isChecked())

    def _on_action_selected(self) -> None:
        there = bool(self.current_action())
        for control in (self.key, self.add, self.clear, self.reset):
            control.setEnabled(there)
        self.show_warning("")

    def _filter(self, text: str) -> None:
        words = text.casefold().split()
        for place in range(self.tree.topLevelItemCount()):
            item = self.tree.topLevelItem(place)
            if item is not None:
                said = f"{item.text(0)} {item.text(1)}".casefold()
                item.setHidden(not all(word in said for word in words))


def _native_text(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)


_CLOSE_KEY = QKeyCombination(Qt.KeyboardModifier.ControlModifier, Qt.Key.Key_F1)


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
        self.search = line_edit(tr("Find a shortcut"), tr("Find a key or what it does"), clearButtonEnabled=True)
        mark_search_field(self.search)
        self.search.textChanged.connect(self._filter)
        self._nothing = PlainLabel(
            tr("No shortcut has these words."), alignment=Qt.AlignmentFlag.AlignHCenter, visible=False
        )
        area = make_scroll_area(self._columns(shortcuts), frame=True, sideways=True)
        area.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        area.setAccessibleName(tr("Shortcuts"))
        change = push_button(tr("Change…"), tr("Give actions other keys"), self.change_requested, autoDefault=False)
        change.clicked.connect(self.close)
        close = close_button(self)
        close.setAutoDefault(False)
        self.setLayout(
            make_column(
                self.search,
                self._nothing,
                area,
                1,
                make_row(change, None, close),
                margin=theme.GRID * 2,
                spacing=theme.GRID * 2,
            )
        )

    def visible_shortcuts(self) -> list[Shortcut]:
        """Return the lines that match what is searched for."""
        return [shortcut for shortcut, row in self._rows if not row.isHidden()]

    def showEvent(self, event: object) -> None:
        super().showEvent(event)  # type: ignore[arg-type]
        self.search.setFocus()
        self.search.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.keyCombination() == _CLOSE_KEY:
            self.close()
        else:
            super().keyPressEvent(event)

    def _columns(self, shortcuts: Sequence[Shortcut]) -> QWidget:
        groups = [(name, list(rows)) for name, rows in groupby(shortcuts, key=lambda shortcut: shortcut.group)]
        sides: tuple[list[QWidget], list[QWidget]] = [], []
        half = (len(shortcuts) + 2 * len(groups)) / 2
        filled = 0
        for name, rows in groups:
            side = sides[0] if filled + len(rows) / 2 <= half else sides[1]
            filled += len(rows) + 2
            side.append(self._group(name, rows))
        left, right = (make_column(*side, None, spacing=theme.GRID * 2) for side in sides)
        return make_panel(make_row(left, 1, right, 1, margin=(0, 0, theme.GRID, 0), spacing=theme.GRID * 4))

    def _group(self, name: str, shortcuts: Sequence[Shortcut]) -> QWidget:
        heading = PlainLabel(name, font=theme.font(semibold=True))
        column = make_column(heading, spacing=2)
        result = make_panel(column)
        for shortcut in shortcuts:
            text = PlainLabel(shortcut.text, wordWrap=True)
            row = make_panel(
                make_row(
                    text,
                    1,
                    (KeyCaps(shortcut.keys), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop),
                    margin=(0, 2, 0, 2),
                )
            )
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
