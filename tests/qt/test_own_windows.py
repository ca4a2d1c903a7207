"""Modes and windows have names for a screen reader; windows belong to the main one, come to the front, and close."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QPushButton, QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from app.gui.pages.tabbed_view import TabbedView
from app.gui.team.team_tab import TeamTab
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import MODES, WINDOWS
from project.queries.recording_rows import all_recordings
from project.store.study import Study
from tests.builders.full_study import fill
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.mouse_and_keys import click
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenWindow
from widgets.dialogs.dialog_windows import ChoiceDialog, OwnDialog, attach, bring_to_front, owning_window


@pytest.fixture(scope="module")
def window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    """A window on a study that has something of everything; nobody chooses a file in its dialogs."""
    path: Path = tmp_path_factory.mktemp("full") / "lab.greenroom"
    with Study.create(path) as study:
        fill(study)
    opened = open_shared_window(path, None, Answers())
    opened.choose_recording(all_recordings(opened.studio.session.study)[0].id)
    return opened


def owner_of(shown: QWidget) -> object:
    handle = shown.windowHandle()
    return None if handle is None else handle.transientParent()


def unnamed(shown: QWidget) -> list[str]:
    """Return the controls without a name or, where they show an icon alone, a tooltip, on all tabs."""
    found = nameless(shown) + unexplained(shown)
    for tabs in shown.findChildren(QTabWidget):
        for place in range(tabs.count()):
            tabs.setCurrentIndex(place)
            found += nameless(tabs) + unexplained(tabs)
    return found


def closing_button(shown: QWidget) -> QPushButton:
    buttons = [button for button in shown.findChildren(QPushButton) if button.isVisible()]
    (found,) = [button for button in buttons if button.text() in ("Close", "Cancel")]
    return found


@pytest.mark.parametrize("mode", [mode.key for mode in MODES])
def test_every_control_of_a_mode_has_a_name(window: MainWindow, mode: str) -> None:
    window.set_mode(mode)
    assert unnamed(window) == []


@pytest.mark.parametrize("key", [tab.key for tabs in WINDOWS.values() for tab in tabs])
def test_a_window_about_the_study_belongs_to_the_main_window_has_names_and_closes(
    window: MainWindow, qtbot: QtBot, key: str
) -> None:
    view = window.windows.open_window(key)
    shown = view.window()
    assert view.isVisible()
    assert owner_of(shown) is window.windowHandle()
    assert shown.windowType() is Qt.WindowType.Dialog, "window managers are told whose a dialog is, and of nothing else"
    assert shown.windowFlags() & Qt.WindowType.WindowMaximizeButtonHint
    assert unnamed(view) == []
    click(closing_button(shown))
    assert not shown.isVisible()
    window.windows.open_window(key)
    qtbot.waitUntil(shown.isActiveWindow)
    assert shown.isAncestorOf(QApplication.focusWidget()), "the keys go to it"
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    assert not shown.isVisible()


def test_views_share_a_window_and_are_made_when_their_tab_is_first_shown(window: MainWindow, qtbot: QtBot) -> None:
    assert window.open_view("training").window() is window.open_view("team").window()
    team = TabbedView(window.context, WINDOWS["team"])
    qtbot.addWidget(team)
    team.show_view("training")
    assert team.windowTitle() == "Training"
    assert [team.tabs.tabText(at) for at in range(team.tabs.count())] == ["Work plan", "Training", "Active minutes"]
    assert not team.findChildren(TeamTab)
    team.tabs.setCurrentIndex(0)
    assert team.findChildren(TeamTab)


def test_a_view_of_a_mode_is_a_tab_of_its_page_which_comes_back(window: MainWindow) -> None:
    window.set_mode("judges")
    beside = window.view.width()
    prompts = window.open_view("prompts")
    assert window.mode() == "judges"
    assert prompts.window() is window
    assert prompts.isVisible()
    assert window.view.width() == beside, "the picture is as wide as beside the other tabs"
    window.set_mode("annotate")
    window.set_mode("judges")
    assert prompts.isVisible()
    kept = window.pages.save_state()["judges"]
    assert kept["tab"] == "prompts"
    window.open_view("judges")
    window.pages.restore_state({"judges": kept})
    assert window.pages.current_view() is prompts
    window.open_view("judges")


def test_a_window_that_is_asked_for_again_is_no_icon_any_more(window: MainWindow) -> None:
    shown = window.windows.open_window("segments").window()
    shown.showMinimized()
    assert window.windows.open_window("segments").window() is shown
    assert not shown.isMinimized()
    shown.close()


def test_the_help_and_choices_of_files_belong_to_the_main_window_or_to_a_dialog_that_waits(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    shown = window.help.open_tutorial()
    assert owner_of(shown) is window.windowHandle()
    dialog = OwnDialog(window)
    qtbot.addWidget(dialog)
    dialog.open()
    assert owning_window(window) is dialog
    window.help.open_for_context()
    assert owner_of(shown) is dialog.windowHandle(), "the dialog blocks every window that is not its own"
    dialog.close()
    assert owning_window(window) is window
    window.help.open_for_context()
    assert owner_of(shown) is window.windowHandle()
    shown.close()


def test_a_dialog_without_a_parent_belongs_to_the_main_window(window: MainWindow, qtbot: QtBot) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    dialog = ChoiceDialog("Title", "Question?", "More.", [("go", "Go", "Go on")], ("Stay", "Stay here"))
    qtbot.addWidget(dialog)
    dialog.show()
    assert dialog.parentWidget().window() is window
    assert owner_of(dialog) is window.windowHandle()


def test_a_widget_becomes_a_window_of_another(qtbot: QtBot) -> None:
    owner, made = QWidget(), QWidget()
    qtbot.addWidget(owner)
    owner.show()
    attach(made, owner)
    assert not made.isVisible()
    bring_to_front(made)
    assert owner_of(made) is owner.windowHandle()
    assert not isinstance(made, QDialog)
