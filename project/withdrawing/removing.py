"""Removes what goes from a study that is in memory: from its tables, its history, its sets of the benchmark."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field

from project.columns import COLUMNS
from project.ids import new_id
from project.withdrawing.cleaning import KEPT, clean
from project.withdrawing.lists import forget_words
from project.withdrawing.reach import Reach
from project.withdrawing.rows import Row, key_of, live_rows, parsed, tables, texts_of
from project.withdrawing.wording import Wording
from project.withdrawing.written import is_shipped

STEP = "Withdraw a participant"
_PLAIN = "Edit"
"""What a step of the history is called whose name or content was somebody's."""

Key = tuple[object, ...]


@dataclass(slots=True)
class Removed:
    """What was taken out of one file.

    Attributes:
        rows: table -> how many rows went, and how many were blanked in part.
        history: how many changes of the history went, and how many were blanked in part.
        renamed: steps of the history that lost their name.
        left: `TABLE.COLUMN` -> how many names of other people and things are the same as theirs, and were left.
        lists: list of words of the study -> how many entries went that stood in their recordings alone.
    """

    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    history: tuple[int, int] = (0, 0)
    renamed: int = 0
    left: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)

    @property
    def nothing(self) -> bool:
        """Whether there was nothing to remove."""
        return not self.rows and self.history == (0, 0) and not self.renamed


def remove(connection: sqlite3.Connection, reach: Reach) -> Removed:
    """Remove what goes; the connection is on a file or a memory that nobody else reads."""
    done = Removed()
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    kept: dict[tuple[str, Key], Row] = {}
    touched = _sets_of(connection, reach)
    for table in tables():
        _clean_table(connection, reach, table, kept, done)
    _mend_sets(connection, touched)
    _clean_history(connection, reach, kept, done)
    _forget_words(connection, reach, done)
    connection.execute("COMMIT")
    return done


