"""Queries on segments, their values and comments, and bulk reads for the segment table and agreement figures."""

import json
from collections.abc import Sequence

from project.entities.study_records import Comment, FieldValue, Json, Segment
from project.errors import UserError
from project.store.column_values import to_json
from project.store.study import Row, Study
from project.store.visibility import VISIBLE_SEGMENTS

_SEGMENT_COLUMNS = "id, recording_id, annotator_id, label, start_us, end_us, scheme, track"
_VALUE_COLUMNS = "v.segment_id, v.scheme, v.version, v.field, v.value"


def segments_of(study: Study, recording_id: str, *, scheme: str | None = None, unseen: bool = False) -> list[Segment]:
    """Return the segments of a recording, by start; of one scheme where it is given.

    With `unseen`, those too that a training round hides.
    """
    table = "segment" if unseen else VISIBLE_SEGMENTS
    rows = study.rows(
        f"SELECT {_SEGMENT_COLUMNS} FROM {table} WHERE recording_id = ? AND scheme = coalesce(?, scheme) "
        "ORDER BY start_us, end_us, id",
        (recording_id, scheme),
    )
    return [_segment(row) for row in rows]


def find_segment(study: Study, segment_id: str) -> Segment | None:
    """Return one segment, or None where there is none of that id."""
    row = study.row(f"SELECT {_SEGMENT_COLUMNS} FROM {VISIBLE_SEGMENTS} WHERE id = ?", (segment_id,))
    return None if row is None else _segment(row)


def all_segments(study: Study) -> list[Segment]:
    """Return the segments of every recording, by recording and start."""
    rows = study.rows(f"SELECT {_SEGMENT_COLUMNS} FROM {VISIBLE_SEGMENTS} ORDER BY recording_id, start_us, end_us, id")
    return [_segment(row) for row in rows]


def segment_ids(study: Study) -> set[str]:
    """Return the id of every segment."""
    return {row[0] for row in study.rows("SELECT id FROM segment")}


def segment_counts(study: Study, *, unseen: bool = False) -> dict[str, dict[str, int]]:
    """Return recording id -> annotator id -> number of segments; recordings without any are left out.

    With `unseen`, those count too that a training round hides.
    """
    counts: dict[str, dict[str, int]] = {}
    for annotator_id, recording_id, count in study.rows(
        "SELECT annotator_id, recording_id, count(*) "
        f"FROM {'segment' if unseen else VISIBLE_SEGMENTS} GROUP BY annotator_id, recording_id"
    ):
        counts.setdefault(recording_id, {})[annotator_id] = count
    return counts


def insert_segment(study: Study, new: Segment) -> None:
    """Add a segment; inside a step."""
    _check_span(new)
    study.write(
        f"INSERT INTO segment ({_SEGMENT_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            new.id,
            new.recording_id,
            new.annotator_id,
            new.label,
            new.start_us,
            new.end_us,
            new.scheme,
            new.track,
        ),
    )


def insert_segments(study: Study, new: Sequence[Segment]) -> None:
    """Add many segments; inside a step."""
    for segment in new:
        _check_span(segment)
    study.insert_many(
        "segment",
        [(s.id, s.recording_id, s.annotator_id, s.scheme, s.track, s.label, s.start_us, s.end_us) for s in new],
        [s.id for s in new],
    )


def insert_values(study: Study, new: Sequence[FieldValue]) -> None:
    """Fill in fields of segments that were just added and have none filled in; inside a step."""
    study.insert_many(
        "segment_value",
        [
            (
                field_value.segment_id,
                field_value.scheme,
                field_value.version,
                field_value.field,
                to_json(field_value.value),
            )
            for field_value in new
        ],
        [field_value.segment_id for field_value in new],
    )


def update_segment(study: Study, new: Segment) -> None:
    """Replace the segment of the same id; inside a step."""
    _check_span(new)
    study.write(
        "UPDATE segment SET recording_id = ?, annotator_id = ?, label = ?, start_us = ?, end_us = ?, scheme = ?, "
        "track = ? WHERE id = ?",
        (
            new.recording_id,
            new.annotator_id,
            new.label,
            new.start_us,
            new.end_us,
            new.scheme,
            new.track,
            new.id,
        ),
    )


