"""A person answers what judges are asked, in a form that shows nothing of what judges say."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.judges.human_answer import PersonForm
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from project.queries.judgment_rows import judgments_of
from tests.builders.judgments import judged
from tests.builders.marked_study import WALK, mark, open_study


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_study(tmp_path) as session:
        mark(session, "Ada", 100, 105)
        theirs = mark(session, "Bo", 10, 40, "error")
        add_judge(session, "Left", "random")
        judged(session, theirs, "Left", label="competence", rationale="a secret reason")
        return session.study.path


def test_an_answer_is_taken_with_its_time(qtbot: QtBot, window: MainWindow) -> None:
    study = window.studio.session.study
    ((theirs,),) = study.rows("SELECT segment_id FROM judgment")
    window.choose_recording(WALK)
    window.set_mode("judges")
    window.studio.select([theirs])
    window.menus.actions["answer_yourself"].trigger()
    qtbot.waitUntil(lambda: bool(window.findChildren(PersonForm)))
    (form,) = window.findChildren(PersonForm)
    qtbot.waitUntil(form.buttons.go_on.isEnabled)
    assert "secret" not in form.words.toPlainText()
    assert not form.form.editors["correction"].isVisibleTo(form)
    form.buttons.go_on.click()
    assert "empty" in form.buttons.note.text() or "Label" in form.buttons.note.text()
    form.form.editors["label"].pick("error")
    assert form.form.editors["correction"].isVisibleTo(form)
    form.buttons.go_on.click()
    (own,) = [judgment for judgment in judgments_of(study, theirs) if judgment.annotator_id]
    assert own.answer["label"] == "error"
    assert own.ms >= 0
    qtbot.waitUntil(lambda: not form.isVisible())
