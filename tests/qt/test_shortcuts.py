"""Changing keys in the window."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.gui.window.main_window import MainWindow
from app.gui.window.shortcuts import DEFAULT_KEYS
from app.shortcut_table import KeyTable, shared_keys
from project.errors import UserError
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.keyboard_walk import nameless, unexplained
from widgets.dialogs.shortcut_dialogs import ShortcutEditor


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=1, segments=2, annotators=1)
    return tmp_path / "lab.greenroom"


def open_window(qtbot: QtBot, study: Path) -> MainWindow:
    made = MainWindow()
    qtbot.addWidget(made)
    made.resize(1360, 860)
    made.show()
    qtbot.waitExposed(made)
    assert made.open_study(study)
    return made


@pytest.fixture
def window(qtbot: QtBot, study: Path) -> Iterator[MainWindow]:
    made = open_window(qtbot, study)
    yield made
    made.close()


def give(editor: ShortcutEditor, action: str, key: Qt.Key, modifier: Qt.KeyboardModifier) -> None:
    editor.select_action(action)
    editor.key.setFocus()
    QTest.keyClick(editor.key, key, modifier)


NONE, CTRL = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ControlModifier


def keys(window: MainWindow, action: str) -> list[str]:
    return [shortcut.toString() for shortcut in window.menus.actions[action].shortcuts()]


def test_no_usual_keys_are_shared() -> None:
    assert shared_keys(KeyTable(DEFAULT_KEYS, {})) == []


def test_a_free_key_works_at_once_and_after_a_restart(qtbot: QtBot, window: MainWindow, study: Path) -> None:
    editor = window.shortcuts.open_editor()
    assert nameless(editor) == []
    assert unexplained(editor) == []
    give(editor, "zoom_fit", Qt.Key.Key_F12, NONE)
    assert keys(window, "zoom_fit") == ["F12"]
    assert ("View", "F12") in [(shortcut.group, shortcut.keys) for shortcut in window.menus.shortcuts(())]
    editor.close()
    window.close()
    again = open_window(qtbot, study)
    assert keys(again, "zoom_fit") == ["F12"]
    again.close()


def test_a_taken_key_is_given_only_after_a_warning_that_names_the_other(window: MainWindow) -> None:
    editor = window.shortcuts.open_editor()
    give(editor, "jobs", Qt.Key.Key_Z, CTRL)
    assert "“Undo”" in editor.warning.text()
    assert keys(window, "jobs") == ["Ctrl+Shift+J"]
    editor.take.click()
    assert (keys(window, "jobs"), keys(window, "undo")) == (["Ctrl+Z"], [])
    editor.select_action("undo")
    editor.reset.click()
    assert "stays with “Jobs”" in editor.warning.text()
    editor.reset_requested.emit("")
    assert (keys(window, "jobs"), keys(window, "undo")) == (["Ctrl+Shift+J"], ["Ctrl+Z"])


def test_keys_of_the_scheme_and_of_modes_are_warned_of(window: MainWindow) -> None:
    editor = window.shortcuts.open_editor()
    give(editor, "jobs", Qt.Key.Key_E, NONE)
    assert "Error" in editor.warning.text()
    give(editor, "jobs", Qt.Key.Key_Y, NONE)
    assert "In Review" in editor.warning.text()
    give(editor, "jobs", Qt.Key.Key_E, NONE)
    editor.take.click()
    assert keys(window, "jobs") == ["E"]
    assert "E" not in [label_action.shortcut().toString() for label_action in window.menus.label_actions]


def test_files_go_out_and_in(window: MainWindow, tmp_path: Path) -> None:
    from app.shortcut_table import write_keys

    write_keys(window.shortcuts.table.assign("jobs", "F12"), tmp_path / "mine.json")
    window.shortcuts.import_file(tmp_path / "mine.json")
    assert keys(window, "jobs") == ["F12"]
    (tmp_path / "bad.json").write_text("{}")
    with pytest.raises(UserError):
        window.shortcuts.import_file(tmp_path / "bad.json")
    assert keys(window, "jobs") == ["F12"]
