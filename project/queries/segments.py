"""Segments, and what was filled in about them."""

import json
from collections.abc import Sequence

from project.errors import UserError
from project.json_text import to_json
from project.sight import SEEN
from project.store import Row, Study
from project.types import FieldValue, Segment

_COLUMNS = "id, recording_id, annotator_id, label, start_us, end_us, scheme, track"
_VALUES = "v.segment_id, v.scheme, v.version, v.field, v.value"


def segments_of(study: Study, recording_id: str, *, scheme: str | None = None, unseen: bool = False) -> list[Segment]:
    """Return the segments of a recording, by start; of one scheme where it is given.

    With `unseen`, those too that a training round hides.
    """
    table = "segment" if unseen else SEEN
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM {table} WHERE recording_id = ? AND scheme = coalesce(?, scheme) "
        "ORDER BY start_us, end_us, id",
        (recording_id, scheme),
    )
    return [_segment(row) for row in rows]


def segment(study: Study, segment_id: str) -> Segment | None:
    """Return one segment, or None where there is none of that id."""
    row = study.row(f"SELECT {_COLUMNS} FROM {SEEN} WHERE id = ?", (segment_id,))
    return None if row is None else _segment(row)


def all_segments(study: Study) -> list[Segment]:
    """Return the segments of every recording, by recording and start."""
    rows = study.rows(f"SELECT {_COLUMNS} FROM {SEEN} ORDER BY recording_id, start_us, end_us, id")
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
        f"FROM {'segment' if unseen else SEEN} GROUP BY annotator_id, recording_id"
    ):
        counts.setdefault(recording_id, {})[annotator_id] = count
    return counts


def insert_segment(study: Study, new: Segment) -> None:
    """Add a segment; inside a step.

    Raises:
        UserError: it starts before the recording, or does not end after it starts.
    """
    _check_span(new)
    study.write(
        f"INSERT INTO segment ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
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
    """Add many segments; inside a step.

    Raises:
        UserError: one starts before the recording, or does not end after it starts.
    """
    for one in new:
        _check_span(one)
    study.insert_many(
        "segment",
        [(s.id, s.recording_id, s.annotator_id, s.scheme, s.track, s.label, s.start_us, s.end_us) for s in new],
        [s.id for s in new],
    )


def insert_values(study: Study, new: Sequence[FieldValue]) -> None:
    """Fill in fields of segments that were just added and have none filled in; inside a step."""
    study.insert_many(
        "segment_value",
        [(one.segment_id, one.scheme, one.version, one.field, to_json(one.value)) for one in new],
        [one.segment_id for one in new],
    )


def update_segment(study: Study, new: Segment) -> None:
    """Replace the segment of the same id; inside a step.

    Raises:
        UserError: it starts before the recording, or does not end after it starts.
    """
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
        f"SELECT {_VALUES} FROM {SEEN} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = coalesce(?, s.scheme) "
        "WHERE s.id = ? ORDER BY v.version",
        (scheme, segment_id),
    )
    return {row[3]: _value(row) for row in rows}


def every_value_of(study: Study, segment_id: str) -> list[FieldValue]:
    """Return what was ever filled in about a segment under its own scheme, the oldest version first."""
    rows = study.rows(
        f"SELECT {_VALUES} FROM {SEEN} s JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        "WHERE s.id = ? ORDER BY v.version, v.field",
        (segment_id,),
    )
    return [_value(row) for row in rows]


def older_values(study: Study, scheme: str, version: int, but: Sequence[str] = ()) -> list[tuple[Segment, FieldValue]]:
    """Return the values filled in under other versions of a scheme than this, each with its segment, oldest first.

    Values of the fields `but` are left out.
    """
    columns = ", ".join(f"s.{column}" for column in _COLUMNS.split(", "))
    rows = study.rows(
        f"SELECT {columns}, {_VALUES} FROM {SEEN} s JOIN segment_value v ON v.segment_id = s.id "
        f"AND v.scheme = s.scheme AND v.version <> ? AND v.field NOT IN ({', '.join('?' * len(but))}) "
        "WHERE s.scheme = ? ORDER BY s.recording_id, s.start_us, s.id, v.version, v.field",
        (version, *but, scheme),
    )
    return [(_segment(row[:8]), _value(row[8:])) for row in rows]


def segments_under(study: Study, scheme: str) -> list[Segment]:
    """Return the segments of a scheme, by recording and start."""
    rows = study.rows(
        f"SELECT {_COLUMNS} FROM {SEEN} WHERE scheme = ? ORDER BY recording_id, start_us, end_us, id", (scheme,)
    )
    return [_segment(row) for row in rows]


def values_in(study: Study, recording_id: str, *, unseen: bool = False) -> dict[str, dict[str, FieldValue]]:
    """Return segment id -> what `values_of` returns, for every segment of a recording that has values."""
    rows = study.rows(
        f"SELECT {_VALUES} FROM {'segment' if unseen else SEEN} s "
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
