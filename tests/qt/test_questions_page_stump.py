"""A question is written in the real window to stump a model, tried on judges, and kept when all of them fail."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.questions.questions_page import ANSWERS, VERIFY, WRITE, QuestionsPage
from app.gui.questions.verify_panel import QuestionFormValues
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import add_questions
from benchmark.questions.verification import read_items
from project.ids import new_id
from project.queries.judgment_rows import judgments_of_question
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, open_study
from tests.builders.question_study import ask
from tests.builders.worded_questions import judge_that

WRONG = ("She is tired.", "He left.", "It rains.", "They won.")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as made:
        made.annotator_name = "Ada"
        for letter in "AB":
            add_judge(made, f"Says {letter}", "constant", settings={"says": letter})
        add_judge(made, "Knows", "oracle")
        yield made


@pytest.fixture
def page(qtbot: QtBot, open_window: Callable[..., MainWindow], session: Session) -> tuple[MainWindow, QuestionsPage]:
    ask(session, place=2)
    path = session.study.path
    session.close()
    window = open_window(path, "Ada")
    qtbot.waitUntil(window.isActiveWindow)
    window.choose_recording(WALK)
    QTest.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_7, Qt.KeyboardModifier.ControlModifier)
    found = window.workspace.pages.currentWidget()
    assert isinstance(found, QuestionsPage)
    return window, found


def choose(bar: object, *names: str) -> None:
    judges = bar.judges
    judges.set_ticked([entry.key for entry in judges.entries() if entry.name in names])


def written(window: MainWindow) -> list[tuple[bool, str]]:
    assert window.studio.session is not None
    return [
        (item.ready, item.question.correct_letter)
        for item in read_items(window.studio.session)
        if item.question.explanation
    ]


def test_a_question_is_written_tried_and_kept(page: tuple[MainWindow, QuestionsPage], qtbot: QtBot) -> None:
    window, shown = page
    shown.select_tab(WRITE)
    panel = shown.write
    assert not panel.save.isEnabled()
    panel.set_values(QuestionFormValues("Why does she laugh?", "He joked.", WRONG[:3]))
    panel.fields.wrong[3].setText("he JOKED")
    assert "among the wrong options" in panel.fields.told.text()
    panel.fields.wrong[3].setText(WRONG[3])
    assert "Explain" in panel.fields.told.text()
    panel.fields.explanation.setPlainText("She looks at him first.")
    assert "Choose what is shown" in panel.fields.told.text()
    window.studio.set_marks(10 * SECOND, 20 * SECOND)
    panel.take.click()
    assert panel.fields.told.text() == "It can be tried."
    assert not panel.asking.ask.isEnabled(), "no judge is ticked"
    choose(panel.asking, "Says A", "Knows")
    panel.asking.ask.click()
    qtbot.waitUntil(lambda: "Still a draft" in panel.asking.told.text())
    assert "Still a draft: Knows" in panel.asking.told.text()
    ((ready, letter),) = written(window)
    assert not ready
    choose(panel.asking, "Says B" if letter == "A" else "Says A")
    panel.asking.ask.click()
    qtbot.waitUntil(lambda: written(window)[0][0])
    assert "Kept" in panel.asking.told.text()
    assert "Kept" in panel.state.text()
    assert len(written(window)) == 1, "trying it again saves no second one"


def test_what_judges_answer_is_shown_after_ones_own_word(page: tuple[MainWindow, QuestionsPage], qtbot: QtBot) -> None:
    _window, shown = page
    shown.select_tab(ANSWERS)
    choose(shown.asking, "Says A", "Knows")
    shown.asking.ask.click()
    qtbot.waitUntil(lambda: "Verify the question first" in shown.asking.told.text())
    assert not shown.asking.answers.isVisible()
    shown.select_tab(VERIFY)
    shown.verify.toggle_all_checks()
    shown.verify.decide("keep")
    shown.select_tab(ANSWERS)
    qtbot.waitUntil(lambda: len(shown.asking.answers.texts()) == 2)
    cells = {row[0]: row[3] for row in shown.asking.answers.texts()}
    assert cells == {"Says A": "wrong", "Knows": "right"}


def test_judges_are_asked_about_all_questions_that_are_listed(
    page: tuple[MainWindow, QuestionsPage], qtbot: QtBot
) -> None:
    window, shown = page
    study = window.studio.session.study
    (first,) = read_items(window.studio.session)
    other = replace(first.question, id=new_id(), text="And who comes in then?")
    window.studio.edit(lambda session: add_questions(session, [other]))
    shown.select_tab(ANSWERS)
    choose(shown.asking, "Knows")
    qtbot.waitUntil(lambda: len(shown.list.rows()) == 2)
    shown.asking.ask_all.click()
    ids = (first.question.id, other.id)
    qtbot.waitUntil(lambda: all(judgments_of_question(study, text) for text in ids))


def test_what_of_a_drafted_chain_could_not_be_read_is_said(
    page: tuple[MainWindow, QuestionsPage], qtbot: QtBot
) -> None:
    window, shown = page
    assert window.studio.session is not None
    lines = "1 | event | | 0-2 | He jokes. |\n2 | thing | | 2-3 | It is. |\n3 | event | | 3-5 | She laughs. | 1, 7"
    shown.select_tab(WRITE)
    panel = shown.write
    window.studio.set_marks(10 * SECOND, 20 * SECOND)
    panel.set_values(QuestionFormValues("Why does she laugh?", "He joked.", WRONG, "She looks at him first."))
    panel.take.click()
    with judge_that(window.studio.session, lambda _told: {"chain": lines}, "Drafts"):
        panel.save.click()
        choose(panel.asking, "Drafts")
        panel.draft.click()
        qtbot.waitUntil(lambda: "A chain was drawn" in panel.asking.told.text())
    assert "2 places of what the judge wrote left out:" in panel.asking.told.text()
    assert "“thing” is no kind of node." in panel.asking.told.text()
