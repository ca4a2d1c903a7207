"""Opens a sealed study: key, lock, backup and decrypted copy.

A backup is a copy of the sealed file as it was before opening.
"""

import os
import sqlite3
import stat
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from project.encryption.encrypted_files import remove_unfinished
from project.encryption.passphrases import obtain_key, read_file_header
from project.errors import UserError
from project.files.filesystem import is_on_network
from project.schema import format_versions
from project.schema.schema_comparison import ForeignSchema
from project.store.backups import MIN_INTERVAL, add_backup, is_backup, list_backups
from project.store.creation import copy_own_tables
from project.store.decrypted_copy import DecryptedCopy
from project.store.locking import StudyLock, configure_connection, take_lock
from project.store.opening import connect, verify_study
from project.text_format import escape_unprintable


def back_up_sealed(path: Path, backups: int, now: datetime) -> None:
    """Copy a sealed study to its newest backup where one is due; its lock is held, and nothing was changed yet."""
    if backups < 1 or is_backup(path):
        return
    newest = next(iter(list_backups(path)), None)
    since = newest.made.timestamp() if newest else path.stat().st_mtime
    if timedelta() <= timedelta(seconds=now.timestamp() - since) < MIN_INTERVAL:
        return
    if newest is not None and read_file_header(newest.path).raw == read_file_header(path).raw:
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.bak")
    try:
        content = path.read_bytes()
        # Under its name a killed process may have left one, or a stranger a link.
        unfinished.unlink(missing_ok=True)
        with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
            file.write(content)
            os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            file.flush()
            os.fsync(file.fileno())
        add_backup(unfinished, path, backups, now)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise UserError(
            f"No backup of “{escape_unprintable(path.name)}” was made: {error.strerror}.",
            "The next opening tries again.",
        ) from None


@dataclass(slots=True)
class OpenSealed:
    """A sealed study that is open.

    Attributes:
        connection: on the working copy.
        working: the copy in memory.
        lock: the right to write; None for one that is read only.
        reason: why it is read only, or "".
        backup_problem: why no backup was made although one was due.
        defect: why nobody may write to it: its log is damaged, or its tables are not the program's.
    """

    connection: sqlite3.Connection
    working: DecryptedCopy
    lock: StudyLock | None
    reason: str
    backup_problem: UserError | None = None
    defect: UserError | None = None

    def close(self) -> None:
        """Close all of it."""
        self.working.close(self.connection)
        if self.lock is not None:
            self.lock.release()


def open_sealed(path: Path, read_only: bool, backups: int, now: datetime) -> OpenSealed:
    """Open a sealed study; the passphrase is asked for where it is not known.

    Its connection may be used in any thread, one at a time: a window opens and seals it in a thread of its own.

    One whose log is damaged, or whose tables are not the program's, is opened for reading, and `defect` says why.
    """
    obtain_key(path, read_file_header(path))
    lock, reason, busy = take_lock(path, read_only)
    try:
        if busy and is_on_network(path) and not read_only:
            raise UserError(reason, "On a network folder only one window can have a study open. Close it there.")
        if lock is not None:
            remove_unfinished(path)
        # Read again: whoever had the lock may have sealed the study anew, or under another passphrase.
        working = DecryptedCopy(path, obtain_key(path, read_file_header(path)))
        try:
            connection, defect = _connect(working, path)
        except BaseException:
            working.discard(None)
            raise
        problem = None
        try:
            if defect is not None:
                reason = str(defect)
                if lock is not None:
                    lock.release()
                    lock = None
            elif lock is not None:
                configure_connection(connection, network=False)
                working.start_log(connection)
                # After what a killed process left was sealed, too: a backup has no log beside it.
                try:
                    back_up_sealed(path, backups, now)
                except UserError as error:
                    problem = error
        except BaseException:
            working.discard(connection)
            raise
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    return OpenSealed(connection, working, lock, reason, problem, defect)


def _connect(working: DecryptedCopy, path: Path) -> tuple[sqlite3.Connection, UserError | None]:
    """Return a connection on a working copy that was looked through, and why nobody may write to it."""
    connection = connect(working.file, "rw", any_thread=True)
    try:
        try:
            version = verify_study(connection, path.name, pages=True)
        except ForeignSchema as foreign:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            own = copy_own_tables(connection, version, path.name)
            connection.close()
            return own, foreign
        if version < len(format_versions.VERSIONS):
            raise UserError(
                f"The sealed study “{escape_unprintable(path.name)}” was made by an older version.",
                "Unseal it, open it once, and seal it again: greenroom unseal STUDY",
            )
    except BaseException:
        connection.close()
        raise
    return connection, working.damage
