"""Questions as a data set in the window: what may leave, the texts that somebody reads, and the folder at the end."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.team.assignments import hold_out
from anonymize.pii_review.pii_decisions import hide_everywhere
from app.gui.questions.dataset_tab import DatasetTab
from app.gui.window.main_window import MainWindow
from benchmark.dataset.question_selection import HELD_OUT
from tests.builders.main_windows import wait_for_turns
from tests.builders.question_dataset import asked_study
from tests.builders.scripted_dialogs import Answers


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with asked_study(tmp_path, 3) as session:
        return session.study.path


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> DatasetTab:
    window.menus.actions["question_set"].trigger()
    found = window.windows.open_window("question_set")
    settle(qtbot, found)
    return found


def settle(qtbot: QtBot, opened: DatasetTab) -> None:
    qtbot.waitUntil(lambda: opened._found is not None)
    wait_for_turns()


def confirm(qtbot: QtBot, opened: DatasetTab) -> None:
    """Whoever confirms for the first time is new to the study, so that their name is looked for in the texts."""
    qtbot.mouseClick(opened.texts.confirm, Qt.MouseButton.LeftButton)
    settle(qtbot, opened)


def test_nothing_is_written_before_somebody_has_read_the_texts(
    qtbot: QtBot, window: MainWindow, opened: DatasetTab, answers: Answers, tmp_path: Path
) -> None:
    answers.give(question_set_place=tmp_path / "out")
    assert opened.counts.texts()[-1][0] == "All kinds"
    assert opened.counts.texts()[-1][-1] == "9"
    assert "once somebody has read" in opened.heading.text()
    assert not opened.export.isEnabled()
    opened.tabs.setCurrentIndex(1)
    assert "Why 0?" in {row[4] for row in opened.texts.table.texts()}
    confirm(qtbot, opened)
    assert "has read their texts" in opened.heading.text()
    opened.form.everything.setChecked(True)
    settle(qtbot, opened)
    assert not opened.export.isEnabled(), "all questions have to be read too"
    opened.form.everything.setChecked(False)
    settle(qtbot, opened)
    assert opened.export.isEnabled()
    assert window.studio.edit(lambda session: hide_everywhere(session, "sings"))
    assert not opened.export.isEnabled()
    settle(qtbot, opened)
    assert "once somebody has read" in opened.heading.text()
    window.studio.undo()
    settle(qtbot, opened)
    opened.form.table.setChecked(True)
    with qtbot.waitSignal(opened.writing.finished):
        opened.export.click()
    assert "Wrote 9 questions" in opened.status.text()
    assert (tmp_path / "out" / "vlmevalkit" / "questions.tsv").is_file()
    assert opened.export.isEnabled()
    with qtbot.assertNotEmitted(opened.writing.finished):
        opened.export.click()
    assert "not empty" in opened.status.text()
    answers.give(question_set_place=tmp_path / "other")
    opened.form.show_release(tmp_path)
    opened.export.click()
    assert "is not a release" in opened.status.text()
    assert not (tmp_path / "other").exists()
    window.studio.edit(lambda session: hold_out(session, "walk 3"))
    settle(qtbot, opened)
    assert opened.left_out.texts() == [("4", HELD_OUT)]
    assert opened.counts.texts()[-1][-1] == "5"
