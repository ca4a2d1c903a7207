"""Opens a sealed study: its key, its lock, and its working copy in memory."""

import sqlite3
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from project import schema
from project.access import prepare, take_lock
from project.errors import UserError
from project.filesystem import on_network
from project.locking import StudyLock
from project.names import shown
from project.opening import connect, verify
from project.sealing.backups import back_up_sealed
from project.sealing.files import clean_up_after
from project.sealing.passphrases import header_of, key_of
from project.sealing.working import Working


@dataclass(slots=True)
class OpenSealed:
    """A sealed study that is open.

    Attributes:
        connection: on the working copy.
        working: the copy in memory.
        lock: the right to write; None for one that is read only.
        reason: why it is read only, or "".
        backup_problem: why no backup was made although one was due.
    """

    connection: sqlite3.Connection
    working: Working
    lock: StudyLock | None
    reason: str
    backup_problem: UserError | None = None

    def close(self) -> None:
        """Close all of it."""
        self.working.close(self.connection)
        if self.lock is not None:
            self.lock.release()


def open_sealed(path: Path, read_only: bool, backups: int, now: datetime) -> OpenSealed:
    """Open a sealed study; the passphrase is asked for where it is not known.

    Its connection may be used in any thread, one at a time: a window opens and seals it in a thread of its own.

    Raises:
        UserError: no passphrase or a wrong one was given, the file is damaged, or there is no room for it.
    """
    key_of(path, header_of(path))
    lock, reason, busy = take_lock(path, read_only)
    try:
        if busy and on_network(path) and not read_only:
            raise UserError(reason, "On a network folder only one window can have a study open. Close it there.")
        problem = None
        if lock is not None:
            clean_up_after(path)
            try:
                back_up_sealed(path, backups, now)
            except UserError as error:
                problem = error
        # Read again: whoever had the lock may have sealed the study anew, or under another passphrase.
        working = Working(path, key_of(path, header_of(path)))
        connection: sqlite3.Connection | None = None
        try:
            connection = connect(working.file, "rw", any_thread=True)
            if verify(connection, path.name, pages=True) < len(schema.VERSIONS):
                raise UserError(
                    f"The sealed study “{shown(path.name)}” was made by an older version.",
                    "Unseal it, open it once, and seal it again: greenroom unseal STUDY",
                )
            if lock is not None:
                prepare(connection, network=False)
                working.begin(connection)
        except BaseException:
            working.discard(connection)
            raise
    except BaseException:
        if lock is not None:
            lock.release()
        raise
    return OpenSealed(connection, working, lock, reason, problem)
