"""The page of questions: verified by keys, each person alone; written to stump a model, and tried on judges."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.chains import chain_edits as chains
from app.gui.questions.question_list import KIND, SCOPE, STANDING, RowState
from app.gui.questions.questions_page import ANSWERS, VERIFY, WRITE, QuestionsPage
from app.gui.questions.verify_panel import QuestionFormValues
from app.gui.questions.write_panel import AskBar
from app.gui.window.main_window import MainWindow
from benchmark.authoring.question_requests import set_deciding_steps
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import add_questions
from benchmark.questions.verification import VerificationState, read_items, verification_queue, verify
from project.entities.questions import CHECKLIST_KEYS, VerificationDecision
from project.ids import new_id
from project.queries.chain_rows import all_chains
from project.queries.judgment_rows import judgments_of_question
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_chains import fill_with_chains
from tests.builders.chains import draw
from tests.builders.marked_study import SECOND, WALK, open_study
from tests.builders.mouse_and_keys import press
from tests.builders.question_study import ask
from tests.builders.worded_questions import judge_that
from tests.qt.conftest import OpenWindow

WRONG = ("She is tired.", "He left.", "It rains.", "They won.")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as made:
        made.annotator_name = "Ada"
        yield made


@dataclass
class Verifying:
    """The page in Ada's window."""

    window: MainWindow
    page: QuestionsPage

    @property
    def session(self) -> Session:
        return self.window.studio.session

    def states(self) -> dict[str, RowState]:
        return {row.text: row.state for row in self.page.list.rows()}

    def current(self) -> str:
        return self.page.verify.current_question().id

    def answered(self) -> tuple[bool, int]:
        return self.page.verify.options.known, self.page.verify.options.own

    def standings(self) -> dict[str, VerificationState]:
        return {item.question.text: item.state for item in read_items(self.session)}


Open = Callable[[], Verifying]


@pytest.fixture
def verifying(qtbot: QtBot, open_window: OpenWindow, session: Session) -> Open:
    def make() -> Verifying:
        session.close()
        window = open_window(session.study.path, "Ada")
        qtbot.waitUntil(window.isActiveWindow)
        window.choose_recording(WALK)
        press(window, "Ctrl+7")
        return Verifying(window, window.pages.current_view())

    return make


def test_a_verifier_goes_through_a_recording_with_keys_only(verifying: Open, session: Session) -> None:
    first, second = ask(session, "Why does she smile?"), ask(session, "What falls?", start=40)
    on = verifying()
    assert on.current() == first
    assert on.answered() == (False, -1), "one may answer oneself first"
    press(on.window, "2")
    assert on.answered() == (True, 1)
    press(on.window, "Y")
    assert on.standings()["Why does she smile?"] is VerificationState.OPEN, "no check is ticked"
    press(on.window, "A", "D", "D", "Y")
    assert on.standings()["Why does she smile?"] is VerificationState.ONCE
    assert on.current() == second, "the next one comes by itself"
    (said,) = next(item.verifications for item in read_items(on.session) if item.question.id == first)
    assert (said.decision, said.difficulty, said.checks) == (
        VerificationDecision.KEEP,
        "intermediate",
        CHECKLIST_KEYS["chain"],
    )
    press(on.window, "6", "8", "X")
    (dropped,) = next(item.verifications for item in read_items(on.session) if item.question.id == second)
    assert dropped.checks == ("by_rules", "covers")
    press(on.window, "P")
    assert on.current() == first
    press(on.window, "W")
    assert on.states() == {"Why does she smile?": RowState.WAITS, "What falls?": RowState.MINE}


def test_questions_are_found_heard_and_left_out_by_filters(verifying: Open, session: Session, qtbot: QtBot) -> None:
    ask(session, "Why does she smile?")
    second = ask(session, "What falls?", start=40)
    on = verifying()
    press(on.window, "N")
    assert on.current() == second
    assert on.window.player.loop == (40_000_000, 45_000_000), "its span is repeated"
    assert on.window.player.position_us == 40_000_000
    press(on.window, "R")
    assert on.window.player.loop is None
    assert {*on.states().values()} == {RowState.WAITS}
    for steps, state in ((["difficulty"], RowState.FILTERED), ([], RowState.WAITS)):
        on.window.studio.edit(lambda opened, steps=steps: set_deciding_steps(opened, steps))
        qtbot.waitUntil(lambda state=state: {*on.states().values()} == {state})
    on.page.bar.words.setText("falls")
    assert [*on.states()] == ["What falls?"]
    on.page.bar.select_key(KIND, "CW")
    assert [*on.states()] == []
    on.page.bar.words.clear()
    on.page.bar.select_key(KIND, "EU")
    on.page.bar.select_key(SCOPE, "everywhere")
    assert len(on.states()) == 2
    assert "2 wait for you" in on.page.progress.text()


