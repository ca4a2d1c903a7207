"""A study with a recording that judges can look at: frames that say their number, a conversation, a segment."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from numpy.typing import NDArray

from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant
from annotate.study.recording_edits import add_recordings, probe_file
from annotate.transcript.transcript_edits import add_utterance
from project.entities.study_records import Json, ParticipantRole
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip, number_of

SECOND = 1_000_000
SIZE = (320, 240)
FRAMES = 250
FPS = 25


def open_seen(folder: Path, frames: int = FRAMES) -> Session:
    """Make the study with one recording, of ten seconds where nothing else is said, and open it as Ada."""
    session = Session(Study.create(folder / "seen.greenroom"), "Ada")
    clip = folder / "walk.mp4"
    clip.write_bytes(_walk(frames))
    add_recordings(session, [probe_file(clip)])
    return session


@cache
def _walk(frames: int) -> bytes:
    with TemporaryDirectory() as folder:
        clip = make_clip(Path(folder) / "walk.mp4", size=SIZE, frames=frames, fps=FPS, gop=40, bframes=2, sound=True)
        return clip.read_bytes()


def recording_of(session: Session) -> str:
    """Return the id of the first recording."""
    return str(session.study.rows("SELECT id FROM recording ORDER BY number")[0][0])


def people(session: Session, *pseudonyms: str, robot: str = "R1") -> list[str]:
    """Add a robot and users to the recording; returns their ids."""
    place = recording_of(session)
    found = [add_participant(session, robot, ParticipantRole.ROBOT, place)[0]]
    return found + [add_participant(session, pseudonym, ParticipantRole.USER, place)[0] for pseudonym in pseudonyms]


def say(session: Session, start: float, end: float, text: str, who: str | None = None) -> str:
    """Let somebody say something, in seconds."""
    return add_utterance(session, recording_of(session), round(start * SECOND), round(end * SECOND), text, who)[0]


def mark(session: Session, start: float, end: float, label: str = "error", **values: Json) -> str:
    """Mark a segment, in seconds."""
    made, _ = add_segment(session, recording_of(session), round(start * SECOND), round(end * SECOND), label, values)
    return made


def picture_in(jpeg: bytes) -> NDArray[np.uint8]:
    """Return (h, w, 3) RGB."""
    codec = av.CodecContext.create("mjpeg", "r")
    frames = [*codec.decode(av.Packet(jpeg)), *codec.decode(None)]
    return np.asarray(frames[0].to_ndarray(format="rgb24"), np.uint8)


def number_in(jpeg: bytes) -> int:
    """Return the number that a frame was drawn with."""
    return number_of(picture_in(jpeg))
