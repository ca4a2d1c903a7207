"""Compares the schema of a study file with the program's, to find foreign or missing tables, indices and columns.

The schema of the program is made by running its versions on an empty database, never from a list that is kept by hand.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import Enum

from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.schema import format_versions
from project.schema.format_versions import SchemaEntry
from project.text_format import escape_unprintable

MIGRATIONS = "_sqlite_migrations"
"""The table in which sqlite-utils notes which versions were applied; its layout is that of sqlite-utils."""
_MIGRATIONS_INDEX = "idx__sqlite_migrations_migration_set_name"
_MIGRATIONS_COLUMNS = ("id", "migration_set", "name", "applied_at")
_MIGRATIONS_WORDS = {
    *("create", "table", "unique", "index", "on", "if", "not", "exists", "constraint", "primary", "key", "integer"),
    *("text", "null", ",", "(", ")", MIGRATIONS, _MIGRATIONS_INDEX, *_MIGRATIONS_COLUMNS),
}
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII)
_DECLARES_ROWS = re.compile(r"CREATE (TABLE|(UNIQUE )?INDEX) ")
"""How SQLite begins what it keeps of a table or an index; of a trigger or a virtual table it keeps something else."""
_MAX_SHOWN = 3
_GENERATED = (2, 3)
"""What `PRAGMA table_xinfo` calls hidden where a column is worked out from others."""


class Fault(Enum):
    """How a part of a file's schema differs from the program's."""

    UNKNOWN = "unknown"
    CHANGED = "changed"
    MISSING = "missing"
    UNREADABLE = "unreadable"
    """Changed so that not all of the program's columns can be read from it."""


@dataclass(frozen=True, slots=True)
class SchemaDifference:
    """A table, an index or something else that is not as the program makes it.

    Attributes:
        columns: those of a changed table that are not the program's.
    """

    kind: str
    name: str
    fault: Fault
    columns: tuple[str, ...] = ()

    @property
    def is_loss(self) -> bool:
        """Whether a table, or a column of one, is not there: then the study cannot even be read."""
        return self.fault is Fault.UNREADABLE or (self.kind == "table" and self.fault is Fault.MISSING)

    def as_finding(self) -> str:
        """Say it as a line of `greenroom study check`."""
        name = f"“{escape_unprintable(self.name)}”"
        match self.fault:
            case Fault.UNKNOWN:
                return f"there is an unknown {self.kind} {name}"
            case Fault.MISSING:
                return f"the {self.kind} {name} is missing"
        columns = ", ".join(f"“{escape_unprintable(column)}”" for column in self.columns)
        return f"the {self.kind} {name} is not as it should be" + (f": unknown column {columns}" if columns else "")

    def as_noun(self) -> str:
        """Name it inside a sentence."""
        name = f"the {self.kind} “{escape_unprintable(self.name)}”"
        if self.columns:
            return f"the column “{escape_unprintable(self.columns[0])}” of {name}"
        return name + {Fault.UNKNOWN: "", Fault.MISSING: ", which is missing"}.get(self.fault, ", which was changed")


class ForeignSchema(UserError):
    """A study whose schema is not the program's; it can be read, and is not written to."""


def foreign_schema_error(name: str, differences: Sequence[SchemaDifference]) -> ForeignSchema:
    """Return the message for a study that is not written to because of what it declares."""
    parts = "; ".join(difference.as_noun() for difference in differences[:_MAX_SHOWN])
    more = len(differences) - _MAX_SHOWN
    return ForeignSchema(
        f"The tables of “{escape_unprintable(name)}” are not those of Greenroom: "
        f"{parts}{f'; and {more} more' if more > 0 else ''}.",
        "The study opens read-only, because foreign tables would escape withdrawal and the history. Save "
        "a study without them: greenroom study recover STUDY --out NEW",
    )


def find_foreign_code(connection: sqlite3.Connection) -> list[str]:
    """Name the triggers, views and virtual tables of a file: a study has none, and opening one would run theirs."""
    codes = []
    for entry in format_versions.read_entries(connection):
        # An index that SQLite makes itself has a page too, so no page means that the rows come from a program's code.
        if entry.kind in ("table", "index") and not entry.root:
            codes.append(f"the virtual table “{escape_unprintable(entry.name)}”")
        elif entry.kind not in ("table", "index") or not (entry.sql is None or _DECLARES_ROWS.match(entry.sql)):
            codes.append(f"the {escape_unprintable(entry.kind)} “{escape_unprintable(entry.name)}”")
    return codes


