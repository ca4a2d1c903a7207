"""The window of prompts checks while one types, keeps versions, and shows how a prompt reads for a segment."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.judges.prompts_tab import PromptsTab
from app.gui.window.main_window import MainWindow
from benchmark.prompts.prompt_templates import BODY, prompt_for
from project.session.session import Session
from tests.builders.marked_study import WALK, mark
from tests.qt.conftest import OpenWindow


@pytest.fixture
def window(open_window: OpenWindow, session: Session) -> MainWindow:
    segment = mark(session, "Ada", 10, 40, "error")
    session.close()
    opened = open_window(session.study.path, "Ada")
    opened.choose_recording(WALK)
    opened.studio.select([segment])
    return opened


def prompts(qtbot: QtBot, window: MainWindow) -> PromptsTab:
    found: PromptsTab = window.open_view("prompts")
    qtbot.waitExposed(found)
    found.prompts.setCurrentIndex(found.prompts.findData("verdict"))
    return found


def test_words_are_checked_saved_previewed_listed_and_taken_back(qtbot: QtBot, window: MainWindow) -> None:
    shown = prompts(qtbot, window)
    assert not shown.save.isEnabled()
    before = shown.texts()[BODY]
    shown.editor.setPlainText(before.replace("{conversation}", "nothing"))
    qtbot.waitUntil(lambda: "{conversation}" in shown.status.text())
    assert not shown.save.isEnabled()
    shown.editor.setPlainText(f"Look closely.\n\n{before}")
    qtbot.waitUntil(shown.save.isEnabled)
    shown.save.click()
    current = prompt_for(window.studio.session, "verdict")
    assert current.own
    assert current.body.strip().startswith("Look closely.")
    shown.tabs.setCurrentIndex(1)
    preview = shown.preview.toPlainText()
    assert "Look closely." in preview
    assert "30.0 s" in preview or "30 s" in preview
    assert "{" not in preview.replace("{\n", "").split("Write the answer")[0]
    for place in range(shown.slots.count()):
        item = shown.slots.item(place)
        room = shown.slots.visualItemRect(item).adjusted(5, 3, -5, -3)
        text = shown.slots.fontMetrics().boundingRect(room, Qt.TextFlag.TextWordWrap, item.text())
        assert text.height() <= room.height(), "no slot is explained only in part"
    window.studio.select([])
    assert shown.preview.toPlainText().startswith("Select a segment")
    newest = shown.versions.item(0).text()
    assert newest == f"Version {current.version}, of this study · asked with"
    shown.versions.setCurrentRow(1)
    assert shown.texts()[BODY] == before
    assert shown.save.isEnabled()
    shown.restore.click()
    assert not prompt_for(window.studio.session, "verdict").own
    window.studio.undo()
    assert prompt_for(window.studio.session, "verdict").own
    assert shown.texts()[BODY].startswith("Look closely.")
