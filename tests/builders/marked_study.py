"""A study with one long recording that has no file, marked by several people."""

from pathlib import Path

from annotate.segments import segment_edits as segments
from project.entities.study_records import Annotator, Collection, Json, Recording
from project.queries.annotator_rows import annotator_by_name
from project.queries.recording_rows import insert_collection, insert_recording
from project.session.session import Session
from project.store.study import Study

SECOND = 1_000_000
WALK = "walk"


def open_study(folder: Path, recordings: int = 1) -> Session:
    """Make a study and open it as Ada."""
    study = Study.create(folder / "pair.greenroom")
    with study.without_history():
        insert_collection(study, Collection("lab", "Lab"))
        for number in range(1, recordings + 1):
            name = WALK if number == 1 else f"{WALK} {number}"
            insert_recording(study, Recording(name, "lab", number, name, 600 * SECOND))
    return Session(study, "Ada")


def mark(
    session: Session, who: str, start: float, end: float, label: str = "error", *, recording: str = WALK, **values: Json
) -> str:
    """Let somebody mark a span, in seconds; returns the segment's id."""
    before, session.annotator_name = session.annotator_name, who
    made, _ = segments.add_segment(session, recording, round(start * SECOND), round(end * SECOND), label, values)
    session.annotator_name = before
    return made


def person(session: Session, name: str) -> Annotator:
    """Return an annotator."""
    found = annotator_by_name(session.study, name)
    assert found is not None
    return found
