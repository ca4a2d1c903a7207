"""Remarks on segments."""

from collections.abc import Sequence

from project.store import Study
from project.types import Comment


def comments_in(study: Study, recording_id: str) -> dict[str, list[Comment]]:
    """Return segment id -> its comments, oldest first; segments without any are left out."""
    rows = study.rows(
        "SELECT c.id, c.segment_id, c.annotator_id, c.text, c.at, c.resolved FROM comment c "
        "JOIN segment s ON s.id = c.segment_id WHERE s.recording_id = ? ORDER BY c.at, c.id",
        (recording_id,),
    )
    found: dict[str, list[Comment]] = {}
    for row in rows:
        one = Comment(row[0], row[1], row[2], row[3], row[4], bool(row[5]))
        found.setdefault(one.segment_id, []).append(one)
    return found


def insert_comments(study: Study, new: Sequence[Comment]) -> None:
    """Add comments; inside a step."""
    study.write_many(
        "INSERT INTO comment (id, segment_id, annotator_id, text, at, resolved) VALUES (?, ?, ?, ?, ?, ?)",
        [(one.id, one.segment_id, one.annotator_id, one.text, one.at, int(one.resolved)) for one in new],
    )
