"""Meta information in the real window: looked at, written, suggested, accepted; every edit can be undone."""

import shutil
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.cues.cue_marks import CuePrelabel
from annotate.cues.prelabels import replace_prelabels
from annotate.meta import meta_edits as commands
from app.gui.annotate.meta_tab import MetaTab
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from project.entities.questions import LookKind, SummarySource
from project.queries.question_rows import contradictions_in, person_descriptions, summaries_of
from tests.builders.scene_study import ANN, SECOND, R, answered, open_room, seen
from tests.qt.conftest import OpenReused


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study in which a judge said how people look, what happens and what contradicts what."""
    with open_room(tmp_path_factory.mktemp("room")) as session:
        seen(session, (ANN, 2.0, (300, 100, 60, 80)), (None, 30.0, (0, 0, 30, 40)))
        answered(session, "looks", {"looks": "Ann | clothing | red coat\nAnn | hair | dark"})
        answered(session, "words_summary", {"summary": "They greet <b>each other</b>."})
        answered(session, "audit", {"contradictions": "One says red.\nThe other says two."})
        commands.mark_scene_at(session, R, 0, "event", "arrival")
        replace_prelabels(session, R, [CuePrelabel("change", "cut", 40 * SECOND, 41 * SECOND, None, "")], "scenes")
        return session.study.path


@pytest.fixture
def study(room: Path, tmp_path: Path) -> Path:
    return shutil.copy(room, tmp_path / "room.greenroom")


@pytest.fixture
def main(open_reused: OpenReused, study: Path) -> MainWindow:
    window = open_reused(study)
    window.choose_recording(R)
    return window


@pytest.fixture
def window(qtbot: QtBot, main: MainWindow) -> MetaTab:
    found: MetaTab = main.windows.open_window("meta")
    qtbot.waitExposed(found)
    return found


def test_it_shows_everything_that_is_known(main: MainWindow, window: MetaTab) -> None:
    assert window.heading.text() == "Recording 1: One"
    assert [row.name for row in window.people.records()] == ["Ann", "Bo", "unassigned"]
    said = [(row[1], row[2]) for row in window.speech.texts()]
    assert said[:3] == [("", "nobody speaks for 2.0 s"), ("Ann", "Hello there"), ("", "nobody speaks for 6.0 s")]
    assert [row[1::2] for row in window.scenes.texts()] == [("Event: Somebody comes or goes", ""), ("Cut", "suggested")]
    assert window.words.answers.isVisibleTo(window)
    assert not window.frames.answers.isVisibleTo(window)
    assert window.words.answers.text.toPlainText() == "They greet <b>each other</b>."
    main.studio.show_recording(None)
    assert window.heading.text() == ""
    assert not window.people.isVisible()


def looks(window: MetaTab) -> tuple[str, ...]:
    """Return how the first person is described."""
    return window.people.texts()[0][4:]


def test_looks_are_written_in_the_table_and_taken_over_without_writing_over(
    qtbot: QtBot, main: MainWindow, window: MetaTab
) -> None:
    people = window.people.model()
    people.setData(people.index(0, 5), "grey")
    qtbot.waitUntil(lambda: looks(window) == ("", "grey", "", ""))
    window.looks_answers.accept.click()
    qtbot.waitUntil(lambda: looks(window) == ("red coat", "grey", "", ""))
    assert "1 stay as they were written" in window.status.text()
    main.studio.undo()
    main.studio.undo()
    qtbot.waitUntil(lambda: looks(window) == ("", "", "", ""))
    assert person_descriptions(main.studio.session.study, R) == []
    people.setData(people.index(0, 4), "x" * 300)
    assert "up to 200" in window.status.text()
    qtbot.waitUntil(lambda: looks(window) == ("", "", "", ""))


def test_a_summary_is_accepted_changed_and_only_replaced_when_asked_to(
    qtbot: QtBot, main: MainWindow, window: MetaTab
) -> None:
    window.words.answers.accept.click()
    qtbot.waitUntil(lambda: window.words.note.text() == "by a judge")
    window.words.text.setPlainText("They say hello.")
    window.words.flush()
    qtbot.waitUntil(lambda: window.words.note.text() == "by a judge, changed by a person")
    assert window.words.answers.accept.text() == "Replace mine"
    assert summaries_of(main.studio.session.study, R)[SummarySource.WORDS].text == "They say hello."
    main.studio.undo()
    qtbot.waitUntil(lambda: window.words.text.toPlainText() == "They greet <b>each other</b>.")
    window.frames.text.setPlainText("Half a sent")
    main.studio.edit(lambda session: commands.set_person_description(session, R, ANN, LookKind.HAIR, "dark"))
    qtbot.waitUntil(lambda: looks(window)[1] == "dark")
    assert window.frames.text.toPlainText() == "Half a sent", "what is typed survives a change elsewhere"


def test_contradictions_are_taken_settled_added_and_deleted(qtbot: QtBot, main: MainWindow, window: MetaTab) -> None:
    window.audit_answers.accept.click()
    table = window.contradictions
    qtbot.waitUntil(lambda: len(table.texts()) == 2)
    model = table.model()
    model.setData(model.index(0, 2), "Red it is.")
    qtbot.waitUntil(lambda: table.texts()[0] == ("", "One says red.", "Red it is."))
    assert table.records()[0].settled
    window.new_contradiction.setText("Mine")
    window.add.click()
    qtbot.waitUntil(lambda: [row.text for row in table.records()] == ["One says red.", "The other says two.", "Mine"])
    model.setData(model.index(1, 0), Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    qtbot.waitUntil(lambda: table.records()[1].settled)
    table.setCurrentIndex(model.index(2, 1))
    window.delete.click()
    qtbot.waitUntil(lambda: len(table.texts()) == 2)
    assert [contradiction.settled for contradiction in contradictions_in(main.studio.session.study, R)] == [True, True]


def test_voice_over_is_left_out_and_scene_changes_are_decided(qtbot: QtBot, main: MainWindow, window: MetaTab) -> None:
    row = next(at for at, cells in enumerate(window.speech.texts()) if cells[2].startswith("Years later"))
    window.speech.selectRow(row)
    window.over.click()
    qtbot.waitUntil(lambda: any(cells[3] == "voice-over, left out" for cells in window.speech.texts()))
    assert window.accept.text() == "Accept all 1"
    window.accept.click()
    qtbot.waitUntil(lambda: "suggested" not in {cells[3] for cells in window.scenes.texts()})
    assert not window.accept.isEnabled()
    assert {cells[1] for cells in window.scenes.texts()} == {"Event: Somebody comes or goes", "Cut", "Voice-over"}
    window.scenes.selectRow(0)
    window.delete_scene.click()
    qtbot.waitUntil(lambda: len(window.scenes.texts()) == 2)
    main.studio.undo()
    qtbot.waitUntil(lambda: len(window.scenes.texts()) == 3)


def test_chosen_judges_suggest_and_word_questions(qtbot: QtBot, main: MainWindow, window: MetaTab) -> None:
    for suggest in (window.suggest_looks, window.make_questions):
        suggest.click()
        assert window.status.text().startswith("Choose a judge first")
    main.studio.edit(lambda session: add_judge(session, "Chance", "random", "", {})[1])
    ((judge,),) = main.studio.session.study.rows("SELECT id FROM judge")
    qtbot.waitUntil(lambda: [entry.key for entry in window.judges.entries()] == [judge])
    window.judges.set_ticked([judge])
    window.words.suggest.click()
    qtbot.waitUntil(lambda: window.words.answers.choice.count() == 2)
    assert window.words.answers.choice.currentText().startswith("Chance")
    qtbot.waitUntil(lambda: not main.jobs.busy)
    window.make_questions.click()
    qtbot.waitUntil(lambda: window.status.text().startswith("Made 0 ESI questions"))
    assert "left out" in window.status.text()
