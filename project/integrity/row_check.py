"""Reads every row of a study as the program does, to find rows that it cannot read."""

import json
import pkgutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from typing import cast

from project import queries
from project.entities.study_records import Json
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.queries import face_rows, pii_rows
from project.queries.row_mapper import RowMapper
from project.schema.tables import TABLES
from project.search import free_texts
from project.store.study import Cell, Row, Study
from project.store.visibility import VISIBLE_CHAINS, VISIBLE_RECORDINGS, VISIBLE_SEGMENTS

_MODULES = [import_module(f"project.queries.{module.name}") for module in pkgutil.iter_modules(queries.__path__)]
_MAPPERS = {
    (mapper.table, mapper.entity): mapper
    for module in _MODULES
    for mapper in vars(module).values()
    if isinstance(mapper, RowMapper) and mapper.table != "judgment" and not TABLES[mapper.table].part_of
}
"""Mappers of all tables but judgments, which are too large, and rows that come with others, which have own checks."""
_READERS: dict[str, Callable[[Study], object]] = {
    "decisions about personal information": pii_rows.pii_decisions,
    "texts": lambda study: [*free_texts.free_texts(study)],
}


class _ConnectionReader:
    """The part of `Study` that queries use, on a bare connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def rows(self, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        return self._connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Cell] = ()) -> Row | None:
        found: Row | None = self._connection.execute(sql, values).fetchone()
        return found

    def get_property(self, key: str, default: Json = None) -> Json:
        row = self.row("SELECT value FROM property WHERE key = ?", (key,))
        return default if row is None else json.loads(row[0])


def unreadable_rows(connection: sqlite3.Connection) -> Iterator[str]:
    """Yield what cannot be read, a line for each kind of row."""
    study = cast(Study, _ConnectionReader(connection))
    for view, table in ((VISIBLE_SEGMENTS, "segment"), (VISIBLE_CHAINS, "chain"), (VISIBLE_RECORDINGS, "recording")):
        connection.execute(f"CREATE TEMP VIEW {view} AS SELECT * FROM main.{table}")
    readers = {TABLES[table].label: mapper.select for (table, _), mapper in _MAPPERS.items()} | _READERS
    for what, read in readers.items():
        if why := _read_problem(partial(read, study)):
            yield f"the {what} cannot be read: {why}"
    for (recording,) in connection.execute("SELECT id FROM recording").fetchall():
        if why := _read_problem(partial(face_rows.tracks_of, study, recording)):
            yield f"the face tracks of recording {recording} cannot be read: {why}"


def _read_problem(read: Callable[[], object]) -> str:
    """Return why something cannot be read; "" where it can."""
    try:
        read()
    except UserError as error:
        return error.message.rstrip(".")
    except sqlite3.Error:
        raise
    # Whatever a row holds, it is what was wrong.
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
