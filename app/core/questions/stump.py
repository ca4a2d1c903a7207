"""Questions that people write so that models fail at them (R3-VQA, section 3.2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from app.core.judging.runs.asking import prepare
from app.core.judging.runs.wanted import AskRequest
from app.core.questions.verifying import Standing, gathered
from app.core.session import Session
from benchmark.questions.base import OPTIONS, Draft
from benchmark.questions.validity import why_not
from benchmark.tasks.answer import KEY as ANSWER
from project.judging import Judgment, JudgmentStatus
from project.questions import Question, QuestionKind, WrongOption
from project.types import Json


@dataclass(frozen=True, slots=True)
class Tried:
    """What one judge said to a question when it was tried.

    Attributes:
        judge: its name then.
        letter: that it chose; "" where it gave no answer.
        right: whether that is the right one; None where it gave no answer, which is no failure.
    """

    judge_id: str
    judge: str
    letter: str
    right: bool | None
    judgment_id: str

    def as_json(self) -> dict[str, Json]:
        """Return it for a terminal."""
        return {"judge": self.judge, "letter": self.letter, "right": self.right, "judgment": self.judgment_id}


def why_not_written(text: str, answer: str, wrong: Sequence[str], explanation: str) -> str:
    """Return why a question cannot be tried as it is written so far, in one sentence; "" where it can."""
    draft = Draft(
        QuestionKind.WRITTEN, "", (), text, answer, tuple(WrongOption(one) for one in wrong), explanation.strip()
    )
    if reason := why_not(draft, OPTIONS):
        return reason
    return "" if explanation.strip() else "Explain why the answer is right: whoever verifies it reads that."


def answers_to(session: Session, question: Question, request: AskRequest) -> tuple[Tried, ...]:
    """Return what the judges of a try said, once it was asked; of a judge that was not reached, nothing.

    Raises:
        UserError: the try could not be asked at all.
    """
    known = prepare(session, replace(request, again=False, fresh=False)).cached
    return tuple(tried(question, one) for one in known)


def tried(question: Question, judgment: Judgment) -> Tried:
    """Return what a judgment about a question in its present state says."""
    letter = judgment.answer.get(ANSWER) if judgment.status is JudgmentStatus.OK else None
    given = letter if isinstance(letter, str) else ""
    name = judgment.judge.get("name")
    return Tried(
        judgment.judge_id,
        name if isinstance(name, str) else judgment.judge_id,
        given,
        given == question.letter if given else None,
        judgment.id,
    )


def stumped(answers: Iterable[Tried], judge_ids: Iterable[str]) -> bool:
    """Tell whether all judges of a try failed: each gave an answer, and none is right."""
    said = {one.judge_id: one.right for one in answers}
    asked = {*judge_ids}
    return bool(asked) and all(said.get(one) is False for one in asked)


def counts(session: Session) -> set[str]:
    """Return the ids of the written questions that count: judges failed at them, and two others approve of them.

    Raises:
        UserError: a question is damaged.
    """
    return {
        one.question.id
        for one in gathered(session)
        if one.question.kind is QuestionKind.WRITTEN and one.ready and one.standing is Standing.VERIFIED
    }
