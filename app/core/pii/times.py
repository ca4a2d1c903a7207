"""When the words of what is personal are said."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from anonymize.pii.hit import Hit
from project.queries.free_texts import FreeText
from project.transcript import Word, tokens
from project.types import Utterance

_LETTER_US = 35_000
"""Nobody speaks faster: words that have less time were put there by a guess, or were cut."""
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class When:
    """When the words of a hit are said."""

    start_us: int
    end_us: int
    measured: bool = False
    borders: tuple[bool, bool] = (True, True)


def times_of(text: FreeText, hit: Hit, spoken: Utterance | None) -> When:
    """Return when the words of a hit are said: those of its utterance's words, or of the whole.

    Words that have less time than it takes to say them are within that of their neighbours.
    """
    whole = When(text.start_us, text.end_us)
    if spoken is None or [word.text for word in spoken.words] != tokens(spoken.text):
        return whole
    inside = [
        at
        for at, place in enumerate(_WORD.finditer(spoken.text))
        if place.start() < hit.end and hit.start < place.end()
    ]
    if not inside:
        return whole
    first, last, end = inside[0], inside[-1], len(spoken.words) - 1
    while _span(spoken.words[first : last + 1])[1] < _LETTER_US * sum(map(str.isalnum, hit.text)):
        if (first, last) == (0, end):
            return whole
        first, last = max(0, first - 1), min(end, last + 1)
    start, length = _span(spoken.words[first : last + 1])
    return When(start, start + length, True, (first == 0, last == end))


def _span(words: Sequence[Word]) -> tuple[int, int]:
    """Return start and length of words."""
    start = min(word.start_us for word in words)
    return start, max(word.end_us for word in words) - start