def delete_segment(study: Study, segment_id: str) -> None:
    """Remove a segment and everything that was said about it; inside a step."""
    delete_segments(study, [segment_id])


def delete_segments(study: Study, segment_ids: Sequence[str]) -> None:
    """Remove segments and everything that was said about them; inside a step."""
    given = (json.dumps([*segment_ids]),)
    for table in ("comment", "review", "adoption", "segment_value"):
        study.write(f"DELETE FROM {table} WHERE segment_id IN (SELECT value FROM json_each(?))", given)
    study.write("DELETE FROM segment WHERE id IN (SELECT value FROM json_each(?))", given)


def values_of(study: Study, segment_id: str, scheme: str | None = None) -> dict[str, FieldValue]:
    """Return field -> value in the newest version it was filled in under; `scheme` is the segment's own by default."""
    rows = study.rows(
        f"SELECT {_VALUE_COLUMNS} FROM {VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = coalesce(?, s.scheme) "
        "WHERE s.id = ? ORDER BY v.version",
        (scheme, segment_id),
    )
    return {row[3]: _value(row) for row in rows}


def value_history(study: Study, segment_id: str) -> list[FieldValue]:
    """Return what was ever filled in about a segment under its own scheme, the oldest version first."""
    rows = study.rows(
        f"SELECT {_VALUE_COLUMNS} FROM {VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        "WHERE s.id = ? ORDER BY v.version, v.field",
        (segment_id,),
    )
    return [_value(row) for row in rows]


def older_values(study: Study, scheme: str, version: int, but: Sequence[str] = ()) -> list[tuple[Segment, FieldValue]]:
    """Return the values filled in under other versions of a scheme than this, each with its segment, oldest first.

    Values of the fields `but` are left out.
    """
    columns = ", ".join(f"s.{column}" for column in _SEGMENT_COLUMNS.split(", "))
    rows = study.rows(
        f"SELECT {columns}, {_VALUE_COLUMNS} FROM {VISIBLE_SEGMENTS} s JOIN segment_value v ON v.segment_id = s.id "
        f"AND v.scheme = s.scheme AND v.version <> ? AND v.field NOT IN ({', '.join('?' * len(but))}) "
        "WHERE s.scheme = ? ORDER BY s.recording_id, s.start_us, s.id, v.version, v.field",
        (version, *but, scheme),
    )
    return [(_segment(row[:8]), _value(row[8:])) for row in rows]


def segments_of_scheme(study: Study, scheme: str) -> list[Segment]:
    """Return the segments of a scheme, by recording and start."""
    rows = study.rows(
        f"SELECT {_SEGMENT_COLUMNS} FROM {VISIBLE_SEGMENTS} WHERE scheme = ? "
        "ORDER BY recording_id, start_us, end_us, id",
        (scheme,),
    )
    return [_segment(row) for row in rows]


def values_in(study: Study, recording_id: str, *, unseen: bool = False) -> dict[str, dict[str, FieldValue]]:
    """Return segment id -> what `values_of` returns, for every segment of a recording that has values."""
    rows = study.rows(
        f"SELECT {_VALUE_COLUMNS} FROM {'segment' if unseen else VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        "WHERE s.recording_id = ? ORDER BY v.version",
        (recording_id,),
    )
    found: dict[str, dict[str, FieldValue]] = {}
    for row in rows:
        found.setdefault(row[0], {})[row[3]] = _value(row)
    return found


def set_value(study: Study, new: FieldValue) -> None:
    """Fill in one field of a segment, or clear it (all its versions) where the value is None; inside a step."""
    if new.value is None:
        study.write(
            "DELETE FROM segment_value WHERE segment_id = ? AND scheme = ? AND field = ?",
            (new.segment_id, new.scheme, new.field),
        )
        return
    study.write(
        "INSERT INTO segment_value VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (segment_id, scheme, version, field) DO UPDATE SET value = excluded.value",
        (new.segment_id, new.scheme, new.version, new.field, to_json(new.value)),
    )


