"""The rolling backups of a study: `NAME.greenroom.bak-1` is the newest. Which there are, and which stay."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from project.filesystem import resolved

USUAL = 5
"""How many are kept where nobody says otherwise."""

_ENDING = re.compile(r"\.bak-([1-9][0-9]{0,3})")
_OLD = timedelta(days=60)
"""Older ones go when a newer one is made: what was deleted from a study must not stay beside it for ever."""


@dataclass(frozen=True, slots=True)
class Backup:
    """A backup on disk: its number (1 is the newest), when it was made, and its size in bytes."""

    path: Path
    number: int
    made: datetime
    size: int


def backups_of(path: str | Path) -> list[Path]:
    """Return the backups of a study that are there, the newest first; the study itself may be gone."""
    return [one.path for one in list_backups(path)]


def list_backups(path: str | Path) -> list[Backup]:
    """Return what is known of each backup of a study without opening it, the newest first."""
    study = resolved(Path(path))
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
    return sorted(found, key=lambda one: one.number)


def is_backup(path: Path) -> bool:
    """Tell whether a path is named like a backup; those have no backups of their own."""
    return re.search(_ENDING.pattern + r"\Z", path.name) is not None


def take_in(finished: Path, study: Path, keep: int, now: datetime) -> Path:
    """Make a finished file the newest backup of a study, and remove those that are too many or older than 60 days.

    A process that is killed in between leaves all of them, perhaps with a number left out.

    Args:
        finished: lies in the folder of the study; it is renamed.
        study: whose backup it is.
        keep: how many there may be afterwards, one or more.
        now: the present time.

    Raises:
        OSError: the folder cannot be written to.
    """
    _make_room(study)
    place = _numbered(study, 1)
    finished.rename(place)
    there = list_backups(study)
    for old in [one for one in there[1:] if now - one.made > _OLD]:
        there.remove(old)
        old.path.unlink()
    while len(there) > keep:
        gone = there.pop(_dispensable([one.made for one in there], now))
        gone.path.unlink()
    for number, one in enumerate(there, 1):
        if one.number != number:
            one.path.rename(_numbered(study, number))
    descriptor = os.open(study.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    return place


def _make_room(study: Path) -> None:
    """Free the number 1: those up to the first free number move on by one, the last of them first."""
    number = 1
    while os.path.lexists(_numbered(study, number)):
        number += 1
    for free in range(number, 1, -1):
        _numbered(study, free - 1).rename(_numbered(study, free))


def _numbered(study: Path, number: int) -> Path:
    return study.with_name(f"{study.name}.bak-{number}")


def _dispensable(made: Sequence[datetime], now: datetime) -> int:
    """Return the place of the backup to part with, of two or more, newest first.

    The newest always stays, and the oldest of three. The one goes whose neighbours lie closest together for its age, so
    that what remains reaches from today back to weeks ago.
    """
    last = len(made) - 1
    if last == 1:
        return last
    age = [max((now - one).total_seconds(), 1.0) for one in made]
    return min(range(1, last), key=lambda i: (age[i + 1] - age[i - 1]) / age[i])
