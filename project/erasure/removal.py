"""Removes the rows in an erasure scope from a study in memory: tables, history, item sets and word lists."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

from project.erasure.lookalikes import study_texts
from project.erasure.raw_rows import Row, content_tables, live_rows, parse_json, parse_row, text_columns
from project.erasure.row_erasure import KEPT_COLUMNS, clean_row, is_shipped
from project.erasure.subject_scope import SubjectScope
from project.erasure.subject_terms import IdentifyingTerms
from project.files.sqlcipher import sqlite3
from project.ids import new_id
from project.schema.tables import HUMAN_TABLES, TABLES
from project.store.column_values import to_json
from project.text_matching.spellings import alternative_readings, squeeze_letters

Key = tuple[object, ...]
NUMBERS, VOCABULARY = "pii-numbers", "vocabulary"
_WORD_TABLES = ("private_word", "public_word")
_LIST_TABLES = frozenset({*_WORD_TABLES, "property", "pii_decision"})
STEP_NAME = "Withdraw a participant"
_NEUTRAL_STEP_NAME = "Edit"
"""What a step of the history is called whose name or content was somebody's."""


@dataclass(slots=True)
class ErasureCounts:
    """How much was removed from one file.

    Attributes:
        rows: table -> how many rows went, and how many were blanked in part.
        history: how many changes of the history went.
        renamed: steps of the history that lost their name.
        left: `TABLE.COLUMN` -> how many names of other people and things are the same as theirs, and were left.
        lists: list of words of the study -> how many entries went that stood in their recordings alone.
    """

    rows: dict[str, tuple[int, int]] = field(default_factory=dict)
    history: int = 0
    renamed: int = 0
    left: dict[str, int] = field(default_factory=dict)
    lists: dict[str, int] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing to remove."""
        return not self.rows and not self.history and not self.renamed


def erase_subject(connection: sqlite3.Connection, reach: SubjectScope) -> ErasureCounts:
    """Erase the person in scope; the connection is on a file or a database in memory that nobody else reads."""
    done = ErasureCounts()
    connection.execute("PRAGMA foreign_keys = OFF")
    connection.execute("BEGIN")
    touched = _affected_sets(connection, reach)
    for table in content_tables():
        _clean_table(connection, table, partial(clean_row, reach), reach, done)
    _update_sets(connection, touched)
    steps = _drop_history(connection, [*HUMAN_TABLES], partial(_is_past_of_subject, reach), done)
    done.renamed = _rename_steps(connection, (reach.terms, reach.file_names), steps)
    _prune_word_lists(connection, reach, done)
    connection.execute("COMMIT")
    return done


def read_study_id(connection: sqlite3.Connection) -> str:
    """Return the id of a study."""
    (stored,) = connection.execute("SELECT value FROM property WHERE key = 'id'").fetchone()
    return str(json.loads(stored))


def record_withdrawal(connection: sqlite3.Connection, reach: SubjectScope, annotator_id: str | None, at: str) -> None:
    """Record a withdrawal: a step of the history that no undo goes behind, and the tombstones."""
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO withdrawal VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET kind = excluded.kind, at = excluded.at",
        sorted((*stone, at) for stone in reach.tombstones() | reach.word_tombstones(read_study_id(connection))),
    )
    (newest,) = connection.execute("SELECT coalesce(max(id), 0) FROM journal_step").fetchone()
    connection.execute(
        "INSERT INTO journal_step (id, uid, kind, name, annotator_id, at) VALUES (?, ?, 'withdrawal', ?, ?, ?)",
        (newest + 1, new_id(), STEP_NAME, annotator_id, at),
    )
    connection.execute("COMMIT")


def _clean_table(
    connection: sqlite3.Connection,
    table: str,
    clean: Callable[[str, Row], Row | None],
    reach: SubjectScope,
    done: ErasureCounts,
) -> None:
    """Put what `clean` makes of each row of a table in its place."""
    key = TABLES[table].key
    where = " AND ".join(f"{column} IS ?" for column in key)
    gone: list[list[object]] = []
    changed: dict[tuple[str, ...], list[list[object]]] = {}
    left: dict[str, int] = {}
    names = KEPT_COLUMNS.get(table, ("text",) if table == "scheme_version" else ())
    for row in live_rows(connection, table):
        made = clean(table, row)
        place = [row[column] for column in key]
        if made is None:
            gone.append(place)
            continue
        if made != row:
            columns = tuple(name for name in row if made[name] != row[name])
            changed.setdefault(columns, []).append([*(made[name] for name in columns), *place])
        for column in names:
            if isinstance(made[column], str) and reach.terms.matches_text(made[column]):
                if table == "scheme_version" and is_shipped(table, made["key"], made[column]):
                    continue
                left[column] = left.get(column, 0) + 1
    connection.executemany(f"DELETE FROM {table} WHERE {where}", gone)
    for columns, values in changed.items():
        put = ", ".join(f"{column} = ?" for column in columns)
        connection.executemany(f"UPDATE {table} SET {put} WHERE {where}", values)
    blanked = sum(map(len, changed.values()))
    if gone or blanked:
        before = done.rows.get(table, (0, 0))
        done.rows[table] = before[0] + len(gone), before[1] + blanked
    done.left.update({f"{table}.{column}": count for column, count in left.items()})


def _affected_sets(connection: sqlite3.Connection, reach: SubjectScope) -> dict[str, int]:
    """Return id of a set of items -> how many of them go."""
    found: dict[str, int] = {}
    for row in live_rows(connection, "item"):
        if clean_row(reach, "item", row) is None:
            found[row["set_id"]] = found.get(row["set_id"], 0) + 1
    return found


def _update_sets(connection: sqlite3.Connection, touched: Mapping[str, int]) -> None:
    """Say of a set that it is not what was drawn any more; one without items goes, and what was asked over it."""
    for text, count in touched.items():
        sha256, left_out = connection.execute("SELECT sha256, left_out FROM item_set WHERE id = ?", (text,)).fetchone()
        if connection.execute("SELECT 1 FROM item WHERE set_id = ? LIMIT 1", (text,)).fetchone() is None:
            connection.execute(
                "DELETE FROM benchmark_answer WHERE run_id IN (SELECT id FROM benchmark_run WHERE set_id = ?)", (text,)
            )
            connection.execute("DELETE FROM benchmark_run WHERE set_id = ?", (text,))
            connection.execute("DELETE FROM item_set WHERE id = ?", (text,))
            continue
        now = hashlib.sha256(f"{sha256} without {count}".encode()).hexdigest()
        known = parse_json(left_out)
        why = json.dumps({**(known if isinstance(known, dict) else {}), "withdrawn": count}, ensure_ascii=False)
        connection.execute("UPDATE item_set SET sha256 = ?, left_out = ? WHERE id = ?", (now, why, text))


_RENAMED = {"medium": "path", "participant": "pseudonym", "annotator": "name", "judge": "name"}
"""Names of other people and things that somebody may have changed because they told who withdraws."""


def _is_past_of_subject(reach: SubjectScope, table: str, state: Row, present: Row | None) -> bool:
    """Tell whether a past state of a row is theirs; in their recordings, no text stays but the present one."""
    if table in _RENAMED and reach.terms.matches_text(str(state[_RENAMED[table]])):
        return True
    if clean_row(reach, table, state) != state:
        return True
    if not reach.is_in_scope(table, state):
        return False
    texts = (name for name in text_columns(table) if name not in TABLES[table].key and state[name] is not None)
    return any(state[name] != ("" if present is None else present[name]) for name in texts)


def _drop_history(
    connection: sqlite3.Connection,
    tables: Collection[str],
    is_theirs: Callable[[str, Row, Row | None], bool],
    done: ErasureCounts,
) -> set[int]:
    """Drop the history of each row of which a past state is theirs; of a row that stays, say how it is now.

    `is_theirs` takes a table, a past state of a row, and the row as it is now.

    Returns:
        Numbers of the steps that lost a change.
    """
    present = {table: {TABLES[table].key_of(row): row for row in live_rows(connection, table)} for table in tables}
    changes: dict[tuple[str, Key], list[tuple[int, int]]] = {}
    affected: dict[tuple[str, Key], None] = {}
    for number, step, table, before, after in connection.execute(
        "SELECT id, step_id, table_name, before, after FROM journal_change ORDER BY id"
    ):
        if table not in present:
            continue
        states = [parse_row(text) for text in (before, after) if text is not None]
        key = TABLES[table].key_of(states[-1])
        changes.setdefault((table, key), []).append((number, step))
        now = present[table].get(key)
        if (table, key) not in affected and any(is_theirs(table, state, now) for state in states):
            affected[table, key] = None
    gone: list[tuple[int]] = []
    for table, key in affected:
        numbers = [number for number, _ in changes[table, key]]
        if (now := present[table].get(key)) is not None:
            told = (json.dumps(now, ensure_ascii=False), numbers.pop())
            connection.execute(
                "UPDATE journal_change SET operation = 'insert', before = NULL, after = ? WHERE id = ?", told
            )
        gone += ((number,) for number in numbers)
    connection.executemany("DELETE FROM journal_change WHERE id = ?", gone)
    done.history += len(gone)
    return {step for row in affected for _, step in changes[row]}


def _rename_steps(connection: sqlite3.Connection, wordings: tuple[IdentifyingTerms, ...], steps: set[int]) -> int:
    renamed: list[tuple[object, ...]] = []
    for number, name, mark in connection.execute("SELECT id, name, merge_key FROM journal_step"):
        marked = mark is not None and any(wording.matches_text(mark) for wording in wordings)
        if number in steps or marked or any(wording.matches_text(name) for wording in wordings):
            keeps = mark is not None and mark.startswith("merge:") and not marked
            renamed.append((_NEUTRAL_STEP_NAME, mark if keeps else None, number))
    connection.executemany("UPDATE journal_step SET name = ?, merge_key = ? WHERE id = ?", renamed)
    return len(renamed)


def _prune_word_lists(connection: sqlite3.Connection, reach: SubjectScope, done: ErasureCounts) -> None:
    """Take out of the lists, and of their history, what stood in texts that went and stands in none that stays."""
    lists = _WordLists(connection, reach)
    tables = (*_WORD_TABLES, "property")
    for table in tables:
        _clean_table(connection, table, lists.clean, reach, done)
    done.lists = {name: count for name, count in lists.gone.items() if count}
    _drop_history(connection, tables, lambda table, state, _: lists.clean(table, state) != state, done)


class _WordLists:
    """Decides about each entry of a word list whether it stays; the remaining texts are read when first needed.

    Attributes:
        gone: name of a list -> how many entries did not.
    """

    def __init__(self, connection: sqlite3.Connection, reach: SubjectScope) -> None:
        self._connection = connection
        self._reach = reach
        self._people = {str(row["id"]) for row in live_rows(connection, "participant")}
        self._known: dict[str, bool] = {}
        self.gone: Counter[str] = Counter()

    def clean(self, table: str, row: Row) -> Row | None:
        """Return what becomes of an entry, or of a property that is a list, of now or of the past."""
        if table == "property":
            return row | {"value": self._clean_property(row["key"], row["value"])}
        if ("replacement" in row and self._reach.word_owner(row) in self._people) or self._keeps_word(row["word"]):
            return row
        self.gone[table] += 1
        return None

    def _keeps_word(self, word: object) -> bool:
        letters = squeeze_letters(word) if isinstance(word, str) else ""
        return letters not in self._reach.erased_letters or self._occurs_in_remaining(letters)

    def _clean_property(self, key: str, text: str) -> str:
        found = parse_json(text)
        if key == VOCABULARY and isinstance(found, list):
            words = [word for word in found if self._keeps_word(word)]
            self.gone[key] += len(found) - len(words)
            return text if words == found else to_json(words)
        if key == NUMBERS and isinstance(found, dict):
            numbers = {
                label: {who: number for who, number in assigned.items() if self._keeps_number(who)}
                for label, assigned in found.items()
                if isinstance(assigned, dict)
            }
            self.gone[key] += sum(len(found[label]) - len(kept) for label, kept in numbers.items())
            return text if numbers == found else to_json({**numbers})
        return text

    def _keeps_number(self, who: str) -> bool:
        """Tell whether a number stays: of a participant who does, or of something that stands in a text that does.

        Of anything else, nobody can say any more whose it was.
        """
        if who in self._people:
            return True
        letters = squeeze_letters(who)
        return bool(letters) and not self._reach.terms.matches_text(who) and self._occurs_in_remaining(letters)

    def _occurs_in_remaining(self, letters: str) -> bool:
        if letters not in self._known:
            self._known[letters] = letters in self._remaining_text or letters in self._remaining_speech
        return self._known[letters]

    @cached_property
    def _remaining_text(self) -> str:
        return "\n".join(map(squeeze_letters, self._remaining_texts))

    @cached_property
    def _remaining_speech(self) -> str:
        readings = (reading for text in self._remaining_texts for reading in [*alternative_readings(text)][1:])
        return "\n".join(map(squeeze_letters, readings))

    @cached_property
    def _remaining_texts(self) -> list[str]:
        """Every text that stays, of now and of the history, but for lists of words and names of steps."""
        left_out = {*_LIST_TABLES, "journal_step"}
        return [*dict.fromkeys(text for table, text in study_texts(self._connection) if table not in left_out)]
