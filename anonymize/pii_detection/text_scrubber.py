"""Removes identifying words from free texts: private words, names, addresses, numbers, dates.

A new way to find such places is a `Finder`; everything else stays as it is.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anonymize.pii_detection.text_patterns import read_patterns
from project.text_matching.text_views import fold, fold_with_positions

OMISSION_MARK = "[…]"
"""Stands where nothing else may: no word of any language can be a part of it."""
_ENDINGS = r"(?:'s|s'|'|s|es|n|en|in|i|a|e|chen|lein)?"
# A name this short has no endings: they would make other words of it.
_MAX_UNINFLECTED_CHARS = 3
_LETTER = r"[^\W\d_]"
# What joins the parts of a name.
_JOINS = r"\s+|(?<=[^\W\d_])['\u2010-\u2015-](?=[^\W\d_])"
_INFLECTED_SCRIPTS = frozenset({"CYRILLIC", "GREEK"})
_MAX_ENDING_CHARS = 4
# Words of all other scripts stand without blanks, or with other words joined to them: they are found anywhere.
_SPACED_SCRIPTS = frozenset({"LATIN", "ARMENIAN", "GEORGIAN", *_INFLECTED_SCRIPTS})
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "ß": "ss"})


@dataclass(frozen=True, slots=True)
class Replacement:
    """One place that was changed.

    Attributes:
        kind: `word` for those that were given, otherwise what it looks like: `e-mail`, `date`, ...
        before: what stood there.
        after: what stands there now.
    """

    kind: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ScrubResult:
    """A text after scrubbing, and what was changed in it, in order of place."""

    text: str
    replacements: tuple[Replacement, ...] = ()


@dataclass(frozen=True, slots=True)
class TextRedaction:
    """A stretch of a text that must not stay, and what is written there."""

    start: int
    end: int
    kind: str
    after: str


Finder: TypeAlias = Callable[[str], Iterable[TextRedaction]]
"""Finds places in a text; they may overlap."""
Keeper: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
"""Says which stretches of a text a person decided to keep, whatever finders say; given words go all the same."""


class PhraseMatcher:
    """Finds given words and phrases, whatever their case, accents, endings (“Anna's”) and gaps."""

    def __init__(self, words: Mapping[str, str]) -> None:
        """Take word or phrase -> what is written in its place; empty ones are left aside."""
        self._after: dict[str, str] = {}
        for word, after in words.items():
            for form in (word, word.translate(_UMLAUTS)):
                key = _key(form)
                if key:
                    self._after.setdefault(key, after)
        # Looking whether the beginning of a word is there at all is far cheaper than a pattern of all words.
        self._begins = {key: _common_prefix(key) for key in sorted(self._after, key=lambda key: (-len(key), key))}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def __call__(self, text: str) -> Iterable[TextRedaction]:
        """Return the places of the words in a text, the longest words first; they may overlap."""
        folded = fold_with_positions(text)
        for key, begin in self._begins.items():
            if begin not in folded.text:
                continue
            if key not in self._patterns:
                self._patterns[key] = re.compile(_word_pattern(key))
            for hit in self._patterns[key].finditer(folded.text):
                start, end = folded.original_span(*hit.span())
                yield TextRedaction(start, end, "word", self._after[key])

    def find_first(self, text: str) -> str | None:
        """Return the first of the words that stands in a text, as it stands there; None where there is none."""
        place = min(self(text), key=lambda text_redaction: text_redaction.start, default=None)
        return None if place is None else text[place.start : place.end]


def find_identifying(text: str) -> Iterable[TextRedaction]:
    """Return the places of e-mail addresses, links, paths, telephone and identity numbers, and dates."""
    folded = fold_with_positions(text)
    for pattern in read_patterns("identifying"):
        for _, start, end in pattern.find(folded.text):
            yield TextRedaction(*folded.original_span(start, end), pattern.kind, f"[{pattern.kind}]")


class TextScrubber:
    """Scrubs texts; the same text always gives the same, and a scrubbed text stays as it is.

    Args:
        words: word or phrase -> what is written in its place. Where that holds one of the words itself, or looks
            like what must not stay, dots in brackets are written instead.
        finders: of other places; what an earlier one writes counts where two begin alike.
        keeper: of what is kept.
    """

    def __init__(
        self, words: Mapping[str, str], finders: Sequence[Finder] = (find_identifying,), keeper: Keeper | None = None
    ) -> None:
        self._words = PhraseMatcher(words)
        self._finders = tuple(finders)
        self._keeper = keeper

    def scrub(self, text: str) -> ScrubResult:
        """Return a text without what must not stay, composed (NFC), and what was changed.

        What comes to stand side by side by a change is looked at again, until nothing more is found.
        """
        text = unicodedata.normalize("NFC", text)
        changed: list[Replacement] = []
        plain = False
        kept = [*self._keeper(text)] if self._keeper is not None else []
        while places := self._find_redactions(text, kept):
            parts, at = [], 0
            for place in places:
                before = text[place.start : place.end]
                after = OMISSION_MARK if plain or self._find_redactions(place.after) else place.after
                changed.append(Replacement(place.kind, before, after))
                parts += [text[at : place.start], after]
                at = place.end
            joined = "".join([*parts, text[at:]])
            text = unicodedata.normalize("NFC", joined)
            # Where characters compose with their neighbours, places are not known any more: then nothing is kept.
            kept = _shift_spans(kept, places, parts[1::2]) if text == joined else []
            # From the second time on, nothing is written that could be found once more.
            plain = True
        return ScrubResult(text, tuple(changed))

    def _find_redactions(self, text: str, untouched: Sequence[tuple[int, int]] = ()) -> list[TextRedaction]:
        """Return what is found, in order, without overlaps: those that touch others become one."""
        found = [p for p in self._words(text) if p.end > p.start]
        for finder in self._finders:
            for p in finder(text):
                if p.end > p.start and not any(start <= p.start and p.end <= end for start, end in untouched):
                    found.append(p)
        kept: list[TextRedaction] = []
        for place in sorted(found, key=lambda p: (p.start, -p.end)):
            if kept and place.start < kept[-1].end:
                last = kept[-1]
                if place.end > last.end:
                    kept[-1] = TextRedaction(last.start, place.end, last.kind, last.after)
            else:
                kept.append(place)
        return kept


def _shift_spans(
    kept: Sequence[tuple[int, int]], places: Sequence[TextRedaction], written: Sequence[str]
) -> list[tuple[int, int]]:
    """Return where stretches stand after places were written over; those that were touched are gone."""
    found = []
    for start, end in kept:
        if any(place.start < end and start < place.end for place in places):
            continue
        grown = sum(
            len(after) - (place.end - place.start)
            for place, after in zip(places, written, strict=True)
            if place.end <= start
        )
        found.append((start + grown, end + grown))
    return found


def _key(word: str) -> str:
    return " ".join(fold(word).split())


def _common_prefix(key: str) -> str:
    """Return letters with which every form of a word begins, as far as they are plain."""
    first = re.split(_JOINS, key)[0]
    return (first[:-1] if _is_inflected(key) and first == key else first) or key


def _word_pattern(key: str) -> str:
    if _is_inflected(key):
        return f"(?<!{_LETTER}){_body(key[:-1])}{_LETTER}{{0,{_MAX_ENDING_CHARS}}}(?!{_LETTER})"
    body = _body(key)
    if any(_script(letter) not in _SPACED_SCRIPTS for letter in key if letter.isalpha()):
        return body
    before = f"(?<!{_LETTER})" if key[0].isalpha() else r"(?<!\d)" if key[0].isdigit() else ""
    if key[-1].isalpha():
        ending = _ENDINGS if len(key) > _MAX_UNINFLECTED_CHARS else "(?:'?s|s')?" if len(key) > 1 else "(?:'s)?"
        return f"{before}{body}{ending}(?!{_LETTER})"
    return f"{before}{body}" + (r"(?!\d)" if key[-1].isdigit() else "")


def _body(key: str) -> str:
    """Return a pattern of a word as it stands; marks inside a name are said and not heard, so they may be others."""
    parts = re.split(f"({_JOINS})", key)
    joins = [r"\s+" if part.isspace() else rf"(?:{_JOINS}|\s+)?" for part in parts[1::2]]
    names = [re.escape(part) for part in parts[::2]]
    return names[0] + "".join(join + name for join, name in zip(joins, names[1:], strict=True))


def _is_inflected(key: str) -> bool:
    """Tell whether a word is of a script whose languages change the ends of names."""
    return len(key) > _MAX_UNINFLECTED_CHARS and key[-1].isalpha() and _script(key[-1]) in _INFLECTED_SCRIPTS


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]
