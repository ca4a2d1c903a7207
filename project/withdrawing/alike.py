"""Which words of a study name somebody, and which only look as if they did: what those mean is for people to say."""

import re
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from project.common_words import is_common
from project.withdrawing.cleaning import KEPT
from project.withdrawing.rows import live_rows, tables, texts_of
from project.withdrawing.wording import Wording, folded_text, plain_text
from project.withdrawing.written import is_shipped

_WORD = re.compile(r"[^\W\d_]+")
_VOWELS = "aeiouy"
_SHARED, _LONGER = 3, 3
"""Letters that a word shares with a name at least, and that it goes on with at most."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Words as they are spelled -> how often they stand in the study.

    Attributes:
        found: words that were taken for a name, or for one of its words.
        left: words that were not: a name with another ending, a word of a name that is everybody's.
    """

    found: Mapping[str, int] = field(default_factory=dict)
    left: Mapping[str, int] = field(default_factory=dict)


def found_words(connection: sqlite3.Connection, wording: Wording) -> Mapping[str, int]:
    """Return the words of a study that are taken for a name of somebody."""
    words = _spelled(_texts(connection), wording.words | wording.common)
    return {word: count for word, count in words.most_common() if wording.in_text(word)}


def left_words(connection: sqlite3.Connection, wording: Wording) -> Mapping[str, int]:
    """Return words that look like a name of somebody in a study that they have left, also in its history."""
    stems = {_stem(one) for one in wording.words | wording.common if one.isalpha() and len(one) >= _SHARED}
    words = _spelled(_texts(connection), stems)
    for word, count in _spelled(_history(connection), stems).items():
        words.setdefault(word, count)
    return {word: count for word, count in words.most_common() if _looks_alike(word, stems, wording)}


def _looks_alike(word: str, stems: Iterable[str], wording: Wording) -> bool:
    folded = folded_text(plain_text(word))
    if folded in wording.common:
        return True
    near = any(folded.startswith(stem) and len(folded) - len(stem) <= _LONGER for stem in stems)
    return near and not is_common(folded)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > _SHARED and word[-1] in _VOWELS else word


def _spelled(texts: Iterable[str], wanted: Iterable[str]) -> Counter[str]:
    """Return the words of some texts that begin with one of those that are wanted."""
    beginning = "|".join(map(re.escape, sorted(wanted)))
    if not beginning:
        return Counter()
    there = re.compile(rf"(?<![^\W\d_])(?:{beginning})")
    found: Counter[str] = Counter()
    for text in texts:
        plain = plain_text(text)
        if there.search(folded_text(plain)):
            found.update(one for one in _WORD.findall(plain) if there.match(folded_text(one)))
    return found


def _texts(connection: sqlite3.Connection) -> Iterator[str]:
    for table in tables():
        columns = [name for name in texts_of(table) if name not in KEPT.get(table, ())]
        for row in live_rows(connection, table):
            if table in ("scheme_version", "prompt_version") and is_shipped(table, row["key"], row["text"]):
                continue
            yield from (row[name] for name in columns if isinstance(row[name], str))


def _history(connection: sqlite3.Connection) -> Iterator[str]:
    yield from (row[0] for row in connection.execute("SELECT name FROM journal_step"))
    for sides in connection.execute("SELECT before, after FROM journal_change"):
        yield from (one for one in sides if one is not None)
