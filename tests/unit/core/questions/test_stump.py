"""Questions that people write are tried on judges, and kept when all of them fail."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from annotate.study.recording_edits import undo
from benchmark.authoring.adversarial_authoring import (
    Tried,
    answers_to,
    counts,
    settle_try,
    stumped,
    why_not_written,
    write_question,
)
from benchmark.authoring.question_requests import request_for
from benchmark.judging.ask_job import prepare
from benchmark.judging.judge_registry import add_judge
from benchmark.questions.question_edits import QuestionCorrection, correct_question
from benchmark.questions.verification import gathered, queue, verify
from project.entities.judgments import JudgeEntry
from project.entities.questions import CHECKS, Question, VerificationDecision
from project.errors import UserError
from project.progress import Silent
from project.queries.question_rows import question_called
from project.session.jobs import run_here
from project.session.session import Session
from tests.unit.core.pairs import SECOND, WALK, open_study

WRONG = ["She is tired.", "He left.", "It rains.", "They won."]


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    with open_study(tmp_path) as opened:
        opened.annotator_name = "Ada"
        yield opened


def write(session: Session, text: str = "Why does she smile?") -> Question:
    identifier, _ = write_question(
        session, WALK, text, "He made a joke.", WRONG, "She looks at him first.", 10 * SECOND, 20 * SECOND
    )
    found = question_called(session.study, identifier)
    assert found is not None
    return found


def attempt(session: Session, question: Question, judges: Sequence[JudgeEntry]) -> tuple[Tried, ...]:
    request = request_for(judges, [question.id])
    work = prepare(session, request).work
    if work is not None:
        run_here(session, work, Silent())
    found = answers_to(session, question, request)
    settle_try(session, question.id, found, [one.id for one in judges])
    return found


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


def test_right_answers_of_written_questions_are_spread_over_the_places(session: Session) -> None:
    assert sorted(write(session, f"Why {number}?").place for number in range(5)) == [0, 1, 2, 3, 4]


def test_it_is_kept_when_all_judges_fail(session: Session, judges: dict[str, JudgeEntry]) -> None:
    question = failing(session, judges)
    session.annotator_name = "Bo"
    assert question.id in [one.question.id for one in queue(session)]
    session.annotator_name = "Ada"
    assert queue(session) == [], "whoever wrote it does not verify it"
    with pytest.raises(UserError, match="Ada wrote this question"):
        verify(session, question.id, VerificationDecision.KEEP, CHECKS["chain"])
    for who, expected in (("Bo", set()), ("Cy", {question.id})):
        session.annotator_name = who
        verify(session, question.id, VerificationDecision.KEEP, CHECKS["chain"])
        assert counts(session) == expected


def test_a_judge_that_is_right_leaves_it_a_draft(session: Session, judges: dict[str, JudgeEntry]) -> None:
    question = failing(session, judges)
    assert [one.right for one in attempt(session, question, [*judges.values()])] == [True, False]
    session.annotator_name = "Bo"
    assert question.id not in [one.question.id for one in queue(session)]
    with pytest.raises(UserError, match="draft"):
        verify(session, question.id, VerificationDecision.KEEP, CHECKS["chain"])
    undo(session)
    assert question.id in [one.question.id for one in queue(session)]


def test_a_kept_question_that_is_changed_is_a_draft_again(session: Session, judges: dict[str, JudgeEntry]) -> None:
    question = failing(session, judges)
    correct_question(session, question.id, answer="He told a joke.")
    assert [one.ready for one in gathered(session) if one.question.id == question.id] == [False]


def test_a_verifier_who_corrects_it_leaves_it_to_its_author_to_try_again(
    session: Session, judges: dict[str, JudgeEntry]
) -> None:
    question = failing(session, judges)
    session.annotator_name = "Bo"
    verify(
        session,
        question.id,
        VerificationDecision.CORRECT,
        CHECKS["chain"],
        correction=QuestionCorrection(text="Why does she smile at him?"),
    )
    with pytest.raises(UserError, match="Somebody else wrote"):
        settle_try(session, question.id, (), [])
    assert counts(session) == set()
    session.annotator_name = "Ada"
    changed = question_called(session.study, question.id)
    assert changed is not None
    attempt(session, changed, [judges["constant"]])
    session.annotator_name = "Cy"
    verify(session, question.id, VerificationDecision.KEEP, CHECKS["chain"])
    assert counts(session) == {question.id}


def said(judge: str, right: bool | None) -> Tried:
    return Tried(judge, judge, "", right, "")


@pytest.mark.parametrize(
    ("answers", "asked", "expected"),
    [
        ([said("a", False), said("b", False)], "ab", True),
        ([said("a", False), said("b", True)], "ab", False),
        ([said("a", False), said("b", None)], "ab", False),
        ([said("a", False)], "ab", False),
        ([said("a", False), said("b", True)], "a", True),
        ([], "", False),
    ],
)
def test_a_refusal_is_no_failure(answers: list[Tried], asked: str, expected: bool) -> None:
    assert stumped(answers, asked) is expected


def test_what_is_wrong_with_it_is_said_while_it_is_written(session: Session) -> None:
    assert "empty" in why_not_written("", "Yes.", WRONG, "So.")
    assert "4 options" in why_not_written("Why?", "Yes.", WRONG[:3], "So.")
    assert "among the wrong options" in why_not_written("Why?", "he LEFT", WRONG, "So.")
    assert "Explain" in why_not_written("Why?", "Yes.", WRONG, "  ")
    assert why_not_written("Why?", "Yes.", WRONG, "So.") == ""
    with pytest.raises(UserError, match="Explain"):
        write_question(session, WALK, "Why?", "Yes.", WRONG, "", 0, SECOND)
    with pytest.raises(UserError, match="inside the recording"):
        write_question(session, WALK, "Why?", "Yes.", WRONG, "So.", 0, 10_000 * SECOND)
