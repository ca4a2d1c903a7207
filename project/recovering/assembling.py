"""Puts what is left of a damaged study together, so that every row has what it refers to and the history agrees."""

import json
import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from project.ids import new_id
from project.journal import SUBJECTS
from project.recovering.parents import put_back_parents, references
from project.recovering.rows import Key, Left, Shape, cells
from project.recovering.sense import Row, is_sensible
from project.schemes.loader import parse_scheme, shipped_names, shipped_text

_HISTORY = ("journal_step", "journal_change")
_LINKS = ("below", "undo_top", "redo_top")

_SENSELESS = {
    "segment": (
        "scheme NOT IN (SELECT key FROM scheme_version) OR end_us <= start_us OR start_us < 0 "
        "OR end_us > (SELECT duration_us FROM recording WHERE id = segment.recording_id)"
    ),
    "segment_value": (
        "segment_id NOT IN (SELECT id FROM segment) OR NOT EXISTS "
        "(SELECT 1 FROM scheme_version k WHERE k.key = segment_value.scheme AND k.version = segment_value.version)"
    ),
    "face_track": (
        "length(frames) <> 4 * count OR length(times_us) <> 8 * count OR length(boxes) <> 16 * count "
        "OR length(scores) <> 4 * count OR length(origins) <> count"
    ),
    "chain_node": (
        "end_us > (SELECT r.duration_us FROM recording r JOIN chain c ON c.recording_id = r.id WHERE c.id = chain_id)"
    ),
    "question": "end_us > (SELECT duration_us FROM recording WHERE id = question.recording_id)",
    "item": "set_id NOT IN (SELECT id FROM item_set)",
    "benchmark_run": "set_id NOT IN (SELECT id FROM item_set)",
    "benchmark_answer": "run_id NOT IN (SELECT id FROM benchmark_run)",
    "episode_agent": "recording_id NOT IN (SELECT recording_id FROM episode)",
}
"""Rows that nothing can be made of, although no constraint of the table says so; `greenroom check` finds the same."""


@dataclass(slots=True)
class Assembled:
    """How many rows of each table came from where, and how many were left out because of what they lack.

    Attributes:
        whole_history: whether every step is there, so that what was done can still be undone.
        unlike_history: how many rows are not what the history says that they were.
    """

    saved: Counter[str] = field(default_factory=Counter)
    from_history: Counter[str] = field(default_factory=Counter)
    loose: Counter[str] = field(default_factory=Counter)
    from_backup: Counter[str] = field(default_factory=Counter)
    made_up: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    whole_history: bool = True
    unlike_history: int = 0


def assemble(
    connection: sqlite3.Connection,
    tables: Mapping[str, Shape],
    left: Mapping[str, Left],
    before: Mapping[str, Left] | None = None,
) -> Assembled:
    """Fill an empty study, in one transaction that the caller begins and ends, without foreign keys being watched.

    Args:
        connection: on the empty study.
        tables: of the format.
        left: what is left of each.
        before: what is in a backup; rows are taken from it where others refer to them and they are lost.
    """
    done = Assembled(whole_history=not any(left[name].bad_pages or left[name].bad_rows for name in _HISTORY))
    states = _last_states(tables, left)
    for name, shape in tables.items():
        rows = {key: row for key, row in left[name].rows.items() if is_sensible(tables, name, row)}
        done.left_out[name] += len(left[name].rows) - len(rows)
        known = states.get(name, {})
        for key, row in left[name].loose.items():
            if known.get(key, row) is not None and is_sensible(tables, name, row):
                rows[key] = row
                done.loose[name] += 1
        for key, state in known.items():
            if state is not None and key not in rows and is_sensible(tables, name, state):
                rows[key] = state
                done.from_history[name] += 1
        done.whole_history &= not (name in _HISTORY and left[name].loose)
        _insert(connection, shape, list(rows.values()), done)
    _put_back_schemes(connection, [*before["scheme_version"].rows.values()] if before else [])
    done.from_backup, done.made_up = put_back_parents(connection, tables, before)
    done.saved += done.from_backup + done.made_up
    _leave_out_senseless(connection, tables, done)
    _mend_history(connection, done)
    _write_down_the_rest(connection, tables, done)
    return done


def _last_states(tables: Mapping[str, Shape], left: Mapping[str, Left]) -> dict[str, dict[Key, Row | None]]:
    """Return what each row of a human table was when the history last said something about it; None where it went."""
    found: dict[str, dict[Key, Row | None]] = {}
    changes = [*left["journal_change"].rows.values(), *left["journal_change"].loose.values()]
    for change in sorted(changes, key=lambda row: int(str(row["id"]))):
        name = str(change["table_name"])
        if name in SUBJECTS and is_sensible(tables, "journal_change", change):
            before, after = (json.loads(str(change[side] or "null")) for side in ("before", "after"))
            found.setdefault(name, {})[tables[name].key_of(after or before)] = after
    return found