def compare_schema(connection: sqlite3.Connection, version: int) -> list[SchemaDifference]:
    """Return how a file's schema differs from that of a version of the format; nothing of its content is read.

    Raises:
        sqlite3.Error: the schema is damaged.
        UnicodeDecodeError: a text in it is no UTF-8.
    """
    expected = format_versions.expected_entries(version)
    # SQLite takes `SEGMENT` for `segment`.
    keys = {(kind, name.lower()): (kind, name) for kind, name in expected}
    seen: set[tuple[str, str]] = set()
    differences: list[SchemaDifference] = []
    migrations: list[SchemaEntry] = []
    for entry in format_versions.read_entries(connection):
        key = keys.get((entry.kind, entry.name.lower()))
        if entry.table == MIGRATIONS:
            migrations.append(entry)
        elif key is None or key in seen:
            differences.append(SchemaDifference(entry.kind, entry.name, Fault.UNKNOWN))
        elif (entry.name, entry.table, entry.sql) != (key[1], expected[key].table, expected[key].sql):
            differences.append(_describe_change(connection, entry, key[1], version))
        if key is not None:
            seen.add(key)
    differences += [
        SchemaDifference(entry.kind, entry.name, Fault.MISSING) for key, entry in expected.items() if key not in seen
    ]
    differences += _compare_migrations(connection, migrations)
    (encoding,) = connection.execute("PRAGMA main.encoding").fetchone()
    if encoding != "UTF-8":
        differences.append(SchemaDifference("encoding", str(encoding), Fault.UNKNOWN))
    return differences


def table_columns(connection: sqlite3.Connection, table: str) -> dict[str, bool]:
    """Return the columns of a table, and of each whether its content is worked out from other columns."""
    described = connection.execute(f"PRAGMA main.table_xinfo({_quote_identifier(table)})").fetchall()
    return {str(row[1]): row[6] in _GENERATED for row in described}


def _describe_change(connection: sqlite3.Connection, entry: SchemaEntry, name: str, version: int) -> SchemaDifference:
    if entry.kind != "table":
        return SchemaDifference(entry.kind, entry.name, Fault.CHANGED)
    there = table_columns(connection, entry.name)
    with closing(format_versions.empty_database(version)) as own:
        ours = table_columns(own, name)
    readable = all(there.get(column) is False for column in ours)
    unknown = tuple(column for column in there if column not in ours)
    return SchemaDifference("table", entry.name, Fault.CHANGED if readable else Fault.UNREADABLE, unknown)


def _compare_migrations(connection: sqlite3.Connection, entries: list[SchemaEntry]) -> Iterator[SchemaDifference]:
    """Compare the table of applied versions. sqlite-utils lays it out: any layout counts that has room for no more."""
    if not entries:
        return
    known = {("table", MIGRATIONS), ("index", _MIGRATIONS_INDEX), ("index", f"sqlite_autoindex_{MIGRATIONS}_1")}
    keys = [(entry.kind, entry.name) for entry in entries]
    for entry, key in zip(entries, keys, strict=True):
        if key not in known or keys.count(key) > 1:
            yield SchemaDifference(entry.kind, entry.name, Fault.UNKNOWN)
        elif not {*re.findall(r"\w+|[^\w\s\"\[\]]", (entry.sql or "").lower())} <= _MIGRATIONS_WORDS:
            yield SchemaDifference(entry.kind, entry.name, Fault.CHANGED)
    there = table_columns(connection, MIGRATIONS)
    if not {*_MIGRATIONS_COLUMNS[1:]} <= there.keys() <= {*_MIGRATIONS_COLUMNS} or any(there.values()):
        yield SchemaDifference("table", MIGRATIONS, Fault.CHANGED)
        return
    names = {version.name for version in format_versions.VERSIONS}
    rows = connection.execute(f"SELECT migration_set, name, applied_at FROM main.{MIGRATIONS} NOT INDEXED").fetchmany(
        len(names) + 1
    )
    for group, name, applied in rows:
        if group != "greenroom" or name not in names or not (isinstance(applied, str) and _TIME.fullmatch(applied)):
            yield SchemaDifference("row of the table", MIGRATIONS, Fault.UNKNOWN)
            return
    if len(rows) > len(names):
        yield SchemaDifference("row of the table", MIGRATIONS, Fault.UNKNOWN)


def _quote_identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
