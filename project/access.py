"""Who may write to a study, how a connection is made safe for where it lies, and how one file is left in the end."""

import contextlib
import errno
import os
import sqlite3
from pathlib import Path

from project import locking
from project.errors import UserError
from project.opening import beside, connect


def take_lock(path: Path, read_only: bool) -> tuple[locking.StudyLock | None, str, bool]:
    """Return the lock or why there is none, and whether somebody else has the study open for writing."""
    if read_only:
        busy = locking.is_held(path)
        return None, _in_use(locking.read_holder(path)) if busy else "It was opened for reading only.", busy
    if locking.lock_path(path).exists() and not _may_add_files(path.parent) and not locking.is_held(path):
        # The lock of a killed process could be taken over, but SQLite could not make its own files beside it.
        return None, "Its folder cannot be written to.", False
    try:
        lock = locking.acquire(path)
    except locking.StudyInUse as error:
        return None, _in_use(error.holder), True
    except OSError as error:
        # The lock file of another person may be there, and not even readable.
        if locking.is_held(path):
            return None, _in_use(locking.read_holder(path)), True
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
        what = "cannot be written to" if denied else "knows no locks"
        return None, f"Its folder {what} ({error.strerror}).", False
    if not os.access(path, os.W_OK):
        lock.release()
        return None, "You may not write to its file.", False
    return lock, "", False


def _may_add_files(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _in_use(holder: locking.Holder | None) -> str:
    if holder is not None and holder.background:
        return f"Its jobs run in the background: open it again to show or stop them ({holder})."
    return f"It is open in another window ({holder or 'nobody knows whose'})."


def prepare(connection: sqlite3.Connection, *, network: bool) -> bool:
    """Make a writing connection safe for where the file lies, and return whether it uses the write-ahead log."""
    if not network and connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
        wal = True
    else:
        wal = False
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("BEGIN EXCLUSIVE")
        connection.execute("COMMIT")
    connection.execute("PRAGMA synchronous = FULL")
    return wal


def leave_one_file(connection: sqlite3.Connection) -> None:
    """Move the log into the file. Where a reader is in the way, the log stays until the reader closes."""
    connection.execute("PRAGMA busy_timeout = 200")
    # A log that was not read or written to yet refuses the first, which must not keep the second from being done.
    for pragma in ("wal_checkpoint(TRUNCATE)", "journal_mode = DELETE"):
        with contextlib.suppress(sqlite3.Error):
            connection.execute(f"PRAGMA {pragma}").fetchall()


def leave_one_file_after_writer(path: Path) -> None:
    """Do what a writer that closed before this reader could not: leave one file."""
    if not beside(path, "-wal").exists():
        return
    try:
        lock = locking.acquire(path)
    except (OSError, locking.StudyInUse):
        return
    try:
        with contextlib.suppress(UserError, sqlite3.Error):
            connection = connect(path, "rw")
            try:
                leave_one_file(connection)
            finally:
                connection.close()
    finally:
        lock.release()
