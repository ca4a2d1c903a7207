"""The write lock of a study: one writer at a time, recorded in a lock file beside the study.

It also configures the writing connection for the file system, and checkpoints the write-ahead log into one file.
"""

import contextlib
import errno
import fcntl
import json
import os
import pwd
import socket  # noqa: TID251
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.store.opening import connect, inspect_file, sibling_path
from project.text_format import escape_unprintable

_MAX_HOLDER_BYTES = 4096
_SHOWN = 80
_TIMEOUT_S = 2.0
"""How long is waited for a lock whose holder is gone."""
_RETRY_INTERVAL_S = 0.02


@dataclass(frozen=True, slots=True)
class LockHolder:
    """Who has a study open for writing.

    Attributes:
        background: its window is closed, and the process goes on until its jobs have ended.
    """

    user: str
    host: str
    pid: int
    since: str
    background: bool = False

    def __str__(self) -> str:
        try:
            since = f"{datetime.fromisoformat(self.since).astimezone():%Y-%m-%d %H:%M}"
        except ValueError:
            since = self.since
        return f"{self.user} on {self.host}, process {self.pid}, since {since}"


class StudyLock:
    """The write lock of a study, held until `release`."""

    def __init__(self, path: Path, descriptor: int, holder: LockHolder) -> None:
        self._path = path
        self._holder = holder
        self._descriptor = descriptor

    def announce_background(self, on: bool) -> None:
        """Say in the lock's file whether its window is closed while jobs go on, or not any more."""
        if self._descriptor >= 0:
            with contextlib.suppress(OSError):
                _write(self._descriptor, replace(self._holder, background=on))

    def release(self) -> None:
        """Give the lock back and remove its file; safe to call twice."""
        if self._descriptor < 0:
            return
        # Removed while still held: whoever waits for this file finds afterwards that it is not the one in the folder.
        # Where the folder may not be written to any more it stays, and is taken over as that of a killed process is.
        with contextlib.suppress(OSError):
            self._path.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = -1


class StudyInUse(Exception):
    """Somebody else holds the lock. `holder` is None where the lock file cannot be read."""

    def __init__(self, holder: LockHolder | None) -> None:
        super().__init__(str(holder))
        self.holder = holder


def lock_path(study: Path) -> Path:
    """Return where the lock file of a study lies."""
    return study.with_name(study.name + ".lock")


