"""Questions that a person writes and tries on judges: written, and kept when all of them fail."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence

from app.core.clock import utc_now
from app.core.commands.questions import add_questions, question_called
from app.core.questions.seen import is_author, seen_state
from app.core.questions.stump import Tried, stumped, why_not_written
from app.core.session import Session
from benchmark.questions.base import OPTIONS
from project.errors import UserError
from project.ids import new_id
from project.queries import questions as rows
from project.questions import Maker, Question, QuestionKind, Verification, VerificationDecision, WrongOption
from project.types import Annotator, Changes


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
    """Add a question about a span of a recording as a draft; returns its id and what changed.

    Raises:
        UserError: it cannot be used, explains nothing, or its span does not lie inside the recording.
    """
    session.study.require_writable()
    if reason := why_not_written(text, answer, wrong, explanation):
        raise UserError(reason, "Change what is wrong with it, and try again.")
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
        wrong=tuple(WrongOption(one.strip()) for one in wrong),
        explanation=explanation.strip(),
        seed=0,
        place=_place(session, identifier),
        maker=Maker.PERSON,
        annotator_id="",
        judgment_id="",
        at=utc_now(),
    )
    return identifier, add_questions(session, [question], "Write question")


def settle_try(session: Session, question_id: str, answers: Sequence[Tried], judge_ids: Iterable[str]) -> Changes:
    """Keep a written question when every judge of its last try failed; else it stays, or becomes, a draft.

    A judge that refused or could not be read did not fail. That it is kept holds for its words as they are now, and is
    written down as what its author says about it.

    Raises:
        UserError: there is no such question, or somebody else wrote it.
    """
    session.study.require_writable()
    question = question_called(session, question_id)
    who = require_author(session, question)
    said = {one.annotator_id: one for one in rows.verifications_of(session.study, question.id)}
    if not stumped(answers, judge_ids):
        if who.id not in said:
            return Changes()
        with session.step("Question is a draft again") as step:
            rows.delete_verification(session.study, question.id, who.id)
        return step.changes
    note = f"Failed: {', '.join(sorted(one.judge for one in answers))}"
    before = said.get(who.id)
    if before is not None and (before.state, before.note) == (seen_state(question), note):
        return Changes()
    with session.step("Keep written question") as step:
        rows.set_verification(
            session.study,
            Verification(
                *(question.id, who.id, VerificationDecision.KEEP, "chain", (), "", note),
                *(seen_state(question), utc_now()),
            ),
        )
    return step.changes


def require_author(session: Session, question: Question) -> Annotator:
    """Return who works here, where they wrote a question.

    Raises:
        UserError: somebody else did, or nobody: it was made.
    """
    who = session.annotator()
    if who is None or not is_author(question, who.id):
        raise UserError("Somebody else wrote this question.", "Whoever wrote it tries it and keeps it.")
    return who


def _place(session: Session, identifier: str) -> int:
    """Return one of the places that hold the fewest right answers of the written questions."""
    used = Counter(one.place for one in rows.all_questions(session.study) if one.kind is QuestionKind.WRITTEN)
    fewest = min(used[place] for place in range(OPTIONS))
    return random.Random(identifier).choice([place for place in range(OPTIONS) if used[place] == fewest])