def test_its_words_are_corrected_in_place_and_in_one_step(verifying: Open, session: Session, qtbot: QtBot) -> None:
    ask(session, "Why does she smile?")
    on = verifying()
    press(on.window, "C")
    form = on.page.verify.form
    assert form.isVisible()
    form.answer.setText(form.wrong[0].text())
    assert "among the wrong options" in form.told.text()
    form.answer.setText("He told a joke.")
    form.answer.setFocus()
    press(on.window, "Ctrl+Return")
    qtbot.waitUntil(lambda: not form.isVisible())
    (item,) = read_items(on.session)
    assert (item.question.answer, item.state) == ("He told a joke.", VerificationState.ONCE)
    assert item.verifications[0].checks == CHECKLIST_KEYS["chain"], "who corrects it says that it is good now"
    press(on.window, "C")
    press(on.window, "Esc")
    assert not form.isVisible()
    on.window.studio.undo()
    (item,) = read_items(on.session)
    assert (item.question.answer, item.verifications) == ("He made a joke.", ())


def test_what_others_say_is_shown_after_ones_own_word(verifying: Open, session: Session) -> None:
    question = ask(session)
    session.annotator_name = "Bo"
    verify(session, question, VerificationDecision.DROP, (), note="Two are right.")
    on = verifying()
    assert on.states() == {"Why does she smile?": RowState.WAITS}
    assert on.page.verify.others.text() == ""
    on.page.select_tab(ANSWERS)
    assert "Verify the question first" in on.page.asking.told.text()
    press(on.window, "A", "Y")
    assert on.states() == {"Why does she smile?": RowState.WAITS}, "keys are those of the tab that is on"
    on.page.select_tab("verify")
    press(on.window, "A", "Y")
    assert on.standings() == {"Why does she smile?": VerificationState.DISPUTED}
    assert "Bo: drop · Two are right." in on.page.verify.others.text()
    assert "decision 0 %" in on.page.agreement.text()


def test_the_chain_shows_what_a_question_covers_what_was_edited_first(verifying: Open, session: Session) -> None:
    chain_id, ids = draw(session, {"C": "AB"})
    old = ask(session, "What is A?", chain_id=chain_id, covers=(ids["A"],), start=90)
    new = ask(session, "Why C?", chain_id=chain_id, covers=(ids["C"], ids["A"], ids["B"]), start=5)
    verify(session, old, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    chains.edit_node(session, ids["B"], text="something else")
    on = verifying()
    assert on.page.graph.model.covered == {*ids.values()}
    assert [row.key for row in on.page.list.rows()] == [new, old]
    assert "chain was edited" in on.page.verify.notice.text()
    on.page.bar.select_key(STANDING, "stale")
    assert [row.key for row in on.page.list.rows()] == [new]


def choose(bar: AskBar, *names: str) -> None:
    bar.judges.set_ticked([entry.key for entry in bar.judges.entries() if entry.name in names])


def add_judges(session: Session) -> None:
    for letter in "AB":
        add_judge(session, f"Says {letter}", "constant", settings={"says": letter})
    add_judge(session, "Knows", "oracle")


def written(window: MainWindow) -> list[tuple[bool, str]]:
    items = read_items(window.studio.session)
    return [(item.ready, item.question.correct_letter) for item in items if item.question.explanation]


def test_a_question_is_written_tried_and_kept_and_a_chain_drafted(
    verifying: Open, session: Session, qtbot: QtBot
) -> None:
    add_judges(session)
    on = verifying()
    window, shown = on.window, on.page
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
    lines = "1 | event | | 0-2 | He jokes. |\n2 | thing | | 2-3 | It is. |\n3 | event | | 3-5 | She laughs. | 1, 7"
    with judge_that(on.session, lambda _told: {"chain": lines}, "Drafts"):
        panel.set_values(QuestionFormValues("Why does she cry?", "He joked.", WRONG, "She looks at him first."))
        panel.take.click()
        panel.save.click()
        choose(panel.asking, "Drafts")
        panel.draft.click()
        qtbot.waitUntil(lambda: "A chain was drawn" in panel.asking.told.text())
    assert "2 places of what the judge wrote left out:" in panel.asking.told.text()
    assert "“thing” is no kind of node." in panel.asking.told.text()


def test_what_judges_answer_is_shown_after_ones_own_word(verifying: Open, session: Session, qtbot: QtBot) -> None:
    add_judges(session)
    first = ask(session)
    on = verifying()
    shown = on.page
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
    (item,) = read_items(on.session)
    other = replace(item.question, id=new_id(), text="And who comes in then?")
    on.window.studio.edit(lambda opened: add_questions(opened, [other]))
    choose(shown.asking, "Knows")
    qtbot.waitUntil(lambda: len(shown.list.rows()) == 2)
    shown.asking.ask_all.click()
    study = on.session.study
    qtbot.waitUntil(lambda: all(judgments_of_question(study, question) for question in (first, other.id)))


def test_questions_of_a_recording_are_made_by_rules_and_wait_for_everybody(
    open_window: OpenWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_with_chains(made, chains=8)
        recording = all_chains(made)[0].recording_id
    window = open_window(tmp_path / "lab.greenroom", "Ada")
    window.choose_recording(recording)
    window.set_mode("questions")
    page: QuestionsPage = window.pages.current_view()
    page.bar.make_requested.emit("rules")
    qtbot.waitUntil(lambda: bool(page.list.rows()))
    window.studio.set_annotator("Bo")
    page.bar.select_key(STANDING, "waiting")
    waiting = [item.question.id for item in verification_queue(window.studio.session, recording)]
    assert waiting
    assert sorted(row.key for row in page.list.rows()) == sorted(waiting)
