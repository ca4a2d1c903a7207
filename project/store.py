"""An open study: one file, its transactions, and the steps that can be undone."""

import contextlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from project import schema, sight
from project.access import leave_one_file, leave_one_file_after_writer, prepare, take_lock
from project.errors import UserError
from project.filesystem import on_network, resolved
from project.journal import Journal
from project.json_text import to_json
from project.locking import StudyLock
from project.names import shown
from project.opening import Leftover, Snapshot, check_pages, connect, examine, verify
from project.page_check import PageCheck
from project.sqlite_errors import explained
from project.types import Changes, Json

Cell: TypeAlias = str | int | bytes | None
Row: TypeAlias = tuple[Any, ...]
Clock: TypeAlias = Callable[[], datetime]

_BULK_CACHE_KIB = 65_536


@dataclass(slots=True)
class Step:
    """One undo step; `changes` is filled in when the block of `Study.step` ends."""

    name: str
    changes: Changes = field(default_factory=Changes)


class Study:
    """An open study. It belongs to the thread that opened it: use it from no other.

    The first window that opens a study may write to it; every later one reads, sees what the first one saves, and says
    in `read_only_reason` why it cannot write.

    Attributes:
        path: the file, with symbolic links resolved.
        folder: where it lies; the paths of media are relative to it.
        id: the study's own identifier, the same in every copy.
        read_only: whether nothing can be written.
        read_only_reason: why, as a sentence; "" when it can.
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
        self._snapshot = snapshot
        self._clock = clock or (lambda: datetime.now(UTC))
        self._writing = ""
        self._closed = False
        self._page_check: PageCheck | None = None
        sight.install(connection)
        self._journal = Journal(connection)
        if not self.read_only:
            self._journal.install()
        self.id = str(self.get_property("id", ""))

    @classmethod
    def create(cls, path: str | Path, name: str = "", *, clock: Clock | None = None) -> Self:
        """Make a new study and open it; `.greenroom` is added to the name where it is missing.

        Raises:
            UserError: something of that name is there already, or the folder cannot be written to.
        """
        from project.creation import create_file

        return cls.open(create_file(Path(path).absolute(), name), clock=clock)

    @classmethod
    def open(
        cls,
        path: str | Path,
        *,
        read_only: bool = False,
        clock: Clock | None = None,
        when_checked: Callable[[], None] | None = None,
    ) -> Self:
        """Open a study; `clock` stands in for the time of day in tests.

        Every page of the file is looked at for damage first. With `when_checked`, a study of this version that was
        closed well is opened at once, and its pages are looked at in a thread, which calls `when_checked` when it is
        through: call `finish_opening` then, in the study's own thread. Nothing is written before the pages are known
        to be well, so that a damaged file stays as it is; a step that comes earlier waits.

        Raises:
            UserError: the file is missing, is no study, is damaged, was made by a newer version, or cannot even be read
                at present. Nothing was changed on disk.
        """
        path = resolved(Path(path))
        examine(path)
        lock, reason, busy = take_lock(path, read_only)
        try:
            if busy and on_network(path):
                raise UserError(reason, "On a network folder only one window can have a study open. Close it there.")
            with explained(path.name):
                if lock is None:
                    return cls._open_for_reading(path, reason, busy, clock)
                return cls._open_for_writing(path, lock, clock, when_checked)
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    @classmethod
    def _open_for_writing(
        cls, path: Path, lock: StudyLock, clock: Clock | None, when_checked: Callable[[], None] | None
    ) -> Self:
        network = on_network(path)
        # Looked at again: while the lock was being taken, another window may have closed.
        leftover = examine(path)
        if leftover or network:
            when_checked = None
        with Snapshot(path, leftover) as snapshot:
            version = verify(snapshot.connection, path.name, pages=when_checked is None)
            if version < len(schema.VERSIONS) and when_checked is not None:
                check_pages(snapshot.connection, path.name)
        if version < len(schema.VERSIONS):
            from project.creation import upgrade_file

            upgrade_file(path, version)
            when_checked = None
        connection = connect(path, "rw")
        try:
            wal = prepare(connection, network=network) if when_checked is None else False
            study = cls(path, connection, lock=lock, read_only_reason="", wal=wal, clock=clock)
            if when_checked is not None:
                study._page_check = PageCheck(path, when_checked)
        except BaseException:
            connection.close()
            raise
        return study

    @classmethod
    def _open_for_reading(cls, path: Path, reason: str, busy: bool, clock: Clock | None) -> Self:
        # What a killed process left is put in order by the next window that may write; until then a copy is read.
        leftover = Leftover(wal=False, journal=False) if busy else examine(path)
        snapshot = None
        if not busy:
            snapshot = Snapshot(path, leftover)
            try:
                verify(snapshot.connection, path.name, pages=True)
            except BaseException:
                snapshot.close()
                raise
            if not leftover:
                snapshot.close()
                snapshot = None
        connection = snapshot.connection if snapshot else connect(path, "ro")
        try:
            if verify(connection, path.name, pages=False) < len(schema.VERSIONS):
                raise UserError(
                    f"The study “{shown(path.name)}” was made by an older version.",
                    "Open it once where it can be written to.",
                )
            return cls(path, connection, lock=None, read_only_reason=reason, snapshot=snapshot, clock=clock)
        except BaseException:
            (snapshot or connection).close()
            raise

    def close(self) -> None:
        """Close the study and leave one file; safe to call twice."""
        if self._closed:
            return
        if self._page_check is not None:
            self._page_check.stop()
        if self._snapshot is not None:
            self._snapshot.close()
        elif self._lock is not None:
            if self._wal:
                leave_one_file(self._connection)
            self._connection.close()
            self._lock.release()
        else:
            self._connection.close()
            leave_one_file_after_writer(self.path)
        self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @contextlib.contextmanager
    def step(
        self, name: str, annotator_id: str | None = None, merge_key: str | None = None, *, undoable: bool = True
    ) -> Iterator[Step]:
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

        Raises:
            UserError: the study is read-only, or the disk is full.
        """
        result = Step(name)
        with self._transaction("step"):
            step = self._journal.begin(name, annotator_id, self._clock(), merge_key=merge_key, undoable=undoable)
            yield result
            result.changes = self._journal.end(step)
            if not result.changes:
                self._connection.execute("ROLLBACK")

    @contextlib.contextmanager
    def recording_run(self) -> Iterator[None]:
        """Open a transaction outside the undo history, for what a model's run found; human tables stay shut."""
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
    def in_bulk(self) -> Iterator[None]:
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
        """Take back the newest step, whenever it was made.

        Raises:
            UserError: there is nothing to undo, or the study is read-only.
        """
        with self._transaction("step"):
            return self._journal.undo(annotator_id, self._clock())

    def redo(self, annotator_id: str | None = None) -> Changes:
        """Make the step again that was taken back last; there is none after a new edit.

        Raises:
            UserError: there is nothing to redo, or the study is read-only.
        """
        with self._transaction("step"):
            return self._journal.redo(annotator_id, self._clock())

    def look_as(self, name: str) -> None:
        """Say who looks at the study: what somebody must not see yet is left out of what queries show them."""
        sight.look_as(self._connection, name)

    @property
    def undo_name(self) -> str | None:
        """What undo would take back, or None."""
        return self._journal.names()[0]

    @property
    def redo_name(self) -> str | None:
        """What redo would make again, or None."""
        return self._journal.names()[1]

    def get_property(self, key: str, default: Json = None) -> Json:
        """Return a fact about the study as a whole, such as its `name`.

        Raises:
            UserError: it is damaged.
        """
        row = self.row("SELECT value FROM property WHERE key = ?", (key,))
        try:
            return default if row is None else json.loads(row[0])
        except ValueError:
            raise UserError(
                f"What this study keeps as “{shown(key)}” is damaged.", "Find out what else is: greenroom check STUDY"
            ) from None

    def set_property(self, key: str, value: Json) -> None:
        """Set a fact about the study as a whole; inside a step."""
        self.write(
            "INSERT INTO property VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
            (key, to_json(value)),
        )

    def require_writable(self) -> None:
        """Return quietly where the study can be written to.

        Raises:
            UserError: it is open for reading only; the hint says why.
        """
        if self.read_only:
            raise UserError("This study is open for reading only, so nothing can be changed.", self.read_only_reason)

    def finish_opening(self) -> None:
        """Wait until the pages of the file are known to be well, and make it ready to be written to.

        Raises:
            UserError: the file is damaged, or another program is using it; nothing was or will be written to it.
        """
        if self._page_check is not None:
            self._page_check.wait()
            with explained(self.path.name):
                self._wal = prepare(self._connection, network=False)
            self._page_check = None

    def rows(self, sql: str, values: Sequence[Cell] = ()) -> list[Row]:
        """Read; for the modules in `project.queries` only."""
        with explained(self.path.name):
            return self._connection.execute(sql, values).fetchall()

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
        """Write to run tables inside `recording_run`; for the modules in `project.queries` only."""
        if self._writing != "run":
            raise RuntimeError("runs are written inside Study.recording_run")
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
        if self._writing:
            raise RuntimeError("a step is open already")
        self.finish_opening()
        run = self._connection.execute
        try:
            with explained(self.path.name):
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
