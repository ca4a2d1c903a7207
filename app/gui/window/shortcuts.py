"""The shortcuts of the window's actions, with the user's own over the defaults.

Also keeps Space and Return for a control that was reached with Tab.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QToolButton,
    QWidget,
)

from app.gui.pages.commands import key_sheet
from app.gui.window.action_table import ACTIONS
from app.gui.window.parts import WindowParts
from app.shortcut_table import KeyTable, read_keys, write_keys
from project.errors import UserError
from project.schemes.scheme import Field, FieldChoice, Label, Scheme
from resources.translation import tr
from widgets.dialogs.shortcut_dialogs import Shortcut, ShortcutEditor, ShortcutRow

DEFAULT_KEYS = {
    spec.key: tuple(QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) for key in spec.keys)
    for spec in ACTIONS
}
_FILE_FILTER = tr("Shortcuts (*.json)")
_ACTION_NAMES = {spec.key: spec.text.replace("&", "").rstrip("…") for spec in ACTIONS}


def keys_in_use(table: KeyTable) -> frozenset[str]:
    """Return the keys of the window's own actions, in upper case, without those that hold in a single mode."""
    return frozenset(key.upper() for spec in ACTIONS if not spec.mode for key in table.keys(spec.key))


def fixed_shortcuts(schemes: Iterable[Scheme]) -> list[Shortcut]:
    """Return the keys that are no actions' own: of forms, a heading for each track, the timeline and modes."""
    from app.gui.benchmark import answer_room
    from app.gui.chains import chains_mode
    from app.gui.faces import faces_mode
    from app.gui.questions import questions_mode
    from app.gui.review import review_page
    from app.gui.transcript import transcript_mode

    listed: list[Shortcut] = []
    tracks = [(scheme, track) for scheme in schemes for track in scheme.tracks]
    for scheme, track in tracks:
        named: list[Label | Field | FieldChoice] = [*track.offered_labels]
        for field in scheme.fields_of(track.key):
            named += [field, *field.choices]
        kind = scheme.name if len(scheme.tracks) == 1 else track.name
        heading = tr("Selected segment") if len(tracks) == 1 else tr("Segment: {kind}").format(kind=kind)
        listed += [Shortcut(heading, entry.shortcut, entry.name) for entry in named if entry.shortcut]
    listed += [
        Shortcut(tr("Timeline"), "Ctrl+Wheel", tr("Zoom at the mouse")),
        Shortcut(tr("Timeline"), "Wheel", tr("Pan")),
        Shortcut(tr("Timeline"), "Alt", tr("Hold while dragging: no snapping")),
        Shortcut(tr("Timeline"), "Up, Down", tr("Previous or next segment, or utterance")),
        Shortcut(tr("Timeline"), "PgUp, PgDown", tr("Nearest in the lane above or below")),
        Shortcut(tr("Timeline"), "Shift+PgUp, Shift+PgDown", tr("Hand the utterance to the speaker above or below")),
        Shortcut(tr("Timeline"), "Return", tr("Go to the selected segment and repeat it, or type in the utterance")),
        Shortcut(tr("Picture"), "Wheel", tr("Magnify at the mouse")),
        Shortcut(tr("Picture"), tr("Drag"), tr("Move the magnified picture; in Faces, with the middle button")),
        Shortcut(tr("Picture"), tr("Middle click"), tr("Whole picture")),
        Shortcut(tr("In every field"), "Esc", tr("Take back what was typed; again: leave the field")),
        Shortcut(tr("In every field"), "Ctrl+Return", tr("In a text: keep what was typed, and leave it")),
    ]
    for group, keys in (
        (tr("In Faces"), faces_mode.KEYS),
        (tr("In Review"), review_page.KEYS),
        (tr("Answering blind"), answer_room.KEYS),
        (tr("In Transcript"), transcript_mode.KEYS),
        (tr("In Chains"), chains_mode.KEYS),
        (tr("In Questions"), questions_mode.KEYS),
    ):
        listed += [Shortcut(group, ", ".join(names), text) for names, text in key_sheet(keys)]
    return listed


