"""Participants of recordings, and which of them consented to what."""

from collections.abc import Iterable, Sequence

from anonymize.faces.face_review import FaceSheet
from project.entities.study_records import ConsentUse, FaceTrack, Participant, ParticipantRole
from project.queries.policy_rows import mentioned_participants, speaking_participants, visible_participants
from project.queries.recording_rows import all_participants, all_recordings, consents, participants_in
from project.session.session import Session


def people_in_recordings(session: Session, *, heard: bool) -> dict[str, tuple[Participant, ...]]:
    """Return recording id -> everybody who is said to appear in it, or whose face is known there.

    Args:
        session: holds the study.
        heard: count those too who are only said to speak.
    """
    study = session.study
    known, seen = all_participants(study), visible_participants(study)
    voices = speaking_participants(study) if heard else {}
    found: dict[str, tuple[Participant, ...]] = {}
    for recording in all_recordings(study):
        there = (
            {who.id for who in participants_in(study, recording.id)}
            | seen.get(recording.id, set())
            | voices.get(recording.id, set())
        )
        found[recording.id] = tuple(who for who in known if who.id in there)
    return found


def all_people_in_recordings(session: Session) -> dict[str, tuple[Participant, ...]]:
    """Return recording id -> everybody of `people_in_recordings`, and of whom a chain or the meta information tells."""
    known, told = all_participants(session.study), mentioned_participants(session.study)
    return {
        recording: tuple(who for who in known if who in there or who.id in told.get(recording, ()))
        for recording, there in people_in_recordings(session, heard=True).items()
    }


def has_consented(session: Session, who: Participant, use: ConsentUse) -> bool:
    """Tell whether somebody consented to a use; robots need not."""
    return who.role is ParticipantRole.ROBOT or consents(session.study, who.id)[use]


def list_refusing(session: Session, people: Iterable[Participant], use: ConsentUse) -> tuple[Participant, ...]:
    """Return those who did not consent to a use."""
    return tuple(who for who in people if not has_consented(session, who, use))


def list_unknown_faces(faces: FaceSheet) -> Sequence[FaceTrack]:
    """Return the faces that belong to nobody known, by time: nobody could be asked."""
    unknown = [face for face in faces.faces if not face.dismissed and face.participant_id is None]
    return sorted(unknown, key=lambda face_track: int(face_track.times_us[0]))
