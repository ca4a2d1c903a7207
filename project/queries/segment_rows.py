"""Queries on segments, their values and comments, and bulk reads for the segment table and agreement figures."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from project.entities.study_records import Comment, FieldValue, Json, Segment
from project.errors import UserError
from project.queries.row_mapper import RowMapper
from project.store.study import Row, Study
from project.store.visibility import VISIBLE_SEGMENTS

SEGMENTS = RowMapper(Segment, "segment", view=VISIBLE_SEGMENTS)
_ALL_SEGMENTS = RowMapper(Segment, "segment")
VALUES = RowMapper(FieldValue, "segment_value", noun="A value of a segment ({segment_id})")
COMMENTS = RowMapper(Comment, "comment")
_VISIBLE_COMMENTS = RowMapper(
    Comment,
    "comment",
    view=f"(SELECT c.*, s.recording_id FROM comment c JOIN {VISIBLE_SEGMENTS} s ON s.id = c.segment_id)",
)
_BY_START = "ORDER BY recording_id, start_us, end_us, id"

_OWN_VALUES = (
    "(SELECT v.*, s.recording_id FROM {} s JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme)"
)
OWN_VALUES = RowMapper(FieldValue, "segment_value", view=_OWN_VALUES.format(VISIBLE_SEGMENTS))
"""Values under the segment's own scheme."""
_ALL_OWN_VALUES = RowMapper(FieldValue, "segment_value", view=_OWN_VALUES.format("segment"))


def segments_of(study: Study, recording_id: str, *, scheme: str | None = None, unseen: bool = False) -> list[Segment]:
    """Return the segments of a recording, by start; of one scheme where it is given.

    With `unseen`, those too that a training round hides.
    """
    segments = _ALL_SEGMENTS if unseen else SEGMENTS
    return segments.select(
        study, f"WHERE recording_id = ? AND scheme = coalesce(?, scheme) {_BY_START}", recording_id, scheme
    )


find_segment = SEGMENTS.find
all_segments = SEGMENTS.query(_BY_START)


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
    SEGMENTS.insert(study, new)


def insert_segments(study: Study, new: Sequence[Segment]) -> None:
    """Add many segments; inside a step."""
    for segment in new:
        _check_span(segment)
    SEGMENTS.insert_bulk(study, new)


insert_values = VALUES.insert_bulk
"""Fill in fields of segments that were just added and have none filled in."""


def update_segment(study: Study, new: Segment) -> None:
    """Replace the segment of the same id; inside a step."""
    _check_span(new)
    SEGMENTS.update(study, new)


delete_segments = SEGMENTS.delete_tree


def values_of(study: Study, segment_id: str, scheme: str | None = None) -> dict[str, Json]:
    """Return field -> value in the newest version it was filled in under; `scheme` is the segment's own by default."""
    if scheme is None:
        values = OWN_VALUES.select(study, "WHERE segment_id = ? ORDER BY version", segment_id)
    else:
        where = f"WHERE segment_id = (SELECT id FROM {VISIBLE_SEGMENTS} WHERE id = ?) AND scheme = ? ORDER BY version"
        values = VALUES.select(study, where, segment_id, scheme)
    return {value.field: value.value for value in values}


value_history = OWN_VALUES.query("WHERE segment_id = ? ORDER BY version, field")


def older_values(study: Study, scheme: str, version: int, but: Sequence[str] = ()) -> list[tuple[Segment, FieldValue]]:
    """Return the values filled in under other versions of a scheme than this, each with its segment, oldest first.

    Values of the fields `but` are left out.
    """
    rows = study.rows(
        f"SELECT {SEGMENTS.column_list_of('s')}, {VALUES.column_list_of('v')} "
        f"FROM {VISIBLE_SEGMENTS} s JOIN segment_value v ON v.segment_id = s.id "
        f"AND v.scheme = s.scheme AND v.version <> ? AND v.field NOT IN ({', '.join('?' * len(but))}) "
        "WHERE s.scheme = ? ORDER BY s.recording_id, s.start_us, s.id, v.version, v.field",
        (version, *but, scheme),
    )
    return [(SEGMENTS.read(row[:8]), VALUES.read(row[8:])) for row in rows]


def relabel_segments(study: Study, scheme: str, moved: Mapping[tuple[str, str], tuple[str, str]]) -> None:
    """Give all segments of some (track, label) of a scheme another track and label, at once; inside a step."""
    new = "(SELECT json_extract(value, '$[{}]') FROM json_each(?1) WHERE {})"
    same = "json_extract(value, '$[0]') = track AND json_extract(value, '$[1]') = label"
    study.write(
        f"UPDATE segment SET track = {new.format(2, same)}, label = {new.format(3, same)} "
        f"WHERE scheme = ?2 AND EXISTS {new.format(0, same)}",
        (json.dumps([[*before, *after] for before, after in moved.items()]), scheme),
    )


segments_of_scheme = SEGMENTS.query(f"WHERE scheme = ? {_BY_START}")