def clear_value(study: Study, old: FieldValue) -> None:
    """Take one value away, under its own version only; inside a step."""
    study.write(
        "DELETE FROM segment_value WHERE segment_id = ? AND scheme = ? AND version = ? AND field = ?",
        (old.segment_id, old.scheme, old.version, old.field),
    )


def _segment(row: Row) -> Segment:
    return Segment(*row)


def _value(row: Row) -> FieldValue:
    return FieldValue(row[0], row[1], row[2], row[3], json.loads(row[4]))


def _check_span(new: Segment) -> None:
    if new.start_us < 0:
        raise UserError("A segment cannot start before its recording.", "Give a start of 0 or later.")
    if new.end_us <= new.start_us:
        raise UserError("A segment must end after it starts.", "Give an end that is later than the start.")


_COMMENT_COLUMNS = "c.id, c.segment_id, c.annotator_id, c.text, c.at, c.resolved"


def comments_in(study: Study, recording_id: str) -> dict[str, list[Comment]]:
    """Return segment id -> its comments, oldest first; segments without any are left out."""
    rows = study.rows(
        f"SELECT {_COMMENT_COLUMNS} FROM comment c "
        f"JOIN {VISIBLE_SEGMENTS} s ON s.id = c.segment_id WHERE s.recording_id = ? ORDER BY c.at, c.id",
        (recording_id,),
    )
    found: dict[str, list[Comment]] = {}
    for row in rows:
        comment = _comment(row)
        found.setdefault(comment.segment_id, []).append(comment)
    return found


def comments_of(study: Study, segment_id: str) -> list[Comment]:
    """Return the comments on a segment, oldest first."""
    rows = study.rows(
        f"SELECT {_COMMENT_COLUMNS} FROM comment c WHERE c.segment_id = ? ORDER BY c.at, c.id", (segment_id,)
    )
    return [_comment(row) for row in rows]


def find_comment(study: Study, comment_id: str) -> Comment | None:
    """Return one comment, or None where there is none of that id."""
    row = study.row(f"SELECT {_COMMENT_COLUMNS} FROM comment c WHERE c.id = ?", (comment_id,))
    return None if row is None else _comment(row)


def unresolved_comments(study: Study) -> list[Comment]:
    """Return every comment that is not resolved, oldest first."""
    rows = study.rows(
        f"SELECT {_COMMENT_COLUMNS} FROM comment c JOIN {VISIBLE_SEGMENTS} s ON s.id = c.segment_id "
        "WHERE NOT c.resolved ORDER BY c.at"
    )
    return [_comment(row) for row in rows]


def insert_comments(study: Study, new: Sequence[Comment]) -> None:
    """Add comments; inside a step."""
    study.write_many(
        "INSERT INTO comment (id, segment_id, annotator_id, text, at, resolved) VALUES (?, ?, ?, ?, ?, ?)",
        [
            (comment.id, comment.segment_id, comment.annotator_id, comment.text, comment.at, int(comment.resolved))
            for comment in new
        ],
    )


def update_comment(study: Study, new: Comment) -> None:
    """Replace the comment of the same id; inside a step."""
    study.write("UPDATE comment SET text = ?, resolved = ? WHERE id = ?", (new.text, int(new.resolved), new.id))


def delete_comment(study: Study, comment_id: str) -> None:
    """Remove a comment; inside a step."""
    study.write("DELETE FROM comment WHERE id = ?", (comment_id,))


def _comment(row: Row) -> Comment:
    return Comment(row[0], row[1], row[2], row[3], row[4], bool(row[5]))


_TABLE_SEGMENT_COLUMNS = "s.id, s.recording_id, s.annotator_id, s.label, s.start_us, s.end_us, s.scheme, s.track"
_SLICE = 500


def table_segments(study: Study, only: Sequence[str] | None = None) -> list[Segment]:
    """Return every segment, or those of some ids that are there, by recording and start."""
    sql = f"SELECT {{columns}} FROM {VISIBLE_SEGMENTS} s {{where}} ORDER BY s.recording_id, s.start_us, s.end_us, s.id"
    return [Segment(*row) for row in _rows(study, sql, "s.id", only, _TABLE_SEGMENT_COLUMNS)]


