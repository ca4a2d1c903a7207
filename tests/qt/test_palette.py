"""The command palette in the real window: everything can be done with a few letters and Return."""

from collections.abc import Iterator

import pytest
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from tests.builders.marked_study import WALK, mark, open_study
from tests.builders.mouse_and_keys import press
from tests.qt.conftest import OpenWindow
from widgets.dialogs.command_palette import CommandPalettePopup


@pytest.fixture(scope="module")
def walk_window(open_shared_window: OpenWindow, tmp_path_factory: pytest.TempPathFactory) -> MainWindow:
    with open_study(tmp_path_factory.mktemp("walk")) as session:
        mark(session, "Ada", 1, 2)
    made = open_shared_window(session.study.path, "Ada")
    made.choose_recording(WALK)
    return made


@pytest.fixture
def window(walk_window: MainWindow, qtbot: QtBot) -> Iterator[MainWindow]:
    walk_window.activateWindow()
    walk_window.set_mode("annotate")
    walk_window.timeline.setFocus()
    qtbot.waitUntil(walk_window.timeline.hasFocus)
    yield walk_window
    for widget in (*walk_window.findChildren(CommandPalettePopup), *QApplication.topLevelWidgets()):
        if widget is not walk_window and widget.isVisible():
            widget.close()


def opened(window: MainWindow) -> CommandPalettePopup:
    press(window, "Ctrl+K")
    (found,) = [palette for palette in window.findChildren(CommandPalettePopup) if palette.isVisible()]
    return found


def search(palette: CommandPalettePopup, text: str, *keys: str) -> None:
    QTest.keyClicks(palette.field, text)
    press(palette.field, *keys)


def test_it_offers_actions_recordings_and_the_buttons_of_the_page(window: MainWindow) -> None:
    window.set_mode("transcript")
    entries = opened(window).shown_entries()
    assert {f"action {spec.key}" for spec in ACTIONS} - {entry.key for entry in entries} == {"action palette"}
    assert {"Recording", "Transcript", "Theme", "Timeline"} <= {entry.group for entry in entries}


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("time budget", "time_budget"),
        ("import ELAN", "import_annotations"),
        ("export CSV", "export_annotations"),
        ("kappa", "agreement"),
        ("blur", "export"),
        ("undo", "undo"),
    ],
)
def test_an_action_is_found_by_the_words_of_the_field(window: MainWindow, words: str, action: str) -> None:
    palette = opened(window)
    QTest.keyClicks(palette.field, words)
    assert palette.shown_entries()[0].key == f"action {action}"


def test_letters_and_return_do_it_and_the_focus_goes_back(window: MainWindow) -> None:
    search(opened(window), "revi", "Return")
    assert window.mode() == "review"
    window.set_mode("annotate")
    window.timeline.setFocus()
    search(opened(window), "walk", "Return")
    assert QApplication.focusWidget() is window.timeline
    palette = opened(window)
    press(palette.field, "Esc")
    assert not palette.isVisible()
    assert QApplication.focusWidget() is window.timeline
    assert window.mode() == "annotate"


def test_commands_are_found_chosen_and_refused_with_what_has_to_be_done_first(window: MainWindow) -> None:
    palette = opened(window)
    search(palette, "policy")
    assert palette.shown_entries()[0].text == "What leaves this machine…", "as the terminal calls it"
    palette.field.clear()
    search(palette, "mark", "Down")
    second = palette.shown_entries()[1]
    assert palette.list.currentIndex().data() == second.text
    assert palette.field.accessibleDescription() == second.accessible_text
    palette.field.clear()
    search(palette, "split at")
    (split,) = [entry for entry in palette.shown_entries() if entry.text == "Split at the playhead"]
    assert split.why_not == "Select a segment first."
    press(palette.field, "Return")
    assert palette.isVisible()


def test_in_a_window_about_the_study_it_offers_that_windows_buttons(window: MainWindow, qtbot: QtBot) -> None:
    team = window.windows.open_window("team").window()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is team)
    palette = window.command_palette.open_palette()
    assert palette.parentWidget() is team
    offered = {entry.text for entry in palette.shown_entries() if entry.group == "Team"}
    assert {"Merge copies…", "Copy for an annotator…"} <= offered


def test_nobody_leaves_the_blind_room_by_it(window: MainWindow) -> None:
    window.blindness.enter(QWidget())
    assert not window.menus.actions["palette"].isEnabled()
    window.blindness.leave()
    assert window.menus.actions["palette"].isEnabled()
