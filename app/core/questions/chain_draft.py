"""A chain drafted by a judge from an explanation, for a person to correct."""

from app.core.chains.drawing import LONGEST_NAME, one_line
from app.core.commands.chains import add_drawn_chain
from app.core.judging.runs.wanted import AskRequest
from app.core.questions.called import called_in, who_is, with_pseudonyms
from app.core.questions.chain_lines import ReadChain, chain_from_lines
from app.core.session import Session
from benchmark.tasks.explanation_chain import CHAIN, KEY
from project.errors import UserError
from project.judging import RAW, About, JudgeEntry, Judgment, JudgmentStatus, Subject
from project.queries.questions import question_called
from project.types import Changes

DRAFT = "Draft: "
"""What the name of a draft begins with."""


def request(question_id: str, judge: JudgeEntry, condition: str = RAW) -> AskRequest:
    """Return what a judge is to be asked: to write the explanation of a question as a chain."""
    return AskRequest([judge], [About(Subject.QUESTION, question_id).key], KEY, condition=condition)


def read_draft(session: Session, judgment: Judgment) -> ReadChain:
    """Return what a judge wrote as a chain, and what of it cannot be read (`chain_from_lines`).

    People are known by what they were called in front of the judge, or by pseudonym; texts are kept with pseudonyms.

    Raises:
        UserError: it is not the answer to this task, or it could not be read at all.
    """
    if judgment.task != KEY or judgment.status is not JudgmentStatus.OK:
        raise UserError("The judge wrote no chain.", "Ask again, or ask another judge.")
    question = question_called(session.study, judgment.question_id)
    called = called_in(session, judgment.recording_id, judgment.condition)
    return chain_from_lines(
        str(judgment.answer.get(CHAIN, "")),
        _name(question.text if question else ""),
        judgment.start_us,
        judgment.end_us,
        lambda one: who_is(one, called),
        lambda one: with_pseudonyms(one, called),
    )


def draft_from(session: Session, judgment: Judgment) -> tuple[str, Changes]:
    """Draw the chain that a judge wrote, as a draft of this session's annotator, in one step; returns its id.

    What cannot be read is left out; `read_draft` tells it.

    Raises:
        UserError: no line of it can be read, or it does not fit the recording.
    """
    session.study.require_writable()
    found = read_draft(session, judgment)
    if not found.drawing.nodes:
        first = next(iter(found.unread), "It is empty.")
        raise UserError(f"No line of the chain can be read. {first}", "Ask another judge, or draw it yourself.")
    return add_drawn_chain(session, judgment.recording_id, found.drawing, what="Draft chain from explanation")


def _name(text: str) -> str:
    name = one_line(f"{DRAFT}{text or 'from an explanation'}")
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
