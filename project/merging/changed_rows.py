"""Reads rows by key, and from the journal which rows changed since a step; inserts wholly new segments in bulk."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from project.schema.table_declaration import StudyTable
from project.schema.tables import HUMAN_TABLES
from project.store.study import Cell, Study
from project.store.study import Row as StoreRow

Row: TypeAlias = dict[str, Any]
"""One row: column -> value."""
Key: TypeAlias = tuple[Cell, ...]
"""The values of a row's primary key."""
Rows: TypeAlias = dict[str, list[Row]]
"""Table -> rows: one version of an item, as it is kept in a conflict."""

SEGMENT_ID_COLUMNS = {"segment": "id"} | {
    name: column
    for name, table in HUMAN_TABLES.items()
    for column, parent in table.parents.items()
    if parent == "segment"
}
"""The tables that make up a segment and all that was said about it, and the column with the segment's id."""

OWN_PROPERTIES = frozenset({"id", "copy", "release_key", "voice_secret", "pii-numbers", "policy", "shared"})
"""Facts about one file, which are never merged."""


def find_rows(study: Study, table: StudyTable, subjects: set[Cell], column: str = "") -> dict[Key, Row]:
    """Return the rows of a table whose `column` (its subject, where none is named) is one of these."""
    found = study.rows(
        f"SELECT {', '.join(table.names)} FROM {table.name} "
        f"WHERE {column or table.subject} IN (SELECT value FROM json_each(?))",
        (json.dumps([*subjects]),),
    )
    rows = (dict(zip(table.names, cells, strict=True)) for cells in found)
    return {table.key_of(row): row for row in rows}


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


def fresh_segments(study: Study, copy: Study) -> NewSegmentRows:
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
                f"SELECT {', '.join(HUMAN_TABLES[name].names)} FROM {name} "
                f"WHERE {column} IN (SELECT value FROM json_each(?)) ORDER BY {', '.join(HUMAN_TABLES[name].key)}",
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


def edits_since(study: Study, step: int, but: NewSegmentRows | None = None) -> dict[str, dict[Key, Edit]]:
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
        key = HUMAN_TABLES[name].key_of(after if after is not None else before)
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
