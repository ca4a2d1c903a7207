"""Questions are verified in the real window, by keys, each person for themselves."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from annotate.chains import chain_edits as chains
from app.gui.questions.question_list import KIND, SCOPE, STANDING, RowState
from app.gui.questions.questions_page import ANSWERS, WRITE, QuestionsPage
from app.gui.window.main_window import MainWindow
from benchmark.authoring.question_requests import set_deciding_steps
from benchmark.questions.verification import VerificationState, read_items, verify
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.session.session import Session
from tests.builders.chains import draw
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.marked_study import WALK, open_study
from tests.builders.question_study import ask

Key = Qt.Key
CONTROL = Qt.KeyboardModifier.ControlModifier
Open = Callable[[Session], "Verifying"]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as made:
        made.annotator_name = "Ada"
        yield made


class Verifying:
    """The page in the window, for whoever uses it."""

    def __init__(self, window: MainWindow) -> None:
        self.window = window
        window.choose_recording(WALK)
        self.press(Key.Key_7, modifier=CONTROL)
        page = window.workspace.pages.currentWidget()
        assert isinstance(page, QuestionsPage)
        self.page = page

    def press(self, *keys: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        for key in keys:
            QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)

    @property
    def session(self) -> Session:
        assert self.window.studio.session is not None
        return self.window.studio.session

    def states(self) -> dict[str, RowState]:
        return {row.text: row.state for row in self.page.list.rows()}

    def current(self) -> str:
        shown = self.page.verify.current_question()
        return shown.id

    def answered(self) -> tuple[bool, int]:
        options = self.page.verify.options
        return options.known, options.own

    def standings(self) -> dict[str, VerificationState]:
        return {item.question.text: item.state for item in read_items(self.session)}


@pytest.fixture
def verifying(qtbot: QtBot, open_window: Callable[..., MainWindow]) -> Open:
    def make(session: Session, who: str = "Ada") -> Verifying:
        path = session.study.path
        session.close()
        window = open_window(path, who)
        qtbot.waitUntil(window.isActiveWindow)
        return Verifying(window)

    return make


def test_a_verifier_goes_through_a_recording_with_keys_only(verifying: Open, session: Session) -> None:
    first, second = ask(session, "Why does she smile?"), ask(session, "What falls?", start=40)
    on = verifying(session)
    assert on.current() == first
    assert on.answered() == (False, -1), "one may answer oneself first"
    on.press(Key.Key_2)
    assert on.answered() == (True, 1)
    on.press(Key.Key_Y)
    assert on.standings()["Why does she smile?"] is VerificationState.OPEN, "no check is ticked"
    on.press(Key.Key_A, Key.Key_D, Key.Key_D, Key.Key_Y)
    assert on.standings()["Why does she smile?"] is VerificationState.ONCE
    assert on.current() == second, "the next one comes by itself"
    (said,) = next(item.verifications for item in read_items(on.session) if item.question.id == first)
    assert (said.decision, said.difficulty, said.checks) == (
        VerificationDecision.KEEP,
        "intermediate",
        CHECKLIST_KEYS["chain"],
    )
    on.press(Key.Key_6, Key.Key_8, Key.Key_X)
    (dropped,) = next(item.verifications for item in read_items(on.session) if item.question.id == second)
    assert dropped.checks == ("by_rules", "covers")
    on.press(Key.Key_P)
    assert on.current() == first
    on.press(Key.Key_W)
    assert on.states() == {"Why does she smile?": RowState.WAITS, "What falls?": RowState.MINE}


def test_what_the_filters_leave_out_is_said_once_they_are_read(verifying: Open, session: Session, qtbot: QtBot) -> None:
    ask(session, "Why does she smile?")
    ask(session, "What falls?", start=40)
    on = verifying(session)
    assert {*on.states().values()} == {RowState.WAITS}
    for steps, state in ((["difficulty"], RowState.FILTERED), ([], RowState.WAITS)):
        on.window.studio.edit(lambda opened, steps=steps: set_deciding_steps(opened, steps))
        qtbot.waitUntil(lambda state=state: {*on.states().values()} == {state})


def test_its_words_are_corrected_in_place_and_in_one_step(verifying: Open, session: Session, qtbot: QtBot) -> None:
    ask(session, "Why does she smile?")
    on = verifying(session)
    on.press(Key.Key_C)
    form = on.page.verify.form
    assert form.isVisible()
    form.answer.setText(form.wrong[0].text())
    assert "among the wrong options" in form.told.text()
    form.answer.setText("He told a joke.")
    form.answer.setFocus()
    on.press(Key.Key_Return, modifier=CONTROL)
    qtbot.waitUntil(lambda: not form.isVisible())
    (item,) = read_items(on.session)
    assert (item.question.answer, item.state) == ("He told a joke.", VerificationState.ONCE)
    assert item.verifications[0].checks == CHECKLIST_KEYS["chain"], "who corrects it says that it is good now"
    on.press(Key.Key_C)
    on.press(Key.Key_Escape)
    assert not form.isVisible()
    on.window.studio.undo()
    (item,) = read_items(on.session)
    assert (item.question.answer, item.verifications) == ("He made a joke.", ())


def test_what_others_say_is_shown_after_ones_own_word(verifying: Open, session: Session) -> None:
    question = ask(session)
    session.annotator_name = "Bo"
    verify(session, question, VerificationDecision.DROP, (), note="Two are right.")
    on = verifying(session)
    assert on.states() == {"Why does she smile?": RowState.WAITS}
    assert on.page.verify.others.text() == ""
    on.page.select_tab(ANSWERS)
    assert "Verify the question first" in on.page.asking.told.text()
    on.press(Key.Key_A, Key.Key_Y)
    assert on.states() == {"Why does she smile?": RowState.WAITS}, "keys are those of the tab that is on"
    on.page.select_tab("verify")
    on.press(Key.Key_A, Key.Key_Y)
    assert on.standings() == {"Why does she smile?": VerificationState.DISPUTED}
    assert "Bo: drop · Two are right." in on.page.verify.others.text()
    assert "decision 0 %" in on.page.agreement.text()


def test_the_chain_shows_what_a_question_covers_and_what_was_edited_comes_first(
    verifying: Open, session: Session
) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    old = ask(session, "What is A?", chain_id=chain_id, covers=(ids["A"],), start=90)
    new = ask(session, "Why C?", chain_id=chain_id, covers=(ids["C"], ids["A"], ids["B"]), start=5)
    verify(session, old, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    chains.edit_node(session, ids["B"], text="something else")
    on = verifying(session)
    assert on.page.graph.model.covered == {*ids.values()}
    assert [row.key for row in on.page.list.rows()] == [new, old]
    assert "chain was edited" in on.page.verify.notice.text()
    on.page.bar.select_key(STANDING, "stale")
    assert [row.key for row in on.page.list.rows()] == [new]


def test_questions_are_found_by_kind_and_words(verifying: Open, session: Session) -> None:
    ask(session, "Why does she smile?")
    ask(session, "What falls?", start=40)
    on = verifying(session)
    on.page.bar.words.setText("falls")
    assert [*on.states()] == ["What falls?"]
    on.page.bar.select_key(KIND, "CW")
    assert [*on.states()] == []
    on.page.bar.words.clear()
    on.page.bar.select_key(KIND, "EU")
    on.page.bar.select_key(SCOPE, "everywhere")
    assert len(on.states()) == 2
    assert "2 wait for you" in on.page.progress.text()


def test_the_span_is_repeated(verifying: Open, session: Session) -> None:
    ask(session)
    second = ask(session, "What falls?", start=40)
    on = verifying(session)
    on.press(Key.Key_N)
    assert on.current() == second
    assert on.window.player.loop == (40_000_000, 45_000_000)
    assert on.window.player.position_us == 40_000_000
    on.press(Key.Key_R)
    assert on.window.player.loop is None


def test_everything_has_a_name_and_is_explained(verifying: Open, session: Session) -> None:
    ask(session)
    on = verifying(session)
    for tab in ("verify", ANSWERS, WRITE):
        on.page.select_tab(tab)
        assert nameless(on.page) == []
        assert unexplained(on.page) == []
