"""From a chain drawn in the real window to the consistency of three judges, compared with a table made by hand."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.chains import chain_edits as chains
from app.gui.questions.questions_page import QuestionsPage
from app.gui.window.main_window import MainWindow
from benchmark.authoring.question_requests import answer_request, prepare_step, set_deciding_steps
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_measures import measure_judges
from benchmark.questions.verification import VerificationState, read_items, study_agreement, verified_ids
from models.judges import judge_backends as registry
from project.entities.causal_chains import ChainGraph, NodeKind
from project.entities.questions import Question
from project.entities.study_records import Recording
from project.progress import Silent
from project.queries.recording_rows import insert_recording
from project.session.jobs import run_inline
from project.session.session import Session
from project.store.study import Study
from tests.builders.chains_by_hand import SECOND, draw_with_keys, draw_with_mouse, graphs, study_of_two
from tests.builders.forgetful_judge import PLACE
from tests.builders.mouse_and_keys import press

Key = Qt.Key

# The story has the nodes 0 to 5 and the subchains 3 <- 0 1, 4 <- 3, 5 <- 2 4. Right options stand at:
MADE = {
    "EU 0": "E", "EU 4": "A",
    "MSE 1": "B", "MSE 2": "D", "MSE 3": "D", "MSE 5": "C",
    "CW 3": "C", "CW 4": "A", "CW 5": "B",
    "CH/W 3": "D", "CH/W 4": "E", "CH/W 5": "A",
}  # fmt: skip
FILTERED = {"EU 4", "CW 4", "CH/W 5"}
"""Whoever always says A is right about these with the options alone."""
DROPPED = "MSE 2"
CORRECTED = "CW 5"
FORGOTTEN = "CW 3"
# What is left counts, by subchain:
#   3: EU 0, MSE 1, MSE 3, CW 3, CH/W 3     4: MSE 3, CH/W 4     5: MSE 5, CW 5
LEFT = {"EU 0", "MSE 1", "MSE 3", "MSE 5", "CW 3", "CW 5", "CH/W 3", "CH/W 4"}
TABLE = {
    # judge: right of 8, chains of 1, subchains of 3
    "Knows": (8 / 8, 1 / 1, 3 / 3),
    "Forgetful": (7 / 8, 0 / 1, 2 / 3),  # not CW 3, so not subchain 3
    "Says D": (2 / 8, 0 / 1, 0 / 3),  # MSE 3 and CH/W 3
}
ELSEWHERE: dict[NodeKind, tuple[str, ...]] = {
    NodeKind.EVENT: ("The bus leaves early", "A dog runs across the yard", "Two glasses break", "Snow begins to fall"),
    NodeKind.BELIEF: ("The shop is closed", "The train left", "It will rain all day", "Nobody saw the letter"),
    NodeKind.INTENT: ("To call a friend", "To hide the cake", "To leave by night", "To win the game"),
    NodeKind.DESIRE: ("A warm meal", "An old song again", "A longer holiday", "Some praise"),
    NodeKind.EMOTION: ("Proud of the garden", "Afraid of heights", "Bored by the talk", "Glad about the news"),
}


@pytest.fixture
def window(
    qtbot: QtBot, tmp_path: Path, open_window: Callable[..., MainWindow], monkeypatch: pytest.MonkeyPatch
) -> MainWindow:
    monkeypatch.setitem(registry.BACKENDS, "forgetful", PLACE)
    path = study_of_two(tmp_path / "lab.greenroom")
    with Study.open(path) as study, study.without_history():
        insert_recording(study, Recording("elsewhere", "c", 2, "Two", 60 * SECOND))
    with Session.open(path, "Cy") as session:
        _draw_elsewhere(session)
    made = open_window(path, "Ada")
    made.choose_recording("r")
    made.activateWindow()
    qtbot.waitUntil(made.isActiveWindow)
    return made


def _draw_elsewhere(session: Session) -> None:
    """Draw another chain, whose nodes lend wrong options."""
    chain_id, _ = chains.add_chain(session, "elsewhere", "Elsewhere")
    ids = [
        chains.add_node(session, chain_id, kind, text, at * SECOND, (at + 1) * SECOND, ("a",))[0]
        for at, (kind, text) in enumerate((kind, text) for kind, texts in ELSEWHERE.items() for text in texts)
    ]
    for reason, result in zip(ids, ids[4:], strict=False):
        chains.add_edge(session, reason, result)


def keys(window: MainWindow, *wanted: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    for key in wanted:
        QTest.keyClick(QApplication.focusWidget() or window, key, held)


def questions_page(window: MainWindow) -> QuestionsPage:
    keys(window, Key.Key_7, held=Qt.KeyboardModifier.ControlModifier)
    page = window.workspace.pages.currentWidget()
    assert isinstance(page, QuestionsPage)
    return page


def opened(window: MainWindow) -> Session:
    assert window.studio.session is not None
    return window.studio.session


def called(graph: ChainGraph, question: Question) -> str:
    """Return the name of a question in the tables above."""
    place = [node.id for node in graph.nodes].index(question.covers[0])
    return f"{question.kind.value} {place}"


def named(window: MainWindow, graph: ChainGraph) -> dict[str, Question]:
    found = [item.question for item in read_items(opened(window), "r")]
    return {called(graph, question): question for question in found}


def verify_all(
    window: MainWindow, qtbot: QtBot, page: QuestionsPage, graph: ChainGraph, who: str, correcting: str = ""
) -> None:
    """Go through somebody's queue with keys until nothing waits; some are dropped, and one may be corrected."""
    window.studio.set_annotator(who)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    page.list.setFocus()
    page.bar.select_key("standing", "waiting")
    qtbot.waitUntil(lambda: bool(page.list.rows()))
    for _ in range(20):
        if not page.list.rows():
            return
        if not page.list.current_key():
            keys(window, Key.Key_N)
        shown = page.verify.current_question()
        name = next(name for name, question in named(window, graph).items() if question.id == shown.id)
        if name == DROPPED:
            keys(window, Key.Key_6, Key.Key_7, Key.Key_X)
        elif name == correcting:
            keys(window, Key.Key_C)
            page.verify.form.text.setPlainText("What made him feel that way?")
            page.verify.form.text.setFocus()
            keys(window, Key.Key_Return, held=Qt.KeyboardModifier.ControlModifier)
            correcting = ""
        else:
            keys(window, Key.Key_A, Key.Key_D, Key.Key_Y)
    raise AssertionError("something waits for ever")


