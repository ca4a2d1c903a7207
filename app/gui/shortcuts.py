"""The keys of the window's actions: the user's own over the usual ones."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QFileDialog

from app.core.shortcuts import KeyTable, read_keys, write_keys
from app.gui.actions.table import ACTIONS
from project.errors import UserError
from resources.translation import tr
from widgets.shortcut_editor import Row, ShortcutEditor

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

USUAL = {
    spec.key: tuple(QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText) for key in spec.keys)
    for spec in ACTIONS
}
_FILES = tr("Shortcuts (*.json)")
_NAMES = {spec.key: spec.text.replace("&", "").rstrip("…") for spec in ACTIONS}


class Shortcuts:
    """Keeps the table in the settings, gives the actions their keys, and runs the editor."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self._editor: ShortcutEditor | None = None
        self.table = KeyTable.of(USUAL, window.studio.settings.shortcuts)

    def keys(self, action: str) -> tuple[str, ...]:
        """Return the keys of an action."""
        return self.table.keys(action)

    def of_mode(self, mode: str) -> dict[str, tuple[str, ...]]:
        """Return action -> keys of the actions whose keys hold in a mode only."""
        return {spec.key: self.keys(spec.key) for spec in ACTIONS if spec.mode == mode}

    def edit(self) -> ShortcutEditor:
        """Open the editor."""
        if self._editor is None:
            made = self._editor = ShortcutEditor(self._window)
            made.pressed.connect(self._press)
            made.take_requested.connect(lambda action, key, add: self._assign(action, key, add, take=True))
            made.clear_requested.connect(lambda action: self._use(self.table.clear(action)))
            made.reset_requested.connect(self._reset)
            made.import_requested.connect(self._import)
            made.export_requested.connect(self._export)
        self._show()
        self._editor.show()
        self._editor.raise_()
        return self._editor

    def import_file(self, path: Path) -> None:
        """Take the keys of a file.

        Raises:
            UserError: it holds none, or gives one to two actions.
        """
        found = read_keys(USUAL, path)
        self._use(KeyTable.of(USUAL, {action: [*map(_portable, keys)] for action, keys in found.changed.items()}))

    def also(self, key: str) -> list[str]:
        """Return what a key means elsewhere: in a scheme's form, on the timeline, in a mode."""
        session = self._window.studio.session
        listed = self._window.menus.fixed_shortcuts(session.schemes if session else ())
        return [f"{one.text} ({one.group})" for one in listed if key in map(_portable, one.keys.split(", "))]

    def _press(self, action: str, key: str, add: bool) -> None:
        assert self._editor is not None
        owner = self.table.owner(key)
        if owner == action and not add:
            self._assign(action, key, add)
            return
        against = []
        if owner is not None and owner != action:
            against.append(tr("{key} is “{names}”, which would lose it.").format(key=key, names=_NAMES[owner]))
        elsewhere = self.also(key)
        if elsewhere:
            against.append(
                tr("{key} is also {list}, where one of the two would not work.").format(
                    key=key, list="; ".join(elsewhere[:3])
                )
            )
        if against:
            self._editor.warn(" ".join(against), key)
        else:
            self._assign(action, key, add)

    def _assign(self, action: str, key: str, add: bool, take: bool = False) -> None:
        self._use(self.table.assign(action, key, add=add, take=take))

    def _reset(self, action: str) -> None:
        if not action:
            self._use(self.table.reset_all())
            return
        wanted = self.table.reset(action)
        self._use(wanted)
        missing = [key for key in USUAL[action] if key not in wanted.keys(action)]
        if missing and self._editor is not None:
            owner = self.table.owner(missing[0])
            self._editor.warn(
                tr("{missing} stays with “{names}”, to which you gave it.").format(
                    missing=missing[0], names=_NAMES[owner or action]
                )
            )

    def _use(self, table: KeyTable) -> None:
        self.table = table
        studio = self._window.studio
        studio.change_settings(lambda kept: replace(kept, shortcuts=table.as_json()))
        self._window.menus.use_keys()
        self._window.renew_keys()
        self._show()

    def _show(self) -> None:
        if self._editor is not None:
            self._editor.show_rows(
                [
                    Row(
                        spec.key,
                        spec.menu.replace("&", ""),
                        _NAMES[spec.key],
                        self.keys(spec.key),
                        self.table.is_changed(spec.key),
                    )
                    for spec in ACTIONS
                ]
            )

    def _import(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self._editor, tr("Import shortcuts"), "", _FILES)
        self._try(name, self.import_file)

    def _export(self) -> None:
        name, _ = QFileDialog.getSaveFileName(self._editor, tr("Export shortcuts"), "greenroom-shortcuts.json", _FILES)
        self._try(name, lambda path: write_keys(self.table, path))

    def _try(self, name: str, do: Callable[[Path], object]) -> None:
        if not name:
            return
        try:
            do(Path(name))
        except UserError as error:
            if self._editor is not None:
                self._editor.warn(str(error))


def _portable(key: str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.PortableText)
