"""Creates study files, upgrades old ones, and copies the program's own tables out of modified ones.

sqlite-utils takes 0.1 s to import, so it is imported here only.
"""

import contextlib
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

from project.encryption.encrypted_files import file_uri, open_new_database
from project.encryption.encryption_key import EncryptionKey
from project.files.atomic_files import explain_unwritable, flush_file, publish_file
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.schema import format_versions
from project.schema.schema_comparison import table_columns
from project.store.opening import (
    SUFFIX,
    connect,
    damaged_study_error,
    free_study_path,
    translate_error,
    translate_errors,
)
from project.text_format import escape_unprintable


def migrate(connection: sqlite3.Connection, versions: Iterable[format_versions.Version]) -> None:
    """Apply those of all versions that the file lacks, each in one transaction together with its `user_version`.

    Each changes the file wholly or not at all. Plugins of sqlite-utils that happen to be installed stay outside.
    """
    migrations = Migrations("greenroom")
    for number, version in enumerate(versions, start=1):
        statements = (*version.statements, f"PRAGMA user_version = {number}")

        def execute_all(db: Database, /, statements: Iterable[str] = statements) -> None:
            for statement in statements:
                db.execute(statement)

        migrations(name=version.name)(execute_all)
    migrations.apply(Database(connection, execute_plugins=False))


def create_file(path: Path, name: str, key: EncryptionKey | None = None) -> Path:
    """Make an empty study, encrypted where there is a key; return its path, which ends in `.greenroom` always.

    The file appears whole or not at all, and never in the place of another.
    """
    path = free_study_path(path)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        with explain_unwritable(path):
            with translate_errors(path.name):
                _write_empty_study(unfinished, name, key)
            publish_file(unfinished, path)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return path


def _write_empty_study(path: Path, name: str, key: EncryptionKey | None) -> None:
    """Write a study that only its owner may change, as SQLite does; it is on disk when this returns."""
    os.close(_create_file(path))
    with contextlib.closing(open_new_database(path, key)) as connection:
        connection.execute(f"PRAGMA application_id = {format_versions.APPLICATION_ID}")
        migrate(connection, format_versions.VERSIONS)
        connection.executemany(
            "INSERT INTO property VALUES (?, ?)",
            [("id", json.dumps(new_id())), ("name", json.dumps(name, ensure_ascii=False))],
        )
    flush_file(path)


def _create_file(path: Path) -> int:
    """Open an empty file for writing; what is there under its name, which may be a link, is left behind first."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)


def upgrade_file(path: Path, version: int) -> Path:
    """Copy an old study, then bring it to the newest version; return the copy. The caller holds the study's lock."""
    backup = _free_name(path, version)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.backup")
    try:
        with explain_unwritable(backup), translate_errors(path.name):
            os.close(_create_file(unfinished))
            with contextlib.closing(connect(path, "rw")) as connection:
                connection.execute("VACUUM INTO ?", (file_uri(unfinished, "mode=rw"),))
                flush_file(unfinished)
                publish_file(unfinished, backup)
                migrate(connection, format_versions.VERSIONS)
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return backup


def upgrade_copies(path: Path) -> list[Path]:
    """Return the copies of a study that were made before its format was upgraded; what is a link is none."""
    start = f"{path.stem} (before version "
    found = [file for file in path.parent.glob(f"*{SUFFIX}") if file.name.startswith(start)]
    return sorted(file for file in found if file.is_file() and not file.is_symlink())


def _free_name(path: Path, version: int) -> Path:
    stem = f"{path.stem} (before version {version + 1}"
    number, candidate = 1, path.with_name(f"{stem}){SUFFIX}")
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{stem}, {number}){SUFFIX}")
    return candidate


def copy_own_tables(source: sqlite3.Connection, version: int, name: str) -> sqlite3.Connection:
    """Return a database in memory with the rows of the program's own tables, at the newest version of the format.

    It can be used in any thread, one at a time, and not be written to.

    Args:
        source: on the study; its schema was compared, and has all columns of the version.
        version: of the study's format.
        name: of the study, for messages.
    """
    memory = sqlite3.connect(":memory:", isolation_level=None, cached_statements=512, check_same_thread=False)
    try:
        for pragma in ("trusted_schema = OFF", "temp_store = MEMORY", "foreign_keys = OFF"):
            memory.execute(f"PRAGMA {pragma}")
        memory.execute(f"PRAGMA application_id = {format_versions.APPLICATION_ID}")
        migrate(memory, format_versions.VERSIONS[:version])
        tables = [table for kind, table in format_versions.expected_entries(version) if kind == "table"]
        source.execute("BEGIN")
        try:
            memory.execute("BEGIN")
            room = _max_content_bytes(source)
            for table in tables:
                room = _copy_table(source, memory, table, room)
            memory.execute("COMMIT")
        finally:
            source.execute("ROLLBACK")
        if version < len(format_versions.VERSIONS):
            migrate(memory, format_versions.VERSIONS)
        memory.execute("PRAGMA foreign_keys = ON")
    except UnicodeDecodeError:
        memory.close()
        raise damaged_study_error(name, "a text in it is no UTF-8") from None
    except (sqlite3.Error, OverflowError, MemoryError) as error:
        memory.close()
        known = translate_error(error, name) if isinstance(error, sqlite3.Error) else None
        raise known or damaged_study_error(name, escape_unprintable(str(error))) from None
    except BaseException:
        memory.close()
        raise
    return memory


def _max_content_bytes(source: sqlite3.Connection) -> int:
    """Return how many bytes all rows can have: in a file that was tampered with, many may share the same pages."""
    (size,) = source.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size").fetchone()
    return int(size)


def _copy_table(source: sqlite3.Connection, memory: sqlite3.Connection, table: str, room: int) -> int:
    """Copy a table; return how much of the room its texts and bytes left."""
    names = [f'"{column}"' for column in table_columns(memory, table)]
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