def acquire_lock(study: Path) -> StudyLock:
    """Take the lock of a study at once or not at all; a file left by a killed process is taken over.

    Raises:
        StudyInUse: another process, or another window of this one, holds it.
        OSError: no lock file can be written there.
    """
    path = lock_path(study)
    until = time.monotonic() + _TIMEOUT_S
    while True:
        descriptor, ours = _open(path)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if ours and _is_current(path, descriptor):
                return StudyLock(path, descriptor, _write_own_holder(path, descriptor))
            if _is_current(path, descriptor):
                path.unlink()
        except BlockingIOError:
            os.close(descriptor)
            holder = read_holder(study)
            if not _just_died(holder) or time.monotonic() > until:
                raise StudyInUse(holder) from None
            time.sleep(_RETRY_INTERVAL_S)
            continue
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _just_died(holder: LockHolder | None) -> bool:
    """Tell whether the holder was a process of this machine that is gone.

    What it was about to start holds the lock until it has begun.
    """
    if holder is None or holder.host != socket.gethostname():
        return False
    try:
        os.kill(holder.pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


def is_held(study: Path) -> bool:
    """Tell whether somebody has the study open for writing, without making a lock file."""
    try:
        descriptor = os.open(lock_path(study), os.O_RDONLY | os.O_NOFOLLOW)
    except PermissionError:
        # Nobody can tell, so it is taken to be.
        return True
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return False


def background_holder(study: Path) -> LockHolder | None:
    """Return the process of this user on this machine that does jobs in the study with its window closed, if any."""
    holder = read_holder(study) if is_held(study) else None
    if holder is None or not holder.background or holder.host != socket.gethostname() or holder.pid == os.getpid():
        return None
    try:
        os.kill(holder.pid, 0)
    except (OSError, OverflowError):
        return None
    return holder


def read_holder(study: Path) -> LockHolder | None:
    """Return who wrote the lock file, or None where it is missing or unreadable."""
    try:
        descriptor = os.open(lock_path(study), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            found = json.loads(os.read(descriptor, _MAX_HOLDER_BYTES))
        finally:
            os.close(descriptor)
        user, host, since = (str(found[key])[:_SHOWN] for key in ("user", "host", "since"))
        return LockHolder(user, host, int(found["pid"]), since, found.get("background") is True)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None


def _open(path: Path) -> tuple[int, bool]:
    """Return the lock file, made where there is none, and whether it may be written to."""
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666), True
    except PermissionError as denied:
        # Another person's, whose process was killed or still runs: held or not can be found out, and it can be removed.
        try:
            return os.open(path, os.O_RDONLY | os.O_NOFOLLOW), False
        except OSError:
            raise denied from None


def _write_own_holder(path: Path, descriptor: int) -> LockHolder:
    """Write into the lock file whose it is; a full disk, which takes the file but no text, keeps neither."""
    try:
        holder = _own_holder()
        _write(descriptor, holder)
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise
    return holder


def _write(descriptor: int, holder: LockHolder) -> None:
    """Write the text of a lock file; whoever reads it meanwhile reads the old one, the new one, or none."""
    text = json.dumps(asdict(holder)).encode()
    os.pwrite(descriptor, text, 0)
    os.ftruncate(descriptor, len(text))


def _is_current(path: Path, descriptor: int) -> bool:
    ours = os.fstat(descriptor)
    try:
        there = path.stat()
    except FileNotFoundError:
        return False
    return (ours.st_dev, ours.st_ino) == (there.st_dev, there.st_ino)


def _own_holder() -> LockHolder:
    try:
        user = pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        user = str(os.getuid())
    return LockHolder(user, socket.gethostname(), os.getpid(), datetime.now(UTC).isoformat(timespec="seconds"))


def take_lock(path: Path, read_only: bool) -> tuple[StudyLock | None, str, bool]:
    """Return the lock or why there is none, and whether somebody else has the study open for writing."""
    if read_only:
        busy = is_held(path)
        return None, _in_use_reason(read_holder(path)) if busy else "It was opened read-only.", busy
    if lock_path(path).exists() and not _may_add_files(path.parent) and not is_held(path):
        # The lock of a killed process could be taken over, but SQLite could not make its own files beside it.
        return None, "Its folder cannot be written to.", False
    try:
        lock = acquire_lock(path)
    except StudyInUse as error:
        return None, _in_use_reason(error.holder), True
    except OSError as error:
        # The lock file of another person may be there, and not even readable.
        if is_held(path):
            return None, _in_use_reason(read_holder(path)), True
        denied = error.errno in (errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT)
        what = "cannot be written to" if denied else "knows no locks"
        return None, f"Its folder {what} ({error.strerror}).", False
    if not os.access(path, os.W_OK):
        lock.release()
        return None, "You may not write to its file.", False
    return lock, "", False


def _may_add_files(folder: Path) -> bool:
    return os.access(folder, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def _in_use_reason(holder: LockHolder | None) -> str:
    if holder is not None and holder.background:
        return f"Its jobs run in the background: open it again to show or stop them ({holder})."
    return f"It is open in another window ({holder or 'nobody knows whose'})."


def configure_connection(connection: sqlite3.Connection, *, network: bool) -> bool:
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


def checkpoint_to_one_file(connection: sqlite3.Connection) -> None:
    """Move the log into the file. Where a reader is in the way, the log stays until the reader closes."""
    connection.execute("PRAGMA busy_timeout = 200")
    # A log that was not read or written to yet refuses the first, which must not keep the second from being done.
    for pragma in ("wal_checkpoint(TRUNCATE)", "journal_mode = DELETE"):
        with contextlib.suppress(sqlite3.Error):
            connection.execute(f"PRAGMA {pragma}").fetchall()


def checkpoint_after_writer(path: Path) -> None:
    """Do what a writer that closed before this reader could not: leave one file."""
    if not sibling_path(path, "-wal").exists():
        return
    try:
        lock = acquire_lock(path)
    except (OSError, StudyInUse):
        return
    try:
        with contextlib.suppress(UserError, sqlite3.Error):
            connection = connect(path, "rw")
            try:
                checkpoint_to_one_file(connection)
            finally:
                connection.close()
    finally:
        lock.release()


_EXCLUSIVE_TIMEOUT_S = 2.0
"""How long is waited for threads and windows that are about to leave the study."""
_EXCLUSIVE_RETRY_S = 0.05


@contextlib.contextmanager
def exclusive_lock(path: Path) -> Iterator[None]:
    """Hold the lock of a study that was opened and closed before."""
    lock = _lock(path)
    try:
        yield
    finally:
        lock.release()


def _lock(path: Path) -> StudyLock:
    until = time.monotonic() + _EXCLUSIVE_TIMEOUT_S
    while True:
        patient = time.monotonic() < until
        try:
            lock = acquire_lock(path)
        except StudyInUse as error:
            if not patient:
                raise UserError(
                    f"“{escape_unprintable(path.name)}” is open in another window ({error.holder}).",
                    "Close it there and try again.",
                ) from None
        except OSError as error:
            raise UserError(
                f"“{escape_unprintable(path.name)}” cannot be written: {error.strerror}. It was not changed.",
                "Check the permissions of its folder.",
            ) from None
        else:
            try:
                free = not inspect_file(path)
            except BaseException:
                lock.release()
                raise
            if free:
                return lock
            lock.release()
            if not patient:
                raise UserError(
                    f"“{escape_unprintable(path.name)}” is open in another window.", "Close it there and try again."
                )
            checkpoint_after_writer(path)
        time.sleep(_EXCLUSIVE_RETRY_S)
