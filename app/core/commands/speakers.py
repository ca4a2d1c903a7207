"""Edits that make the speakers that were found into participants."""

from dataclasses import replace

from app.core.commands.participants import new_participant
from app.core.session import Session
from app.core.speech.speaker_suggestions import FoundSpeaker, speakers_found, suggestions_of
from project.errors import UserError
from project.queries import participants
from project.queries.utterances import update_utterance, utterances_called
from project.types import Changes, ParticipantRole

SURE = 0.6
"""Utterances that are this surely a speaker's are assigned; the others become suggestions."""


def name_speaker(session: Session, recording_id: str, number: int, participant_id: str) -> Changes:
    """Say which participant a speaker is: their utterances that nobody else was chosen for follow, as one step.

    Raises:
        UserError: there is no such speaker or participant.
    """
    speaker = found_speaker(session, recording_id, number)
    known = {one.id: one for one in participants.all_participants(session.study)}
    if participant_id not in known:
        raise UserError("There is no such participant any more.", "Choose another one.")
    with session.step(f"{speaker.label} is {known[participant_id].pseudonym}") as step:
        _assign(session, recording_id, speaker, participant_id)
    return step.changes


def name_speaker_new(
    session: Session, recording_id: str, number: int, pseudonym: str, role: ParticipantRole
) -> tuple[str, Changes]:
    """Make a speaker a new participant who appears in the recording, as one step; returns the new id.

    Raises:
        UserError: there is no such speaker; or the pseudonym is empty, taken, or holds what cannot be seen.
    """
    speaker = found_speaker(session, recording_id, number)
    made = new_participant(session, pseudonym, role)
    with session.step(f"{speaker.label} is {made.pseudonym}") as step:
        participants.insert_participant(session.study, made)
        _assign(session, recording_id, speaker, made.id)
    return made.id, step.changes


def found_speaker(session: Session, recording_id: str, number: int) -> FoundSpeaker:
    """Return a speaker of the newest search.

    Raises:
        UserError: there is none of that number.
    """
    found = {one.number: one for one in speakers_found(session, recording_id)}
    if number not in found:
        there = ", ".join(str(one) for one in found) or "none yet"
        raise UserError(
            f"There is no speaker {number} in recording {session.recording(recording_id).number}.",
            f"Those that were found: {there}.",
        )
    return found[number]


def _assign(session: Session, recording_id: str, speaker: FoundSpeaker, participant_id: str) -> None:
    participants.set_appearance(session.study, recording_id, participant_id, True)
    sure = {
        str(one["utterance"]): one["confidence"] >= SURE
        for one in suggestions_of(session, recording_id)
        if one["speaker"] == speaker.number
    }
    for one in utterances_called(session.study, speaker.utterance_ids).values():
        if one.participant_id is None or one.suggested:
            new = replace(one, participant_id=participant_id, suggested=not sure[one.id])
            update_utterance(session.study, new)
