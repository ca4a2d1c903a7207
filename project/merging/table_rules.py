"""The merge rules of each table: keys, subjects, references, and columns that stay local to a copy.

It also inserts wholly new segments in bulk, and reads from the journal which rows changed since a step.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any, TypeAlias

from project.store.journal import SUBJECT_COLUMNS
from project.store.study import Cell, Study
from project.store.study import Row as StoreRow

Row: TypeAlias = dict[str, Any]
"""One row: column -> value."""
Key: TypeAlias = tuple[Cell, ...]
"""The values of a row's primary key."""
Rows: TypeAlias = dict[str, list[Row]]
"""Table -> rows: one version of an item, as it is kept in a conflict."""

AUTHOR_COLUMNS = {
    "segment": "annotator_id",
    "assignment": "annotator_id",
    "completion": "annotator_id",
    "review": "reviewer_id",
    "comment": "annotator_id",
    "face_review": "annotator_id",
    "seen_span": "annotator_id",
    "waiver": "annotator_id",
    "pii_decision": "annotator_id",
    "adoption": "annotator_id",
    "chain": "annotator_id",
    "chain_review": "reviewer_id",
    "question": "annotator_id",
    "verification": "annotator_id",
}
"""The column that names an annotator."""

SEGMENT_ID_COLUMNS = {
    "segment": "id",
    "segment_value": "segment_id",
    "review": "segment_id",
    "comment": "segment_id",
    "adoption": "segment_id",
}
"""The tables that make up a segment and all that was said about it, and the column with the segment's id."""

LOCAL_COLUMNS = {"medium": ("path",)}
"""Columns that each copy has for itself: where a file lies differs from machine to machine."""

EXCLUDED_COLUMNS = {"participant": ("note",)}
"""Columns that a split copy is not given: unchanged there means unchanged, whatever they hold here."""

TIME_COLUMNS = {
    "completion": "at",
    "review": "at",
    "comment": "at",
    "face_review": "at",
    "seen_span": "at",
    "waiver": "at",
    "pii_decision": "at",
    "adoption": "at",
    "chain_review": "at",
    "question": "at",
    "verification": "at",
}
"""Columns that say when; two rows that differ in nothing else are the same, and the earlier time is kept."""

OWN_PROPERTIES = frozenset({"id", "copy", "release_key", "voice_secret", "pii-numbers", "policy", "shared"})
"""Facts about one file, which are never merged."""

PARENT_COLUMNS = {
    "recording": (("collection_id", "collection"),),
    "medium": (("recording_id", "recording"),),
    "appearance": (("recording_id", "recording"), ("participant_id", "participant")),
    "consent": (("participant_id", "participant"),),
    "segment": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "segment_value": (("segment_id", "segment"),),
    "hold_out": (("recording_id", "recording"),),
    "assignment": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "completion": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "review": (("segment_id", "segment"), ("reviewer_id", "annotator")),
    "comment": (("segment_id", "segment"), ("annotator_id", "annotator")),
    "utterance": (("recording_id", "recording"), ("participant_id", "participant")),
    "adoption": (("segment_id", "segment"), ("annotator_id", "annotator")),
    "track_correction": (("track_id", "face_track"), ("participant_id", "participant")),
    "track_box": (("track_id", "face_track"),),
    "region": (("recording_id", "recording"), ("participant_id", "participant")),
    "region_box": (("region_id", "region"),),
    "face_review": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "seen_span": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "waiver": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "private_word": (("participant_id", "participant"),),
    "pii_decision": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "chain": (("recording_id", "recording"), ("annotator_id", "annotator")),
    "chain_node": (("chain_id", "chain"),),
    "chain_person": (("node_id", "chain_node"), ("participant_id", "participant")),
    "chain_edge": (("reason_id", "chain_node"), ("result_id", "chain_node")),
    "chain_review": (("chain_id", "chain"), ("reviewer_id", "annotator")),
    "question": (("recording_id", "recording"), ("chain_id", "chain"), ("annotator_id", "annotator")),
    "verification": (("question_id", "question"), ("annotator_id", "annotator")),
    "look": (("recording_id", "recording"), ("participant_id", "participant")),
    "summary": (("recording_id", "recording"),),
    "contradiction": (("recording_id", "recording"),),
    "episode": (("recording_id", "recording"),),
    "episode_agent": (("recording_id", "recording"), ("participant_id", "participant")),
}
"""Table -> the columns that refer to another table's id."""

