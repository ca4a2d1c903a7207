"""The window of what judges understand: the figures of the command line, drawn, and taken along."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.questions.measures_tab import MeasuresWindow
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from benchmark.authoring.rule_questions import add_rule_questions
from benchmark.judge_input.input_plan import InputSettings
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.judging.run_config import AskRequest
from benchmark.questions.question_edits import delete_questions
from project.entities.judgments import JudgmentTarget, JudgmentTargetKind
from project.progress import Silent
from project.queries.chain_rows import all_chains
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.terminal import Terminal
from widgets.plots.estimates_table import BETWEEN, NAME, PUBLISHED, VALUE, N

CHAINS = 24


class Answers(Dialogs):
    def __init__(self) -> None:
        self.place: Path | None = None

    def folder(self, title: str) -> Path | None:
        return self.place


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A study with the questions of four chains, and what two judges said to them in two settings."""
    path = tmp_path_factory.mktemp("asked") / "lab.greenroom"
    with Study.create(path) as made:
        fill_with_chains(made, chains=CHAINS)
    with Session.open(path) as session:
        chains = [chain.id for chain in all_chains(session.study)[:4]]
        found, _ = add_rule_questions(session, chains)
        about = [JudgmentTarget(JudgmentTargetKind.QUESTION, text).key for text in found.ids]
        judges = [
            add_judge(session, "careful", "reliable", "", {"right": 0.7})[0],
            add_judge(session, "all", "oracle")[0],
        ]
        for words in (False, True):
            asking = prepare(session, AskRequest(judges, about, "answer", sight=InputSettings(words=words)))
            assert asking.job is not None
            run_inline(session, asking.job, Silent())
    return path.read_bytes()


@pytest.fixture
def study(tmp_path: Path, asked: bytes) -> Path:
    path = tmp_path / "lab.greenroom"
    path.write_bytes(asked)
    return path


@pytest.fixture
def window(open_window: Callable[..., MainWindow], study: Path) -> MainWindow:
    return open_window(study, questions=Answers())


@pytest.fixture
def opened(qtbot: QtBot, window: MainWindow) -> MeasuresWindow:
    window.menus.actions["measures"].trigger()
    found = window.windows.open_window("measures")
    assert isinstance(found, MeasuresWindow)
    with qtbot.waitSignal(found.computing.finished):
        found.everything.setChecked(True)
    return found


def test_the_figures_are_those_of_the_command_line(
    opened: MeasuresWindow, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Terminal(capsys).json("consistency", study, "--all")
    assert len(told["judges"]) == 4
    assert opened.judge.count() == 4
    at = next(place for place, one in enumerate(told["judges"]) if one["judge"] == "careful")
    careful = told["judges"][at]
    opened.judge.setCurrentIndex(at)
    view = opened.figures
    texts = [[view.item(row, column).text() for column in range(5)] for row in range(view.rowCount())]
    rows = {row[NAME]: row for row in texts}
    for name, figure in (
        ("All questions", careful["accuracy"]),
        ("Events (EU)", careful["by_kind"]["EU"]),
        ("Why (CW)", careful["by_kind"]["CW"]),
        ("Chains", careful["chain_consistency"]),
        ("Subchains", careful["subchain_consistency"]),
    ):
        assert rows[name][VALUE] == f"{figure['value']:.3f}"
        assert rows[name][N] == f"{figure['n']:,}"
        low, high = figure["interval"]
        assert rows[name][BETWEEN] == f"{low:.3f} to {high:.3f}"
    assert rows["All questions"][PUBLISHED] == "0.831"
    assert rows["Chains"][PUBLISHED] == "0.294"
    shown = opened.overview.texts()
    assert shown[at][4].startswith(f"{careful['accuracy']['value'] * 100:.1f}")
    assert any(row[0] == "R3-VQA: Human" for row in shown)


def test_an_oracle_understands_every_chain(opened: MeasuresWindow) -> None:
    assert all(row[4:] == ("100.0 ± 0.0 %",) * 7 for row in opened.overview.texts() if row[0] == "all")


def test_settings_and_chains_are_drawn(opened: MeasuresWindow) -> None:
    drawn = {view.plot.key: view.plot for view in (*opened.compared.views, *opened.chains_drawn.views)}
    assert {"consistency", "by_setting", "by_modality", "nodes_by_kind", "steps"} <= drawn.keys()
    assert sum(row[1] for row in drawn["steps"].table().rows) == CHAINS
    settings = drawn["by_setting"].table()
    assert [row[0] for row in settings.rows] == ["all", "careful"]
    assert opened.chains.texts()[1][:3] == ("Chains", f"{CHAINS}", "347")


def test_a_row_leads_to_its_judge_and_a_published_one_is_put_beside(opened: MeasuresWindow) -> None:
    opened.overview.row_chosen.emit("2", 0)
    assert opened.judge.currentIndex() == 2
    assert opened.tabs.currentIndex() == 1
    published = next(at for at, row in enumerate(opened.overview.texts()) if "Human" in row[0])
    opened.overview.click_row(published)
    assert opened.beside.currentText().startswith("Human")


def test_everything_goes_into_a_folder(window: MainWindow, opened: MeasuresWindow, tmp_path: Path) -> None:
    answers = window.files.questions
    assert isinstance(answers, Answers)
    answers.place = tmp_path
    opened.export_all()
    made = tmp_path / "lab measures"
    told = json.loads((made / "measures.json").read_text("utf-8"))
    assert len(told["judges"]) == 4
    assert {"judges.csv", "questions.csv", "chains.csv"} == {path.name for path in (made / "tables").iterdir()}
    assert len([*(made / "plots").glob("*.svg")]) == len([*(made / "plots").glob("*.csv")]) > 10
    assert "Wrote" in opened.status.text()


def test_the_figures_are_out_of_date_when_questions_change(
    qtbot: QtBot, window: MainWindow, opened: MeasuresWindow
) -> None:
    session = window.studio.session
    gone = session.study.rows("SELECT id FROM question LIMIT 1")[0][0]
    with qtbot.waitSignal(opened.computing.outdated):
        window.studio.edit(lambda each_session: delete_questions(each_session, [gone]))
    assert "Out of date" in opened.status.text()
    with qtbot.waitSignal(opened.computing.finished):
        qtbot.mouseClick(opened.refresh_button, Qt.MouseButton.LeftButton)
    assert "Out of date" not in opened.status.text()


def test_unverified_questions_do_not_count_unless_asked_for(qtbot: QtBot, opened: MeasuresWindow) -> None:
    with qtbot.waitSignal(opened.computing.finished):
        opened.everything.setChecked(False)
    assert opened.judge.count() == 0
    assert "not verified and do not count" in opened.status.text()


def test_every_control_has_a_name_and_says_what_it_does(opened: MeasuresWindow) -> None:
    assert nameless(opened) == []
    assert unexplained(opened) == []


def test_a_study_without_questions_says_what_to_do(
    qtbot: QtBot, open_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    with Study.create(tmp_path / "empty.greenroom"):
        pass
    found = open_window(tmp_path / "empty.greenroom").windows.open_window("measures")
    assert isinstance(found, MeasuresWindow)
    qtbot.waitUntil(lambda: "make questions" in found.status.text())
    assert found.compared.views == []
