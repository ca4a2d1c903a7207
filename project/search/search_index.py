"""Full-text search over a study, on SQLite's FTS5, and the translation of typed queries."""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from project.entities.study_records import Changes
from project.files.sqlcipher import sqlite3
from project.queries.annotator_rows import hidden_lanes
from project.search.free_texts import TextLocation, Texts
from project.store.study import Study

_PART = re.compile(r'"([^"]*)(")?|([^\s"]+)')
_MAX_TERMS = 24
"""More words than this are left out: the engine has a limit on how deep an expression may be."""


def match_expression(typed: str) -> str:
    """Return the expression for what was typed, or "" where there is nothing to look for.

    Each word is found where a word of the text begins with it; words between quotes are found as they stand, one after
    the other, and while the second quote is missing the last of them may go on. A text has to have all of it. Nothing
    that can be typed is an error: every word is handed on between quotes, where signs mean nothing.
    """
    clean = re.sub("[\x00\ud800-\udfff]", " ", typed)
    parts = []
    for phrase, closed, word in _PART.findall(clean):
        # A quote before nothing, or signs alone, would be words that no text has.
        if any(sign.isalnum() for sign in phrase or word):
            parts.append(f'"{phrase}"' if closed else f'"{phrase or word}"*')
    return " ".join(parts[:_MAX_TERMS])


_OPEN, _CLOSE = "\x02", "\x03"
_SLICE = 40
_EXCERPT_WORDS = 18
_RUN = re.compile(f"{_OPEN}([^{_CLOSE}]*){_CLOSE}")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A piece of a text; `marks` are the (start, end) of what matches, in characters of `text`."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()