TABLE_ORDER = (
    "property", "collection", "recording", "medium", "participant", "appearance", "consent", "annotator",
    "scheme_version", "hold_out", "assignment", "completion", "segment", "segment_value", "review", "comment",
    "judge", "prompt_version", "adoption", "utterance", "track_correction", "track_box", "region", "region_box",
    "face_review", "seen_span", "waiver", "private_word", "public_word", "pii_decision", "chain", "chain_node",
    "chain_person", "chain_edge", "chain_review", "question", "verification", "look", "summary", "contradiction",
    "character", "scenario", "episode", "episode_agent", "conflict", "merged_copy",
)  # fmt: skip
"""Every human table, what others refer to first."""

_CHUNK = 900


@dataclass(frozen=True, slots=True)
class MergeTable:
    """One human table."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    @property
    def subject_column(self) -> str:
        """The column by which its rows are looked up."""
        return SUBJECT_COLUMNS[self.name]

    def key_of(self, row: Row) -> Key:
        """Return a row's key."""
        if len(self.key) == 1:
            return (row[self.key[0]],)
        return tuple([row[column] for column in self.key])

    def cells_of(self, rows: list[Row]) -> list[list[Cell]]:
        """Return the rows as they are written, in the order of the columns."""
        if len(self.columns) == 1:
            return [[row[self.columns[0]]] for row in rows]
        return [*map(list, map(itemgetter(*self.columns), rows))]


def merge_tables(study: Study) -> dict[str, MergeTable]:
    """Return every human table by name."""
    found = {}
    for name in TABLE_ORDER:
        described = study.rows(f"PRAGMA main.table_info({name})")
        keys = sorted((row[5], row[1]) for row in described if row[5])
        found[name] = MergeTable(name, tuple(row[1] for row in described), tuple(column for _, column in keys))
    return found


def find_rows(study: Study, table: MergeTable, subjects: set[Cell], column: str = "") -> dict[Key, Row]:
    """Return the rows of a table whose `column` (its subject, where none is named) is one of these."""
    found: dict[Key, Row] = {}
    wanted = [*subjects]
    for first in range(0, len(wanted), _CHUNK):
        part = wanted[first : first + _CHUNK]
        marks = ", ".join("?" * len(part))
        for values in study.rows(
            f"SELECT {', '.join(table.columns)} FROM {table.name} WHERE {column or table.subject_column} IN ({marks})",
            part,
        ):
            row = dict(zip(table.columns, values, strict=True))
            found[table.key_of(row)] = row
    return found


MIN_FRESH_SEGMENTS = 500
"""From how many segments on it pays; fewer are compared row by row as all else."""


@dataclass(frozen=True, slots=True)
class NewSegmentRows:
    """Ids of new segments, and table -> the rows that make them up."""

    segments: frozenset[str] = frozenset()
    rows: Mapping[str, list[StoreRow]] = field(default_factory=dict)

    @property
    def ids_json(self) -> str:
        """The ids as SQL takes them."""
        return json.dumps(sorted(self.segments))


