"""What most kinds of work begin with: a study of one small recording with many segments."""

import random
from pathlib import Path

from annotate.segments.segment_edits import add_segment
from project.entities.study_records import Json, Verdict
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.faults.killing import greenroom
from tests.faults.kills.looking import STUDY

CLIP = "a.mp4"


def marked_study(folder: Path, segments: int) -> Path:
    """Make the study in a folder, with so many segments of Bo; return the folder."""
    make_clip(folder / CLIP, size=(64, 48), frames=60)
    greenroom("new", folder / STUDY)
    greenroom("add", folder / STUDY, folder / CLIP)
    with Session.open(folder / STUDY, "Bo") as session:
        add_marks(session, segments, seed=1)
    return folder


def add_marks(session: Session, count: int, seed: int) -> None:
    """Mark so many spans of the only recording."""
    (recording,), chance = all_recordings(session.study), random.Random(seed)
    for _ in range(count):
        start = chance.randrange(0, recording.duration_us - 100_000)
        values: dict[str, Json] = {"rationale": "why " * chance.randrange(1, 200), "attributes": ["norms"]}
        add_segment(session, recording.id, start, start + 50_000, Verdict.ERROR, values)
