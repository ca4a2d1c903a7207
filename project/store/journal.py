"""The journal of every human edit; undo, redo and the audit trail read it.

Its temporary triggers are created together: one statement for each would take most of the time of opening a study.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from itertools import groupby

from project.entities.study_records import Changes
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.schema.table_declaration import StudyTable
from project.schema.tables import HUMAN_TABLES, RUN_TABLES


@dataclass(frozen=True, slots=True)
class JournalTrigger:
    """A trigger on a table of the main database.

    Attributes:
        name: free in the temporary database.
        table: that it watches.
        when: such as `AFTER insert`.
        body: what comes after the table.
    """

    name: str
    table: str
    when: str
    body: str

    def sql(self, create: str) -> str:
        """Return the whole statement; SQLite keeps it with `CREATE TRIGGER` for its beginning."""
        return f"{create} {self.name} {self.when} ON main.{self.table} {self.body}"


def create_triggers(connection: sqlite3.Connection, triggers: Sequence[JournalTrigger]) -> None:
    """Make triggers that live as long as the connection; it is in no transaction."""
    try:
        _create_at_once(connection, triggers)
    except sqlite3.OperationalError:
        # Some systems build SQLite so that nobody may write to a schema.
        for trigger in triggers:
            connection.execute(trigger.sql("CREATE TEMP TRIGGER"))


def _create_at_once(connection: sqlite3.Connection, triggers: Sequence[JournalTrigger]) -> None:
    rows = [(trigger.name, trigger.table, trigger.sql("CREATE TRIGGER")) for trigger in triggers]
    connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("BEGIN")
        try:
            connection.executemany("INSERT INTO temp.sqlite_schema VALUES ('trigger', ?, ?, 0, ?)", rows)
            connection.execute("COMMIT")
        except BaseException:
            connection.execute("ROLLBACK")
            raise
    finally:
        connection.execute("PRAGMA writable_schema = RESET")


_Row = dict[str, object]
"""Column -> value; without any, there is no such row."""
_MERGE_WITHIN = timedelta(seconds=2)


@dataclass(frozen=True, slots=True)
class _Newest:
    id: int = 0
    kind: str = ""
    annotator_id: str | None = None
    at: str = ""
    merge_key: str | None = None
    undo_top: int | None = None
    redo_top: int | None = None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows that came together in the open step: whom they are about, and the first and last change that logs them."""

    table: str
    subjects: frozenset[str]
    ids: tuple[int, int]


@dataclass(frozen=True, slots=True)
class OpenStep:
    """A step that changes are being logged under, from the change after `mark`."""

    id: int
    mark: int
    joined: bool


