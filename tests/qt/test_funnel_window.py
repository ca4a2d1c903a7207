"""The window of the funnel: bars, why questions fell, limits, asking judges, taking over harder options."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.questions.filter_tab import FilterTab
from app.gui.window.main_window import MainWindow
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.filter_rules import read_rules
from project.entities.judgments import JudgmentStatus
from project.queries.question_rows import all_questions
from tests.builders.marked_study import open_study
from tests.builders.mouse_and_keys import press
from tests.builders.questions_said import GPT, HARDER, ask_about, pass_all, said


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of five questions, of which one fell narrowly and one clearly, and one was not scored."""
    with open_study(tmp_path_factory.mktemp("scored")) as session:
        add_judge(session, "always 2", "constant", "", {"says": "2"})
        made = ask_about(session, 5)
        pass_all(session, made[:2])
        pass_all(session, made[2:3], GPT, {"truth": 1})
        pass_all(session, made[3:4], GPT, {"truth": 0})
        said(session, made[3], GPT, "distractors", HARDER)
        said(session, made[4], GPT, "review_score", {}, status=JudgmentStatus.REFUSED)
        return session.study.path


@pytest.fixture
def study(scored: Path, tmp_path: Path) -> Path:
    return shutil.copy(scored, tmp_path / "pair.greenroom")


@pytest.fixture
def shown(qtbot: QtBot, window: MainWindow) -> FilterTab:
    found: FilterTab = window.windows.open_window("question_filter")
    with qtbot.waitSignal(found.computing.finished):
        found.computing.start()
    return found


def after(qtbot: QtBot, shown: FilterTab, do: Callable[[], object]) -> None:
    """Do something, and wait until the funnel that it leads to is shown."""
    with qtbot.waitSignal(shown.computing.finished):
        do()


def test_bars_narrow_and_a_step_shows_who_fell_there_and_why(qtbot: QtBot, shown: FilterTab) -> None:
    texts = shown.funnel.texts()
    assert len(texts) == 9
    assert texts[1].startswith("Second judge: 5 reach it, 4 kept, 0 fell, 1 open.")
    assert texts[4].startswith("Right answer: 4 reach it, 2 kept, 2 fell, 0 open.")
    assert shown.going.text().startswith("No filter decides yet: all 5 continue. 2 would pass every filter.")
    assert shown.table.texts() == [("open", "gpt refused", "ESI", "What follows when she lost the keys?")]
    bars = shown.funnel._buttons
    bars[4].click()
    assert [row[:2] for row in shown.table.texts()] == [("fell", "gpt 1"), ("fell", "gpt 0")]
    assert "✓ Ana sighs, because nobody called back." in shown.question.text()
    bars[4].setFocus()
    press(shown, "Up")
    qtbot.waitUntil(lambda: shown.funnel.current() == "difficulty")
    shown.show_which.setCurrentIndex(shown.show_which.findData("kept"))
    assert [row[0] for row in shown.table.texts()] == ["kept"] * 4


def test_a_limit_is_an_edit_of_the_study(qtbot: QtBot, shown: FilterTab) -> None:
    session = shown._context.studio.session
    shown.show_step("truth")
    after(qtbot, shown, lambda: shown.rule.limit.setValue(1))
    assert read_rules(session.study)["truth"].limit == 1
    assert [row[1] for row in shown.table.texts()] == ["gpt 0"]
    after(qtbot, shown, shown.rule.decides.click)
    assert "4 go on" not in shown.going.text()
    assert shown.going.text().endswith("3 go on to verification and export, as decided by: right answer.")
    after(qtbot, shown, shown._context.studio.undo)
    after(qtbot, shown, shown._context.studio.undo)
    assert read_rules(session.study)["truth"].limit == 2
    assert shown.rule.limit.value() == 2


def test_judges_are_asked_about_what_reaches_a_step_and_has_no_answer(qtbot: QtBot, shown: FilterTab) -> None:
    session = shown._context.studio.session
    shown.show_step("difficulty")
    assert not shown.run.isEnabled()
    assert shown.run.toolTip() == "Choose a judge first."
    (judge,) = shown.judges()
    shown.ask_judges.set_ticked([judge.id])
    assert shown.run.isEnabled()
    with qtbot.waitSignal(shown.running.running_changed, check_params_cb=lambda on: not on):
        shown.run.click()
        assert shown.running.running
    assert shown.status.text() == "4 answers."
    assert session.study.row("SELECT count(*) FROM judgment WHERE judge_id = ?", (judge.id,)) == (4,)
    with qtbot.waitSignal(shown.running.running_changed, check_params_cb=lambda on: not on):
        shown.computing.start()
        qtbot.waitUntil(lambda: any("always 2 2" in row[1] for row in _all(shown)))
        shown.run.click()
    assert shown.status.text() == "4 answers from before."


def _all(shown: FilterTab) -> list[tuple[str, str, str, str]]:
    shown.show_which.setCurrentIndex(shown.show_which.findData("all"))
    return shown.table.texts()


def test_harder_options_are_taken_over_side_by_side(qtbot: QtBot, shown: FilterTab) -> None:
    session = shown._context.studio.session
    shown.show_step("distractors")
    place = [row[1] for row in shown.table.texts()].index("gpt: proposed")
    shown.table.selectRow(place)
    assert shown.proposals.isVisible()
    assert all(tick.isChecked() for tick in shown.proposals.ticks)
    for tick in shown.proposals.ticks[1:]:
        tick.click()
    after(qtbot, shown, shown.proposals.take.click)
    changed = all_questions(session.study)[3]
    assert [option.text for option in changed.wrong] == ["Ana nods.", "Ben leaves.", "Ben sleeps.", "Ben sings."]
    assert "open at every step" in shown.status.text()
    assert shown.funnel.texts()[1].startswith("Second judge: 5 reach it, 3 kept, 0 fell, 2 open.")
    after(qtbot, shown, shown._context.studio.undo)
    after(qtbot, shown, shown.take_all.click)
    assert shown.status.text() == "1 question got harder options."
