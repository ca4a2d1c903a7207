"""Looks at a study file without changing a byte of it, before it is opened."""

import os
import shutil
import sqlite3
import stat
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import TracebackType
from urllib.parse import quote

from project import schema
from project.errors import UserError
from project.names import shown
from project.sqlite_errors import damaged, explain, explained

SUFFIX = ".greenroom"
_MAGIC = b"SQLite format 3\0"


@dataclass(frozen=True, slots=True)
class Leftover:
    """Whether files beside the study hold what a killed process had not yet moved into it."""

    wal: bool
    journal: bool

    def __bool__(self) -> bool:
        return self.wal or self.journal


def examine(path: Path) -> Leftover:
    """Read the file's header, without SQLite.

    Raises:
        UserError: this is not a study, or not all of one.
    """
    name = path.name
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise UserError(f"“{shown(name)}” is a folder, not a study.", f"Choose a file that ends in {SUFFIX}.")
        if not stat.S_ISREG(status.st_mode):
            raise UserError(f"“{shown(name)}” is not a file.", f"Choose a file that ends in {SUFFIX}.")
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise UserError(f"There is no study “{shown(path)}”.", "Make one with `greenroom new`.") from None
    except OSError as error:
        raise UserError(f"“{shown(path)}” cannot be read: {error.strerror}.", "See who may read the file.") from None
    if not header:
        raise UserError(f"“{shown(name)}” is empty (0 bytes), so it is not a study.", "Go back to a backup copy.")
    if not header.startswith(_MAGIC[: len(header)]):
        raise UserError(f"“{shown(name)}” is not a study: it is some other kind of file.", f"Studies end in {SUFFIX}.")
    if len(header) < 100:
        raise damaged(name, "its end is missing")
    if int.from_bytes(header[68:72]) != schema.APPLICATION_ID:
        raise UserError(f"“{shown(name)}” is a database of another program, not a study.", f"Studies end in {SUFFIX}.")
    leftover = Leftover(
        wal=header[18] == 2 or _has_content(beside(path, "-wal")), journal=_has_content(beside(path, "-journal"))
    )
    page_size = int.from_bytes(header[16:18])
    pages = int.from_bytes(header[28:32])
    # A process that was killed while it moved the log into the file leaves a header that is ahead of the file.
    if not leftover and status.st_size < pages * (65536 if page_size == 1 else page_size):
        raise damaged(name, "its end is missing")
    return leftover


def beside(path: Path, ending: str) -> Path:
    """Return the file that SQLite keeps beside a study, such as `-wal`."""
    return path.with_name(path.name + ending)


def connect(path: Path, mode: str, *, immutable: bool = False, any_thread: bool = False) -> sqlite3.Connection:
    """Open a file with SQLite; `mode` is `ro` or `rw`. Transactions are begun and ended by hand.

    The connection is for the thread that asked for it, or for `any_thread`, but only one at a time.

    Raises:
        UserError: it cannot be opened.
    """
    # Quoted as bytes, so that any name a file can have (newlines, question marks, no UTF-8) reaches SQLite unchanged.
    uri = f"file:{quote(os.fsencode(path))}?mode={mode}{'&immutable=1' if immutable else ''}"
    with explained(path.name):
        connection = sqlite3.connect(
            uri, uri=True, isolation_level=None, cached_statements=512, timeout=5, check_same_thread=not any_thread
        )
        try:
            for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "foreign_keys = ON", "temp_store = MEMORY"):
                connection.execute(f"PRAGMA {pragma}")
        except BaseException:
            connection.close()
            raise
    return connection


class Snapshot:
    """A study as it is on disk at this moment, for reading, without touching it or the files beside it.

    What a killed process left beside the study is part of it, and reading that changes files; so it is done on a copy.
    """

    def __init__(self, path: Path, leftover: Leftover) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        try:
            if leftover:
                self._folder = tempfile.TemporaryDirectory(prefix="greenroom-")
                copy = Path(self._folder.name) / "copy"
                for ending in ("", "-wal", "-journal"):
                    if beside(path, ending).exists():
                        shutil.copyfile(beside(path, ending), beside(copy, ending))
                self.connection = connect(copy, "rw")
            else:
                self.connection = connect(path, "ro", immutable=True)
        except OSError as error:
            self._remove_copy()
            raise UserError(
                f"“{shown(path.name)}” cannot be read: {error.strerror}.", "See what is left free."
            ) from None
        except BaseException:
            self._remove_copy()
            raise

    def close(self) -> None:
        """Close the connection and remove the copy."""
        self.connection.close()
        self._remove_copy()

    def _remove_copy(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    def __enter__(self) -> "Snapshot":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def verify(connection: sqlite3.Connection, name: str, *, pages: bool) -> int:
    """Return the version of the file's format, after making sure that it can be opened safely.

    Args:
        connection: on the study.
        name: of the study, for messages.
        pages: also look through every page of the file for damage.

    Raises:
        UserError: the file was made by a newer version, is damaged, or holds code that a study never holds.
    """
    try:
        version = int(connection.execute("PRAGMA user_version").fetchone()[0])
        if version > len(schema.VERSIONS):
            raise UserError(
                f"The study “{shown(name)}” was made by a newer version of Greenroom (file format {version}; "
                f"this one knows {len(schema.VERSIONS)}).",
                "Install the newer version; nothing was changed.",
            )
        foreign = foreign_code(connection)
        if foreign:
            raise UserError(
                f"The study “{shown(name)}” holds what no study holds: {foreign[0]}.",
                "It may have been tampered with, so it is not opened. `greenroom check` lists everything.",
            )
        found = schema.schema_of(connection)
        wrong = [name for name, sql in _tables(version) if found.get(("table", name)) != sql]
        if version < 1 or wrong:
            raise damaged(name, f"its table {wrong[0]} is not as it should be" if wrong else "it has no tables")
    except sqlite3.Error as error:
        raise explain(error, name) or damaged(name, str(error)) from None
    if pages:
        check_pages(connection, name)
    return version


def check_pages(connection: sqlite3.Connection, name: str) -> None:
    """Look through every page of the file, which takes about a millisecond a megabyte.

    Raises:
        UserError: it is damaged.
    """
    try:
        if connection.execute("PRAGMA quick_check(1)").fetchone()[0] != "ok":
            raise damaged(name)
    except sqlite3.Error as error:
        raise explain(error, name) or damaged(name, str(error)) from None


@cache
def _tables(version: int) -> tuple[tuple[str, str], ...]:
    """Return the name and the SQL of every table of a version; making them once costs as much as opening a study."""
    return tuple((name, sql) for (kind, name), sql in schema.expected_schema(version).items() if kind == "table")


def foreign_code(connection: sqlite3.Connection) -> list[str]:
    """Name the triggers, views and virtual tables of a file: a study has none, and opening one would run theirs."""
    found = connection.execute(
        "SELECT type, name, rootpage FROM main.sqlite_schema WHERE type NOT IN ('table', 'index') OR rootpage = 0"
    ).fetchall()
    # An index that SQLite makes itself has a page too, so no page means that the rows come from a program's code.
    return [f"the {'virtual table' if kind in ('table', 'index') else kind} “{shown(name)}”" for kind, name, _ in found]


def _has_content(path: Path) -> bool:
    try:
        return path.stat().st_size > 0
    except OSError:
        return False
