"""A small study with a training round: Olga is the reference on recording 1, Ada and Bo train on it."""

from pathlib import Path

from annotate.segments.segment_edits import add_segment
from annotate.team.assignments import PlanOptions, make_plan, set_training
from annotate.team.study_copies import MediaWith, split_study
from project.entities.study_records import Json, Verdict
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study

SECOND = 1_000_000


def open_round(folder: Path) -> Session:
    """Make the study and open it as Olga."""
    path = folder / "lab.greenroom"
    with Study.create(path) as made:
        fill_study(made, recordings=3, segments=0, annotators=1)
    session = Session.open(path, "Olga")
    first = all_recordings(session.study)[0].id
    mark(session, first, 1, 3, "Talks over her.")
    mark(session, first, 5, 7, "Asks back.", Verdict.COMPETENCE)
    set_training(session, [first], "Olga", {"boundaries": 0.5, "labels": 0.8})
    make_plan(session, PlanOptions(("Ada", "Bo"), 2, 1, training=(first,)))
    return session


def mark(
    session: Session, recording_id: str, start: float, end: float, rationale: str, label: str = Verdict.ERROR
) -> str:
    """Add a segment with all that its label needs, in seconds, and return its id."""
    values: dict[str, Json] = {"attributes": ["emotions"], "channel": "verbal", "rationale": rationale}
    if label == Verdict.ERROR:
        values["correction"] = "Wait."
    made, _ = add_segment(session, recording_id, int(start * SECOND), int(end * SECOND), label, values)
    return made


def copy_for(session: Session, who: str) -> Path:
    """Split a copy off and return its path."""
    return split_study(session, who, session.study.folder / f"for-{who}", MediaWith.LEAVE).path
