"""Conflicts of merges: rows that were edited on both sides, in both versions."""

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from project.store import Row, Study

Version: TypeAlias = dict[str, list[dict[str, Any]]]
"""Table -> rows, column by column."""

_COLUMNS = "id, table_name, row_key, ours, theirs, source, at, resolution"


@dataclass(frozen=True, slots=True)
class Conflict:
    """One item that two people changed differently.

    Attributes:
        table: of the row; `segment` also stands for a whole segment with all that was said about it.
        key: the values of the row's primary key.
        ours: the version that the study kept when they were merged; None where it was deleted.
        theirs: the other version; None where it was deleted.
        source: whose the other version is: an annotator, or the name of a copy.
        at: when they were merged, UTC, ISO 8601.
        resolution: `ours` or `theirs`, once somebody chose.
    """

    id: str
    table: str
    key: tuple[Any, ...]
    ours: Version | None
    theirs: Version | None
    source: str
    at: str
    resolution: str | None


def all_conflicts(study: Study, *, unresolved: bool = False) -> list[Conflict]:
    """Return the conflicts, oldest merge first."""
    where = "WHERE resolution IS NULL" if unresolved else ""
    return [_conflict(row) for row in study.rows(f"SELECT {_COLUMNS} FROM conflict {where} ORDER BY at, id")]


def conflict(study: Study, identifier: str) -> Conflict | None:
    """Return the conflict of an id or of the start of one, or None where there is none or several fit."""
    rows = study.rows(f"SELECT {_COLUMNS} FROM conflict WHERE substr(id, 1, ?) = ?", (len(identifier), identifier))
    return _conflict(rows[0]) if len(rows) == 1 and identifier else None


def count_unresolved(study: Study) -> int:
    """Return how many conflicts wait for somebody to choose."""
    row = study.row("SELECT count(*) FROM conflict WHERE resolution IS NULL")
    return 0 if row is None else int(row[0])


def set_resolution(study: Study, identifier: str, resolution: str | None) -> None:
    """Say which version was chosen; inside a step."""
    study.write("UPDATE conflict SET resolution = ? WHERE id = ?", (resolution, identifier))


def _conflict(row: Row) -> Conflict:
    ours, theirs = (None if text is None else json.loads(text) for text in row[3:5])
    return Conflict(row[0], row[1], tuple(json.loads(row[2])), ours, theirs, row[5], row[6], row[7])
