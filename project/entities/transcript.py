"""The timed words of an utterance, and their realignment when its text is edited."""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher


@dataclass(frozen=True, slots=True)
class Word:
    """One word of an utterance's text, with what punctuation touches it.

    Attributes:
        text: without blanks.
        start_us: on the recording's axis.
        end_us: on the recording's axis, not before `start_us`.
        confidence: 0 to 1: of the model that heard it, 1 where a person wrote it; None where nobody measured the times.
    """

    text: str
    start_us: int
    end_us: int
    confidence: float | None = None


Words = tuple[Word, ...]
"""Either none, where nobody measured times, or one for each of `split_words(text)`, in order, inside the utterance."""


@dataclass(frozen=True, slots=True)
class AsrSegment:
    """What a run heard in a stretch of sound; `text` is empty where it only told that somebody speaks."""

    start_us: int
    end_us: int
    text: str = ""
    words: Words = ()


def split_words(text: str) -> list[str]:
    """Return the words of a text as they stand there."""
    return text.split()


def estimate_word_times(text: str, start_us: int, end_us: int) -> Words:
    """Return the words of a text with times spread over a stretch by their length."""
    return _spread_words(split_words(text), start_us, end_us, None)


def clamp_words(words: Sequence[Word], text: str, start_us: int, end_us: int) -> Words:
    """Return words cut to a stretch and put in order, or none where they are not the text's.

    For words that come from elsewhere: a model may give times that run backwards or past the end.
    """
    if [word.text for word in words] != split_words(text):
        return ()
    made, at = [], start_us
    for word in words:
        start = min(max(word.start_us, at), end_us)
        at = min(max(word.end_us, start), end_us)
        made.append(Word(word.text, start, at, word.confidence))
    return tuple(made)


def realign_words(words: Words, text: str, start_us: int, end_us: int) -> Words:
    """Return the words of an utterance whose text or times were edited.

    Words that stay keep their times and confidence. Those that are new share the gap that they stand in, and are as
    certain as who wrote them. An utterance without measured times stays one.
    """
    if not words:
        return ()
    new = split_words(text)
    old = [word.text for word in words]
    made: list[Word | None] = [None] * len(new)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "equal" or (tag == "replace" and i2 - i1 == j2 - j1):
            for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                each_word = words[i]
                sure = each_word.confidence if tag == "equal" else 1.0
                made[j] = Word(new[j], each_word.start_us, each_word.end_us, sure)
        elif tag == "replace":
            spread = _spread_words(new[j1:j2], words[i1].start_us, words[i2 - 1].end_us, 1.0)
            made[j1:j2] = spread
    return clamp_words(_fill_gaps(made, new, start_us, end_us), text, start_us, end_us)


def _spread_words(parts: Sequence[str], start_us: int, end_us: int, confidence: float | None) -> Words:
    lengths = [len(part) + 1 for part in parts]
    total, at, made = sum(lengths), 0, []
    for part, length in zip(parts, lengths, strict=True):
        first = start_us + (end_us - start_us) * at // total
        at += length
        made.append(Word(part, first, start_us + (end_us - start_us) * at // total, confidence))
    return tuple(made)


def _fill_gaps(made: list[Word | None], new: list[str], start_us: int, end_us: int) -> Words:
    """Give words that were put in the time between those around them."""
    found: list[Word] = []
    at = 0
    while at < len(made):
        word = made[at]
        if word is not None:
            found.append(word)
            at += 1
            continue
        end = next((i for i in range(at, len(made)) if made[i] is not None), len(made))
        after = made[end] if end < len(made) else None
        first = found[-1].end_us if found else start_us
        last = max(first, after.start_us if after is not None else end_us)
        found += _spread_words(new[at:end], first, last, 1.0)
        at = end
    return tuple(found)
