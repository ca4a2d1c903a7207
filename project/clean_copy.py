"""Reads what is the program's own out of a study that others put tables, indices or columns into.

Nothing of a foreign index, constraint, default or generated column is worked out on the way: each table is read column
by column, in the order of its rows, into tables that the program made itself.
"""

import sqlite3
from collections.abc import Iterator

from project import schema
from project.foreign_schema import columns_of
from project.migrations import migrate
from project.names import shown
from project.sqlite_errors import damaged, explain


def copy_own_tables(source: sqlite3.Connection, version: int, name: str) -> sqlite3.Connection:
    """Return a database in memory with the rows of the program's own tables, at the newest version of the format.

    It can be used in any thread, one at a time, and not be written to.

    Args:
        source: on the study; its schema was compared, and has all columns of the version.
        version: of the study's format.
        name: of the study, for messages.

    Raises:
        UserError: the study is damaged, or a row does not fit the program's tables.
    """
    memory = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512, check_same_thread=False)
    try:
        for pragma in ("trusted_schema = OFF", "temp_store = MEMORY", "foreign_keys = OFF"):
            memory.execute(f"PRAGMA {pragma}")
        memory.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        migrate(memory, schema.VERSIONS[:version])
        tables = [table for kind, table in schema.expected_entries(version) if kind == "table"]
        source.execute("BEGIN")
        try:
            memory.execute("BEGIN")
            room = _room_in(source)
            for table in tables:
                room = _copy_table(source, memory, table, room)
            memory.execute("COMMIT")
        finally:
            source.execute("ROLLBACK")
        if version < len(schema.VERSIONS):
            migrate(memory, schema.VERSIONS)
        memory.execute("PRAGMA foreign_keys = ON")
    except UnicodeDecodeError:
        memory.close()
        raise damaged(name, "a text in it is no UTF-8") from None
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        memory.close()
        known = explain(error, name) if isinstance(error, sqlite3.Error) else None
        raise known or damaged(name, shown(str(error))) from None
    except BaseException:
        memory.close()
        raise
    return memory


def _room_in(source: sqlite3.Connection) -> int:
    """Return how many bytes all rows can have: in a file that was tampered with, many may share the same pages."""
    (size,) = source.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    return int(size)


def _copy_table(source: sqlite3.Connection, memory: sqlite3.Connection, table: str, room: int) -> int:
    """Copy a table; return how much of the room its texts and bytes left."""
    names = [f'"{column}"' for column in columns_of(memory, table)]
    columns = ", ".join(names)

    def measured() -> Iterator[tuple[object, ...]]:
        nonlocal room
        # Without its indices: a foreign one may sort otherwise, and hold other values than the table.
        for row in source.execute(f'SELECT {columns} FROM main."{table}" NOT INDEXED'):
            room -= sum(len(value) for value in row if isinstance(value, str | bytes))
            if room < 0:
                raise sqlite3.DatabaseError("its rows are larger than its file")
            yield row

    memory.executemany(f'INSERT INTO "{table}" ({columns}) VALUES ({", ".join("?" * len(names))})', measured())
    return room