def fresh_segments(study: Study, copy: Study, tables: Mapping[str, MergeTable]) -> NewSegmentRows:
    """Return the segments of the copy that the study never had, in recordings that it has."""
    recordings = {row[0] for row in study.rows("SELECT id FROM recording")}
    new = {row[0] for row in copy.rows("SELECT id, recording_id FROM segment") if row[1] in recordings}
    new -= {row[0] for row in study.rows("SELECT id FROM segment")}
    if len(new) < MIN_FRESH_SEGMENTS:
        return NewSegmentRows()
    new -= {
        row[0]
        for row in study.rows("SELECT row_id FROM journal_change WHERE table_name = 'segment' AND operation = 'delete'")
    }
    # In the order of the keys, in which rows are added fastest.
    asked = (json.dumps(sorted(new)),)
    return NewSegmentRows(
        frozenset(new),
        {
            name: copy.rows(
                f"SELECT {', '.join(tables[name].columns)} FROM {name} "
                f"WHERE {column} IN (SELECT value FROM json_each(?)) ORDER BY {', '.join(tables[name].key)}",
                asked,
            )
            for name, column in SEGMENT_ID_COLUMNS.items()
        },
    )


def store_fresh(study: Study, fresh: NewSegmentRows) -> None:
    """Insert the new segments; inside a step."""
    for name, rows in fresh.rows.items():
        if rows:
            study.insert_many(name, rows, sorted(fresh.segments))


@dataclass(slots=True)
class Edit:
    """A row before the first and after the last of its changes; None where it was not there."""

    before: Row | None
    after: Row | None


def newest_step(study: Study) -> tuple[int, str]:
    """Return the number and the uid of the newest step; (0, "") where there is none."""
    row = study.row("SELECT id, uid FROM journal_step ORDER BY id DESC LIMIT 1")
    return (0, "") if row is None else (int(row[0]), str(row[1]))


def newest_common_step(study: Study, copy: Study) -> int | None:
    """Return the number in `copy` of its newest step that `study` has or has merged, or None where there is none."""
    known = {row[0] for row in study.rows("SELECT uid FROM journal_step UNION ALL SELECT step_uid FROM merged_copy")}
    steps = copy.rows("SELECT id, uid FROM journal_step ORDER BY id DESC")
    return next((int(number) for number, uid in steps if uid in known), None)


def step_uid(study: Study, number: int) -> str:
    """Return the uid of a step, or "" where the study has no such step."""
    row = study.row("SELECT uid FROM journal_step WHERE id = ?", (number,))
    return "" if row is None else str(row[0])


def edits_since(
    study: Study, step: int, tables: dict[str, MergeTable], but: NewSegmentRows | None = None
) -> dict[str, dict[Key, Edit]]:
    """Return table -> key -> what became of the row after a step; rows that are as they were are left out.

    So is what was done to the segments of `but`, which are new as a whole.
    """
    without = ""
    values: list[Cell] = [step]
    if but is not None and but.segments:
        tables_of_items = ", ".join(f"'{name}'" for name in SEGMENT_ID_COLUMNS)
        without = f"AND NOT (table_name IN ({tables_of_items}) AND row_id IN (SELECT value FROM json_each(?)))"
        values.append(but.ids_json)
    changes = study.rows(
        f"SELECT table_name, before, after FROM journal_change WHERE step_id > ? {without} ORDER BY id", values
    )
    befores, afters = _parse_rows(row[1] for row in changes), _parse_rows(row[2] for row in changes)
    found: dict[str, dict[Key, Edit]] = {}
    for (name, _, _), before, after in zip(changes, befores, afters, strict=True):
        of_table = found.setdefault(name, {})
        key = tables[name].key_of(after if after is not None else before)
        edit = of_table.get(key)
        if edit is None:
            of_table[key] = Edit(before, after)
        else:
            edit.after = after
    return {
        name: kept
        for name, of_table in found.items()
        if (kept := {key: edit for key, edit in of_table.items() if edit.before != edit.after})
    }


def _parse_rows(texts: Any) -> list[Any]:
    """Parse all at once, which takes half the time of one by one."""
    parsed: list[Any] = json.loads("[" + ",".join(text or "null" for text in texts) + "]")
    return parsed
