"""Questions that a person writes so that models fail at them (R3-VQA, section 3.2).

A question is kept when every judge fails at it.
"""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from benchmark.judging.ask_job import prepare
from benchmark.judging.ask_run import AskRequest
from benchmark.prompts.question_prompts import ANSWER_TASK
from benchmark.questions.question_edits import (
    add_questions,
    content_state,
    get_question,
    is_author,
    verification_by,
)
from benchmark.questions.question_validity import OPTION_COUNT, QuestionDraft, draft_problem
from project.entities.judgments import Judgment, JudgmentStatus
from project.entities.questions import Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.entities.study_records import Annotator, Changes
from project.errors import UserError
from project.ids import new_id
from project.queries import question_rows
from project.session.session import Session
from project.timebase import utc_now


@dataclass(frozen=True, slots=True)
class TrialAnswer:
    """The answer of one judge to a question that was tried.

    Attributes:
        letter: that it chose; "" where it gave no answer.
        right: whether that is the right one; None where it gave no answer, which does not count as a failure.
    """

    judge_id: str
    judge: str
    letter: str
    right: bool | None
    judgment_id: str


def written_question_problem(text: str, answer: str, wrong: Sequence[str], explanation: str) -> str:
    """Return why a question cannot be tried as it is written so far, in one sentence; "" where it can."""
    draft = QuestionDraft(
        QuestionKind.WRITTEN, "", (), text, answer, tuple(WrongOption(option) for option in wrong), explanation.strip()
    )
    if reason := draft_problem(draft, OPTION_COUNT):
        return reason
    return "" if explanation.strip() else "Explain why the answer is right: whoever verifies it reads that."


def read_trial_answers(session: Session, question: Question, request: AskRequest) -> tuple[TrialAnswer, ...]:
    """Return what the judges of a try said, once it was asked; of a judge that was not reached, nothing."""
    known = prepare(session, replace(request, again=False, fresh=False)).cached
    return tuple(trial_answer(question, judgment) for judgment in known)


def trial_answer(question: Question, judgment: Judgment) -> TrialAnswer:
    """Return what a judgment about a question in its present state says."""
    letter = judgment.answer.get(ANSWER_TASK) if judgment.status is JudgmentStatus.OK else None
    given = letter if isinstance(letter, str) else ""
    name = judgment.judge.get("name")
    return TrialAnswer(
        judgment.judge_id,
        name if isinstance(name, str) else judgment.judge_id,
        given,
        given == question.correct_letter if given else None,
        judgment.id,
    )


def all_judges_failed(answers: Iterable[TrialAnswer], judge_ids: Iterable[str]) -> bool:
    """Tell whether all judges of a try failed: each gave an answer, and none is right."""
    said = {answer.judge_id: answer.right for answer in answers}
    asked = {*judge_ids}
    return bool(asked) and all(said.get(judge_id) is False for judge_id in asked)


def write_question(
    session: Session,
    recording_id: str,
    text: str,
    answer: str,
    wrong: Sequence[str],
    explanation: str,
    start_us: int,
    end_us: int,
) -> tuple[str, Changes]:
    """Add a question about a span of a recording as a draft; returns its id and what changed."""
    session.study.require_writable()
    if reason := written_question_problem(text, answer, wrong, explanation):
        raise UserError(reason, "Correct the question, and try again.")
    identifier = new_id()
    question = Question(
        id=identifier,
        recording_id=recording_id,
        chain_id=None,
        kind=QuestionKind.WRITTEN,
        aspect="",
        covers=(),
        made_from="",
        start_us=start_us,
        end_us=end_us,
        text=text.strip(),
        answer=answer.strip(),
        wrong=tuple(WrongOption(option.strip()) for option in wrong),
        explanation=explanation.strip(),
        seed=0,
        place=_pick_answer_position(session, identifier),
        maker=Maker.PERSON,
        annotator_id="",
        judgment_id="",
        at=utc_now(),
    )
    return identifier, add_questions(session, [question], "Write question")


def record_trial(
    session: Session, question_id: str, answers: Sequence[TrialAnswer], judge_ids: Iterable[str]
) -> Changes:
    """Keep a written question when every judge of its last try failed; else it stays, or becomes, a draft.

    A judge that refused, or whose answer could not be read, did not fail. The decision holds for the present
    wording and is stored as a verification by the author.
    """
    session.study.require_writable()
    question = get_question(session, question_id)
    who = require_author(session, question)
    before = verification_by(question_rows.verifications_of(session.study, question.id), who.id)
    if not all_judges_failed(answers, judge_ids):
        if before is None:
            return Changes()
        with session.step("Question is a draft again") as step:
            question_rows.delete_verification(session.study, question.id, who.id)
        return step.changes
    note = f"Failed: {', '.join(sorted(answer.judge for answer in answers))}"
    if before is not None and (before.state, before.note) == (content_state(question), note):
        return Changes()
    with session.step("Keep written question") as step:
        question_rows.set_verification(
            session.study,
            Verification(
                *(question.id, who.id, VerificationDecision.KEEP, "chain", (), "", note),
                *(content_state(question), utc_now()),
            ),
        )
    return step.changes


def require_author(session: Session, question: Question) -> Annotator:
    """Return the annotator of the session, who must have written the question."""
    who = session.annotator()
    if who is None or not is_author(question, who.id):
        raise UserError("Another annotator wrote this question.", "Only its author can try it on judges and keep it.")
    return who


def _pick_answer_position(session: Session, identifier: str) -> int:
    """Return a position, at random among those that hold the fewest right answers of the written questions."""
    position_counts = Counter(
        question.place
        for question in question_rows.all_questions(session.study)
        if question.kind is QuestionKind.WRITTEN
    )
    lowest_count = min(position_counts[place] for place in range(OPTION_COUNT))
    return random.Random(identifier).choice(
        [place for place in range(OPTION_COUNT) if position_counts[place] == lowest_count]
    )
