"""The command palette in the real window: everything can be done with a few letters and Return."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from tests.builders.marked_study import WALK, mark, open_study
from widgets.dialogs.command_palette import CommandPalettePopup

Key = Qt.Key


@pytest.fixture
def window(tmp_path: Path, open_window: Callable[..., MainWindow]) -> MainWindow:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 1, 2)
        path = session.study.path
    made = open_window(path, "Ada")
    made.choose_recording(WALK)
    return made


def opened(window: MainWindow) -> CommandPalettePopup:
    QTest.keyClick(QApplication.focusWidget() or window, Key.Key_K, Qt.KeyboardModifier.ControlModifier)
    (found,) = [child for child in window.findChildren(CommandPalettePopup) if child.isVisible()]
    return found


def typed(palette: CommandPalettePopup, text: str, *keys: Qt.Key) -> None:
    QTest.keyClicks(palette.field, text)
    for key in (*keys, Key.Key_Return):
        QTest.keyClick(palette.field, key)


def test_it_offers_every_action_of_the_menus(window: MainWindow) -> None:
    keys = {command_entry.key for command_entry in opened(window).shown_entries()}
    assert {f"action {spec.key}" for spec in ACTIONS} - keys == {"action palette"}


def test_letters_and_return_do_it_and_the_focus_goes_back(window: MainWindow) -> None:
    window.timeline.setFocus()
    typed(opened(window), "revi")
    assert window.mode() == "review"
    window.set_mode("annotate")
    window.timeline.setFocus()
    typed(opened(window), "walk")
    assert QApplication.focusWidget() is window.timeline


def test_escape_does_nothing(window: MainWindow) -> None:
    window.timeline.setFocus()
    before = window.mode()
    palette = opened(window)
    QTest.keyClick(palette.field, Key.Key_Escape)
    assert not palette.isVisible()
    assert QApplication.focusWidget() is window.timeline
    assert window.mode() == before


def test_down_chooses_the_next(window: MainWindow) -> None:
    palette = opened(window)
    QTest.keyClicks(palette.field, "mark")
    second = palette.shown_entries()[1]
    QTest.keyClick(palette.field, Key.Key_Down)
    assert palette.list.currentIndex().data() == second.text
    assert palette.field.accessibleDescription() == second.accessible_text


def test_what_cannot_be_done_says_what_has_to_be_done_first(window: MainWindow) -> None:
    palette = opened(window)
    QTest.keyClicks(palette.field, "split at")
    (split,) = [
        command_entry for command_entry in palette.shown_entries() if command_entry.text == "Split at the playhead"
    ]
    assert split.why_not == "Select a segment first."
    QTest.keyClick(palette.field, Key.Key_Return)
    assert palette.isVisible()


def test_recordings_and_the_buttons_of_the_page_are_in_it(window: MainWindow) -> None:
    window.set_mode("transcript")
    groups = {command_entry.group for command_entry in opened(window).shown_entries()}
    assert {"Recording", "Transcript", "Theme", "Timeline"} <= groups


def test_in_a_window_about_the_study_it_offers_that_windows_buttons(window: MainWindow, qtbot: QtBot) -> None:
    team = window.windows.open_window("team")
    qtbot.waitUntil(lambda: QApplication.activeWindow() is team)
    palette = window.command_palette.open_palette()
    assert palette.parentWidget() is team
    assert {"Merge copies…", "Copy for an annotator…"} <= {
        one.text for one in palette.shown_entries() if one.group == "Team"
    }


def test_over_a_window_that_covers_its_place_it_is_in_sight_and_the_keys_come_back(
    window: MainWindow, qtbot: QtBot
) -> None:
    beside = window.windows.open_window("segments")
    qtbot.waitUntil(lambda: QApplication.activeWindow() is beside)
    for at, place in (((0, 0), beside), ((window.width() + 50, 0), window)):
        beside.move(window.mapToGlobal(QPoint(*at)))
        window.activateWindow()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
        window.timeline.setFocus()
        palette = opened(window)
        assert palette.window() is place
        qtbot.waitUntil(palette.field.hasFocus)
        assert beside.windowTitle() not in {command_entry.group for command_entry in palette.shown_entries()}, (
            "it is the main window's"
        )
        QTest.keyClick(palette.field, Key.Key_Escape)
        assert beside.isVisible()
        assert not palette.isVisible()
        qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
        assert QApplication.focusWidget() is window.timeline


def test_a_command_is_found_by_the_name_that_the_terminal_gives_it(window: MainWindow) -> None:
    palette = opened(window)
    QTest.keyClicks(palette.field, "policy")
    assert palette.shown_entries()[0].text == "What leaves this machine…"


def test_what_was_used_last_stands_first(window: MainWindow) -> None:
    typed(opened(window), "keyboard shortcuts")
    for sheet in (widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget is not window):
        sheet.close()
    assert opened(window).shown_entries()[0].text == "Keyboard shortcuts"


def test_nobody_leaves_the_blind_room_by_it(window: MainWindow) -> None:
    window.blindness.enter(QWidget())
    assert not window.menus.actions["palette"].isEnabled()
    window.blindness.leave()
    assert window.menus.actions["palette"].isEnabled()