class Journal:
    """The journal of one connection. Every method that writes must be inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._batches: list[_Batch] = []

    def install(self) -> None:
        """Make the temporary triggers; they live as long as the connection."""
        run = self._connection.execute
        run("PRAGMA recursive_triggers = ON")
        run("CREATE TEMP TABLE open_step (id INTEGER NOT NULL)")
        triggers = []
        for table in HUMAN_TABLES.values():
            for operation in ("insert", "update", "delete"):
                triggers.append(_logging_trigger(table, operation))
        for name in RUN_TABLES:
            for operation in ("update", "delete"):
                body = "BEGIN SELECT RAISE(ABORT, 'what a run stored is never changed'); END"
                triggers.append(JournalTrigger(f"keep_{name}_{operation}", name, f"BEFORE {operation}", body))
        create_triggers(self._connection, triggers)

    def begin(
        self, name: str, annotator_id: str | None, now: datetime, *, merge_key: str | None = None, undoable: bool = True
    ) -> OpenStep:
        """Open a step for edits, or join the newest one (see `Study.step`)."""
        newest = self._newest()
        if undoable and _can_join(newest, annotator_id, merge_key, now):
            self._connection.execute("UPDATE journal_step SET at = ? WHERE id = ?", (_timestamp(now), newest.id))
            return self._open(newest.id, joined=True)
        step = newest.id + 1
        head: tuple[str | int | None, ...] = (name, annotator_id, _timestamp(now), merge_key, None)
        if undoable:
            self._insert_step((step, "edit", *head, newest.undo_top, step, None))
        else:
            self._insert_step((step, "fixed", *head, None, newest.undo_top, newest.redo_top))
        return self._open(step)

    def begin_unlogged(self) -> None:
        """Open the human tables to unlogged writes."""
        self._connection.execute("INSERT INTO temp.open_step VALUES (0)")

    def end(self, step: OpenStep) -> Changes:
        """Close a step and return what it changed; false when it changed nothing."""
        apart = "".join(" AND id NOT BETWEEN ? AND ?" for _ in self._batches)
        rows = self._connection.execute(
            f"SELECT DISTINCT table_name, row_id FROM journal_change WHERE step_id = ? AND id > ?{apart}",
            (step.id, step.mark, *(end for batch in self._batches for end in batch.ids)),
        ).fetchall()
        changes = Changes.from_pairs(rows)
        for batch in self._batches:
            changes |= Changes({batch.table: batch.subjects})
        if step.joined:
            self._squash(step)
        self.end_unlogged()
        return changes

    def end_unlogged(self) -> None:
        """Close the human tables to unlogged writes again."""
        self._connection.execute("DELETE FROM temp.open_step")
        self._batches.clear()

    def insert_many(self, name: str, rows: Sequence[Sequence[object]], subjects: Iterable[str]) -> None:
        """Add whole rows about subjects that the table has no row about yet, logged by one statement.

        It leaves what the triggers would, in half of the time; so thousands of rows can come in one step.
        """
        table, about = HUMAN_TABLES[name], frozenset(subjects)
        run, before = self._connection.execute, self._last_change()
        run(f"DROP TRIGGER temp.log_{name}_insert")
        self._connection.executemany(table.insert_sql, rows)
        run(
            "INSERT INTO journal_change (step_id, table_name, row_id, operation, before, after) "
            f"SELECT o.id, '{name}', t.{table.subject}, 'insert', NULL, {_state_sql('t', table.names)} "
            f"FROM temp.open_step o JOIN main.{name} t "
            f"WHERE o.id > 0 AND t.{table.subject} IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(about)),),
        )
        run(_logging_trigger(table, "insert").sql("CREATE TEMP TRIGGER"))
        if self._last_change() > before:
            self._batches.append(_Batch(name, about, (before + 1, self._last_change())))

    def undo(self, annotator_id: str | None, now: datetime) -> Changes:
        """Undo the newest step that is not undone yet."""
        newest = self._newest()
        if newest.undo_top is None:
            raise UserError("There is nothing to undo.", self._undo_hint())
        name, below = self._step(newest.undo_top)
        step = newest.id + 1
        return self._reverse(
            newest.undo_top,
            (step, "undo", name, annotator_id, _timestamp(now), None, newest.undo_top, newest.redo_top, below, step),
        )

    def redo(self, annotator_id: str | None, now: datetime) -> Changes:
        """Redo the step that was undone last."""
        newest = self._newest()
        if newest.redo_top is None:
            raise UserError("There is nothing to redo.", "Only the steps that were just undone can be redone.")
        name, below = self._step(newest.redo_top)
        step = newest.id + 1
        return self._reverse(
            newest.redo_top,
            (step, "redo", name, annotator_id, _timestamp(now), None, newest.redo_top, newest.undo_top, step, below),
        )

    def step_names(self) -> tuple[str | None, str | None]:
        """Return the names of the steps that undo and redo would reverse."""
        newest = self._newest()
        undo = None if newest.undo_top is None else self._step(newest.undo_top)[0]
        redo = None if newest.redo_top is None else self._step(newest.redo_top)[0]
        return undo, redo

    def step_sizes(self) -> tuple[int, int]:
        """Return how many changes undo and redo would reverse; 0 where there is nothing to."""
        newest = self._newest()
        count = "SELECT count(*) FROM journal_change WHERE step_id = ?"
        undo, redo = (
            self._connection.execute(count, (top,)).fetchone()[0] for top in (newest.undo_top, newest.redo_top)
        )
        return int(undo), int(redo)

    def _undo_hint(self) -> str:
        row = self._connection.execute("SELECT 1 FROM journal_step WHERE kind = 'withdrawal' LIMIT 1").fetchone()
        return "A participant withdrew: what was done before that cannot be taken back." if row else ""

    def _newest(self) -> _Newest:
        row = self._connection.execute(
            "SELECT id, kind, annotator_id, at, merge_key, undo_top, redo_top FROM journal_step "
            "ORDER BY id DESC LIMIT 1"
        ).fetchone()
        return _Newest(*row) if row else _Newest()

    def _step(self, step: int) -> tuple[str, int | None]:
        row = self._connection.execute("SELECT name, below FROM journal_step WHERE id = ?", (step,)).fetchone()
        return row[0], row[1]

    def _insert_step(self, values: tuple[str | int | None, ...]) -> None:
        self._connection.execute(
            "INSERT INTO journal_step (id, kind, name, annotator_id, at, merge_key, reverses, below, "
            "undo_top, redo_top, uid) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (*values, new_id()),
        )

    def _open(self, step: int, *, joined: bool = False) -> OpenStep:
        self._batches.clear()
        self._connection.execute("INSERT INTO temp.open_step VALUES (?)", (step,))
        return OpenStep(step, self._last_change(), joined)

    def _last_change(self) -> int:
        return int(self._connection.execute("SELECT coalesce(max(id), 0) FROM journal_change").fetchone()[0])

    def _reverse(self, reversed_step: int, values: tuple[str | int | None, ...]) -> Changes:
        self._insert_step(values)
        step = self._open(int(values[0] or 0))
        # Rows come back in an order that may cross foreign keys for a moment; they are checked when it is committed.
        self._connection.execute("PRAGMA defer_foreign_keys = ON")
        changes = self._connection.execute(
            "SELECT table_name, operation, before, after FROM journal_change WHERE step_id = ? ORDER BY id DESC",
            (reversed_step,),
        ).fetchall()
        for (name, operation), alike in groupby(changes, key=lambda change: (change[0], change[1])):
            self._invert(
                HUMAN_TABLES[name],
                operation,
                [(_parse_state(before), _parse_state(after)) for _, _, before, after in alike],
            )
        return self.end(step)

    def _invert(self, table: StudyTable, operation: str, changes: Sequence[tuple[_Row, _Row]]) -> None:
        """Take back changes of one kind to one table, in this order."""
        keys = [[after.get(column) for column in table.key] for _, after in changes]
        rows = [[before.get(column) for column in table.names] for before, _ in changes]
        run = self._connection.executemany
        match operation:
            case "insert":
                cursor = run(table.delete_sql, keys)
            case "delete":
                cursor = run(table.insert_sql, rows)
            case _:
                cursor = run(table.update_sql, [row + key for row, key in zip(rows, keys, strict=True)])
        if cursor.rowcount != len(changes):
            raise RuntimeError(f"the journal and the table {table.name} disagree")

    def _squash(self, step: OpenStep) -> None:
        """Make one change of the many that a drag leaves on one row, so that undoing it stays quick.

        What came back to where it was is no change, and a step without changes is none.
        """
        run = self._connection.execute
        later = self._connection.execute(
            "SELECT id, table_name, row_id, before, after FROM journal_change "
            "WHERE step_id = ? AND id > ? AND operation = 'update' ORDER BY id",
            (step.id, step.mark),
        ).fetchall()
        for change, table, row_id, before, after in later:
            earlier = run(
                "SELECT id, operation, after, before FROM journal_change "
                "WHERE step_id = ? AND id <= ? AND table_name = ? AND row_id = ? ORDER BY id DESC LIMIT 1",
                (step.id, step.mark, table, row_id),
            ).fetchone()
            if earlier and earlier[1] == "update" and earlier[2] == before:
                run("DELETE FROM journal_change WHERE id = ?", (change,))
                if after == earlier[3]:
                    run("DELETE FROM journal_change WHERE id = ?", (earlier[0],))
                else:
                    run("UPDATE journal_change SET after = ? WHERE id = ?", (after, earlier[0]))
        if run("SELECT 1 FROM journal_change WHERE step_id = ? LIMIT 1", (step.id,)).fetchone() is None:
            run("DELETE FROM journal_step WHERE id = ?", (step.id,))


def _parse_state(state: str | None) -> _Row:
    found: _Row = json.loads(state) if state else {}
    return found


@cache
def _logging_trigger(table: StudyTable, operation: str) -> JournalTrigger:
    before = "NULL" if operation == "insert" else _state_sql("OLD", table.names)
    after = "NULL" if operation == "delete" else _state_sql("NEW", table.names)
    side = "OLD" if operation == "delete" else "NEW"
    condition = ""
    if operation == "update":
        condition = "WHEN " + " OR ".join(f"OLD.{column} IS NOT NEW.{column}" for column in table.names)
    body = (
        f"{condition} BEGIN "
        "SELECT RAISE(ABORT, 'an edit outside a step') WHERE NOT EXISTS (SELECT 1 FROM temp.open_step); "
        "INSERT INTO journal_change (step_id, table_name, row_id, operation, before, after) "
        f"SELECT id, '{table.name}', {side}.{table.subject}, '{operation}', {before}, {after} "
        "FROM temp.open_step WHERE id > 0; END"
    )
    return JournalTrigger(f"log_{table.name}_{operation}", table.name, f"AFTER {operation}", body.lstrip())


def _state_sql(side: str, columns: tuple[str, ...]) -> str:
    return "json_object(" + ", ".join(f"'{column}', {side}.{column}" for column in columns) + ")"


def _can_join(newest: _Newest, annotator_id: str | None, merge_key: str | None, now: datetime) -> bool:
    if merge_key is None or newest.kind != "edit":
        return False
    if (newest.merge_key, newest.annotator_id) != (merge_key, annotator_id):
        return False
    return timedelta(0) <= now - datetime.fromisoformat(newest.at) <= _MERGE_WITHIN


def _timestamp(now: datetime) -> str:
    return now.isoformat(timespec="milliseconds")
