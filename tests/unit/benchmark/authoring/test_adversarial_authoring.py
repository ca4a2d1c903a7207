"""Questions that people write are tried on judges, and kept when all of them fail."""

from collections.abc import Sequence

import pytest

from annotate.study.recording_edits import undo
from benchmark.authoring.adversarial_authoring import (
    TrialAnswer,
    all_judges_failed,
    read_trial_answers,
    record_trial,
    write_question,
    written_question_problem,
)
from benchmark.authoring.question_requests import answer_request
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import QuestionCorrection, correct_question
from benchmark.questions.verification import read_items, verification_queue, verify
from project.entities.judgments import JudgeEntry
from project.entities.questions import CHECKLIST_KEYS, Question, VerificationDecision
from project.errors import UserError
from project.progress import Silent
from project.queries.question_rows import find_question
from project.session.jobs import run_inline
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK
from tests.builders.question_filter import verified_written_ids

WRONG = ["She is tired.", "He left.", "It rains.", "They won."]


def write(session: Session, text: str = "Why does she smile?") -> Question:
    span = 10 * SECOND, 20 * SECOND
    written, _ = write_question(session, WALK, text, "He made a joke.", WRONG, "She looks at him first.", *span)
    return find_question(session.study, written)


def attempt(session: Session, question: Question, judges: Sequence[JudgeEntry]) -> tuple[TrialAnswer, ...]:
    request = answer_request(judges, [question.id])
    work = prepare(session, request).job
    if work is not None:
        run_inline(session, work, Silent())
    answers = read_trial_answers(session, question, request)
    record_trial(session, question.id, answers, [judge.id for judge in judges])
    return answers


def waiting(session: Session) -> list[str]:
    return [item.question.id for item in verification_queue(session)]


@pytest.fixture
def judges(session: Session) -> dict[str, JudgeEntry]:
    return {name: add_judge(session, name, name)[0] for name in ("oracle", "constant")}


def failing(session: Session, judges: dict[str, JudgeEntry]) -> Question:
    """Write questions until the constant judge fails at one: right answers are spread over the places."""
    for number in range(5):
        question = write(session, f"Why does she smile at {number}?")
        if attempt(session, question, [judges["constant"]])[0].right is False:
            return question
    raise AssertionError("one and the same letter is right of all five")


def test_it_is_kept_when_all_judges_fail(session: Session, judges: dict[str, JudgeEntry]) -> None:
    question = failing(session, judges)
    session.annotator_name = "Bo"
    assert question.id in waiting(session)
    session.annotator_name = "Ada"
    assert waiting(session) == [], "whoever wrote it does not verify it"
    with pytest.raises(UserError, match="You wrote this question"):
        verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    for who, expected in (("Bo", set()), ("Cy", {question.id})):
        session.annotator_name = who
        verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
        assert verified_written_ids(session) == expected


def test_a_judge_that_is_right_or_a_change_leaves_it_a_draft(session: Session, judges: dict[str, JudgeEntry]) -> None:
    question = failing(session, judges)
    assert [tried.right for tried in attempt(session, question, [*judges.values()])] == [True, False]
    session.annotator_name = "Bo"
    assert question.id not in waiting(session)
    with pytest.raises(UserError, match="draft"):
        verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    undo(session)
    assert question.id in waiting(session)
    session.annotator_name = "Ada"
    correct_question(session, question.id, QuestionCorrection(answer="He told a joke."))
    assert [item.ready for item in read_items(session) if item.question.id == question.id] == [False]


def test_a_verifier_who_corrects_it_leaves_it_to_its_author_to_try_again(
    session: Session, judges: dict[str, JudgeEntry]
) -> None:
    question = failing(session, judges)
    session.annotator_name = "Bo"
    correction = QuestionCorrection(text="Why does she smile at him?")
    verify(session, question.id, VerificationDecision.CORRECT, CHECKLIST_KEYS["chain"], correction=correction)
    with pytest.raises(UserError, match="Another annotator wrote"):
        record_trial(session, question.id, (), [])
    assert verified_written_ids(session) == set()
    session.annotator_name = "Ada"
    attempt(session, find_question(session.study, question.id), [judges["constant"]])
    session.annotator_name = "Cy"
    verify(session, question.id, VerificationDecision.KEEP, CHECKLIST_KEYS["chain"])
    assert verified_written_ids(session) == {question.id}


def said(judge: str, right: bool | None) -> TrialAnswer:
    return TrialAnswer(judge, judge, "", right, "")


def test_a_refusal_is_no_failure() -> None:
    wrong = said("a", False)
    assert all_judges_failed([wrong, said("b", False)], "ab")
    assert all_judges_failed([wrong, said("b", True)], "a"), "b was not asked"
    for answers in ([wrong, said("b", True)], [wrong, said("b", None)], [wrong], []):
        assert not all_judges_failed(answers, "ab")


def test_what_is_wrong_with_it_is_said_while_it_is_written(session: Session) -> None:
    assert written_question_problem("Why?", "Yes.", WRONG, "So.") == ""
    assert "4 options" in written_question_problem("Why?", "Yes.", WRONG[:3], "So.")
    assert "among the wrong options" in written_question_problem("Why?", "he LEFT", WRONG, "So.")
    for explanation, end_us, says in (("  ", SECOND, "Explain"), ("So.", 10_000 * SECOND, "inside the recording")):
        with pytest.raises(UserError, match=says):
            write_question(session, WALK, "Why?", "Yes.", WRONG, explanation, 0, end_us)