@pytest.mark.parametrize("draw", [draw_with_mouse, draw_with_keys])
def test_from_a_chain_to_the_consistency_of_three_judges(
    window: MainWindow, qtbot: QtBot, draw: Callable[[MainWindow], ChainGraph]
) -> None:
    press(window, "Ctrl+6")
    press(window, "Ctrl+Shift+N")
    draw(window)
    (graph,) = graphs(window)
    assert (len(graph.nodes), len(graph.subchains)) == (6, 3)

    page = questions_page(window)
    page.bar.make_requested.emit("rules")
    qtbot.waitUntil(lambda: len(page.list.rows()) == len(MADE))
    made = named(window, graph)
    assert {name: question.correct_letter for name, question in made.items()} == MADE

    session = opened(window)
    judges = {
        name: add_judge(session, name, backend, settings=settings)[0]
        for name, backend, settings in (
            ("Says A", "constant", {"says": "A"}),
            ("Says D", "constant", {"says": "D"}),
            ("Knows", "oracle", {}),
            ("Forgetful", "forgetful", {"forgot": made[FORGOTTEN].id}),
        )
    }
    for asking in prepare_step(session, "options-only", [judges["Says A"]])[0]:
        assert asking.job is not None
        window.studio.publish(run_inline(session, asking.job, Silent())[1])
    window.studio.edit(lambda session: set_deciding_steps(session, ["options-only"]))

    verify_all(window, qtbot, page, graph, "Ada")
    verify_all(window, qtbot, page, graph, "Bo", correcting=CORRECTED)
    again = made[CORRECTED].id
    assert {item.question.id for item in read_items(session, "r") if item.state is VerificationState.ONCE} == {again}
    verify_all(window, qtbot, page, graph, "Ada")
    names = {question.id: name for name, question in named(window, graph).items()}
    standings = {names[item.question.id]: item.state for item in read_items(session, "r")}
    assert {name for name, state in standings.items() if state is VerificationState.OPEN} == FILTERED
    assert standings[DROPPED] is VerificationState.DROPPED
    assert {names[text] for text in verified_ids(session)} == LEFT
    assert (study_agreement(session).figure("decision").pairs, study_agreement(session).figure("decision").kappa) == (
        9,
        1.0,
    )

    request = answer_request(
        [judges[name] for name in TABLE], [question.id for question in named(window, graph).values()]
    )
    work = prepare(session, request).job
    assert work is not None
    window.studio.publish(run_inline(session, work, Silent())[1])
    found = {judge.setup.judge: judge for judge in measure_judges(session, [*TABLE]).judges}
    assert {
        name: (judge_measures.overall.value, judge_measures.chain.value, judge_measures.subchain.value)
        for name, judge_measures in found.items()
    } == {name: pytest.approx(row) for name, row in TABLE.items()}