class SearchIndex:
    """The full-text index of one study. It belongs to the study's thread.

    What a step touched is read again when the next search needs it, or before that in idle moments by `index_next`.
    """

    def __init__(self, study: Study) -> None:
        self._study = study
        self._texts = Texts(study)
        self._memory = sqlite3.connect(":memory:", isolation_level=None)
        self._create_table()
        self._places: dict[int, TextLocation] = {}
        self._rows: dict[tuple[str, str], list[int]] = {}
        self._next = 1
        self._stale: dict[tuple[str, str], None] = {}
        self._unlisted: list[str] = []
        self._version = self._data_version()
        self._hidden = hidden_lanes(study)
        self._restart()

    def close(self) -> None:
        """Forget everything."""
        self._memory.close()

    @property
    def is_current(self) -> bool:
        """Whether there is nothing left for `index_next` to do."""
        return not self._stale and not self._unlisted

    def note_changes(self, changes: Changes) -> None:
        """Note the rows that an edit touched; they are indexed when needed."""
        if changes.ids("scheme_version"):
            self._texts.clear_scheme_cache()
            self._restart()
        for table in self._texts.tables:
            self._stale.update(dict.fromkeys((table, subject) for subject in sorted(changes.ids(table))))
        # Which of its values are shown depends on a segment's scheme.
        self._stale.update(dict.fromkeys(("segment_value", text) for text in sorted(changes.ids("segment"))))

    def index_next(self) -> bool:
        """Read the next slice of what is not in the index yet, some milliseconds of work; false when all is."""
        if self._unlisted and not self._stale:
            table = self._unlisted.pop(0)
            self._stale = dict.fromkeys((table, subject) for subject in self._texts.subjects(table))
            return not self.is_current
        batch = list(islice(self._stale, _SLICE))
        run = self._memory.execute
        run("BEGIN")
        try:
            for table in dict.fromkeys(table for table, _ in batch):
                self._reindex(table, [subject for owner, subject in batch if owner == table])
            run("COMMIT")
        except BaseException:
            run("ROLLBACK")
            self._rows.clear()
            self._places.clear()
            self._create_table()
            self._restart()
            raise
        for pair in batch:
            del self._stale[pair]
        return not self.is_current

    def find_locations(self, typed: str) -> dict[int, TextLocation]:
        """Return number -> place of every text that has what was typed (see `match_expression`), in no order."""
        wanted = self._prepare(typed)
        if not wanted:
            return {}
        rows = self._memory.execute("SELECT rowid FROM found WHERE found MATCH ?", (wanted,)).fetchall()
        return {number: self._places[number] for (number,) in rows}

    def find_best(self, typed: str, limit: int = 50) -> list[tuple[TextLocation, Excerpt]]:
        """Return the texts that fit best what was typed, the best first."""
        wanted = self._prepare(typed)
        if not wanted:
            return []
        rows = self._memory.execute(
            f"SELECT rowid, {_SNIPPET} FROM found WHERE found MATCH ? ORDER BY rank LIMIT ?", (wanted, limit)
        ).fetchall()
        return [(self._places[number], _excerpt(text)) for number, text in rows]

    def excerpt(self, typed: str, number: int) -> Excerpt:
        """Return the piece of one text, by its number, in which what was typed stands."""
        rows = self._memory.execute(
            f"SELECT {_SNIPPET} FROM found WHERE found MATCH ? AND rowid = ?", (match_expression(typed) or '""', number)
        ).fetchall()
        return _excerpt(rows[0][0]) if rows else Excerpt("")

    def excerpts(self, typed: str, numbers: Iterable[int]) -> list[Excerpt]:
        """Return what `excerpt` does for each of several texts, which are found in one go."""
        wanted = [*numbers]
        # A plus keeps SQLite from looking for what was typed once for each row.
        rows = self._memory.execute(
            f"SELECT rowid, {_SNIPPET} FROM found WHERE found MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
            (match_expression(typed) or '""', json.dumps(wanted)),
        ).fetchall()
        found = {number: _excerpt(text) for number, text in rows}
        return [found.get(number, Excerpt("")) for number in wanted]

    def _prepare(self, typed: str) -> str:
        # What another window saves reaches a study that is only read without a step of its own.
        if self._study.read_only and (version := self._data_version()) != self._version:
            self._version = version
            self._texts.clear_scheme_cache()
            self._restart()
        if (hidden := hidden_lanes(self._study)) != self._hidden:
            self._hidden = hidden
            self._restart()
        while not self.is_current:
            self.index_next()
        return match_expression(typed)

    def _create_table(self) -> None:
        self._memory.execute("DROP TABLE IF EXISTS found")
        self._memory.execute(
            "CREATE VIRTUAL TABLE found USING fts5 (text, prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2')"
        )

    def _restart(self) -> None:
        self._stale = dict.fromkeys(self._rows)
        self._unlisted = [*self._texts.tables]

    def _reindex(self, table: str, subjects: list[str]) -> None:
        gone = [number for subject in subjects for number in self._rows.pop((table, subject), ())]
        self._memory.executemany("DELETE FROM found WHERE rowid = ?", [(number,) for number in gone])
        for number in gone:
            del self._places[number]
        self._add(self._texts.read(table, subjects))

    def _add(self, texts: Iterable[tuple[TextLocation, str]]) -> None:
        new = []
        for place, text in texts:
            self._places[self._next] = place
            self._rows.setdefault((place.table, place.subject), []).append(self._next)
            new.append((self._next, _clean(text)))
            self._next += 1
        self._memory.executemany("INSERT INTO found (rowid, text) VALUES (?, ?)", new)

    def _data_version(self) -> int:
        row = self._study.row("PRAGMA data_version")
        return 0 if row is None else int(row[0])


_SNIPPET = f"snippet(found, 0, '{_OPEN}', '{_CLOSE}', '…', {_EXCERPT_WORDS})"
_DROPPED = dict.fromkeys(map(ord, "\x00" + _OPEN + _CLOSE), " ")


def _clean(text: str) -> str:
    return text.translate(_DROPPED).encode("utf-8", "replace").decode("utf-8")


def _excerpt(marked: str) -> Excerpt:
    text, marks, end = "", [], 0
    for run in _RUN.finditer(marked):
        text += marked[end : run.start()]
        marks.append((len(text), len(text) + len(run[1])))
        text += run[1]
        end = run.end()
    return Excerpt(text + marked[end:], tuple(marks))
