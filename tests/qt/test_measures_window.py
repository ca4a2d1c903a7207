"""The window of what judges understand: the figures of the command line, drawn, and taken along."""

import json
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.questions.measures_tab import MeasuresTab
from app.gui.window.main_window import MainWindow
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import delete_questions
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.progress import Silent
from project.queries.chain_rows import all_chains
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
from tests.builders.mouse_and_keys import click
from tests.builders.scripted_dialogs import Answers
from tests.builders.shown_texts import table_rows
from tests.builders.terminal import Terminal
from tests.qt.conftest import OpenWindow
from widgets.plots.estimates_table import BETWEEN, NAME, PUBLISHED, VALUE
from widgets.table.record_table import TableRow

CHAINS = 8


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study with the questions of two chains, and what two judges said to them in two settings."""
    path = tmp_path_factory.mktemp("asked") / "lab.greenroom"
    with Study.create(path) as made:
        fill_with_chains(made, chains=CHAINS)
    with Session.open(path) as session:
        chains = [chain.id for chain in all_chains(session.study)[:2]]
        found, _ = add_rule_questions(session, chains)
        about = [JudgmentTarget(JudgmentTargetKind.QUESTION, text).key for text in found.questions]
        judges = [
            add_judge(session, "careful", "reliable", "", {"right": 0.7})[0],
            add_judge(session, "all", "oracle")[0],
        ]
        for words in (False, True):
            asking = prepare(session, AskRequest(judges, about, "answer", sight=InputSettings(words=words)))
            run_inline(session, asking.job, Silent())
    return path


@pytest.fixture(scope="module")
def asked_window(open_shared_window: OpenWindow, asked: Path) -> MainWindow:
    return open_shared_window(asked, None, Answers())


@pytest.fixture
def opened(qtbot: QtBot, asked_window: MainWindow) -> MeasuresTab:
    """The window with the figures of all questions, also of those that nobody verified."""
    asked_window.menus.actions["measures"].trigger()
    found: MeasuresTab = asked_window.windows.open_window("measures")
    if not found.everything.isChecked():
        with qtbot.waitSignal(found.computing.finished):
            found.everything.setChecked(True)
    return found


def test_the_figures_are_those_of_the_command_line(opened: MeasuresTab, asked: Path, greenroom: Terminal) -> None:
    told = greenroom.json("question", "consistency", asked, "--all")
    assert len(told["judges"]) == 4
    assert opened.judge.count() == 4
    at = next(place for place, judge in enumerate(told["judges"]) if judge["setup"]["judge"] == "careful")
    careful = told["judges"][at]
    opened.judge.setCurrentIndex(at)
    rows = {row[NAME]: row for row in table_rows(opened.figures)}
    for name, figure in (("All questions", careful["overall"]), ("Chains", careful["chain"])):
        assert rows[name][VALUE] == f"{figure['value']:.3f}"
        assert rows[name][BETWEEN] == f"{figure['low']:.3f} to {figure['high']:.3f}"
    assert rows["Chains"][PUBLISHED] == "0.294"
    shown = opened.overview.texts()
    assert shown[at][4].startswith(f"{careful['overall']['value'] * 100:.1f}")
    assert any(row[0] == "R3-VQA: Human" for row in shown)
    assert [row[0] for row in shown if row[0].startswith("Other than in")] == told["departures"] == []
    assert all(row[4:] == ("100.0 ± 0.0 %",) * 7 for row in shown if row[0] == "all"), "an oracle understands all"


def test_a_row_leads_to_its_judge_and_a_published_one_is_put_beside(opened: MeasuresTab) -> None:
    opened.overview.chosen.emit(TableRow("2", ()))
    assert opened.judge.currentIndex() == 2
    assert opened.tabs.currentIndex() == 1
    published = next(at for at, row in enumerate(opened.overview.texts()) if "Human" in row[0])
    opened.overview.click_row(published)
    assert opened.beside.currentText().startswith("Human")


def test_everything_goes_into_a_folder(
    qtbot: QtBot, asked_window: MainWindow, opened: MeasuresTab, tmp_path: Path
) -> None:
    answers: Answers = asked_window.files.questions
    answers.give(folder=tmp_path)
    opened.export_all()
    qtbot.waitUntil(lambda: "Wrote" in opened.status.text())
    made = tmp_path / "lab measures"
    assert len(json.loads((made / "measures.json").read_text("utf-8"))["judges"]) == 4
    assert {path.name for path in (made / "tables").iterdir()} == {"judges.csv", "questions.csv", "chains.csv"}
    assert len([*(made / "plots").glob("*.svg")]) == len([*(made / "plots").glob("*.csv")]) > 10


def test_figures_are_out_of_date_when_questions_change_and_unverified_ones_count_only_when_asked_for(
    qtbot: QtBot, asked_window: MainWindow, opened: MeasuresTab
) -> None:
    studio = asked_window.studio
    ((gone,),) = studio.session.study.rows("SELECT id FROM question LIMIT 1")
    with qtbot.waitSignal(opened.computing.changed):
        studio.edit(lambda session: delete_questions(session, [gone]))
    assert "Out of date" in opened.status.text()
    with qtbot.waitSignal(opened.computing.finished):
        click(opened.refresh_button)
    assert "Out of date" not in opened.status.text()
    with qtbot.waitSignal(opened.computing.finished):
        opened.everything.setChecked(False)
    assert opened.judge.count() == 0
    assert "not verified and do not count" in opened.status.text()
    studio.undo()
