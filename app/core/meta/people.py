"""Who is in a recording: by what they are told apart, when their faces and persons are tracked, when they speak."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.meta.person_regions import PersonTrack, person_track
from app.core.session import Session
from project.queries.faces import tracks_of
from project.queries.meta import looks_in
from project.queries.participants import all_participants, participants_there
from project.queries.utterances import utterances_of
from project.questions import LookKind
from project.types import FaceTrack, Participant

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody in a recording.

    Attributes:
        participant: who; None for tracks of which nobody said whose face they are.
        looks: kind -> what it is.
        tracks: of their face and person, by time; dismissed faces are left out.
        spoken_us: how long they speak.
    """

    participant: Participant | None
    looks: Mapping[LookKind, str]
    tracks: tuple[PersonTrack, ...]
    spoken_us: int

    @property
    def shown(self) -> list[Span]:
        """When a face of theirs is seen, as spans on the recording's axis; those that touch are one."""
        return joined((int(one.face.times_us[0]), int(one.face.times_us[-1])) for one in self.tracks)


def cast_of(session: Session, recording_id: str) -> list[Participant]:
    """Return who is in a recording, in the order they were added: who was said to be, speaks, has a face or a look."""
    there = {one.id for one in participants_there(session.study, recording_id)}
    there |= {one.participant_id for one in faces_of(session, recording_id) if one.participant_id}
    there |= {one.participant_id for one in looks_in(session.study, recording_id)}
    return [one for one in all_participants(session.study) if one.id in there]


def people_of(session: Session, recording_id: str) -> list[Person]:
    """Return everybody in a recording; whose faces nobody knows are one more, without a participant, at the end."""
    width, height = picture_size(session, recording_id)
    tracks: dict[str | None, list[PersonTrack]] = {}
    for face in faces_of(session, recording_id):
        tracks.setdefault(face.participant_id, []).append(person_track(face, width, height))
    spoken: dict[str, int] = {}
    for said in utterances_of(session.study, recording_id):
        if said.participant_id is not None:
            spoken[said.participant_id] = spoken.get(said.participant_id, 0) + said.end_us - said.start_us
    looks: dict[str, dict[LookKind, str]] = {}
    for one in looks_in(session.study, recording_id):
        looks.setdefault(one.participant_id, {})[one.kind] = one.text
    found = [
        Person(one, looks.get(one.id, {}), _by_time(tracks.get(one.id, ())), spoken.get(one.id, 0))
        for one in cast_of(session, recording_id)
    ]
    nobodys = _by_time(tracks.get(None, ()))
    return [*found, Person(None, {}, nobodys, 0)] if nobodys else found


def faces_of(session: Session, recording_id: str) -> list[FaceTrack]:
    """Return the face tracks of a recording, corrected, without what is no face or doubtful and nobody's."""
    return [
        one
        for one in tracks_of(session.study, recording_id)
        if len(one.frames) and not one.dismissed and (one.participant_id is not None or not one.doubtful)
    ]


def picture_size(session: Session, recording_id: str) -> tuple[int, int]:
    """Return width and height of a recording's picture as it is shown; zeros where it has none."""
    medium = session.main_medium(recording_id)
    video = None if medium is None else medium.facts.video
    return (0, 0) if video is None else (video.width, video.height)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Return spans by start, those that touch or overlap as one."""
    found: list[Span] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def _by_time(tracks: Sequence[PersonTrack]) -> tuple[PersonTrack, ...]:
    return tuple(sorted(tracks, key=lambda one: (int(one.face.times_us[0]), one.face.id)))
