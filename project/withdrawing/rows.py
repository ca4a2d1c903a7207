"""Rows of a study as dictionaries, read and written on a bare connection: the tables as they are and their history."""

import json
import sqlite3
from collections.abc import Collection, Iterator
from typing import Any

from project.columns import COLUMNS, Kind
from project.journal import SUBJECTS

Row = dict[str, Any]
State = tuple[str, Row]
"""A table, and one state of a row of it."""

_ARRAYS = {"face_track": frozenset({"frames", "times_us", "boxes", "scores", "origins"})}
HISTORY = frozenset({"journal_step", "journal_change"})


def tables() -> list[str]:
    """Return every table but those of the history."""
    return [name for name in COLUMNS if name not in HISTORY]


def key_of(connection: sqlite3.Connection, table: str) -> tuple[str, ...]:
    """Return the columns that tell the rows of a table apart."""
    found = connection.execute(f"PRAGMA table_info({table})").fetchall()
    return tuple(row[1] for row in sorted(found, key=lambda row: row[5]) if row[5])


def live_rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield every row of a table, without long arrays."""
    columns = [name for name in COLUMNS[table] if name not in _ARRAYS.get(table, ())]
    for values in connection.execute(f"SELECT {', '.join(columns)} FROM {table}"):
        yield dict(zip(columns, values, strict=True))


def past_states(connection: sqlite3.Connection, wanted: Collection[str]) -> Iterator[State]:
    """Yield every state of a row of some tables that the history knows, the oldest first."""
    human = [table for table in wanted if table in SUBJECTS]
    for table, before, after in connection.execute(
        "SELECT table_name, before, after FROM journal_change "
        "WHERE table_name IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(human),),
    ):
        for text in (before, after):
            if text is not None:
                yield table, parsed(text)


def parsed(text: str) -> Row:
    """Return the state of a row that the history keeps as JSON."""
    found = json.loads(text)
    return found if isinstance(found, dict) else {}


def texts_of(table: str) -> dict[str, Kind]:
    """Return the columns of a table that may hold what somebody wrote, said or is called."""
    wanted = {Kind.TEXT, Kind.NAME, Kind.PATH, Kind.JSON}
    return {name: kind for name, kind in COLUMNS[table].items() if kind in wanted}
