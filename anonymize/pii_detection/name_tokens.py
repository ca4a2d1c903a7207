"""Tokens of a text with what name rules ask about them, and lists of names and places.

Common words are in `project.text_matching.normalization`.
"""

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache, cached_property

from project.text_matching.normalization import (
    capitalized_non_names,
    function_words,
    is_common,
    read_word_list,
)
from project.text_matching.text_views import fold, fold_same_length


@cache
def places() -> frozenset[str]:
    """Return countries and larger towns that are no common words."""
    return read_word_list("places.txt")


@cache
def small_places() -> frozenset[str]:
    """Return towns of 1,000 people and more that `places` has not, without hyphens."""
    return read_word_list("small_places.txt")


@cache
def plain_words() -> frozenset[str]:
    """Return frequent words of German, Spanish and French that are no names."""
    return read_word_list("plain_words.txt")


def is_given_name(word: str) -> bool:
    """Tell whether a folded word is a given name of any origin, also with a possessive ending."""
    return word.removesuffix("'s").removesuffix("'") in read_word_list("given_names.txt")


def is_family_name(word: str) -> bool:
    """Tell whether a folded word is a family name that is no given name, also with a possessive ending."""
    return word.removesuffix("'s").removesuffix("'") in read_word_list("family_names.txt")


_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_CLITIC = re.compile(r"['\u2019](?:s|m|re|ll|ve|d)$", re.IGNORECASE)
_BREAK = re.compile(r"[.!?\u2026\n\r\u201c\u201d\"\u00ab\u00bb:\u00bf\u00a1]")
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "prof", "st", "no", "sr", "sra", "mme", "mlle", "jr"})
_APOSTROPHES = {0x2019: "'", 0x2018: "'"}
_ENGLISH_SHARE = 0.55
_MIN_WORDS = 4


@dataclass(frozen=True, slots=True)
class Token:
    """One word, without an ending such as “'s”.

    Attributes:
        key: lower case, without accents.
        capital: whether it begins with a capital letter.
        initial: whether a sentence begins with it.
        flat: whether its sentence has no capital letters (but for “I”), as a recogniser may write.
    """

    start: int
    end: int
    text: str
    key: str
    capital: bool
    initial: bool
    flat: bool


class Tokens:
    """The words of one text, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.all = _tokens(text)
        self._starts = [token.start for token in self.all]

    def index_at(self, place: int) -> int:
        """Return the index of the first word that begins at or after a place."""
        return bisect_left(self._starts, place)

    def gap_before(self, index: int) -> str:
        """Return what stands between a word and the one before it."""
        before = self.all[index - 1].end if index else 0
        return self.text[before : self.all[index].start]

    @cached_property
    def folded(self) -> str:
        """The text in lower case, without accents, with plain apostrophes, and with as many characters."""
        return fold_same_length(self.text).translate(_APOSTROPHES)

    @cached_property
    def is_english(self) -> bool:
        """Whether most words are common English ones; weak rules do not judge texts of other languages."""
        if len(self.all) < _MIN_WORDS:
            return True
        return sum(is_common(token.key) for token in self.all) >= _ENGLISH_SHARE * len(self.all)


def _tokens(text: str) -> list[Token]:
    spans: list[tuple[int, int, bool]] = []
    end = 0
    for match in _WORD.finditer(text):
        first, last = match.span()
        if clitic := _CLITIC.search(match[0]):
            last = first + clitic.start()
        gap = text[end:first] if spans else "."
        if spans and "." in gap and gap.strip() == "." and text[spans[-1][0] : spans[-1][1]].lower() in _ABBREVIATIONS:
            gap = " "
        spans.append((first, last, _BREAK.search(gap) is not None))
        end = match.end()
    found: list[Token] = []
    for at, (first, last, initial) in enumerate(spans):
        if initial:
            stop = next((i for i in range(at + 1, len(spans)) if spans[i][2]), len(spans))
            flat = not any(text[a].isupper() and text[a:b] != "I" for a, b, _ in spans[at:stop])
        word = text[first:last]
        found.append(Token(first, last, word, fold(word), word[0].isupper(), initial, flat))
    return found


def is_plain(word: Token) -> bool:
    """Tell whether a word is one of everybody's in one of our languages, so that it names nobody."""
    key = word.key
    # “n'a”, “l'homme”: what stands before the apostrophe says that it is no name.
    if len(key) > 2 and key[1] == "'" and key[0] in "cdjlmnst" and not word.capital:
        return True
    return key in function_words() or key in capitalized_non_names() or key in plain_words()
