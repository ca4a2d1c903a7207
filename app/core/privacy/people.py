"""People of other recordings, whose faces tell how alike strangers are."""

from typing import Any, cast

import numpy as np

from app.core.session import MediaState, Session
from project.queries.faces import tracks_of
from project.queries.participants import all_participants
from project.queries.recordings import all_recordings
from project.types import FaceTrack, Json, Origin, ParticipantRole

MOST_PEOPLE = 20
_FRAMES = 6
_LEAST_WIDTH = 40


def strangers_for(session: Session, recording_id: str) -> list[Json]:
    """Return people who are named in other recordings and not in this one, as `stranger_from` reads them.

    Of each, a few frames in which their face is found and large. Robots are no people.
    """
    people = {p.id: p for p in all_participants(session.study) if p.role is not ParticipantRole.ROBOT}
    here = {track.participant_id for track in tracks_of(session.study, recording_id)}
    found: dict[str, Json] = {}
    for recording in all_recordings(session.study):
        if recording.id == recording_id or len(found) >= MOST_PEOPLE:
            continue
        named = [t for t in tracks_of(session.study, recording.id) if t.participant_id in people and not t.dismissed]
        path = _picture(session, recording.id) if named else None
        for track in named:
            who = cast(str, track.participant_id)
            frames = _best(track)
            if path is not None and who not in here and who not in found and frames and len(found) < MOST_PEOPLE:
                places = np.searchsorted(track.frames, frames)
                found[who] = {
                    "identity": people[who].pseudonym,
                    "path": path,
                    "frames": cast(Json, frames),
                    "boxes": cast(Json, track.boxes[places].astype(float).round(2).tolist()),
                }
    return [*found.values()]


def _picture(session: Session, recording_id: str) -> str | None:
    medium = session.main_medium(recording_id)
    if medium is None or medium.facts.video is None:
        return None
    located = session.locate(medium)
    return str(located.path) if located.state is MediaState.PRESENT else None


def _best(track: FaceTrack) -> list[int]:
    """Choose frames in which the face is large, from different parts of the track."""
    chosen: list[int] = []
    for part in np.array_split(np.arange(len(track.frames)), _FRAMES):
        usable: Any = part[(track.origins[part] == Origin.DETECTED) & (track.boxes[part, 2] >= _LEAST_WIDTH)]
        if len(usable):
            chosen.append(int(track.frames[usable[np.argmax(track.boxes[usable, 2])]]))
    return chosen
