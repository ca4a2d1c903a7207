"""Lists of words that a study keeps about its texts: private and public words, a vocabulary, numbers of replacements.

What came into them from the recordings of somebody goes with them, unless it stands in what stays as well.
"""

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator

from project.json_text import to_json
from project.types import Json
from project.withdrawing.cleaning import KEPT
from project.withdrawing.reach import Reach
from project.withdrawing.rows import Row, live_rows, parsed, tables, texts_of
from project.withdrawing.spellings import readings, squeezed

NUMBERS, VOCABULARY = "pii-numbers", "vocabulary"
_WORDS = ("private_word", "public_word")
_LISTS = frozenset({*_WORDS, "property", "pii_decision"})


def forget_words(connection: sqlite3.Connection, reach: Reach) -> dict[str, int]:
    """Take out of the lists, and of the history of these, what stood in texts that went and stands in none that stays.

    Args:
        connection: on a study that they have left.
        reach: what was theirs.

    Returns:
        Name of a list -> how many entries went.
    """
    ids = {str(row["id"]) for table in ("participant",) for row in live_rows(connection, table)}
    lists = _Lists(connection, reach, ids)
    gone: dict[str, int] = {}
    for table in _WORDS:
        words = [(row["word"],) for row in live_rows(connection, table) if not lists.stays(row)]
        connection.executemany(f"DELETE FROM {table} WHERE word = ?", words)
        if words:
            gone[table] = len(words)
    for key in (NUMBERS, VOCABULARY):
        row = connection.execute("SELECT value FROM property WHERE key = ?", (key,)).fetchone()
        if row is not None and (made := lists.cleaned(key, row[0])) != row[0]:
            connection.execute("UPDATE property SET value = ? WHERE key = ?", (made, key))
            gone[key] = max(_count(row[0]) - _count(made), 1)
    gone_or_changed = lists.history()
    connection.executemany("DELETE FROM journal_change WHERE id = ?", gone_or_changed[0])
    connection.executemany(
        "UPDATE journal_change SET operation = ?, before = ?, after = ? WHERE id = ?", gone_or_changed[1]
    )
    if gone_or_changed[0] or gone_or_changed[1]:
        gone["history"] = len(gone_or_changed[0]) + len(gone_or_changed[1])
    return gone


def _count(text: str) -> int:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return 0
    if isinstance(found, dict):
        return sum(len(each) for each in found.values() if isinstance(each, dict))
    return len(found) if isinstance(found, list) else 0


class _Lists:
    """Decides of every entry whether it stays; what stands in the texts that stay is read when it is first asked."""

    def __init__(self, connection: sqlite3.Connection, reach: Reach, people: Collection[str]) -> None:
        self._connection = connection
        self._reach = reach
        self._people = people
        self._text: str | None = None
        self._spoken: str | None = None
        self._known: dict[str, bool] = {}

    def stays(self, row: Row) -> bool:
        """Tell whether a private or public word stays: somebody's who stays, or of no text that went."""
        if row.get("participant_id") in self._people:
            return True
        letters = squeezed(row["word"])
        return not letters or letters not in self._reach.held or self._stands(letters)

    def cleaned(self, key: str, text: str) -> str:
        """Return a list of the study's properties without what goes."""
        try:
            found: Json = json.loads(text)
        except (ValueError, RecursionError):
            return to_json({})
        if key == VOCABULARY:
            if not isinstance(found, list):
                return text
            kept = [one for one in found if not isinstance(one, str) or self._word_stays(one)]
            return text if kept == found else to_json(kept)
        if not isinstance(found, dict):
            return to_json({})
        numbers: dict[str, Json] = {
            label: {who: number for who, number in each.items() if self._number_stays(who)}
            for label, each in found.items()
            if isinstance(each, dict)
        }
        return text if numbers == found else to_json(numbers)

    def _word_stays(self, word: str) -> bool:
        letters = squeezed(word)
        return letters not in self._reach.held or self._stands(letters)

    def _number_stays(self, who: str) -> bool:
        """Tell whether a number stays: of a participant who does, or of something that stands in a text that does.

        Of anything else, nobody can say any more whose it was.
        """
        if who in self._people:
            return True
        letters = squeezed(who)
        return bool(letters) and not self._reach.wording.in_text(who) and self._stands(letters)

    def _stands(self, letters: str) -> bool:
        if letters not in self._known:
            self._known[letters] = letters in self._remaining() or letters in self._remaining_speech()
        return self._known[letters]

    def _remaining(self) -> str:
        if self._text is None:
            self._text = "\n".join(map(squeezed, dict.fromkeys(self._texts())))
        return self._text

    def _remaining_speech(self) -> str:
        if self._spoken is None:
            spoken = (one for text in dict.fromkeys(self._texts()) for one in [*readings(text)][1:])
            self._spoken = "\n".join(map(squeezed, spoken))
        return self._spoken

    def _texts(self) -> Iterator[str]:
        """Yield every text that stays, of now and of the history, but for lists of words."""
        columns = {
            table: [name for name in texts_of(table) if name not in KEPT.get(table, ()) and name != "words"]
            for table in tables()
            if table not in _LISTS
        }
        for table, names in columns.items():
            for row in live_rows(self._connection, table):
                yield from (row[name] for name in names if isinstance(row[name], str))
        for table, before, after in self._connection.execute("SELECT table_name, before, after FROM journal_change"):
            for side in (before, after):
                row = {} if side is None else parsed(side)
                yield from (row[name] for name in columns.get(table, ()) if isinstance(row.get(name), str))

    def history(self) -> tuple[list[tuple[int]], list[tuple[object, ...]]]:
        """Return ids of changes of lists that go, and the new states of those that change."""
        gone: list[tuple[int]] = []
        changed: list[tuple[object, ...]] = []
        for number, table, before, after in self._connection.execute(
            "SELECT id, table_name, before, after FROM journal_change "
            "WHERE table_name IN ('private_word', 'public_word', 'property') ORDER BY id"
        ):
            sides = [None if side is None else parsed(side) for side in (before, after)]
            made = [self._past(table, side) for side in sides]
            if made == sides:
                continue
            if made[0] == made[1]:
                gone.append((number,))
                continue
            what = "insert" if made[0] is None else "delete" if made[1] is None else "update"
            changed.append(
                (what, *(None if one is None else json.dumps(one, ensure_ascii=False) for one in made), number)
            )
        return gone, changed

    def _past(self, table: str, state: Row | None) -> Row | None:
        if state is None or table in _WORDS:
            return state if state is None or self.stays(state) else None
        if state["key"] not in (NUMBERS, VOCABULARY) or not isinstance(state["value"], str):
            return state
        clean: Callable[[str, str], str] = self.cleaned
        return {**state, "value": clean(state["key"], state["value"])}
