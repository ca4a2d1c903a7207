"""Edits that give questions harder wrong options; what they had before stays in the journal."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from app.core.commands.questions import correct_question, question_called
from app.core.questions.hardening.proposals import Proposal, proposals_for, why_not_taken
from app.core.questions.hardening.reading import Reading
from app.core.session import Session
from project.counted import counted
from project.errors import UserError
from project.queries.questions import update_question
from project.questions import WrongOption
from project.types import Changes


def take_over(session: Session, question_id: str, state: str, wrong: Sequence[WrongOption]) -> Changes:
    """Give a question other wrong options that a judge proposed, all or some of them.

    Scores and verifications are of the question as it was: they count no more, and count again after an undo.

    Args:
        session: of the study.
        question_id: of the question.
        state: of the question that the proposal was made for.
        wrong: all wrong options that it is to have.

    Raises:
        UserError: the question is another one by now, or could not be used with these options.
    """
    before = question_called(session, question_id)
    if before.state != state:
        raise UserError("The question was changed since this was proposed.", "Ask a judge for other wrong options.")
    if reason := why_not_taken(before, wrong):
        raise UserError(reason, "Keep some of the options that it has.")
    return correct_question(session, question_id, wrong=wrong)


def take_all_over(session: Session, reading: Reading, question_ids: Sequence[str]) -> tuple[Changes, dict[str, str]]:
    """Give questions the wrong options of the newest proposal for each that can be used, as one step of the history.

    Returns:
        What changed, and question -> why nothing was taken over, for those that judges proposed something for.
    """
    taken: dict[str, Proposal] = {}
    refused: dict[str, str] = {}
    for key in question_ids:
        found = proposals_for(reading, reading.questions[key])
        usable = next((one for one in found if not one.why_not), None)
        if usable is not None:
            taken[key] = usable
        elif found:
            refused[key] = f"{found[0].judge}: {found[0].why_not}"
    if not taken:
        return Changes(), refused
    return _write(session, reading, taken), refused


def _write(session: Session, reading: Reading, taken: Mapping[str, Proposal]) -> Changes:
    with session.step(f"Take over harder options of {counted(len(taken), 'question')}") as step:
        for key, one in taken.items():
            now = question_called(session, key)
            if now.state == reading.states[key]:
                update_question(session.study, replace(now, wrong=one.wrong))
    return step.changes
