"""What an annotator says about questions: whether they are kept, corrected or dropped."""

from collections.abc import Iterable
from dataclasses import replace

from app.core.clock import utc_now
from app.core.commands.questions import Correction, corrected, question_called
from app.core.questions.coverage import is_stale
from app.core.questions.seen import is_author, kept, seen_state
from app.core.session import Session
from project.chains import ChainGraph
from project.errors import UserError
from project.queries import questions as rows
from project.queries.chains import chain_called, graph_of
from project.questions import CHECKS, DIFFICULTIES, Question, QuestionKind, Verification, VerificationDecision
from project.types import Changes

LONGEST_NOTE = 2_000
_LABELLED = "difficulty"
_STEP = "Verify question"
"""Of the history, whose newest step the menu names: it does not tell the next verifier what the last one said."""


def verify(
    session: Session,
    question_id: str,
    decision: VerificationDecision,
    checks: Iterable[str],
    difficulty: str = "",
    note: str = "",
    checklist: str = "chain",
    correction: Correction | None = None,
) -> Changes:
    """Say whether a question is kept, corrected or dropped, in place of what was said before; one step of the history.

    Whoever keeps or corrects a question whose chain was edited says that it fits the chain as it is now.

    Args:
        session: of the study.
        question_id: of the question.
        decision: what becomes of it.
        checks: of the checklist, what holds. All of them do for a question that is kept or corrected.
        difficulty: one of `DIFFICULTIES`, or "".
        note: why, for whoever looks later.
        checklist: key of `CHECKS`.
        correction: what changes of the question, in the same step; only with the decision to correct it.

    Raises:
        UserError: there is no such question, it cannot be used as corrected, whoever works here wrote it, no judge
            failed at it yet, or the checks do not go with the decision.
    """
    session.study.require_writable()
    if correction is not None and decision is not VerificationDecision.CORRECT:
        raise UserError("A question that is kept or dropped stays as it is.", "Correct it, or leave its words.")
    before = question_called(session, question_id)
    approves = decision is not VerificationDecision.DROP
    holds = _checked(checklist, checks, difficulty, note, approves=approves)
    _require_others(session, before)
    given = correction or Correction()
    if approves and is_stale(before, _graph(session, before)):
        given = replace(given, fits_chain=True)
    after = corrected(session, question_id, given) if given != Correction() else before
    with session.step(_STEP) as step:
        who = session.annotator()
        assert who is not None
        if after != before:
            rows.update_question(session.study, after)
        new = Verification(
            *(after.id, who.id, decision, checklist, holds, difficulty, note.strip(), seen_state(after), utc_now())
        )
        said = {one.annotator_id: one for one in rows.verifications_of(session.study, after.id)}
        if not _same(said.get(who.id), new):
            rows.set_verification(session.study, new)
    return step.changes


def withdraw_verification(session: Session, question_id: str) -> Changes:
    """Take back what the annotator of this session said about a question; a correction stays.

    Raises:
        UserError: they said nothing about it.
    """
    session.study.require_writable()
    who = session.annotator()
    said = [one.annotator_id for one in rows.verifications_of(session.study, question_id)]
    if who is None or who.id not in said or is_author(question_called(session, question_id), who.id):
        raise UserError(
            f"{session.annotator_name or 'Nobody'} did not verify this question.", "There is nothing to take back."
        )
    with session.step("Withdraw verification") as step:
        rows.delete_verification(session.study, question_id, who.id)
    return step.changes


def _checked(checklist: str, checks: Iterable[str], difficulty: str, note: str, *, approves: bool) -> tuple[str, ...]:
    if checklist not in CHECKS:
        raise UserError(f"There is no checklist “{checklist}”.", f"Choose one of {', '.join(CHECKS)}.")
    known, given = CHECKS[checklist], {*checks}
    if strange := sorted(given - {*known}):
        raise UserError(f"“{strange[0]}” is not on this checklist.", f"Choose of {', '.join(known)}.")
    if difficulty not in ("", *DIFFICULTIES):
        raise UserError(f"“{difficulty}” is no label of difficulty.", f"Choose one of {', '.join(DIFFICULTIES)}.")
    if len(note) > LONGEST_NOTE:
        raise UserError(f"A note has up to {LONGEST_NOTE:,} characters.", "Say it more briefly.")
    if _LABELLED in given and not difficulty:
        raise UserError("The difficulty has no label yet.", f"Choose one of {', '.join(DIFFICULTIES)}.")
    if approves and (missing := [one for one in known if one not in given]):
        raise UserError(
            f"A question that is kept meets every check; missing: {', '.join(missing)}.",
            "Tick what holds; correct the question, or drop it, where something does not.",
        )
    return tuple(one for one in known if one in given)


def _require_others(session: Session, question: Question) -> None:
    if question.kind is not QuestionKind.WRITTEN:
        return
    who = session.annotator()
    if who is not None and is_author(question, who.id):
        raise UserError(
            f"{who.name} wrote this question.", "Two others verify it: work under another annotator's name."
        )
    if not kept(question, rows.verifications_of(session.study, question.id)):
        raise UserError("This question is a draft: no judge failed at it yet.", "Whoever wrote it tries it on judges.")


def _graph(session: Session, question: Question) -> ChainGraph | None:
    chain = chain_called(session.study, question.chain_id) if question.chain_id else None
    return graph_of(session.study, chain) if chain is not None else None


def _same(before: Verification | None, after: Verification) -> bool:
    return before is not None and replace(before, at=after.at) == after
