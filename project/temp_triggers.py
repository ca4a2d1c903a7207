"""Makes many temporary triggers at once: each by a statement of its own, they take most of the time of opening a study.

Every CREATE makes SQLite look through all that the connection has. Here the rows that it would write are put into the
schema of the connection's own temporary database, and SQLite reads them together, as it reads those of a file. Nothing
of the study's file is touched. See https://www.sqlite.org/pragma.html#pragma_writable_schema.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger on a table of the main database.

    Attributes:
        name: free in the temporary database.
        table: that it watches.
        when: such as `AFTER insert`.
        body: what comes after the table.
    """

    name: str
    table: str
    when: str
    body: str

    def sql(self, create: str) -> str:
        """Return the whole statement; SQLite keeps it with `CREATE TRIGGER` for its beginning."""
        return f"{create} {self.name} {self.when} ON main.{self.table} {self.body}"


def make(connection: sqlite3.Connection, triggers: Sequence[Trigger]) -> None:
    """Make triggers that live as long as the connection; it is in no transaction."""
    try:
        _make_together(connection, triggers)
    except sqlite3.OperationalError:
        # Some systems build SQLite so that nobody may write to a schema.
        for one in triggers:
            connection.execute(one.sql("CREATE TEMP TRIGGER"))


def _make_together(connection: sqlite3.Connection, triggers: Sequence[Trigger]) -> None:
    rows = [(one.name, one.table, one.sql("CREATE TRIGGER")) for one in triggers]
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("BEGIN")
        try:
            connection.executemany("INSERT INTO temp.sqlite_schema VALUES ('trigger', ?, ?, 0, ?)", rows)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    finally:
        connection.execute("PRAGMA writable_schema = RESET")
