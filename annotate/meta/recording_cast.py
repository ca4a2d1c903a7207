"""The people of a recording: their tracks and body regions, their utterances with cues, and the pauses between.

A body region is a face box expanded by the proportions of a body.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from annotate.cues.cue_marks import CueMark, cues_by_utterance
from annotate.meta.scenes import find_voice_overs, is_voice_over
from project.entities.questions import LookKind
from project.entities.study_records import FaceTrack, Participant, Utterance
from project.queries.face_rows import tracks_of
from project.queries.question_rows import person_descriptions
from project.queries.recording_rows import all_participants, present_participants
from project.queries.transcript_rows import utterances_of
from project.session.session import Session
from project.timebase import SECOND_US, Interval, merge_spans, subtract_intervals

ABOVE, BELOW, ASIDE = 0.6, 7.0, 2.0
"""Reach of a body region: face heights above and below the top of the face, face widths to each side of its
middle."""


@dataclass(frozen=True, slots=True, eq=False)
class PersonTrack:
    """The regions of one person over the frames of a face track.

    Attributes:
        boxes: (n, 4) float32, x, y, width, height in pixels of the picture as it is shown, inside of it.
    """

    face: FaceTrack
    boxes: NDArray[np.float32]


def person_track(face: FaceTrack, width: int, height: int) -> PersonTrack:
    """Return the person track of a face track in pictures of a size."""
    return PersonTrack(face, person_boxes(face.boxes, width, height))


def person_boxes(faces: NDArray[np.float32], width: int, height: int) -> NDArray[np.float32]:
    """Return (n, 4) regions of persons for (n, 4) boxes of faces; each lies in the picture."""
    x, y, w, h = (np.asarray(faces, np.float32).reshape(-1, 4)[:, at] for at in range(4))
    middle = x + w / 2
    left, right = np.clip(middle - ASIDE * w, 0, width), np.clip(middle + ASIDE * w, 0, width)
    top, bottom = np.clip(y - ABOVE * h, 0, height), np.clip(y + BELOW * h, 0, height)
    return np.stack([left, top, right - left, bottom - top], axis=1).astype(np.float32)


@dataclass(frozen=True, slots=True)
class RecordingPerson:
    """Somebody in a recording.

    Attributes:
        participant: who; None for tracks of which nobody said whose face they are.
        tracks: of their face and person, by time; dismissed faces are left out.
    """

    participant: Participant | None
    descriptions: Mapping[LookKind, str]
    tracks: tuple[PersonTrack, ...]
    spoken_us: int

    @property
    def visible_spans(self) -> list[Interval]:
        """When a face of theirs is seen, as spans on the recording's axis; those that touch are one."""
        return merge_spans((int(track.face.times_us[0]), int(track.face.times_us[-1])) for track in self.tracks)


def list_cast(session: Session, recording_id: str) -> list[Participant]:
    """Return who is in a recording, in the order they were added: who was said to be, speaks, has a face or a look."""
    there = {participant.id for participant in present_participants(session.study, recording_id)}
    there |= {face.participant_id for face in list_usable_faces(session, recording_id) if face.participant_id}
    there |= {description.participant_id for description in person_descriptions(session.study, recording_id)}
    return [participant for participant in all_participants(session.study) if participant.id in there]


def list_people(session: Session, recording_id: str) -> list[RecordingPerson]:
    """Return everybody in a recording; whose faces nobody knows are one more, without a participant, at the end."""
    width, height = picture_size(session, recording_id)
    tracks: dict[str | None, list[PersonTrack]] = {}
    for face in list_usable_faces(session, recording_id):
        tracks.setdefault(face.participant_id, []).append(person_track(face, width, height))
    spoken: dict[str, int] = {}
    for said in utterances_of(session.study, recording_id):
        if said.participant_id is not None:
            spoken[said.participant_id] = spoken.get(said.participant_id, 0) + said.end_us - said.start_us
    looks: dict[str, dict[LookKind, str]] = {}
    for description in person_descriptions(session.study, recording_id):
        looks.setdefault(description.participant_id, {})[description.kind] = description.text
    found = [
        RecordingPerson(
            participant,
            looks.get(participant.id, {}),
            _sort_by_time(tracks.get(participant.id, ())),
            spoken.get(participant.id, 0),
        )
        for participant in list_cast(session, recording_id)
    ]
    nobodys = _sort_by_time(tracks.get(None, ()))
    return [*found, RecordingPerson(None, {}, nobodys, 0)] if nobodys else found


def list_usable_faces(session: Session, recording_id: str) -> list[FaceTrack]:
    """Return the face tracks of a recording, corrected, without what is no face or doubtful and nobody's."""
    return [
        track
        for track in tracks_of(session.study, recording_id)
        if len(track.frames) and not track.dismissed and (track.participant_id is not None or not track.is_doubtful)
    ]


def picture_size(session: Session, recording_id: str) -> tuple[int, int]:
    """Return width and height of a recording's picture as it is shown; zeros where it has none."""
    medium = session.main_medium(recording_id)
    video = None if medium is None else medium.facts.video
    return (0, 0) if video is None else (video.width, video.height)


def _sort_by_time(tracks: Sequence[PersonTrack]) -> tuple[PersonTrack, ...]:
    return tuple(sorted(tracks, key=lambda person_track: (int(person_track.face.times_us[0]), person_track.face.id)))


MIN_PAUSE_US = 2 * SECOND_US
"""Shorter pauses belong to the talk."""


@dataclass(frozen=True, slots=True)
class CuedUtterance:
    """One utterance.

    Attributes:
        cues: inside it that people marked, by time.
        is_voice_over: it lies in voice-over, so it is nobody's speech.
    """

    utterance: Utterance
    cues: tuple[CueMark, ...]
    is_voice_over: bool


def read_cued_utterances(session: Session, recording_id: str) -> list[CuedUtterance]:
    """Return the utterances of a recording, by start."""
    over = find_voice_overs(session, recording_id)
    marks = cues_by_utterance(session, recording_id, prelabels=False)
    return [
        CuedUtterance(utterance, tuple(marks.get(utterance.id, ())), is_voice_over(utterance, over))
        for utterance in utterances_of(session.study, recording_id)
    ]


def find_pauses(said: Sequence[CuedUtterance], duration_us: int) -> list[Interval]:
    """Return the stretches of at least `MIN_PAUSE_US` in which nobody of the scene speaks, by start."""
    spoken = ((cued.utterance.start_us, cued.utterance.end_us) for cued in said if not cued.is_voice_over)
    return [gap for gap in subtract_intervals([(0, duration_us)], spoken) if gap[1] - gap[0] >= MIN_PAUSE_US]
