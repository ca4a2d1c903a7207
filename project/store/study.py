"""An open study: one file, its transactions, and undoable steps."""

import contextlib
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from project.encryption.encrypted_files import remove_unfinished
from project.encryption.encryption_key import EncryptionKey, is_encrypted
from project.encryption.passphrases import obtain_key
from project.entities.study_records import Changes, Json
from project.errors import Cancelled, UserError
from project.files.filesystem import is_on_network, resolve_path
from project.files.fingerprints import FileIdentity
from project.files.sqlcipher import sqlite3
from project.files.temporary_files import MemoryCache, sweep_unfinished
from project.progress import Progress
from project.schema import format_versions
from project.schema.schema_comparison import ForeignSchema
from project.store import visibility
from project.store.backups import back_up
from project.store.column_values import to_json
from project.store.journal import Journal
from project.store.locking import (
    StudyLock,
    checkpoint_after_writer,
    checkpoint_to_one_file,
    configure_connection,
    take_lock,
)
from project.store.opening import (
    LeftoverFiles,
    Snapshot,
    StudyThread,
    check_pages,
    connect,
    inspect_file,
    start_page_check,
    translate_errors,
    verify_study,
)
from project.store.read_pool import ReadPool
from project.text_format import escape_unprintable

Cell: TypeAlias = str | int | bytes | None
Row: TypeAlias = tuple[Any, ...]
Clock: TypeAlias = Callable[[], datetime]

_BULK_CACHE_KIB = 65_536
_PROGRESS_INSTRUCTIONS = 20_000
"""Instructions of SQLite, a millisecond at most, after which it is looked whether an edit is still wanted."""
_PART = "part"


class _LogDamage(Exception):
    """The write-ahead log that a killed process left is damaged: the study can be read only."""


@dataclass(slots=True)
class UndoStep:
    """One undo step; `changes` is filled in when the block of `Study.step` ends."""

    name: str
    changes: Changes = field(default_factory=Changes)


