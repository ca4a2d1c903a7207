"""Edits of who says what in a transcript."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from app.core.commands.participants import new_participant
from app.core.commands.utterance_steps import each_changed, found_utterances, told
from app.core.session import Session
from project.errors import UserError
from project.queries import participants
from project.queries import utterances as rows
from project.types import Changes, ParticipantRole, Utterance


def assign(session: Session, utterance_ids: Iterable[str], participant_id: str | None) -> Changes:
    """Say who speaks, or that nobody knows; from then on it is no guess of the program.

    Whoever speaks in a recording appears in it.

    Raises:
        UserError: there is no such participant.
    """
    require_participant(session, participant_id)
    found = found_utterances(session, utterance_ids)
    with session.step(f"Assign speaker of {told(found)}") as step:
        _say_who(session, found, participant_id)
    return step.changes


def assign_to_new(session: Session, utterance_ids: Iterable[str], pseudonym: str) -> tuple[str, Changes]:
    """Make a participant who says these utterances, as one step; returns the new id.

    Raises:
        UserError: the pseudonym is empty, taken, or holds what cannot be seen.
    """
    found = found_utterances(session, utterance_ids)
    made = new_participant(session, pseudonym, ParticipantRole.USER)
    with session.step(f"Assign {told(found)} to {made.pseudonym}") as step:
        participants.insert_participant(session.study, made)
        _say_who(session, found, made.id)
    return made.id, step.changes


def accept_speakers(session: Session, utterance_ids: Iterable[str]) -> Changes:
    """Say that the program guessed right who speaks."""
    return each_changed(session, "Accept speaker of", utterance_ids, lambda one: replace(one, suggested=False))


def require_participant(session: Session, participant_id: str | None) -> None:
    """Refuse a participant that is not in the study; None is nobody, which is fine.

    Raises:
        UserError: there is no such participant.
    """
    if participant_id is not None and all(
        one.id != participant_id for one in participants.all_participants(session.study)
    ):
        raise UserError("There is no such participant any more.", "Choose another one.")


def _say_who(session: Session, found: Sequence[Utterance], participant_id: str | None) -> None:
    for one in found:
        if (one.participant_id, one.suggested) != (participant_id, False):
            rows.update_utterance(session.study, replace(one, participant_id=participant_id, suggested=False))
    if participant_id is None:
        return
    for recording_id in {one.recording_id for one in found}:
        present = participants.participants_in(session.study, recording_id)
        if all(one.id != participant_id for one in present):
            participants.set_appearance(session.study, recording_id, participant_id, True)
