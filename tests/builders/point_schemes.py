"""A scheme with a track of points, a track of spans and tracks that are sampled, and a study that uses it."""

from pathlib import Path

from annotate.segments.segment_edits import add_segment
from annotate.study.scheme_versions import use_scheme
from project.entities.study_records import Json
from project.session.session import Session
from tests.builders.marked_study import SECOND, WALK, open_study

MOMENTS = """
key = "moments"
name = "Moments"
version = 1

[[tracks]]
key = "nods"
name = "Nods"
extent = "point"
labels = [{ key = "nod", name = "Nod", shortcut = "E" }, { key = "shake", name = "Shake", shortcut = "C" }]

[[tracks]]
key = "talk"
name = "Talk"
labels = [{ key = "talk", name = "Talk" }]

[[tracks]]
key = "gaze"
name = "Gaze"
extent = "point"
sampling = { every = 2, kind = "instantaneous" }
labels = [{ key = "face", name = "Face", shortcut = "E" }, { key = "away", name = "Away", shortcut = "C" }]

[[tracks]]
key = "touch"
name = "Touch"
sampling = { every = 2, kind = "partial" }
labels = [{ key = "yes", name = "Yes", shortcut = "E" }, { key = "no", name = "No", shortcut = "C" }]

[[tracks]]
key = "scan"
name = "Scan"
extent = "point"
sampling = { every = 5, kind = "instantaneous" }
labels = [{ key = "near", name = "Near", shortcut = "E" }, { key = "far", name = "Far", shortcut = "C" }]

[[fields]]
key = "person"
kind = "participant"
name = "Who"
tracks = ["scan"]

[[fields]]
key = "size"
kind = "choice"
name = "Size"
tracks = ["nods"]
choices = [{ key = "small", name = "Small" }, { key = "large", name = "Large" }]
"""


def open_moments(folder: Path) -> Session:
    """Make a study with the scheme, and one recording of ten minutes, and open it as Ada."""
    session = open_study(folder)
    use_scheme(session, MOMENTS, "moments.toml")
    return session


def mark_moment(
    session: Session,
    who: str,
    start: float,
    label: str,
    *,
    end: float | None = None,
    track: str = "nods",
    **values: Json,
) -> str:
    """Let somebody mark a point, or a span where it has an end, in seconds; returns its id."""
    before, session.annotator_name = session.annotator_name, who
    times = round(start * SECOND), round((start if end is None else end) * SECOND)
    made, _ = add_segment(session, WALK, *times, label, values, scheme="moments", track=track)
    session.annotator_name = before
    return made
