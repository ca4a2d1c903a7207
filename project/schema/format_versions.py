"""The versions of the file format: one entry each, never changed once released."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from project.files.sqlcipher import sqlite3
from project.schema.tables import TABLES

APPLICATION_ID = 0x4752_4E52
"""`GRNR` in the file's header tells a study from any other SQLite file."""


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the file format: what to run on a file of the version before."""

    name: str
    statements: tuple[str, ...]


def _new_tables(number: int) -> tuple[str, ...]:
    return tuple(statement for table in TABLES.values() if table.since == number for statement in table.statements)


VERSIONS: tuple[Version, ...] = (Version("first", _new_tables(1)),)


@dataclass(frozen=True, slots=True)
class SchemaEntry:
    """A table, an index or anything else that a file declares.

    Attributes:
        kind: as SQLite says it, such as `table`.
        table: what it belongs to; its own name for a table.
        sql: how it was made; None for the index of a key or a UNIQUE column, which SQLite makes by itself.
        root: the page that it begins on; 0 for what has no page.
    """

    kind: str
    name: str
    table: str
    sql: str | None
    root: int = 0


def expected_entries(number: int) -> Mapping[tuple[str, str], SchemaEntry]:
    """Return (type, name) -> all that a file of version `number` declares, but for the table of the migrations."""
    return _entries_after(VERSIONS[:number])


@cache
def _entries_after(versions: tuple[Version, ...]) -> Mapping[tuple[str, str], SchemaEntry]:
    """Return what these versions make; making it costs as much as opening a study."""
    with closing(_build_database(versions)) as memory:
        return MappingProxyType({(entry.kind, entry.name): entry for entry in read_entries(memory)})


def empty_database(number: int) -> sqlite3.Connection:
    """Return a database in memory with the empty tables of version `number`."""
    return _build_database(VERSIONS[:number])


def _build_database(versions: tuple[Version, ...]) -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:")
    for version in versions:
        for statement in version.statements:
            memory.execute(statement)
    return memory


def read_entries(connection: sqlite3.Connection) -> list[SchemaEntry]:
    """Return all that a file declares, in its order; in one that was tampered with, the same name may come twice."""
    rows = connection.execute("SELECT type, name, tbl_name, sql, rootpage FROM main.sqlite_schema").fetchall()
    return [
        SchemaEntry(str(kind), str(name), str(table), None if sql is None else str(sql), int(root or 0))
        for kind, name, table, sql, root in rows
    ]
