"""Reads and writes a study's rows as dictionaries on a bare connection: present tables, history and tombstones.

A tombstone is a checksum over an id: it tells nothing to anybody who does not have the id. One over a word, keyed with
the study's id, tells the word to whoever guesses it, but not to whoever reads the file.
"""

import hashlib
import hmac
import json
from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import Any

from project.entities.study_records import Json
from project.files.sqlcipher import sqlite3
from project.schema.table_declaration import ColumnKind, TableKind
from project.schema.tables import HUMAN_TABLES, TABLES, tables_of_kind

Row = dict[str, Any]
State = tuple[str, Row]
"""A table, and one state of a row of it."""

HISTORY_TABLES = frozenset(tables_of_kind(TableKind.HISTORY))


def content_tables() -> list[str]:
    """Return every table but those of the history."""
    return [name for name in TABLES if name not in HISTORY_TABLES]


def live_rows(connection: sqlite3.Connection, table: str) -> Iterator[Row]:
    """Yield every row of a table, without long arrays."""
    columns = [column.name for column in TABLES[table].columns if not column.array]
    for values in connection.execute(f"SELECT {', '.join(columns)} FROM {table}"):
        yield dict(zip(columns, values, strict=True))


def past_states(connection: sqlite3.Connection, wanted: Collection[str]) -> Iterator[State]:
    """Yield every state of a row of some tables that the history knows, the oldest first."""
    human = [table for table in wanted if table in HUMAN_TABLES]
    for table, before, after in connection.execute(
        "SELECT table_name, before, after FROM journal_change "
        "WHERE table_name IN (SELECT value FROM json_each(?)) ORDER BY id",
        (json.dumps(human),),
    ):
        for text in (before, after):
            if text is not None:
                yield table, parse_row(text)


def parse_json(text: str) -> Any:
    """Return what a JSON text says; None where it cannot be read."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def json_contents(value: Json) -> Iterator[str | float]:
    """Yield every text, key and number of a JSON value; a list of words as one text too."""
    match value:
        case str():
            yield value
        case bool() | None:
            return
        case int() | float():
            yield value
        case list():
            for item in value:
                yield from json_contents(item)
            firsts = [item[0] if isinstance(item, list) and item else item for item in value]
            if len(value) > 1 and all(isinstance(first, str) for first in firsts):
                yield " ".join(map(str, firsts))
        case dict():
            for key, member in value.items():
                yield key
                yield from json_contents(member)


def cell_texts(cell: str, kind: ColumnKind) -> Iterator[str]:
    """Yield the texts of a cell: one, or those of its JSON."""
    found: Json = parse_json(cell) if kind is ColumnKind.JSON else None
    contents = json_contents(cell if found is None else found)
    yield from (text for text in contents if isinstance(text, str) and text)


def parse_row(text: str) -> Row:
    """Return the state of a row that the history keeps as JSON."""
    found = json.loads(text)
    return found if isinstance(found, dict) else {}


def text_columns(table: str) -> dict[str, ColumnKind]:
    """Return the columns of a table that may hold what somebody wrote, said or is called."""
    wanted = {ColumnKind.TEXT, ColumnKind.NAME, ColumnKind.PATH, ColumnKind.JSON}
    return {name: kind for name, kind in TABLES[table].kinds.items() if kind in wanted}


class TombstoneKind(StrEnum):
    """The kind of row that a tombstone stands for."""

    PARTICIPANT = "participant"
    RECORDING = "recording"
    """The whole recording."""
    FOOTAGE = "footage"
    """The files of a recording, and what was worked out from them."""
    NAME = "name"
    """The letters of a name, or of a word of it."""
    STRING = "string"
    """The letters of a number, an address or a day."""


def tombstone(identifier: str) -> str:
    """Return the checksum that stands for an id; ids are random, so it cannot be guessed back."""
    return hashlib.sha256(f"greenroom withdrawal {identifier}".encode("utf-8", "surrogatepass")).hexdigest()


def find_withdrawn(ids: Iterable[str], kind: TombstoneKind, stones: Collection[tuple[str, str]]) -> list[str]:
    """Return those of some ids for which there is a tombstone of a kind; `stones` are checksums and kinds."""
    return [identifier for identifier in ids if (tombstone(identifier), kind.value) in stones]


def word_tombstone(study_id: str, letters: str) -> str:
    """Return the checksum that stands for the letters of a name, a number or an address."""
    return hmac.digest(study_id.encode(), letters.encode("utf-8", "surrogatepass"), "sha256").hex()
