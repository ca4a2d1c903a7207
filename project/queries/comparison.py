"""What annotators are compared by: the rows of a whole study at once, plain, for arrays to be made of."""

from collections.abc import Sequence

from project.sight import SEEN
from project.store import Row, Study


def segment_rows(study: Study, scheme: str, track: str) -> list[Row]:
    """Return (id, recording, annotator, label, start, end) of every segment of a track, by recording and start."""
    return study.rows(
        f"SELECT id, recording_id, annotator_id, label, start_us, end_us FROM {SEEN} "
        "WHERE scheme = ? AND track = ? ORDER BY recording_id, start_us, end_us, id",
        (scheme, track),
    )


def value_rows(study: Study, scheme: str, track: str, fields: Sequence[str]) -> list[Row]:
    """Return (segment, field, value as JSON) of these fields on a track, older versions of a scheme first."""
    marks = ", ".join("?" for _ in fields)
    return study.rows(
        f"SELECT v.segment_id, v.field, v.value FROM {SEEN} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        f"WHERE s.scheme = ? AND s.track = ? AND v.field IN ({marks}) ORDER BY v.version",
        (scheme, track, *fields),
    )


def completed(study: Study) -> list[tuple[str, str]]:
    """Return (recording, annotator) of all work that was declared done."""
    return [(row[0], row[1]) for row in study.rows("SELECT recording_id, annotator_id FROM completion")]


def in_training(study: Study) -> set[tuple[str, str]]:
    """Return (recording, annotator) of everything that was given for training."""
    rows = study.rows("SELECT recording_id, annotator_id FROM assignment WHERE purpose = 'training'")
    return {(row[0], row[1]) for row in rows}


def review_rows(study: Study) -> list[Row]:
    """Return (segment, reviewer, decision) of every review."""
    return study.rows("SELECT segment_id, reviewer_id, decision FROM review")
