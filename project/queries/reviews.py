"""What annotators say about each other's segments."""

from project.store import Row, Study
from project.types import Decision, Review

_COLUMNS = "r.segment_id, r.reviewer_id, r.decision, r.note, r.at"


def reviews_in(study: Study, recording_id: str) -> dict[str, list[Review]]:
    """Return segment id -> its reviews, oldest first; segments without any are left out."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM review r JOIN segment s ON s.id = r.segment_id "
        "WHERE s.recording_id = ? ORDER BY r.at, r.reviewer_id",
        (recording_id,),
    )
    found: dict[str, list[Review]] = {}
    for row in rows:
        one = _review(row)
        found.setdefault(one.segment_id, []).append(one)
    return found


def review_by(study: Study, segment_id: str, reviewer_id: str) -> Review | None:
    """Return what one annotator said about a segment, or None."""
    row = study.row(
        f"SELECT {_COLUMNS} FROM review r WHERE r.segment_id = ? AND r.reviewer_id = ?", (segment_id, reviewer_id)
    )
    return None if row is None else _review(row)


def set_review(study: Study, new: Review) -> None:
    """Store what an annotator says about a segment, in place of what they said before; inside a step."""
    study.write(
        "INSERT INTO review (segment_id, reviewer_id, decision, note, at) VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (segment_id, reviewer_id) DO UPDATE SET decision = excluded.decision, note = excluded.note, "
        "at = excluded.at",
        (new.segment_id, new.reviewer_id, new.decision.value, new.note, new.at),
    )


def delete_review(study: Study, old: Review) -> None:
    """Take a review away; inside a step."""
    study.write("DELETE FROM review WHERE segment_id = ? AND reviewer_id = ?", (old.segment_id, old.reviewer_id))


def _review(row: Row) -> Review:
    return Review(row[0], row[1], Decision(row[2]), row[3], row[4])
