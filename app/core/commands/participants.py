"""Edits of participants: who they are, where they appear, what they consented to, whose face a track is."""

from dataclasses import replace

from app.core.session import Session
from project.errors import UserError
from project.ids import new_id
from project.names import shown
from project.queries import faces, participants
from project.types import Changes, ConsentUse, Participant, ParticipantRole


def new_participant(session: Session, pseudonym: str, role: ParticipantRole) -> Participant:
    """Return a participant who is not in the study yet.

    Raises:
        UserError: the pseudonym is empty, taken, or holds what cannot be seen.
    """
    name = pseudonym.strip()
    if not name:
        raise UserError("A participant needs a pseudonym.", "Type one, such as P01.")
    if not name.isprintable():
        raise UserError(f"The pseudonym {shown(name)} holds what cannot be seen.", "Use letters, digits and signs.")
    if any(one.pseudonym == name for one in participants.all_participants(session.study)):
        raise UserError(f"There is a participant {name} already.", "Choose that one, or another pseudonym.")
    return Participant(new_id(), name, role)


def add_participant(
    session: Session,
    pseudonym: str,
    role: ParticipantRole,
    recording_id: str | None = None,
    track_id: str | None = None,
) -> tuple[str, Changes]:
    """Add a participant, that they appear in a recording and whose face they have, where given; returns the new id.

    Raises:
        UserError: the pseudonym is empty, taken, or holds what cannot be seen.
    """
    made = new_participant(session, pseudonym, role)
    with session.step(f"Add participant {made.pseudonym}") as step:
        participants.insert_participant(session.study, made)
        if recording_id is not None:
            participants.set_appearance(session.study, recording_id, made.id, True)
        if track_id is not None:
            faces.assign_participant(session.study, track_id, made.id)
    return made.id, step.changes


def change_role(session: Session, participant: Participant, role: ParticipantRole) -> Changes:
    """Change what a participant is in the interaction."""
    with session.step(f"Change role of {participant.pseudonym}") as step:
        participants.update_participant(session.study, replace(participant, role=role))
    return step.changes


def set_appearance(session: Session, recording_id: str, participant: Participant, present: bool) -> Changes:
    """Say that a participant appears in a recording, or does not."""
    verb = "Add" if present else "Take"
    where = "to" if present else "out of"
    number = session.recording(recording_id).number
    with session.step(f"{verb} {participant.pseudonym} {where} recording {number}") as step:
        participants.set_appearance(session.study, recording_id, participant.id, present)
    return step.changes


def set_consent(session: Session, participant: Participant, use: ConsentUse, given: bool) -> Changes:
    """Record that a participant gave or withdrew consent for one use."""
    verb = "Give" if given else "Withdraw"
    with session.step(f"{verb} consent of {participant.pseudonym} to {use.value}") as step:
        participants.set_consent(session.study, participant.id, use, given)
    return step.changes
