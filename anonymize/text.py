"""Takes out of free texts what says who somebody is: private words, names, addresses, numbers, dates.

Whoever adds another way to find such places adds a `Finder`; all else stays as it is.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from anonymize.folding import fold
from anonymize.telling import TELLING

LEFT_OUT = "[…]"
"""Stands where nothing else may: no word of any language can be a part of it."""
_ENDINGS = r"(?:'s|s'|'|s|es|n|en|in|i|a|e|chen|lein)?"
# A name this short has no endings: they would make other words of it.
_SHORT = 3
_LETTER = r"[^\W\d_]"


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
class Scrubbed:
    """A text after scrubbing, and what was changed in it, in order of place."""

    text: str
    replacements: tuple[Replacement, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of a text that must not stay, and what is written there."""

    start: int
    end: int
    kind: str
    after: str


Finder: TypeAlias = Callable[[str], Iterable[Place]]
"""Finds places in a text; they may overlap."""
Keeper: TypeAlias = Callable[[str], Iterable[tuple[int, int]]]
"""Says which stretches of a text a person decided to keep, whatever finders say; given words go all the same."""


class Words:
    """Finds given words and phrases, whatever their case, accents, endings (“Anna's”) and gaps."""

    def __init__(self, words: Mapping[str, str]) -> None:
        """Take word or phrase -> what is written in its place; empty ones are left aside."""
        self._after: dict[str, str] = {}
        for word, after in words.items():
            key = _key(word)
            if key:
                self._after.setdefault(key, after)
        # Looking whether the beginning of a word is there at all is far cheaper than a pattern of all words.
        self._begins = {key: key.split(" ")[0] for key in sorted(self._after, key=lambda key: (-len(key), key))}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def __call__(self, text: str) -> Iterable[Place]:
        """Return the places of the words in a text, the longest words first; they may overlap."""
        folded = fold(text)
        for key, begin in self._begins.items():
            if begin not in folded.text:
                continue
            if key not in self._patterns:
                self._patterns[key] = re.compile(_of_word(key))
            for hit in self._patterns[key].finditer(folded.text):
                start, end = folded.span(*hit.span())
                yield Place(start, end, "word", self._after[key])

    def first(self, text: str) -> str | None:
        """Return the first of the words that stands in a text, as it stands there; None where there is none."""
        place = min(self(text), key=lambda one: one.start, default=None)
        return None if place is None else text[place.start : place.end]


def telling(text: str) -> Iterable[Place]:
    """Return the places of e-mail addresses, links, paths, telephone and identity numbers, and dates."""
    folded = fold(text)
    for kind, pattern in TELLING:
        for hit in pattern.finditer(folded.text):
            start, end = folded.span(*hit.span())
            yield Place(start, end, kind, f"[{kind}]")


class Scrubber:
    """Scrubs texts; the same text always gives the same, and a scrubbed text stays as it is."""

    def __init__(
        self, words: Mapping[str, str], finders: Sequence[Finder] = (telling,), keeper: Keeper | None = None
    ) -> None:
        """Get ready.

        Args:
            words: word or phrase -> what is written in its place. Where that holds one of the words itself, or looks
                like what must not stay, dots in brackets are written instead.
            finders: of other places; what an earlier one writes counts where two begin alike.
            keeper: of what is kept.
        """
        self._words = Words(words)
        self._finders = tuple(finders)
        self._keeper = keeper

    def scrub(self, text: str) -> Scrubbed:
        """Return a text without what must not stay, composed (NFC), and what was changed.

        What comes to stand side by side by a change is looked at again, until nothing more is found.
        """
        text = unicodedata.normalize("NFC", text)
        changed: list[Replacement] = []
        plain = False
        kept = [*self._keeper(text)] if self._keeper is not None else []
        while places := self._places(text, kept):
            parts, at = [], 0
            for place in places:
                before = text[place.start : place.end]
                after = LEFT_OUT if plain or self._places(place.after) else place.after
                changed.append(Replacement(place.kind, before, after))
                parts += [text[at : place.start], after]
                at = place.end
            joined = "".join([*parts, text[at:]])
            text = unicodedata.normalize("NFC", joined)
            # Places of what composes anew with its neighbour are not known any more: then nothing is kept.
            kept = _moved(kept, places, parts[1::2]) if text == joined else []
            # From the second time on, nothing is written that could be found once more.
            plain = True
        return Scrubbed(text, tuple(changed))

    def _places(self, text: str, untouched: Sequence[tuple[int, int]] = ()) -> list[Place]:
        """Return what is found, in order, without overlaps: those that touch others become one."""
        found = [p for p in self._words(text) if p.end > p.start]
        for finder in self._finders:
            for p in finder(text):
                if p.end > p.start and not any(start <= p.start and p.end <= end for start, end in untouched):
                    found.append(p)
        kept: list[Place] = []
        for place in sorted(found, key=lambda p: (p.start, -p.end)):
            if kept and place.start < kept[-1].end:
                last = kept[-1]
                if place.end > last.end:
                    kept[-1] = Place(last.start, place.end, last.kind, last.after)
            else:
                kept.append(place)
        return kept


def _moved(kept: Sequence[tuple[int, int]], places: Sequence[Place], written: Sequence[str]) -> list[tuple[int, int]]:
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
    return " ".join(fold(word).text.split())


def _of_word(key: str) -> str:
    body = r"\s+".join(re.escape(part) for part in key.split(" "))
    before = f"(?<!{_LETTER})" if key[0].isalpha() else r"(?<!\d)" if key[0].isdigit() else ""
    if key[-1].isalpha():
        ending = _ENDINGS if len(key) > _SHORT else "(?:'?s|s')?" if len(key) > 1 else "(?:'s)?"
        return f"{before}{body}{ending}(?!{_LETTER})"
    return f"{before}{body}" + (r"(?!\d)" if key[-1].isdigit() else "")
