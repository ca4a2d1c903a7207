"""Rebuilds a study from recovered rows, with valid references and a consistent history.

Lost rows come from the history or from a backup; placeholders stand for those that others refer to.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from project.entities.frozen_items import describe_content_problem
from project.entities.study_records import MediumRole, ParticipantRole
from project.errors import UserError
from project.files.sqlcipher import sqlite3
from project.ids import is_id, new_id
from project.integrity.integrity_check import CONTENT_RULES, last_states
from project.queries.question_rows import QUESTIONS
from project.queries.recording_rows import facts_from_json
from project.recovery.table_reader import Key, RecoveredTable, Row
from project.schema.tables import HUMAN_TABLES, TABLES
from project.schemes.scheme_file import parse_scheme, shipped_names, shipped_text

_END = """SELECT coalesce(max(end_us), 0) FROM (
  SELECT end_us FROM segment WHERE recording_id = :id UNION ALL SELECT end_us FROM utterance WHERE recording_id = :id
  UNION ALL SELECT end_us FROM question WHERE recording_id = :id
  UNION ALL SELECT n.end_us FROM chain_node n JOIN chain c ON c.id = n.chain_id WHERE c.recording_id = :id)"""

_PLACEHOLDER_SQL = {
    "collection": "INSERT INTO collection VALUES (:id, 'Lost collection ' || :number, '')",
    "annotator": "INSERT INTO annotator VALUES (:id, 'Lost annotator ' || :number, 'person')",
    "participant": "INSERT INTO participant VALUES (:id, 'Lost ' || :number, 'user', '')",
    "recording": (
        "INSERT INTO recording SELECT :id, (SELECT id FROM collection ORDER BY id LIMIT 1), "
        f"(SELECT coalesce(max(number), 0) + 1 FROM recording), 'Lost recording ' || :number, ({_END})"
    ),
}
"""What stands for a row that is lost; whose it was is known by its id alone."""


_REFERENCES = [
    (table.name, column.name, parent[1])
    for table in TABLES.values()
    for column in table.columns
    if (parent := re.search(r"REFERENCES (\w+)", column.sql))
]
"""Table, column, and the table whose id it holds."""


def _is_dangling(table: str, column: str, parent: str) -> str:
    """Return the condition that holds for rows of a table that refer to what is not there."""
    return f"{table}.{column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {parent} AS p WHERE p.id = {table}.{column})"


def restore_parents(
    connection: sqlite3.Connection, before: Mapping[str, RecoveredTable] | None
) -> tuple[Counter[str], Counter[str]]:
    """Put back what rows refer to; return how many rows of which table came from the backup, and were made up."""
    from_backup, made_up = Counter[str](), Counter[str]()
    again = True
    while again:
        again = False
        for table, column, parent in _REFERENCES:
            missing = connection.execute(
                f"SELECT DISTINCT {column} FROM {table} WHERE {_is_dangling(table, column, parent)}"
            ).fetchall()
            for (key,) in missing:
                row = before[parent].rows.get((key,)) if before else None
                if row is not None and _insert_row(connection, parent, row):
                    from_backup[parent] += 1
                elif parent in _PLACEHOLDER_SQL and isinstance(key, str) and is_id(key):
                    _insert_placeholder(connection, parent, key, made_up)
                else:
                    continue
                again = True
    return from_backup, made_up


def _insert_row(connection: sqlite3.Connection, table: str, row: Row) -> bool:
    try:
        connection.execute(TABLES[table].insert_sql, [row[column] for column in TABLES[table].names])
    except (sqlite3.Error, OverflowError, UnicodeEncodeError):
        return False
    return True


def _insert_placeholder(connection: sqlite3.Connection, table: str, key: str, made_up: Counter[str]) -> None:
    if table == "recording" and not connection.execute("SELECT 1 FROM collection LIMIT 1").fetchone():
        made_up["collection"] += 1
        connection.execute(_PLACEHOLDER_SQL["collection"], {"id": new_id(), "number": made_up["collection"]})
    made_up[table] += 1
    connection.execute(_PLACEHOLDER_SQL[table], {"id": key, "number": made_up[table]})


_SIDES = ("before", "after")


_JSON_SHAPES = {"value": object, "object": dict, "array": list}


def has_valid_values(table: str, row: Row) -> bool:
    """Tell whether the values of a row can be read as what they are, such as JSON."""
    try:
        for column in TABLES[table].columns:
            if column.shape and row[column.name] is not None:
                value = json.loads(str(row[column.name]))
                if not isinstance(value, _JSON_SHAPES[column.shape]):
                    return False
        return _is_readable(table, row)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, UserError):
        return False


def _is_readable(table: str, row: Row) -> bool:
    """Tell what needs to know the table; what is raised says no."""
    match table:
        case "journal_change":
            return _is_change(row)
        case "scheme_version":
            scheme = parse_scheme(str(row["text"]), "")
            return (scheme.key, scheme.version) == (row["key"], row["version"])
        case "item":
            return not describe_content_problem(str(row["about"]), json.loads(str(row["content"])))
        case "question":
            question = QUESTIONS.read(tuple(row[column] for column in QUESTIONS.column_list.split(", ")))
            return len({*question.options}) == len(question.options)
        case "medium":
            MediumRole(str(row["role"]))
            facts_from_json(str(row["facts"]))
        case "participant":
            ParticipantRole(str(row["role"]))
    return True


def _is_change(row: Row) -> bool:
    name = str(row["table_name"])
    states = [json.loads(str(row[side])) for side in _SIDES if row[side] is not None]
    if name not in HUMAN_TABLES or not states:
        return False
    return all(isinstance(state, dict) and {*state} == {*TABLES[name].names} for state in states)


_HISTORY = ("journal_step", "journal_change")
_LINKS = ("below", "undo_top", "redo_top")


@dataclass(slots=True)
class RebuildCounts:
    """How many rows of each table came from where, and how many were left out because of what they lack.

    Attributes:
        whole_history: whether every step is there, so that what was done can still be undone.
        history_mismatches: how many rows are not what the history says that they were.
    """

    saved: Counter[str] = field(default_factory=Counter)
    from_history: Counter[str] = field(default_factory=Counter)
    from_backup: Counter[str] = field(default_factory=Counter)
    placeholders: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    whole_history: bool = True
    history_mismatches: int = 0


def assemble(
    connection: sqlite3.Connection,
    left: Mapping[str, RecoveredTable],
    before: Mapping[str, RecoveredTable] | None = None,
) -> RebuildCounts:
    """Fill an empty study, in one transaction that the caller begins and ends, without foreign keys being watched.

    Args:
        connection: on the empty study.
        left: what is left of each.
        before: what is in a backup; rows come from it where a table is damaged, or others refer to them.
    """
    done = RebuildCounts(whole_history=not any(left[name].is_damaged for name in _HISTORY))
    backup = before or {}
    lost = {name: _rows_only_in(backup[name], left[name]) for name in backup if left[name].is_damaged}
    states = _last_states([*left["journal_change"].rows.values(), *lost.get("journal_change", {}).values()])
    for name in TABLES:
        known = states.get(name, {})
        sources = (
            (left[name].rows, done.saved),
            ({key: state for key, state in known.items() if state is not None}, done.from_history),
            # What the history says was deleted does not come back.
            ({key: row for key, row in lost.get(name, {}).items() if key not in known}, done.from_backup),
        )
        inserted: set[Key] = set()
        for rows, count in sources:
            for key, row in rows.items():
                if key in inserted:
                    continue
                if has_valid_values(name, row) and _insert_row(connection, name, row):
                    inserted.add(key)
                    count[name] += 1
                elif count is done.saved:
                    done.left_out[name] += 1
        done.saved[name] = len(inserted)
    _restore_schemes(connection, [*before["scheme_version"].rows.values()] if before else [])
    parents, done.placeholders = restore_parents(connection, before)
    done.from_backup += parents
    done.saved += parents + done.placeholders
    _drop_invalid_rows(connection, done)
    _repair_history(connection, done)
    _log_differences(connection, done)
    return done


def _rows_only_in(backup: RecoveredTable, left: RecoveredTable) -> dict[Key, Row]:
    return {key: row for key, row in backup.rows.items() if key not in left.rows}


def _last_states(changes: Iterable[Row]) -> dict[str, dict[Key, Row | None]]:
    """Return what each row of a human table was when the history last said something about it; None where it went."""
    found: dict[str, dict[Key, Row | None]] = {}
    for change in sorted(changes, key=lambda row: int(str(row["id"]))):
        name = str(change["table_name"])
        if name in HUMAN_TABLES and has_valid_values("journal_change", change):
            before, after = (json.loads(str(change[side] or "null")) for side in _SIDES)
            found.setdefault(name, {})[TABLES[name].key_of(after or before)] = after
    return found


def _restore_schemes(connection: sqlite3.Connection, kept: Sequence[Row]) -> None:
    """Give segments whose scheme is lost its text from a backup, or of the program where it ships the scheme."""
    used = connection.execute("SELECT scheme FROM segment EXCEPT SELECT key FROM scheme_version").fetchall()
    rows = [(row["key"], row["version"], row["text"]) for row in kept]
    for (key,) in used:
        if key in shipped_names():
            text = shipped_text(key)
            rows.append((key, parse_scheme(text, key).version, text))
    connection.executemany("INSERT INTO scheme_version VALUES (?, ?, ?) ON CONFLICT DO NOTHING", rows)


def _drop_invalid_rows(connection: sqlite3.Connection, done: RebuildCounts) -> None:
    while True:
        gone = 0
        for name in TABLES:
            if name in _HISTORY:
                continue
            conditions = [_is_dangling(*reference) for reference in _REFERENCES if reference[0] == name]
            conditions += [rule.condition for rule in CONTENT_RULES if rule.table == name]
            for condition in conditions:
                count = connection.execute(f"DELETE FROM {name} WHERE {condition}").rowcount
                done.left_out[name] += count
                done.saved[name] -= count
                gone += count
        if not gone:
            return


def _repair_history(connection: sqlite3.Connection, done: RebuildCounts) -> None:
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


def _log_differences(connection: sqlite3.Connection, done: RebuildCounts) -> None:
    """Log, as a step of its own, where a row is not what the history says; nothing before a loss can be undone."""
    changes = []
    for name, table in HUMAN_TABLES.items():
        columns, where = ", ".join(table.names), " AND ".join(f"{column} IS ?" for column in table.key)
        for row_key, state in last_states(connection.execute, table).items():
            found = connection.execute(f"SELECT {columns} FROM {name} WHERE {where}", row_key).fetchone()
            row = None if found is None else dict(zip(table.names, found, strict=True))
            if row != state:
                operation = "insert" if state is None else "delete" if row is None else "update"
                about = (row or state or {})[table.subject]
                changes.append((name, about, operation, _as_json(state), _as_json(row)))
    newest = connection.execute("SELECT coalesce(max(id), 0) FROM journal_step").fetchone()[0]
    if changes:
        done.whole_history = False
        done.history_mismatches = len(changes)
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


def _as_json(row: Mapping[str, object] | None) -> str | None:
    return None if row is None else json.dumps(row, ensure_ascii=False)