def bury(connection: sqlite3.Connection, reach: Reach, annotator_id: str | None, at: str) -> None:
    """Write down that it happened: a step of the history behind which nothing is undone, and what is not to come back.

    Args:
        connection: as in `remove`.
        reach: what was removed.
        annotator_id: whose step it is.
        at: when, UTC, ISO 8601.
    """
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO withdrawal VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET kind = excluded.kind",
        sorted((*stone, at) for stone in reach.stones()),
    )
    (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM journal_step").fetchone()
    connection.execute(
        "INSERT INTO journal_step (id, uid, kind, name, annotator_id, at) VALUES (?, ?, 'withdrawal', ?, ?, ?)",
        (newest + 1, new_id(), STEP, annotator_id, at),
    )
    connection.execute("COMMIT")


def _clean_table(
    connection: sqlite3.Connection, reach: Reach, table: str, kept: dict[tuple[str, Key], Row], done: Removed
) -> None:
    key = key_of(connection, table)
    where = " AND ".join(f"{column} IS ?" for column in key)
    gone: list[list[object]] = []
    changed: dict[tuple[str, ...], list[list[object]]] = {}
    left: dict[str, int] = {}
    names = KEPT.get(table, ("text",) if table == "scheme_version" else ())
    for row in live_rows(connection, table):
        made = clean(reach, table, row)
        place = [row[column] for column in key]
        if made is None:
            gone.append(place)
            continue
        if reach.inside(table, row):
            kept[table, tuple(place)] = made
        if made != row:
            columns = tuple(name for name in row if made[name] != row[name])
            changed.setdefault(columns, []).append([*(made[name] for name in columns), *place])
        for column in names:
            if isinstance(made[column], str) and reach.wording.in_text(made[column]):
                if table == "scheme_version" and is_shipped(table, made["key"], made[column]):
                    continue
                left[column] = left.get(column, 0) + 1
    connection.executemany(f"DELETE FROM {table} WHERE {where}", gone)
    for columns, values in changed.items():
        put = ", ".join(f"{column} = ?" for column in columns)
        connection.executemany(f"UPDATE {table} SET {put} WHERE {where}", values)
    blanked = sum(map(len, changed.values()))
    if gone or blanked:
        done.rows[table] = (len(gone), blanked)
    done.left.update({f"{table}.{column}": count for column, count in left.items()})


def _forget_words(connection: sqlite3.Connection, reach: Reach, done: Removed) -> None:
    gone = forget_words(connection, reach)
    changed = gone.pop("history", 0)
    done.lists = gone
    done.history = (done.history[0], done.history[1] + changed)
    for name, count in gone.items():
        table = name if name in COLUMNS else "property"
        rows, blanked = done.rows.get(table, (0, 0))
        done.rows[table] = (rows + count, blanked) if table == name else (rows, max(blanked, 1))


def _sets_of(connection: sqlite3.Connection, reach: Reach) -> dict[str, int]:
    """Return id of a set of items -> how many of them go."""
    found: dict[str, int] = {}
    for row in live_rows(connection, "item"):
        if clean(reach, "item", row) is None:
            found[row["set_id"]] = found.get(row["set_id"], 0) + 1
    return found


def _mend_sets(connection: sqlite3.Connection, touched: Mapping[str, int]) -> None:
    """Say of a set that it is not what was drawn any more; one without items goes, and what was asked over it."""
    for one, count in touched.items():
        sha256, left_out = connection.execute("SELECT sha256, left_out FROM item_set WHERE id = ?", (one,)).fetchone()
        if connection.execute("SELECT 1 FROM item WHERE set_id = ? LIMIT 1", (one,)).fetchone() is None:
            connection.execute(
                "DELETE FROM benchmark_answer WHERE run_id IN (SELECT id FROM benchmark_run WHERE set_id = ?)", (one,)
            )
            connection.execute("DELETE FROM benchmark_run WHERE set_id = ?", (one,))
            connection.execute("DELETE FROM item_set WHERE id = ?", (one,))
            continue
        now = hashlib.sha256(f"{sha256} without {count}".encode()).hexdigest()
        why = json.dumps({**_object(left_out), "withdrawn": count}, ensure_ascii=False)
        connection.execute("UPDATE item_set SET sha256 = ?, left_out = ? WHERE id = ?", (now, why, one))


def _object(text: str) -> dict[str, object]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _clean_history(
    connection: sqlite3.Connection, reach: Reach, kept: Mapping[tuple[str, Key], Row], done: Removed
) -> None:
    keys = {table: key_of(connection, table) for table in tables()}
    named = _present_names(connection)
    gone: list[tuple[int]] = []
    changed: list[tuple[object, ...]] = []
    steps: set[int] = set()
    for number, step, table, operation, before, after in connection.execute(
        "SELECT id, step_id, table_name, operation, before, after FROM journal_change ORDER BY id"
    ):
        sides = [None if text is None else parsed(text) for text in (before, after)]
        made = [
            _past(reach, table, _with_present_name(reach, table, side, named), kept, keys[table])
            if side is not None and table in keys
            else None
            for side in sides
        ]
        if made == sides:
            continue
        steps.add(step)
        if made[0] == made[1]:
            gone.append((number,))
            continue
        what = "insert" if made[0] is None else "delete" if made[1] is None else "update"
        texts = [None if side is None else json.dumps(side, ensure_ascii=False) for side in made]
        changed.append((what, *texts, number))
        assert operation in ("insert", "update", "delete")
    connection.executemany("DELETE FROM journal_change WHERE id = ?", gone)
    connection.executemany("UPDATE journal_change SET operation = ?, before = ?, after = ? WHERE id = ?", changed)
    done.history = (len(gone), len(changed))
    done.renamed = _rename_steps(connection, (reach.wording, reach.places), steps)


_RENAMED = {"medium": "path", "participant": "pseudonym", "annotator": "name", "judge": "name"}
"""Names of other people and things that somebody may have changed because they told who withdraws."""


def _present_names(connection: sqlite3.Connection) -> dict[tuple[str, object], str]:
    """Return table and id -> what somebody or something is called by now."""
    return {(table, row["id"]): row[name] for table, name in _RENAMED.items() for row in live_rows(connection, table)}


def _with_present_name(reach: Reach, table: str, state: Row, named: Mapping[tuple[str, object], str]) -> Row:
    """Return a state of the past without an earlier name that told who withdraws: the present one was always there."""
    column = _RENAMED.get(table)
    if column is None or not reach.wording.in_text(str(state[column])):
        return state
    return state | {column: named.get((table, state["id"]), "removed")}


def _past(
    reach: Reach, table: str, state: Row, kept: Mapping[tuple[str, Key], Row], key: tuple[str, ...]
) -> Row | None:
    """Return what becomes of a state of the past: in their recordings, no text stays but the present one."""
    made = clean(reach, table, state)
    if made is None or not reach.inside(table, state):
        return made
    present = kept.get((table, tuple(state[column] for column in key)))
    for column in texts_of(table):
        if column in key or made[column] is None:
            continue
        made[column] = "" if present is None else present[column]
    return made


def _rename_steps(connection: sqlite3.Connection, wordings: tuple[Wording, ...], steps: set[int]) -> int:
    renamed: list[tuple[object, ...]] = []
    for number, name, mark in connection.execute("SELECT id, name, merge_key FROM journal_step"):
        marked = mark is not None and any(one.in_text(mark) for one in wordings)
        if number in steps or marked or any(one.in_text(name) for one in wordings):
            keeps = mark is not None and mark.startswith("merge:") and not marked
            renamed.append((_PLAIN, mark if keeps else None, number))
    connection.executemany("UPDATE journal_step SET name = ?, merge_key = ? WHERE id = ?", renamed)
    return len(renamed)
