"""A study file without somebody, written anew: what goes is in no page, no log and no free space of it."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from project import locking
from project.alone import alone as hold
from project.check import check
from project.errors import UserError
from project.filesystem import resolved
from project.names import shown
from project.opening import Snapshot, beside, connect, examine, verify
from project.scratch import scratch_folder
from project.sealing.container import is_sealed
from project.sealing.files import seal_stream, wipe
from project.sealing.log import log_path
from project.sealing.passphrases import header_of, keep, key_of
from project.sqlite_errors import explained
from project.store import Study

_BLOCK = 1 << 20


def in_memory(path: Path) -> sqlite3.Connection:
    """Return a connection on a copy of a study that is in memory alone.

    Raises:
        UserError: it is no study, damaged, or of another version.
    """
    path = resolved(path)
    if is_sealed(path):
        with Study.open(path, read_only=True) as sealed:
            _require_sound(sealed)
            return copy_to_memory(sealed)
    leftover = examine(path)
    if locking.is_held(path):
        with contextlib.closing(connect(path, "ro")) as connection:
            # Whoever has it open may have looked at it before another program changed its tables.
            verify(connection, path.name, pages=False)
            return _copied(connection, path)
    with Snapshot(path, leftover) as snapshot:
        verify(snapshot.connection, path.name, pages=True)
        return _copied(snapshot.connection, path)


def require_readable(path: Path) -> None:
    """Return quietly where `in_memory` can read a file, that nobody has open.

    Raises:
        UserError: it is no study, damaged, or of another version.
    """
    path = resolved(path)
    if is_sealed(path):
        with Study.open(path, read_only=True) as sealed:
            _require_sound(sealed)
        return
    with Snapshot(path, examine(path)) as snapshot:
        verify(snapshot.connection, path.name, pages=True)


def copy_to_memory(study: Study) -> sqlite3.Connection:
    """Return a connection on a copy of a study that is open; the copy is in memory alone."""
    memory = _memory()
    study.copy_into(memory)
    return memory


def _require_sound(study: Study) -> None:
    """Refuse a study that nobody may write to: what others put into it would be written anew, or stay unseen.

    Raises:
        UserError: it is one.
    """
    if study.defect is not None:
        raise study.defect


def _copied(source: sqlite3.Connection, path: Path) -> sqlite3.Connection:
    memory = _memory()
    with explained(path.name):
        source.backup(memory)
    return memory


def _memory() -> sqlite3.Connection:
    memory = sqlite3.connect(":memory:", isolation_level=None)
    for pragma in ("trusted_schema = OFF", "temp_store = MEMORY"):
        memory.execute(f"PRAGMA {pragma}")
    return memory


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold a study for oneself, closed and in one file, at the newest version of the format.

    Raises:
        UserError: somebody has it open, or it cannot be written to.
    """
    path = resolved(path)
    with Study.open(path) as study:
        study.require_writable()
        study.finish_opening()
    with hold(path):
        yield


def write_anew(memory: sqlite3.Connection, path: Path) -> None:
    """Put what is in memory in the place of a file: see `anew`."""
    with anew(memory, path) as rewritten:
        rewritten.publish()


@dataclass(frozen=True, slots=True)
class RewrittenFile:
    """A study file that was written anew and is not in its place yet.

    Attributes:
        path: where it lies, in a folder of its own beside the study.
        study: the file whose place it takes.
    """

    path: Path
    study: Path

    def publish(self) -> bool:
        """Put it in its place, and overwrite the old content.

        Returns:
            Whether the old content was overwritten; a file that has another name too (a hard link) is left.
        """
        return _put(self.path, self.study)


@contextlib.contextmanager
def anew(memory: sqlite3.Connection, path: Path) -> Iterator[RewrittenFile]:
    """Write what is in memory beside a file, and lend the result, to be searched and put in the file's place.

    The caller is `alone` with it. Overwriting reaches what this file system keeps; not what a disk keeps by itself
    (solid-state disks write elsewhere), nor snapshots and copies.

    Raises:
        UserError: there is no room, the folder cannot be written to, or what would be written is no sound study.
    """
    path = resolved(path)
    sound = not check(path)
    try:
        with scratch_folder(path) as folder:
            made = folder / "withdrawn"
            _write(memory, made, path)
            if sound and (problems := check(made)):
                raise RuntimeError(f"a study would not be sound any more: {problems[0]}")
            made.chmod(path.stat().st_mode & 0o777)
            _flush(made)
            yield RewrittenFile(made, path)
    except OSError as error:
        raise UserError(
            f"“{shown(path.name)}” cannot be written: {error.strerror}.",
            "See what is left free, and who may write there.",
        ) from None


def _write(memory: sqlite3.Connection, made: Path, path: Path) -> None:
    """Write what is in memory into a new file, without a free page; sealed where the study is."""
    if not is_sealed(path):
        with explained(path.name):
            memory.execute("VACUUM INTO ?", (str(made),))
        return
    memory.execute("VACUUM")
    content, key = memory.serialize(), key_of(path, header_of(path))
    # In its header it says whether there is a log beside it, which is never so here.
    content = content[:18] + b"\1\1" + content[20:]
    keep(seal_stream((content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK)), made, key, path), key)


def _put(made: Path, path: Path) -> bool:
    with path.open("r+b") as old:
        only = os.fstat(old.fileno()).st_nlink == 1
        made.replace(path)
        _flush_folder(path.parent)
        if only:
            wipe(old.fileno())
    for left in (*(beside(path, ending) for ending in ("-wal", "-shm", "-journal")), log_path(path)):
        left.unlink(missing_ok=True)
    return only


def _flush(path: Path) -> None:
    with path.open("rb") as file:
        os.fsync(file.fileno())


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