def valued_segments(study: Study, scheme: str) -> list[tuple[Segment, dict[str, Json]]]:
    """Return the segments of a scheme, by recording and start, each with its values by field."""
    values: dict[str, dict[str, Json]] = {}
    for value in OWN_VALUES.select(study, "WHERE scheme = ? ORDER BY version", scheme):
        values.setdefault(value.segment_id, {})[value.field] = value.value
    return [(segment, values.get(segment.id, {})) for segment in segments_of_scheme(study, scheme)]


def values_in(study: Study, recording_id: str, *, unseen: bool = False) -> dict[str, dict[str, Json]]:
    """Return segment id -> what `values_of` returns, for every segment of a recording that has values."""
    found: dict[str, dict[str, Json]] = {}
    values = _ALL_OWN_VALUES if unseen else OWN_VALUES
    for value in values.select(study, "WHERE recording_id = ? ORDER BY version", recording_id):
        found.setdefault(value.segment_id, {})[value.field] = value.value
    return found


def set_value(study: Study, new: FieldValue) -> None:
    """Fill in one field of a segment, or clear it (all its versions) where the value is None; inside a step."""
    if new.value is None:
        study.write(
            "DELETE FROM segment_value WHERE segment_id = ? AND scheme = ? AND field = ?",
            (new.segment_id, new.scheme, new.field),
        )
        return
    VALUES.upsert(study, new)


def values_of_fields(study: Study, scheme: str, fields: Sequence[str]) -> list[FieldValue]:
    """Return every value of some fields of a scheme, in all versions, also those that a training round hides."""
    marks = ", ".join("?" * len(fields))
    return VALUES.select(study, f"WHERE scheme = ? AND field IN ({marks})", scheme, *fields)


def replace_values(study: Study, scheme: str, fields: Sequence[str], new: Sequence[FieldValue]) -> None:
    """Put other values in the place of all values of some fields of a scheme; inside a step."""
    marks = ", ".join("?" * len(fields))
    study.write(f"DELETE FROM segment_value WHERE scheme = ? AND field IN ({marks})", (scheme, *fields))
    VALUES.insert_all(study, new)


def clear_value(study: Study, old: FieldValue) -> None:
    """Take one value away, under its own version only; inside a step."""
    VALUES.delete(study, old.segment_id, old.scheme, old.version, old.field)


def _check_span(new: Segment) -> None:
    if new.start_us < 0:
        raise UserError("A segment cannot start before its recording.", "Give a start of 0 or later.")
    if new.end_us < new.start_us:
        raise UserError("A segment cannot end before it starts.", "Give an end that is later than the start.")


comments_in = _VISIBLE_COMMENTS.query_groups("segment_id", "WHERE recording_id = ? ORDER BY at, id")
comments_of = COMMENTS.query("WHERE segment_id = ? ORDER BY at, id")
find_comment = COMMENTS.find
unresolved_comments = _VISIBLE_COMMENTS.query("WHERE NOT resolved ORDER BY at")
insert_comments = COMMENTS.insert_all
update_comment = COMMENTS.update
delete_comment = COMMENTS.delete


def table_segments(study: Study, only: Sequence[str] | None = None) -> list[Segment]:
    """Return every segment, or those of some ids that are there, by recording and start."""
    if only is None:
        return SEGMENTS.select(study, _BY_START)
    return SEGMENTS.select_among(study, "id", only, _BY_START)


def segment_recordings(study: Study, segments: Iterable[str]) -> set[str]:
    """Return the ids of the recordings that some segments are in; those that are gone are in none."""
    sql = f"SELECT DISTINCT recording_id FROM {VISIBLE_SEGMENTS} WHERE id IN (SELECT value FROM json_each(?))"
    return {str(row[0]) for row in study.rows(sql, [json.dumps([*segments])])}


def table_values(study: Study, only: Sequence[str] | None = None) -> dict[str, dict[str, Json]]:
    """Return segment id -> field -> its newest value under the segment's scheme."""
    sql = (
        f"SELECT {{columns}} FROM {VISIBLE_SEGMENTS} s "
        "JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
        "{where} ORDER BY v.version"
    )
    found: defaultdict[str, dict[str, Json]] = defaultdict(dict)
    # The same few choices come again and again.
    read = cache(json.loads)
    for segment, field, text in _rows(study, sql, "s.id", only, "v.segment_id, v.field, v.value"):
        found[segment][field] = read(text)
    return dict(found)


def count_segments(study: Study) -> int:
    """Return how many segments are seen."""
    return int(study.rows(f"SELECT count(*) FROM {VISIBLE_SEGMENTS}")[0][0])


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
    where = f"WHERE {key} IN (SELECT value FROM json_each(?))"
    return study.rows(sql.format(columns=columns, where=where), (json.dumps([*only]),))


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


def training_work(study: Study) -> set[tuple[str, str]]:
    """Return (recording, annotator) of everything that was given for training."""
    return {*study.rows("SELECT recording_id, annotator_id FROM assignment WHERE purpose = 'training'")}


def review_rows(study: Study) -> list[Row]:
    """Return (segment, reviewer, decision) of every review."""
    return study.rows("SELECT segment_id, reviewer_id, decision FROM review")
