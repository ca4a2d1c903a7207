"""Prompts, and what was taken over from judges and revised toward them."""

import pytest
from pytestqt.qtbot import QtBot

from annotate.blinding.reveals import adopt, is_blind_first, reveal
from annotate.segments import segment_edits as commands
from app.gui.judges.judges_mode import RevisionsTab
from app.gui.judges.prompts_tab import PromptsTab
from app.gui.window.main_window import MainWindow
from benchmark.prompts.prompt_templates import BODY, prompt_for
from project.session.session import Session
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark
from tests.qt.conftest import OpenReused


def prompts(qtbot: QtBot, window: MainWindow) -> PromptsTab:
    found: PromptsTab = window.open_view("prompts")
    qtbot.waitExposed(found)
    found.prompts.setCurrentIndex(found.prompts.findData("verdict"))
    return found


def test_words_are_checked_saved_previewed_listed_and_taken_back(qtbot: QtBot, window: MainWindow, done: str) -> None:
    window.studio.select([done])
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


WHOLE = {"attributes": ["norms"], "channel": "verbal", "rationale": "It waits."}


@pytest.fixture
def done(session: Session) -> str:
    return mark(session, "Ada", 10, 40, "competence", **WHOLE)


@pytest.fixture
def said(session: Session, done: str) -> str:
    made = judged(session, done, "Left", label="error", rationale="It listens.")
    reveal(session, done)
    return made.id


@pytest.fixture
def window(open_reused: OpenReused, session: Session, said: str) -> MainWindow:
    session.close()
    window = open_reused(session.study.path, "Ada")
    window.choose_recording(WALK)
    return window


def test_the_form_says_what_was_taken_over_and_that_it_was_changed(window: MainWindow, done: str, said: str) -> None:
    window.studio.select([done])
    note = window.inspector.form._notes["rationale"]
    assert not note.isVisible()
    assert window.studio.edit(lambda session: adopt(session, said, "rationale"))
    assert note.isVisible()
    assert note.text().startswith("Taken over from Left on ")
    window.inspector.value_changed.emit(done, "rationale", "It listens to me.")
    assert note.text().endswith(", then changed.")
    window.studio.undo()
    window.studio.undo()
    assert not note.isVisible()


def test_the_window_follows_revisions_and_sets_whether_judges_are_hidden(window: MainWindow, done: str) -> None:
    found: RevisionsTab = window.open_view("revisions")
    assert found.rows.texts() == []
    assert found.people.text() == "Ada saw judges on 1 segment and revised 0."
    window.studio.edit(lambda session: commands.set_label(session, [done], "error"))
    ((*row, at),) = found.rows.texts()
    assert row == ["Ada", "1  0:00:10.000", "Label", "Competence", "Error", "Left"]
    assert at
    assert found.switch.isChecked()
    found.switch.click()
    assert not is_blind_first(window.studio.session)
    window.studio.undo()
    assert found.switch.isChecked()