class Study:
    """An open study. One that can only be read belongs to the thread that opened it.

    One that may be written to can be used by another thread meanwhile: whoever comes second waits until the other's
    transaction is through, so nobody sees anything half done. A thread that may not wait, such as that of a window, can
    read what was saved before: see `read_without_waiting`.

    The first window that opens a study may write to it; every later one reads, sees what the first one saves, and says
    in `read_only_reason` why it cannot write.

    Attributes:
        path: the file, with symbolic links resolved.
        folder: where it lies; the paths of media are relative to it.
        id: the study's own identifier, the same in every copy.
        read_only: whether nothing can be written.
        read_only_reason: why, as a sentence; "" when it can.
        encryption_key: of an encrypted study; None for one that is not.
        defect: why nobody may write to the file, whoever opens it: others changed its tables, or its log is damaged;
            None for a sound one.
    """

    def __init__(
        self,
        path: Path,
        connection: sqlite3.Connection,
        *,
        lock: StudyLock | None,
        read_only_reason: str,
        wal: bool = False,
        snapshot: Snapshot | None = None,
        defect: UserError | None = None,
        clock: Clock | None = None,
    ) -> None:
        """Use `Study.open` or `Study.create` instead."""
        self.path = path
        self.folder = path.parent
        self.read_only = bool(read_only_reason)
        self.read_only_reason = read_only_reason
        self._connection = connection
        self._lock = lock
        self._wal = wal
        self._readers = ReadPool(path) if wal else None
        self._snapshot = snapshot
        self.encryption_key: EncryptionKey | None = obtain_key(path) if is_encrypted(path) else None
        self.defect = defect
        self._clock = clock or (lambda: datetime.now(UTC))
        self._writing = ""
        self._whole = False
        self._viewer: str | None = None
        self._hasty: int | None = None
        self._data_version = (0, 0)
        self._look: Callable[[], int] | None = None
        self._turn = threading.RLock()
        self._closed = False
        self._page_check: StudyThread | None = None
        self._backing_up: StudyThread | None = None
        self._keep = 0
        self._when_backed_up: Callable[[], None] | None = None
        self._backup_problem: UserError | None = None
        self._standing = FileIdentity(path) if lock is not None else None
        visibility.create_views(connection)
        self._journal = Journal(connection)
        if not self.read_only:
            self._journal.install()
        self.id = str(self.get_property("id", ""))
        key = self.encryption_key
        self._memory_cache = None if key is None else MemoryCache(key.salt, key.secret)

    @classmethod
    def create(
        cls, path: str | Path, name: str = "", *, key: EncryptionKey | None = None, clock: Clock | None = None
    ) -> Self:
        """Make a new study and open it; `.greenroom` is added to the name where it is missing.

        With the key of another study, it is encrypted as that one.
        """
        from project.store.creation import create_file

        return cls.open(create_file(Path(path).absolute(), name, key), clock=clock)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        when_checked: Callable[[], None] | None = None,
        backups: int = 0,
        when_backed_up: Callable[[], None] | None = None,
    ) -> Self:
        """Open a study; `clock` stands in for the time of day in tests.

        Every page of the file is looked at for damage first. With `when_checked`, a study of this version that was
        closed well is opened at once, and its pages are looked at in a thread, which calls `when_checked` when it is
        through: call `finish_opening` then, in the study's own thread. Nothing is written before the pages are known
        to be well, so that a damaged file stays as it is; a step that comes earlier waits.

        A study that others put tables, indices or columns into is opened read-only, without them, and `defect`
        says so. The same holds for one that a killed process left, and whose write-ahead log was damaged since.
        """
        path = resolve_path(Path(path))
        inspect_file(path)
        if is_encrypted(path):
            # Asked for before the lock is taken.
            obtain_key(path)
        lock, reason, busy = take_lock(path, read_only)
        try:
            if busy and is_on_network(path):
                raise UserError(reason, "Close it there. On a network folder only one window can open a study.")
            with translate_errors(path.name):
                if lock is None:
                    return cls._open_for_reading(path, reason, busy, clock)
                study = cls._open_for_writing(path, lock, clock, when_checked, backups)
                study._when_backed_up = when_backed_up
                return study
        except _LogDamage:
            if lock is not None:
                lock.release()
            with translate_errors(path.name):
                return cls._open_for_reading(path, "", False, clock)
        except ForeignSchema as defect:
            if lock is not None:
                lock.release()
            with translate_errors(path.name):
                return cls._open_own_tables(path, defect, busy, clock)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    @classmethod
    def from_memory(cls, path: Path, memory: sqlite3.Connection) -> Self:
        """Return a study that lies in memory as one that is read; it is closed with the study.

        Args:
            path: of the file that it was made of.
            memory: holds all of it.
        """
        return cls(path, memory, lock=None, read_only_reason="It is a copy in memory.")

    @classmethod
    def _open_for_writing(
        cls, path: Path, lock: StudyLock, clock: Clock | None, when_checked: Callable[[], None] | None, backups: int
    ) -> Self:
        network = is_on_network(path)
        sweep_unfinished(path)
        remove_unfinished(path)
        # Looked at again: while the lock was being taken, another window may have closed.
        leftover = inspect_file(path)
        if leftover or network:
            when_checked = None
        with Snapshot(path, leftover) as snapshot:
            if snapshot.damage is not None:
                raise _LogDamage
            version = verify_study(snapshot.connection, path.name, pages=when_checked is None)
            if version < len(format_versions.VERSIONS) and when_checked is not None:
                check_pages(snapshot.connection, path.name)
        if version < len(format_versions.VERSIONS):
            from project.store.creation import upgrade_file

            upgrade_file(path, version)
            when_checked = None
        connection = connect(path, "rw", any_thread=True)
        try:
            wal = configure_connection(connection, network=network) if when_checked is None else False
            study = cls(path, connection, lock=lock, read_only_reason="", wal=wal, clock=clock)
            if when_checked is not None:
                study._page_check = start_page_check(path, when_checked)
                study._keep = backups
            elif backups:
                try:
                    back_up(connection, path, backups, study._clock())
                except UserError as problem:
                    study._backup_problem = problem
        except BaseException:
            connection.close()
            raise
        return study

    @classmethod
    def _open_for_reading(cls, path: Path, reason: str, busy: bool, clock: Clock | None) -> Self:
        # What a killed process left is put in order by the next window that may write; until then a copy is read.
        leftover = LeftoverFiles(wal=False, journal=False) if busy else inspect_file(path)
        snapshot = None
        if not busy:
            snapshot = Snapshot(path, leftover)
            try:
                verify_study(snapshot.connection, path.name, pages=True)
            except BaseException:
                snapshot.close()
                raise
            if not leftover:
                snapshot.close()
                snapshot = None
        connection = snapshot.connection if snapshot else connect(path, "ro")
        try:
            if verify_study(connection, path.name, pages=False) < len(format_versions.VERSIONS):
                raise UserError(
                    f"The study “{escape_unprintable(path.name)}” was made by an older version of Greenroom.",
                    "Open it once in a folder where you may write.",
                )
            defect = None if snapshot is None else snapshot.damage
            return cls(
                path,
                connection,
                lock=None,
                read_only_reason=reason if defect is None else str(defect),
                snapshot=snapshot,
                defect=defect,
                clock=clock,
            )
        except BaseException:
            (snapshot or connection).close()
            raise

    @classmethod
    def _open_own_tables(cls, path: Path, defect: UserError, busy: bool, clock: Clock | None) -> Self:
        """Open what is the program's own of a study that others changed the tables of, as a copy in memory."""
        from project.store.creation import copy_own_tables

        snapshot = None if busy else Snapshot(path, inspect_file(path))
        source = snapshot.connection if snapshot else connect(path, "ro")
        try:
            version = int(source.execute("PRAGMA user_version").fetchone()[0])
            memory = copy_own_tables(source, version, path.name)
        finally:
            (snapshot or source).close()
        try:
            return cls(path, memory, lock=None, read_only_reason=str(defect), defect=defect, clock=clock)
        except BaseException:
            memory.close()
            raise

    def close(self) -> None:
        """Close the study and leave one file; safe to call twice."""
        with self._turn:
            if self._closed:
                return
            if self._page_check is not None:
                self._page_check.stop()
            if self._backing_up is not None:
                self._backing_up.stop()
            if self._memory_cache is not None:
                self._memory_cache.remove()
            if self._snapshot is not None:
                self._snapshot.close()
            elif self._lock is not None:
                if self._readers is not None:
                    self._readers.close()
                if self._wal:
                    checkpoint_to_one_file(self._connection)
                self._connection.close()
                self._lock.release()
            else:
                self._connection.close()
                if self.defect is None:
                    checkpoint_after_writer(self.path)
            self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def announce_background(self, on: bool) -> None:
        """Say to other openers whether the window of this process is closed while its jobs go on."""
        if self._lock is not None:
            self._lock.announce_background(on)

    @contextlib.contextmanager
    def step(
        self, name: str, annotator_id: str | None = None, merge_key: str | None = None, *, undoable: bool = True
    ) -> Iterator[UndoStep]:
        """Open a transaction that is one undo step, saved to disk when the block ends.

        A step that changed nothing leaves no trace; one that raised has changed nothing.

        Args:
            name: what the menu shows after "Undo", such as "Move segment".
            annotator_id: who does it.
            merge_key: a step with the key of the newest step, by the same annotator and within two seconds of it, joins
                it, so that a drag is undone at once.
            undoable: False for what is written down with who and when, but is not there to be undone, such as that
                an annotator was introduced. It leaves undo and redo as they are, so nothing that a step in the
                history needs may be changed by it.
        """
        result = UndoStep(name)
        with self._transaction("step"):
            step = self._journal.begin(name, annotator_id, self._clock(), merge_key=merge_key, undoable=undoable)
            yield result
            result.changes = self._journal.end(step)
            if not result.changes:
                self._connection.execute(f"ROLLBACK TO {_PART}" if self._whole else "ROLLBACK")

    @contextlib.contextmanager
    def run_transaction(self) -> Iterator[None]:
        """Open a transaction for run tables: not undoable, and writes to human tables are rejected."""
        with self._transaction("run"):
            yield

    @contextlib.contextmanager
    def without_history(self) -> Iterator[None]:
        """Open a transaction that leaves no trace in the journal: for filling a study that was just made."""
        with self._transaction("step"):
            self._journal.begin_unlogged()
            yield
            self._journal.end_unlogged()

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the connection's lock for the block: what it reads is still valid when it writes.

        A thread that never waits goes on reading what was saved before.
        """
        with self._turn:
            yield

    @contextlib.contextmanager
    def atomic(self) -> Iterator[None]:
        """Run the block as one transaction: all its writes are saved when it ends, or none."""
        with self._transaction(""):
            self._whole = True
            try:
                yield
            finally:
                self._whole = False

    @contextlib.contextmanager
    def cancellable(self, progress: Progress, rows: int = 0) -> Iterator[None]:
        """Make the block cancellable at any moment: the open transaction is then rolled back.

        Args:
            progress: is asked whether it is to stop, and told how many rows are written, of `rows`.
            rows: how many the block writes, with those of the history; 0 where nobody knows.

        Raises:
            Cancelled: it was stopped.
        """
        before, stopped, writer = self._connection.total_changes, False, threading.get_ident()

        def look() -> int:
            nonlocal stopped
            if threading.get_ident() != writer:
                return False
            progress.progress(min(rows, self._connection.total_changes - before), rows)
            try:
                progress.check_cancelled()
            except Cancelled:
                stopped = True
            return stopped

        outer = self._look
        self._set_progress_handler(look)
        try:
            yield
        except sqlite3.OperationalError as error:
            if stopped:
                raise Cancelled from error
            raise
        finally:
            self._set_progress_handler(outer)

    def _set_progress_handler(self, look: Callable[[], int] | None) -> None:
        # Python would wait here for a statement that runs in another thread, and that one for Python, to look.
        with self._turn:
            self._look = look
            self._connection.set_progress_handler(look, _PROGRESS_INSTRUCTIONS)

    @contextlib.contextmanager
    def bulk_mode(self) -> Iterator[None]:
        """Let cache and write-ahead log grow while the block makes large steps; each is on disk all the same."""
        settings = {"wal_autocheckpoint": 0, "cache_size": -_BULK_CACHE_KIB}
        before = {key: self._connection.execute(f"PRAGMA {key}").fetchone()[0] for key in settings}
        for key, value in settings.items():
            self._connection.execute(f"PRAGMA {key} = {value}")
        try:
            yield
        finally:
            for key, value in before.items():
                self._connection.execute(f"PRAGMA {key} = {value}")

    def undo(self, annotator_id: str | None = None) -> Changes:
        """Undo the newest step, whenever it was made."""
        with self._transaction("step"):
            return self._journal.undo(annotator_id, self._clock())

    def redo(self, annotator_id: str | None = None) -> Changes:
        """Redo the step that was undone last; there is none after a new edit."""
        with self._transaction("step"):
            return self._journal.redo(annotator_id, self._clock())

    def set_viewer(self, name: str) -> None:
        """Say who looks at the study: what somebody must not see yet is left out of what queries show them."""
        with self._turn:
            self._viewer = name
            visibility.set_viewer(self._connection, name)
            if self._readers is not None:
                self._readers.set_viewer(name)

    def read_without_waiting(self) -> None:
        """Make reads of this thread return the last commit instead of waiting while another thread writes.

        It waits all the same where the study lies on a network.
        """
        self._hasty = threading.get_ident()

    @property
    def undo_name(self) -> str | None:
        """The name of the step that undo would reverse, or None."""
        with self._turn:
            return self._journal.step_names()[0]

    @property
    def redo_name(self) -> str | None:
        """The name of the step that redo would repeat, or None."""
        with self._turn:
            return self._journal.step_names()[1]

    @property
    def undo_size(self) -> int:
        """How many changes undo would reverse."""
        with self._turn:
            return self._journal.step_sizes()[0]

    @property
    def redo_size(self) -> int:
        """How many changes redo would repeat."""
        with self._turn:
            return self._journal.step_sizes()[1]

    def get_property(self, key: str, default: Json = None) -> Json:
        """Return a fact about the study as a whole, such as its `name`."""
        row = self.row("SELECT value FROM property WHERE key = ?", (key,))
        try:
            return default if row is None else json.loads(row[0])
        except (ValueError, RecursionError):
            raise UserError(
                f"The property “{escape_unprintable(key)}” of this study is damaged.",
                "Find out what else is: greenroom study check STUDY",
            ) from None

    def set_property(self, key: str, value: Json) -> None:
        """Set a fact about the study as a whole; inside a step."""
        self.write(
            "INSERT INTO property VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, to_json(value)),
        )

    @property
    def backup_problem(self) -> UserError | None:
        """Why no backup was made although one was due; None where all is well, or not known yet."""
        return self._backup_problem if self._backing_up is None else self._backing_up.problem

    def require_writable(self) -> None:
        """Return quietly where the study can be written to."""
        if self.read_only:
            raise UserError("This study is read-only, so nothing can be changed.", self.read_only_reason)

    def finish_opening(self) -> None:
        """Wait until the pages of the file are known to be well, and make it ready to be written to."""
        with self._turn:
            if self._page_check is None:
                return
            self._page_check.wait()
            with translate_errors(self.path.name):
                self._wal = configure_connection(self._connection, network=False)
            if self._wal:
                readers = ReadPool(self.path)
                if self._viewer is not None:
                    readers.set_viewer(self._viewer)
                # Only now: another thread reads over them as soon as they are there.
                self._readers = readers
            self._page_check = None
            if self._keep:
                keep, now = self._keep, self._clock()
                try:
                    self._backing_up = StudyThread(
                        self.path, lambda connection: back_up(connection, self.path, keep, now), self._when_backed_up
                    )
                except UserError as problem:
                    self._backup_problem = problem

    @contextlib.contextmanager
    def lend_connection(self) -> Iterator[sqlite3.Connection]:
        """Lend the connection for the block, to copy all of the study as it is now; for the modules in `project`."""
        with self._turn:
            yield self._connection

    def rows(self, sql: str, values: Sequence[Cell] | Mapping[str, Cell] = ()) -> list[Row]:
        """Read; for the modules in `project.queries` only."""
        try:
            with self._reading() as connection, translate_errors(self.path.name):
                return connection.execute(sql, values).fetchall()
        except UserError:
            # SQLite calls it a bad disk where the file was taken away.
            if self._standing is not None:
                self._standing.require_unchanged()
            raise

    def data_version(self) -> tuple[int, int]:
        """Return what changes when another program, or another connection of this one, has written to the file.

        What this connection writes does not change it. Where another thread has the connection, the thread of the
        window gets what was true when it was asked last.
        """
        # The number means something for one connection alone.
        if self._turn.acquire(blocking=self._readers is None or threading.get_ident() != self._hasty):
            try:
                with translate_errors(self.path.name):
                    number = self._connection.execute("PRAGMA data_version").fetchone()[0]
                self._data_version = id(self._connection), int(number)
            finally:
                self._turn.release()
        return self._data_version

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """Lend the study's own connection, or one that reads what is saved while another thread has that one."""
        readers = self._readers if threading.get_ident() == self._hasty else None
        if self._turn.acquire(blocking=readers is None):
            try:
                yield self._connection
            finally:
                self._turn.release()
        elif readers is not None:
            with readers.connection() as connection:
                yield connection

    def row(self, sql: str, values: Sequence[Cell] = ()) -> Row | None:
        """Read the first row; for the modules in `project.queries` only."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def write(self, sql: str, values: Sequence[Cell]) -> int:
        """Write to human tables inside a step, and return how many rows; for the modules in `project.queries` only."""
        if self._writing != "step":
            raise RuntimeError("edits are written inside Study.step")
        return self._connection.execute(sql, values).rowcount

    def write_run(self, sql: str, rows: Sequence[Sequence[Cell]]) -> None:
        """Write to run tables inside `run_transaction`; for the modules in `project.queries` only."""
        if self._writing != "run":
            raise RuntimeError("runs are written inside Study.run_transaction")
        self._connection.executemany(sql, rows)

    def write_many(self, sql: str, rows: Sequence[Sequence[Cell]]) -> None:
        """Write many rows to human tables inside a step; for the modules in `project` only."""
        if self._writing != "step":
            raise RuntimeError("edits are written inside Study.step")
        self._connection.executemany(sql, rows)

    def insert_many(self, table: str, rows: Sequence[Sequence[Cell]], subjects: Iterable[str]) -> None:
        """Add whole rows to a human table, all about subjects that it has none about, inside a step; for `project`."""
        if self._writing != "step":
            raise RuntimeError("edits are written inside Study.step")
        self._journal.insert_many(table, rows, subjects)

    @contextlib.contextmanager
    def _transaction(self, purpose: str) -> Iterator[None]:
        self.require_writable()
        with self._turn:
            if self._writing or (self._whole and not purpose):
                raise RuntimeError("a step is open already")
            if self._whole:
                with self._savepoint(purpose):
                    yield
                return
            if self._standing is not None:
                self._standing.require_unchanged()
            self.finish_opening()
            run = self._connection.execute
            try:
                with translate_errors(self.path.name):
                    run("BEGIN IMMEDIATE")
                    self._writing = purpose
                    yield
                    if self._connection.in_transaction:
                        run("COMMIT")
            finally:
                self._writing = ""
                # Some errors, such as a full disk, have ended the transaction already.
                if self._connection.in_transaction:
                    run("ROLLBACK")

    @contextlib.contextmanager
    def _savepoint(self, purpose: str) -> Iterator[None]:
        """Open a transaction inside of `atomic`."""
        run = self._connection.execute
        run(f"SAVEPOINT {_PART}")
        self._writing = purpose
        try:
            yield
        except BaseException:
            # Some errors, such as a full disk, have ended the transaction already.
            if self._connection.in_transaction:
                run(f"ROLLBACK TO {_PART}")
            raise
        finally:
            self._writing = ""
            if self._connection.in_transaction:
                run(f"RELEASE {_PART}")
