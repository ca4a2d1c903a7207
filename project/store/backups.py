"""The rolling backups of a study, made in a thread while it is open: `NAME.greenroom.bak-1` is the newest."""

import contextlib
import os
import re
import shutil
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import quote

from project.errors import UserError
from project.files.atomic_files import flush_folder
from project.files.filesystem import resolve_path
from project.files.sqlcipher import sqlite3
from project.schema.tables import RUN_TABLES
from project.store.opening import connect, verify_study
from project.text_format import escape_unprintable, format_size

DEFAULT_BACKUPS = 5
"""How many are kept where nobody says otherwise."""

_ENDING = re.compile(r"\.bak-([1-9][0-9]{0,3})")
_MAX_AGE = timedelta(days=60)
"""Older ones go when a newer one is made: what was deleted from a study must not stay beside it for ever."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup on disk: its number (1 is the newest), when it was made, and its size in bytes."""

    path: Path
    number: int
    made: datetime
    size: int


def backup_paths(path: str | Path) -> list[Path]:
    """Return the backups of a study that are there, the newest first; the study itself may be gone."""
    return [backup.path for backup in list_backups(path)]


def list_backups(path: str | Path) -> list[Backup]:
    """Return what is known of each backup of a study without opening it, the newest first."""
    study = resolve_path(Path(path))
    found: list[Backup] = []
    try:
        beside = [*os.scandir(study.parent)]
    except OSError:
        return []
    for entry in beside:
        ending = _ENDING.fullmatch(entry.name, len(study.name)) if entry.name.startswith(study.name) else None
        if ending is None:
            continue
        try:
            if entry.is_file(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                made = datetime.fromtimestamp(status.st_mtime, UTC)
                found.append(Backup(study.with_name(entry.name), int(ending[1]), made, status.st_size))
        except OSError:
            continue
    return sorted(found, key=lambda backup: backup.number)


def is_backup(path: Path) -> bool:
    """Tell whether a path is named like a backup; those have no backups of their own."""
    return re.search(_ENDING.pattern + r"\Z", path.name) is not None


def add_backup(finished: Path, study: Path, keep: int, now: datetime) -> Path:
    """Make a finished file the newest backup of a study, and delete surplus ones and those older than 60 days.

    A process that is killed in between leaves all of them, perhaps with a number left out.

    Args:
        finished: lies in the folder of the study; it is renamed.
        study: whose backup it is.
        keep: how many there may be afterwards, one or more.
        now: the present time.

    Raises:
        OSError: the folder cannot be written to.
    """
    _free_first_number(study)
    place = _backup_path(study, 1)
    finished.rename(place)
    there = list_backups(study)
    for old in [backup for backup in there[1:] if now - backup.made > _MAX_AGE]:
        there.remove(old)
        old.path.unlink()
    while len(there) > keep:
        gone = there.pop(_choose_dispensable([backup.made for backup in there], now))
        gone.path.unlink()
    for number, backup in enumerate(there, 1):
        if backup.number != number:
            backup.path.rename(_backup_path(study, number))
    flush_folder(study.parent)
    return place


def _free_first_number(study: Path) -> None:
    """Free the number 1: those up to the first free number move on by one, the last of them first."""
    number = 1
    while os.path.lexists(_backup_path(study, number)):
        number += 1
    for free in range(number, 1, -1):
        _backup_path(study, free - 1).rename(_backup_path(study, free))


def _backup_path(study: Path, number: int) -> Path:
    return study.with_name(f"{study.name}.bak-{number}")


def _choose_dispensable(made: Sequence[datetime], now: datetime) -> int:
    """Return the place of the backup to part with, of two or more, newest first.

    The newest always stays, and the oldest of three. The one goes whose neighbours lie closest together for its age, so
    that what remains reaches from today back to weeks ago.
    """
    last = len(made) - 1
    if last == 1:
        return last
    age = [max((now - moment).total_seconds(), 1.0) for moment in made]
    return min(range(1, last), key=lambda i: (age[i + 1] - age[i - 1]) / age[i])


MIN_INTERVAL = timedelta(minutes=10)
"""How far apart backups are at least, and how old a study is when it gets its first one."""

_SPARE_BYTES = 64_000_000
"""What stays free on the disk: a backup must not be what keeps the next edit from being saved."""

_COUNTED_TABLES = tuple(name for name, table in RUN_TABLES.items() if not table.part_of)
"""What is written outside the history. Rows of the other run tables come with one of these."""

State = tuple[object, ...]


def content_state(connection: sqlite3.Connection) -> State:
    """Return what tells whether anything was written since: the newest step, and how many rows runs have."""
    step = connection.execute("SELECT id, uid FROM journal_step ORDER BY id DESC LIMIT 1").fetchone()
    change = connection.execute("SELECT max(id) FROM journal_change").fetchone()[0]
    counts = [connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in _COUNTED_TABLES]
    return (step, change, *counts)


def back_up(connection: sqlite3.Connection, path: Path, keep: int, now: datetime) -> Path | None:
    """Make a backup where one is due; return it. For a sound study whose lock is held by this process.

    One is due when the study was changed since the newest, which lies ten minutes back or more.

    Args:
        connection: on the study, without a transaction.
        path: of the study, with links resolved.
        keep: how many backups stay; with 0, none is made and those that are there are left alone.
        now: the present time.
    """
    if keep < 1 or is_backup(path):
        return None
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.bak")
    try:
        if not _is_due(connection, path, now):
            return None
        status = path.stat()
        free = shutil.disk_usage(path.parent).free
        if free < status.st_size + _SPARE_BYTES:
            raise _no_space_error(path, format_size(free))
        with os.fdopen(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600), "rb") as file:
            connection.execute("VACUUM INTO ?", (f"file:{quote(os.fsencode(unfinished))}",))
            os.fchmod(file.fileno(), stat.S_IMODE(status.st_mode))
            os.fsync(file.fileno())
        return add_backup(unfinished, path, keep, now)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            raise _no_space_error(path, "too little") from None
        raise _backup_error(path, str(error)) from None
    except OSError as error:
        raise _backup_error(path, str(error.strerror)) from None
    finally:
        with contextlib.suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _is_due(connection: sqlite3.Connection, path: Path, now: datetime) -> bool:
    newest = next(iter(list_backups(path)), None)
    if newest is None:
        (made,) = connection.execute("SELECT value FROM property WHERE key = 'id'").fetchone() or ('""',)
        return (
            not timedelta() <= now - _id_time(made.strip('"')) < MIN_INTERVAL
            and content_state(connection)[0] is not None
        )
    if timedelta() <= now - newest.made < MIN_INTERVAL:
        return False
    try:
        with contextlib.closing(connect(newest.path, "ro", immutable=True, ask=False)) as before:
            # A backup that somebody tampered with may declare a table so that reading it takes for ever.
            verify_study(before, newest.path.name, pages=False)
            return content_state(before) != content_state(connection)
    except (UserError, sqlite3.Error):
        # It cannot be read: that is one more reason for another.
        return True


def _id_time(study_id: str) -> datetime:
    """Return when an id was made (RFC 9562, section 5.7: the first 48 bits are milliseconds), or long ago."""
    try:
        return datetime.fromtimestamp(int(study_id.replace("-", "")[:12], 16) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _no_space_error(path: Path, free: str) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” was not backed up: its disk has {free} left.",
        "Free some space; a backup is made when you next open the study. Your edits are still saved.",
    )


def _backup_error(path: Path, why: str) -> UserError:
    return UserError(
        f"“{escape_unprintable(path.name)}” was not backed up: {why}.",
        "Check the permissions of its folder; a backup is made when you next open the study.",
    )
