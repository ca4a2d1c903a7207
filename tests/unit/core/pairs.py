"""A study with one long recording that has no file, marked by several people."""

from pathlib import Path

from app.core.commands import segments
from app.core.session import Session
from project.queries.annotators import annotator_by_name
from project.queries.collections import insert_collection
from project.queries.recordings import insert_recording
from project.store import Study
from project.types import Annotator, Collection, Json, Recording

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
