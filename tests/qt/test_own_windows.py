"""Every window of the program belongs to the main window, and comes to the front whenever it is asked for."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget
from pytestqt.qtbot import QtBot

from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import WINDOWS
from project.store.study import Study
from widgets.dialogs.dialog_windows import ChoiceDialog, OwnDialog, attach, bring_to_front, owning_window

OpenWindow = Callable[..., MainWindow]


@pytest.fixture
def window(open_window: OpenWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    monkeypatch.setattr(Dialogs, "annotations", lambda _self, _window=None: None)
    Study.create(tmp_path / "lab.greenroom").close()
    return open_window(tmp_path / "lab.greenroom")


def owner_of(shown: QWidget) -> object:
    handle = shown.windowHandle()
    return None if handle is None else handle.transientParent()


@pytest.mark.parametrize("key", WINDOWS)
def test_a_window_about_the_study_belongs_to_the_main_window(window: MainWindow, key: str) -> None:
    shown = window.windows.open_window(key)
    assert shown.isVisible()
    assert owner_of(shown) is window.windowHandle()
    assert shown.windowType() is Qt.WindowType.Dialog, "window managers are told whose a dialog is, and of nothing else"
    assert shown.windowFlags() & Qt.WindowType.WindowMaximizeButtonHint


def test_a_window_that_is_asked_for_again_is_no_icon_any_more(window: MainWindow) -> None:
    shown = window.windows.open_window("segments")
    shown.showMinimized()
    assert window.windows.open_window("segments") is shown
    assert not shown.isMinimized()


def test_the_help_belongs_to_the_main_window_and_to_a_dialog_that_waits(window: MainWindow, qtbot: QtBot) -> None:
    shown = window.help.open_tutorial()
    assert owner_of(shown) is window.windowHandle()
    dialog = OwnDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    window.help.open_for_context()
    assert owner_of(shown) is dialog.windowHandle(), "the dialog blocks every window that is not its own"
    dialog.close()
    window.help.open_for_context()
    assert owner_of(shown) is window.windowHandle()


def test_a_dialog_without_a_parent_belongs_to_the_main_window(window: MainWindow, qtbot: QtBot) -> None:
    dialog = ChoiceDialog("Title", "Question?", "More.", [("go", "Go", "Go on")], ("Stay", "Stay here"))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.parentWidget() is not None
    assert dialog.parentWidget().window() is window
    assert owner_of(dialog) is window.windowHandle()


def test_files_are_chosen_over_the_dialog_that_waits(window: MainWindow, qtbot: QtBot) -> None:
    dialog = OwnDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    assert owning_window(window) is dialog
    dialog.close()
    assert owning_window(window) is window


def test_a_widget_becomes_a_window_of_another(qtbot: QtBot) -> None:
    owner, made = QWidget(), QWidget()
    qtbot.addWidget(owner)
    owner.show()
    attach(made, owner)
    assert not made.isVisible()
    bring_to_front(made)
    assert owner_of(made) is owner.windowHandle()
    assert not isinstance(made, QDialog)