class Shortcuts(QObject):
    """Keeps the table in the settings, and runs the editor.

    Signals:
        changed: actions have other keys.
    """

    changed = Signal()

    def __init__(self, window: WindowParts) -> None:
        super().__init__(window)
        self._window = window
        self._editor: ShortcutEditor | None = None
        self.table = KeyTable.from_settings(DEFAULT_KEYS, window.studio.settings.shortcuts)

    def keys(self, action: str) -> tuple[str, ...]:
        """Return the keys of an action."""
        return self.table.keys(action)

    def mode_keys(self, mode: str) -> dict[str, tuple[str, ...]]:
        """Return action -> keys of the actions whose keys hold in a mode only."""
        return {spec.key: self.keys(spec.key) for spec in ACTIONS if spec.mode == mode}

    def open_editor(self) -> ShortcutEditor:
        """Open the editor."""
        if self._editor is None:
            made = self._editor = ShortcutEditor(self._window)
            made.key_pressed.connect(self._on_key_pressed)
            made.reassign_requested.connect(lambda action, key, add: self._assign(action, key, add, take=True))
            made.clear_requested.connect(lambda action: self._apply_table(self.table.clear(action)))
            made.reset_requested.connect(self._reset)
            made.import_requested.connect(self._import)
            made.export_requested.connect(self._export)
        self._show()
        self._editor.show()
        self._editor.raise_()
        return self._editor

    def import_file(self, path: Path) -> None:
        """Take the keys of a file."""
        found = read_keys(DEFAULT_KEYS, path)
        self._apply_table(
            KeyTable.from_settings(
                DEFAULT_KEYS, {action: [*map(_portable_text, keys)] for action, keys in found.changed.items()}
            )
        )

    def other_uses(self, key: str) -> list[str]:
        """Return what a key means elsewhere: in a scheme's form, on the timeline, in a mode."""
        session = self._window.studio.session
        listed = fixed_shortcuts(session.schemes if session else ())
        return [
            f"{shortcut.text} ({shortcut.group})"
            for shortcut in listed
            if key in map(_portable_text, shortcut.keys.split(", "))
        ]

    def _on_key_pressed(self, action: str, key: str, add: bool) -> None:
        assert self._editor is not None
        owner = self.table.owner(key)
        if owner == action and not add:
            self._assign(action, key, add)
            return
        against = []
        if owner is not None and owner != action:
            against.append(tr("{key} is “{names}”, which would lose it.").format(key=key, names=_ACTION_NAMES[owner]))
        elsewhere = self.other_uses(key)
        if elsewhere:
            against.append(
                tr("{key} is also {list}, where one of the two would not work.").format(
                    key=key, list="; ".join(elsewhere[:3])
                )
            )
        if against:
            self._editor.show_warning(" ".join(against), key)
        else:
            self._assign(action, key, add)

    def _assign(self, action: str, key: str, add: bool, take: bool = False) -> None:
        self._apply_table(self.table.assign(action, key, add=add, take=take))

    def _reset(self, action: str) -> None:
        if not action:
            self._apply_table(self.table.reset_all())
            return
        wanted = self.table.reset(action)
        self._apply_table(wanted)
        missing = [key for key in DEFAULT_KEYS[action] if key not in wanted.keys(action)]
        if missing and self._editor is not None:
            owner = self.table.owner(missing[0])
            self._editor.show_warning(
                tr("{missing} stays with “{names}”, to which you gave it.").format(
                    missing=missing[0], names=_ACTION_NAMES[owner or action]
                )
            )

    def _apply_table(self, table: KeyTable) -> None:
        self.table = table
        studio = self._window.studio
        studio.change_settings(lambda kept: replace(kept, shortcuts=table.as_json()))
        self.changed.emit()
        self._show()

    def _show(self) -> None:
        if self._editor is not None:
            self._editor.show_rows(
                [
                    ShortcutRow(
                        spec.key,
                        spec.menu.replace("&", ""),
                        _ACTION_NAMES[spec.key],
                        self.keys(spec.key),
                        self.table.is_changed(spec.key),
                    )
                    for spec in ACTIONS
                ]
            )

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._editor, tr("Import shortcuts"), "", _FILE_FILTER)
        self._run_file_action(name, self.import_file)

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self._editor, tr("Export shortcuts"), "greenroom-shortcuts.json", _FILE_FILTER
        )
        self._run_file_action(name, lambda path: write_keys(self.table, path))

    def _run_file_action(self, name: str, do: Callable[[Path], object]) -> None:
        if not name:
            return
        try:
            do(Path(name))
        except UserError as error:
            if self._editor is not None:
                self._editor.show_warning(str(error))


def _portable_text(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)


_KEYBOARD_FOCUS_REASONS = frozenset(
    {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason}
)
_END_KEYS = frozenset({Qt.Key.Key_Home, Qt.Key.Key_End})
_NAVIGATION_KEYS = _END_KEYS | {Qt.Key.Key_Left, Qt.Key.Key_Right}
_RETURN_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_GUARDED_CONTROLS: tuple[type[QWidget], ...] = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
)
_PLAIN_MODIFIERS = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class KeyGuard(QObject):
    """An event filter for controls; one for all widgets of the program would slow every repaint down.

    Somebody who walks to a button with Tab means the button when pressing Space or Return, and to a box with choices
    the box when pressing Home; somebody who has just clicked it with the mouse means the player. Text fields look after
    themselves.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._by_key = False
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus_changed)

    def watch(self, root: QWidget) -> None:
        """Look after the controls inside a widget."""
        for kind in _GUARDED_CONTROLS:
            for control in root.findChildren(kind):
                control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress:
            self._by_key = False
        elif kind == QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            if event.reason() in _KEYBOARD_FOCUS_REASONS or event.reason() == Qt.FocusReason.MouseFocusReason:
                self._by_key = event.reason() in _KEYBOARD_FOCUS_REASONS
        elif isinstance(event, QKeyEvent) and self._by_key and watched is QApplication.focusWidget():
            if event.modifiers() | _PLAIN_MODIFIERS != _PLAIN_MODIFIERS or not isinstance(watched, QWidget):
                return False
            if kind == QEvent.Type.ShortcutOverride and _handles_key(watched, event):
                event.accept()
                return True
            if kind == QEvent.Type.KeyPress and event.key() in _RETURN_KEYS and isinstance(watched, QAbstractButton):
                _press_button(watched)
                return True
        return False

    def _on_focus_changed(self, before: QWidget | None, _now: QWidget | None) -> None:
        """Qt moves the focus on as Tab does where the control that had it goes out of sight; nobody pressed a key."""
        if before is not None and not before.isVisible():
            self._by_key = False


def _handles_key(widget: QWidget, event: QKeyEvent) -> bool:
    key = event.key()
    if isinstance(widget, QAbstractButton):
        return key == Qt.Key.Key_Space or key in _RETURN_KEYS
    if isinstance(widget, QAbstractItemView):
        return key in _END_KEYS
    if isinstance(widget, QComboBox):
        return key in _END_KEYS or key == Qt.Key.Key_Space or bool(event.text().strip())
    return isinstance(widget, QAbstractSlider | QAbstractSpinBox) and key in _NAVIGATION_KEYS


def _press_button(button: QAbstractButton) -> None:
    if isinstance(button, QToolButton) and button.menu() is not None:
        button.showMenu()
    else:
        button.click()
