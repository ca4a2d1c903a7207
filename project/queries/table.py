"""What a table of all segments shows, read in a few queries for the whole study or for some segments."""

import json
from collections.abc import Sequence

from project.sight import SEEN
from project.store import Row, Study
from project.types import Json, Segment

_COLUMNS = "s.id, s.recording_id, s.annotator_id, s.label, s.start_us, s.end_us, s.scheme, s.track"
_SLICE = 500


def listed_segments(study: Study, only: Sequence[str] | None = None) -> list[Segment]:
    """Return every segment, or those of some ids that are there, by recording and start."""
    sql = f"SELECT {{columns}} FROM {SEEN} s {{where}} ORDER BY s.recording_id, s.start_us, s.end_us, s.id"
    return [Segment(*row) for row in _rows(study, sql, "s.id", only, _COLUMNS)]


def listed_values(study: Study, only: Sequence[str] | None = None) -> dict[str, dict[str, Json]]:
    """Return segment id -> field -> its newest value under the segment's scheme."""
    sql = (
        f"SELECT {{columns}} FROM {SEEN} s JOIN segment_value v ON v.segment_id = s.id AND v.scheme = s.scheme "
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
    ((count,),) = study.rows(f"SELECT count(*) FROM {SEEN}")
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