def table_values(study: Study, only: Sequence[str] | None = None) -> dict[str, dict[str, Json]]:
    """Return segment id -> field -> its newest value under the segment's scheme."""
    sql = (
        f"SELECT {{columns}} FROM {VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        "{where} ORDER BY v.version"
    )
    found: dict[str, dict[str, Json]] = {}
    read: dict[str, Json] = {}
    for segment, field, text in _rows(study, sql, "s.id", only, "v.segment_id, v.field, v.value"):
        # The same few choices come again and again.
        if text not in read:
            read[text] = json.loads(text)
        found.setdefault(segment, {})[field] = read[text]
    return found


def count_segments(study: Study) -> int:
    """Return how many segments are seen."""
    ((count,),) = study.rows(f"SELECT count(*) FROM {VISIBLE_SEGMENTS}")
    return int(count)


def comment_counts(study: Study, only: Sequence[str] | None = None) -> dict[str, tuple[int, int]]:
    """Return segment id -> number of its comments, and of those that are not resolved."""
    sql = "SELECT {columns} FROM comment c {where} GROUP BY c.segment_id"
    rows = _rows(study, sql, "c.segment_id", only, "c.segment_id, count(*), sum(NOT c.resolved)")
    return {segment: (every, unresolved) for segment, every, unresolved in rows}


def review_counts(study: Study, only: Sequence[str] | None = None) -> dict[str, tuple[int, int]]:
    """Return segment id -> how many reviewers agree with it, and how many disagree."""
    sql = "SELECT {columns} FROM review r {where} GROUP BY r.segment_id"
    rows = _rows(study, sql, "r.segment_id", only, "r.segment_id, sum(r.decision = 'agree'), count(*)")
    return {segment: (agree, every - agree) for segment, agree, every in rows}


def _rows(study: Study, sql: str, key: str, only: Sequence[str] | None, columns: str) -> list[Row]:
    if only is None:
        return study.rows(sql.format(columns=columns, where=""))
    found: list[Row] = []
    for first in range(0, len(only), _SLICE):
        part = only[first : first + _SLICE]
        where = f"WHERE {key} IN ({', '.join('?' * len(part))})"
        found += study.rows(sql.format(columns=columns, where=where), part)
    return found


def segment_rows(study: Study, scheme: str, track: str) -> list[Row]:
    """Return (id, recording, annotator, label, start, end) of every segment of a track, by recording and start."""
    return study.rows(
        f"SELECT id, recording_id, annotator_id, label, start_us, end_us FROM {VISIBLE_SEGMENTS} "
        "WHERE scheme = ? AND track = ? ORDER BY recording_id, start_us, end_us, id",
        (scheme, track),
    )


def value_rows(study: Study, scheme: str, track: str, fields: Sequence[str]) -> list[Row]:
    """Return (segment, field, value as JSON) of these fields on a track, older versions of a scheme first."""
    marks = ", ".join("?" for _ in fields)
    return study.rows(
        f"SELECT v.segment_id, v.field, v.value FROM {VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        f"WHERE s.scheme = ? AND s.track = ? AND v.field IN ({marks}) ORDER BY v.version",
        (scheme, track, *fields),
    )


def completed_work(study: Study) -> list[tuple[str, str]]:
    """Return (recording, annotator) of all work that was declared done."""
    return [(row[0], row[1]) for row in study.rows("SELECT recording_id, annotator_id FROM completion")]


def training_work(study: Study) -> set[tuple[str, str]]:
    """Return (recording, annotator) of everything that was given for training."""
    rows = study.rows("SELECT recording_id, annotator_id FROM assignment WHERE purpose = 'training'")
    return {(row[0], row[1]) for row in rows}


def review_rows(study: Study) -> list[Row]:
    """Return (segment, reviewer, decision) of every review."""
    return study.rows("SELECT segment_id, reviewer_id, decision FROM review")
