"""Edits of participants and annotators: roles, appearances in recordings, consent, and annotators by name."""

from collections.abc import Sequence
from dataclasses import replace

from project.entities.study_records import Annotator, Changes, ConsentUse, Participant, ParticipantRole
from project.errors import UserError, name_taken, unknown_name
from project.ids import new_id
from project.queries import recording_rows
from project.queries.annotator_rows import all_annotators, annotator_by_name, insert_annotator
from project.session.session import Session
from project.text_format import escape_unprintable


def build_participant(session: Session, pseudonym: str, role: ParticipantRole) -> Participant:
    """Return a participant who is not in the study yet."""
    name = pseudonym.strip()
    if not name:
        raise UserError("A participant needs a pseudonym.", "Type a pseudonym, such as P01.")
    if not name.isprintable():
        raise UserError(
            f"The pseudonym {escape_unprintable(name)} contains invisible characters.", "Use letters, digits and signs."
        )
    if any(participant.pseudonym == name for participant in recording_rows.all_participants(session.study)):
        raise name_taken("participant", name)
    return Participant(new_id(), name, role)


def add_participant(
    session: Session, pseudonym: str, role: ParticipantRole, recording_id: str | None = None
) -> tuple[str, Changes]:
    """Add a participant, and that they appear in a recording where one is given; returns the new id."""
    made = build_participant(session, pseudonym, role)
    with session.step(f"Add participant {made.pseudonym}") as step:
        recording_rows.insert_participant(session.study, made)
        if recording_id is not None:
            recording_rows.set_appearance(session.study, recording_id, made.id, True)
    return made.id, step.changes


def change_role(session: Session, participant: Participant, role: ParticipantRole) -> Changes:
    """Change what a participant is in the interaction."""
    with session.step(f"Change role of {participant.pseudonym}") as step:
        recording_rows.update_participant(session.study, replace(participant, role=role))
    return step.changes


def set_appearance(session: Session, recording_id: str, participant: Participant, present: bool) -> Changes:
    """Say that a participant appears in a recording, or does not."""
    verb = "Add" if present else "Take"
    where = "to" if present else "out of"
    number = session.recording(recording_id).number
    with session.step(f"{verb} {participant.pseudonym} {where} recording {number}") as step:
        recording_rows.set_appearance(session.study, recording_id, participant.id, present)
    return step.changes


def set_consent(session: Session, participant: Participant, use: ConsentUse, given: bool) -> Changes:
    """Record that a participant gave or withdrew consent for one use."""
    verb = "Give" if given else "Withdraw"
    with session.step(f"{verb} consent of {participant.pseudonym} to {use.value}") as step:
        recording_rows.set_consent(session.study, participant.id, use, given)
    return step.changes


def require_annotator(session: Session, name: str) -> Annotator:
    """Return the annotator of a name."""
    found = annotator_by_name(session.study, name)
    if found is None:
        raise unknown_name("annotator", name, [annotator.name for annotator in all_annotators(session.study)])
    return found


def ensure_annotators(session: Session, names: Sequence[str]) -> list[Annotator]:
    """Return the annotators of these names; those who are new are introduced."""
    wanted = [name.strip() for name in names]
    if not all(wanted):
        raise UserError("An annotator needs a name.", "Separate names by commas, such as Ada,Bo,Cy.")
    if len(set(wanted)) < len(wanted):
        raise UserError("An annotator is named twice.", "Name each annotator once.")
    session.study.require_writable()
    unknown = [name for name in wanted if annotator_by_name(session.study, name) is None]
    # Ids made within a millisecond are in no order; annotators are listed by theirs.
    fresh = [Annotator(*both) for both in zip(sorted(new_id() for _ in unknown), unknown, strict=True)]
    if fresh:
        with session.study.step(f"Introduce {', '.join(annotator.name for annotator in fresh)}", undoable=False):
            for annotator in fresh:
                insert_annotator(session.study, annotator)
    by_name = {annotator.name: annotator for annotator in all_annotators(session.study)}
    return [by_name[name] for name in wanted]
