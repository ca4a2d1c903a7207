"""Remarks on segments."""

from collections.abc import Sequence

from project.sight import SEEN
from project.store import Row, Study
from project.types import Comment

_COLUMNS = "c.id, c.segment_id, c.annotator_id, c.text, c.at, c.resolved"


def comments_in(study: Study, recording_id: str) -> dict[str, list[Comment]]:
    """Return segment id -> its comments, oldest first; segments without any are left out."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM comment c "
        f"JOIN {SEEN} s ON s.id = c.segment_id WHERE s.recording_id = ? ORDER BY c.at, c.id",
        (recording_id,),
    )
    found: dict[str, list[Comment]] = {}
    for row in rows:
        one = _comment(row)
        found.setdefault(one.segment_id, []).append(one)
    return found


def comments_of(study: Study, segment_id: str) -> list[Comment]:
    """Return the comments on a segment, oldest first."""
    rows = study.rows(f"SELECT {_COLUMNS} FROM comment c WHERE c.segment_id = ? ORDER BY c.at, c.id", (segment_id,))
    return [_comment(row) for row in rows]


def comment(study: Study, comment_id: str) -> Comment | None:
    """Return one comment, or None where there is none of that id."""
    row = study.row(f"SELECT {_COLUMNS} FROM comment c WHERE c.id = ?", (comment_id,))
    return None if row is None else _comment(row)


def unresolved_comments(study: Study) -> list[Comment]:
    """Return every comment that is not resolved, oldest first."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM comment c JOIN {SEEN} s ON s.id = c.segment_id WHERE NOT c.resolved ORDER BY c.at"
    )
    return [_comment(row) for row in rows]


def insert_comments(study: Study, new: Sequence[Comment]) -> None:
    """Add comments; inside a step."""
    study.write_many(
        "INSERT INTO comment (id, segment_id, annotator_id, text, at, resolved) VALUES (?, ?, ?, ?, ?, ?)",
        [(one.id, one.segment_id, one.annotator_id, one.text, one.at, int(one.resolved)) for one in new],
    )


def update_comment(study: Study, new: Comment) -> None:
    """Replace the comment of the same id; inside a step."""
    study.write("UPDATE comment SET text = ?, resolved = ? WHERE id = ?", (new.text, int(new.resolved), new.id))


def delete_comment(study: Study, comment_id: str) -> None:
    """Remove a comment; inside a step."""
    study.write("DELETE FROM comment WHERE id = ?", (comment_id,))


def _comment(row: Row) -> Comment:
    return Comment(row[0], row[1], row[2], row[3], row[4], bool(row[5]))
