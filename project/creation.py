"""Makes new study files and brings old ones to the newest version of the format."""

import contextlib
import json
import os
import sqlite3
from pathlib import Path

from project.errors import UserError
from project.filesystem import is_folder
from project.ids import new_id
from project.migrations import migrate
from project.names import shown
from project.opening import SUFFIX, beside, connect
from project.placing import put_in_place
from project.schema import APPLICATION_ID
from project.sqlite_errors import explained


def create_file(path: Path, name: str) -> Path:
    """Make an empty study and return its path, which ends in `.greenroom` always.

    The file appears whole or not at all, and never in the place of another.

    Raises:
        UserError: something of that name is there already, or the folder cannot be written to.
    """
    if path.suffix != SUFFIX:
        path = path.with_name(path.name + SUFFIX)
    taken = UserError(
        f"“{shown(path.name)}” is there already.", "Choose another name; an existing file is never overwritten."
    )
    if os.path.lexists(path):
        raise taken
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.new")
    if not is_folder(path.parent):
        raise UserError(f"There is no folder “{shown(path.parent)}”.", "Make it first.")
    try:
        with explained(path.name), contextlib.closing(sqlite3.connect(unfinished)) as connection:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            migrate(connection)
            connection.executemany(
                "INSERT INTO property VALUES (?, ?)",
                [("id", json.dumps(new_id())), ("name", json.dumps(name, ensure_ascii=False))],
            )
            connection.commit()
        put_in_place(unfinished, path)
    except FileExistsError:
        raise taken from None
    except OSError as error:
        raise _cannot_write(path, error) from None
    finally:
        for ending in ("", "-journal"):
            with contextlib.suppress(OSError):
                beside(unfinished, ending).unlink(missing_ok=True)
    return path


def upgrade_file(path: Path, version: int) -> Path:
    """Copy an old study, then bring it to the newest version; return the copy. The caller holds the study's lock.

    Raises:
        UserError: the copy cannot be made; the study is as it was.
    """
    backup = _free_name(path, version)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.backup")
    try:
        with explained(path.name), contextlib.closing(connect(path, "rw")) as connection:
            with contextlib.closing(sqlite3.connect(unfinished)) as copy:
                connection.backup(copy)
            put_in_place(unfinished, backup)
            migrate(connection)
    except OSError as error:
        raise _cannot_write(backup, error) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)
    return backup


def _free_name(path: Path, version: int) -> Path:
    stem = f"{path.stem} (before version {version + 1}"
    number, candidate = 1, path.with_name(f"{stem}){SUFFIX}")
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{stem}, {number}){SUFFIX}")
    return candidate


def _cannot_write(path: Path, error: OSError) -> UserError:
    return UserError(f"“{shown(path.name)}” cannot be written: {error.strerror}.", "Choose another folder.")
