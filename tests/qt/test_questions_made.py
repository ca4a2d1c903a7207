"""Questions are made of the chains of a recording, and the next annotator finds them waiting."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.questions.questions_page import QuestionsPage
from app.gui.window.main_window import MainWindow
from benchmark.questions.verification import verification_queue
from project.queries.chain_rows import all_chains
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_with_chains(made, chains=8)
        return made.path


def test_questions_of_a_recording_are_made_by_rules_and_wait_for_everybody(window: MainWindow, qtbot: QtBot) -> None:
    session = window.studio.session
    window.choose_recording(all_chains(session.study)[0].recording_id)
    window.set_mode("questions")
    page: QuestionsPage = window.pages.current_view()
    page.bar.make_requested.emit("rules")
    qtbot.waitUntil(lambda: bool(page.list.rows()))
    window.studio.set_annotator("Bo")
    page.bar.select_key("standing", "waiting")
    waiting = [item.question.id for item in verification_queue(session, window.studio.recording.id)]
    assert waiting
    assert sorted(row.key for row in page.list.rows()) == sorted(waiting)
