"""Changing keys in the window, and the sheet of all keys."""

from pathlib import Path

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest

from app.gui.window.main_window import MainWindow
from app.shortcut_table import write_keys
from project.errors import UserError
from tests.qt.conftest import OpenWindow
from widgets.dialogs.shortcut_dialogs import ShortcutEditor
from widgets.text_labels import KeyCaps


def give(editor: ShortcutEditor, action: str, key: str) -> None:
    editor.select_action(action)
    combination = QKeySequence.fromString(key)[0]
    QTest.keyClick(editor.key, combination.key(), combination.keyboardModifiers())


def keys(window: MainWindow, action: str) -> list[str]:
    return [shortcut.toString() for shortcut in window.menus.actions[action].shortcuts()]


def test_a_free_key_works_after_a_restart_too(open_window: OpenWindow, study: Path, tmp_path: Path) -> None:
    window = open_window(study)
    editor = window.shortcuts.open_editor()
    give(editor, "zoom_fit", "F12")
    assert keys(window, "zoom_fit") == ["F12"]
    assert ("View", "F12") in [(shortcut.group, shortcut.keys) for shortcut in window.menus.shortcuts(())]
    write_keys(window.shortcuts.table.assign("jobs", "Ctrl+F12"), tmp_path / "mine.json")
    window.shortcuts.import_file(tmp_path / "mine.json")
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(UserError):
        window.shortcuts.import_file(tmp_path / "bad.json")
    editor.close()
    window.close()
    again = open_window(study)
    assert (keys(again, "zoom_fit"), keys(again, "jobs")) == (["F12"], ["Ctrl+F12"])


def test_a_taken_key_is_given_only_after_a_warning_that_names_the_other(window: MainWindow) -> None:
    editor = window.shortcuts.open_editor()
    give(editor, "jobs", "Ctrl+Z")
    assert "“Undo”" in editor.warning.text()
    assert keys(window, "jobs") == ["Ctrl+Shift+J"]
    editor.take.click()
    assert (keys(window, "jobs"), keys(window, "undo")) == (["Ctrl+Z"], [])
    editor.select_action("undo")
    editor.reset.click()
    assert "stays with “Jobs”" in editor.warning.text()
    editor.reset_requested.emit("")
    assert (keys(window, "jobs"), keys(window, "undo")) == (["Ctrl+Shift+J"], ["Ctrl+Z"])
    give(editor, "jobs", "Y")
    assert "In Review" in editor.warning.text()
    give(editor, "jobs", "E")
    assert "Error" in editor.warning.text()
    editor.take.click()
    assert keys(window, "jobs") == ["E"]
    assert "E" not in [label_action.shortcut().toString() for label_action in window.menus.label_actions]


@pytest.mark.parametrize(
    ("keys", "caps"),
    [
        ("Ctrl++", [["Ctrl", "+"]]),
        (",, .", [[","], ["."]]),
    ],
)
def test_keys_are_split_into_caps(qtbot, keys, caps):
    widget = KeyCaps(keys)
    qtbot.addWidget(widget)
    assert widget._alternatives == caps
    assert widget.accessibleName() == keys
    assert not widget.grab().isNull()
