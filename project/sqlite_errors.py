"""What SQLite's refusals mean to a user."""

import contextlib
import sqlite3
from collections.abc import Iterator

from project.errors import UserError
from project.names import shown

_NO_TEXT = "Could not decode to UTF-8"
"""How Python's module begins what it says of bytes that another program stored as text."""


class DamagedStudy(UserError):
    """A file is, or was, a study and cannot be read whole: what can be read of it may be saved."""


def damaged(name: str, detail: str = "") -> DamagedStudy:
    """Return the message for a file that is, or was, a study and cannot be read whole."""
    about = f" ({detail})" if detail else ""
    return DamagedStudy(
        f"The study “{shown(name)}” is damaged{about}.",
        "Nothing was changed. Save what can be read, or go back to a backup: greenroom recover STUDY",
    )


def explain(error: sqlite3.Error, name: str) -> UserError | None:
    """Return what to tell the user about an error of SQLite on the study `name`, or None where it is a bug of ours."""
    if str(error).startswith(_NO_TEXT):
        return damaged(name, "a text in it is no UTF-8")
    # Attributes that sqlite3 leaves out where the error did not come from SQLite itself.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    match code & 0xFF:
        case sqlite3.SQLITE_FULL:
            return UserError(
                f"There is no room left on the disk of “{shown(name)}”, so this was not saved.",
                "Free some space and try again.",
            )
        case sqlite3.SQLITE_IOERR:
            return UserError(
                f"The disk of “{shown(name)}” could not be read or written, so this was not saved.",
                "See whether it is full or was taken away, and try again.",
            )
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(name)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return UserError(f"Another program is using the study “{shown(name)}”.", "Close it there and try again.")
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return UserError(
                f"The study “{shown(name)}” cannot be written to.", "See who may write to the file and to its folder."
            )
        case _:
            return None


@contextlib.contextmanager
def explained(name: str) -> Iterator[None]:
    """Turn SQLite's refusals inside the block into messages about the study `name`; bugs of ours pass as they are."""
    try:
        yield
    except sqlite3.Error as error:
        message = explain(error, name)
        if message is None:
            raise
        raise message from error
