"""Makes new study files and brings old ones to the newest version of the format."""

import contextlib
import json
import os
import sqlite3
from functools import cache
from pathlib import Path

from project import schema
from project.errors import UserError
from project.filesystem import is_folder
from project.ids import new_id
from project.migrations import migrate
from project.names import shown
from project.opening import SUFFIX, connect, require_short_name
from project.placing import put_in_place
from project.sqlite_errors import explained


def create_file(path: Path, name: str) -> Path:
    """Make an empty study and return its path, which ends in `.greenroom` always.

    The file appears whole or not at all, and never in the place of another.

    Raises:
        UserError: something of that name is there already, the name is too long, or the folder cannot be written to.
    """
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    if not is_folder(path.parent):
        raise UserError(f"There is no folder “{shown(path.parent)}”.", "Make it first.")
    require_short_name(path)
    taken = UserError(
        f"“{shown(path.name)}” is there already.", "Choose another name; an existing file is never overwritten."
    )
    if os.path.lexists(path):
        raise taken
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        _write(unfinished, _with_name(_empty(schema.VERSIONS), name))
        put_in_place(unfinished, path)
    except FileExistsError:
        raise taken from None
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return path


@cache
def _empty(versions: tuple[schema.Version, ...]) -> bytes:
    """Return a file of these versions without a row, made in memory: on disk each part of it would be waited for."""
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
        migrate(connection, versions)
        return connection.serialize()


def _with_name(file: bytes, name: str) -> bytes:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(file)
        connection.executemany(
            "INSERT INTO property VALUES (?, ?)",
            [("id", json.dumps(new_id())), ("name", json.dumps(name, ensure_ascii=False))],
        )
        connection.commit()
        return connection.serialize()


def _write(path: Path, content: bytes) -> None:
    """Write a file that only its owner may change, as SQLite does; it is on disk when this returns."""
    with os.fdopen(_made_anew(path), "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _made_anew(path: Path) -> int:
    """Open an empty file for writing; what is there under its name, which may be a link, is left behind first."""
    path.unlink(missing_ok=True)
    return os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o644)


def upgrade_file(path: Path, version: int) -> Path:
    """Copy an old study, then bring it to the newest version; return the copy. The caller holds the study's lock.

    Raises:
        UserError: the copy cannot be made; the study is as it was.
    """
    backup = _free_name(path, version)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.backup")
    try:
        os.close(_made_anew(unfinished))
        with explained(path.name), contextlib.closing(connect(path, "rw")) as connection:
            with contextlib.closing(sqlite3.connect(unfinished)) as copy:
                connection.backup(copy)
            put_in_place(unfinished, backup)
            migrate(connection, schema.VERSIONS)
    except OSError as error:
        raise _cannot_write(backup, error) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return backup


def copies_before_upgrades(path: Path) -> list[Path]:
    """Return the copies of a study that were made before its format was upgraded; what is a link is none."""
    start = f"{path.stem} (before version "
    found = [one for one in path.parent.glob(f"*{SUFFIX}") if one.name.startswith(start)]
    return sorted(one for one in found if one.is_file() and not one.is_symlink())


def _free_name(path: Path, version: int) -> Path:
    stem = f"{path.stem} (before version {version + 1}"
    number, candidate = 1, path.with_name(f"{stem}){SUFFIX}")
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{stem}, {number}){SUFFIX}")
    return candidate


def _cannot_write(path: Path, error: OSError) -> UserError:
    return UserError(f"“{shown(path.name)}” cannot be written: {error.strerror}.", "Choose another folder.")