def _insert(connection: sqlite3.Connection, shape: Shape, rows: list[Row], done: Assembled) -> None:
    marks = ", ".join("?" * len(shape.columns))
    sql = f"INSERT INTO {shape.name} ({', '.join(shape.columns)}) VALUES ({marks})"
    for row in rows:
        try:
            connection.execute(sql, cells(shape, row))
            done.saved[shape.name] += 1
        except (sqlite3.Error, KeyError, OverflowError):
            done.left_out[shape.name] += 1


def _put_back_schemes(connection: sqlite3.Connection, kept: Sequence[Row]) -> None:
    """Give segments whose scheme is lost its text from a backup, or of the program where it ships the scheme."""
    used = connection.execute("SELECT scheme FROM segment EXCEPT SELECT key FROM scheme_version").fetchall()
    rows = [(row["key"], row["version"], row["text"]) for row in kept]
    for (key,) in used:
        if key in shipped_names():
            text = shipped_text(key)
            rows.append((key, parse_scheme(text, key).version, text))
    connection.executemany("INSERT INTO scheme_version VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)


def _leave_out_senseless(connection: sqlite3.Connection, tables: Mapping[str, Shape], done: Assembled) -> None:
    while True:
        gone = 0
        for name in tables:
            if name in _HISTORY:
                continue
            conditions = [one.dangling for one in references(connection, name)]
            if name in _SENSELESS:
                conditions.append(_SENSELESS[name])
            for condition in conditions:
                count = connection.execute(f"DELETE FROM {name} WHERE {condition}").rowcount
                done.left_out[name] += count
                done.saved[name] -= count
                gone += count
        if not gone:
            return


def _mend_history(connection: sqlite3.Connection, done: Assembled) -> None:
    """Take out steps without changes and changes without a step, and links to what is not there."""
    run = connection.execute
    broken = run("DELETE FROM journal_change WHERE step_id NOT IN (SELECT id FROM journal_step)").rowcount
    broken += run(
        "UPDATE journal_step SET kind = 'fixed', reverses = NULL "
        "WHERE reverses NOT IN (SELECT s.id FROM journal_step s JOIN journal_change c ON c.step_id = s.id)"
    ).rowcount
    broken += run("DELETE FROM journal_step WHERE id NOT IN (SELECT step_id FROM journal_change)").rowcount
    for link in _LINKS:
        broken += run(
            f"UPDATE journal_step SET {link} = NULL WHERE {link} NOT IN (SELECT id FROM journal_step)"
        ).rowcount
    done.whole_history &= not broken
    done.saved["journal_step"] = run("SELECT count(*) FROM journal_step").fetchone()[0]
    done.saved["journal_change"] = run("SELECT count(*) FROM journal_change").fetchone()[0]


def _write_down_the_rest(connection: sqlite3.Connection, tables: Mapping[str, Shape], done: Assembled) -> None:
    """Log, as a step of its own, where a row is not what the history says; nothing before a loss can be undone."""
    changes = []
    for name, subject in SUBJECTS.items():
        shape = tables[name]
        for key, state in _logged(connection, shape).items():
            where = " AND ".join(f"{column} IS ?" for column in shape.key)
            found = connection.execute(f"SELECT {', '.join(shape.columns)} FROM {name} WHERE {where}", key).fetchone()
            row = None if found is None else dict(zip(shape.columns, found, strict=True))
            if row != state:
                operation = "insert" if state is None else "delete" if row is None else "update"
                about = (row or state or {})[subject]
                changes.append((name, about, operation, _as_json(state), _as_json(row)))
    newest = connection.execute("SELECT coalesce(max(id), 0) FROM journal_step").fetchone()[0]
    if changes:
        done.whole_history = False
        done.unlike_history = len(changes)
        newest += 1
        connection.execute(
            "INSERT INTO journal_step (id, uid, kind, name, at) VALUES (?, ?, 'fixed', 'Recover', ?)",
            (newest, new_id(), datetime.now(UTC).isoformat(timespec="milliseconds")),
        )
        connection.executemany(
            "INSERT INTO journal_change (step_id, table_name, row_id, operation, before, after) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            [(newest, *change) for change in changes],
        )
    if not done.whole_history:
        connection.execute("UPDATE journal_step SET undo_top = NULL, redo_top = NULL WHERE id = ?", (newest,))


def _logged(connection: sqlite3.Connection, shape: Shape) -> dict[Key, Row | None]:
    found: dict[Key, Row | None] = {}
    for before, after in connection.execute(
        "SELECT before, after FROM journal_change WHERE table_name = ? ORDER BY id", (shape.name,)
    ):
        state = json.loads(after) if after else None
        found[shape.key_of(state or json.loads(before))] = state
    return found


def _as_json(row: Row | None) -> str | None:
    return None if row is None else json.dumps(row, ensure_ascii=False)
