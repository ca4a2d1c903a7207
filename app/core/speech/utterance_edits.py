"""What becomes of an utterance and the times of its words when a person edits it; nothing is written here."""

import re
from collections.abc import Sequence
from dataclasses import replace

from project.transcript import Word, Words, estimated, fitting, retimed, tokens
from project.types import Utterance

_BLANKS = re.compile(r"[ \t\u00a0]{2,}")
SHORTEST_US = 1_000
"""No utterance is made shorter than this."""


def rewritten(old: Utterance, text: str) -> Utterance:
    """Return an utterance with another text, one blank between words; words that stay keep their times."""
    text = _BLANKS.sub(" ", text.strip())
    return replace(old, text=text, words=retimed(old.words, text, old.start_us, old.end_us))


def cut_index(one: Utterance, at_us: int) -> int:
    """Return how many words of an utterance lie before a time, by their middles."""
    timed = one.words or estimated(one.text, one.start_us, one.end_us)
    return sum((word.start_us + word.end_us) // 2 < at_us for word in timed)


def halves(one: Utterance, index: int, new_id: str, at_us: int | None = None) -> tuple[Utterance, Utterance]:
    """Return an utterance cut before its word `index`, which is neither the first nor past the last.

    Each half reaches to its own words where these were measured, so that joining the halves gives the utterance back.
    Else the cut is at `at_us`, or where the length of the text puts it.
    """
    parts = tokens(one.text)
    first, second = one.words[:index], one.words[index:]
    if one.words:
        end, start = first[-1].end_us, second[0].start_us
    else:
        timed = estimated(one.text, one.start_us, one.end_us)
        end = start = timed[index].start_us if at_us is None else at_us
    end = min(max(end, one.start_us + SHORTEST_US), one.end_us)
    start = max(min(start, one.end_us - SHORTEST_US), one.start_us)
    head, tail = _cut_text(one.text, parts, index)
    return (
        replace(one, end_us=end, text=head, words=first),
        replace(one, id=new_id, start_us=start, text=tail, words=second),
    )


def joined(those: Sequence[Utterance]) -> Utterance:
    """Return one utterance in place of several of a recording, under the id of the one that begins first.

    Words keep their times; those of an utterance without are spread over it where another has them. The speaker is the
    first that is known; it stays a guess only where all that name the same speaker are guesses.
    """
    ordered = sorted(those, key=lambda one: (one.start_us, one.end_us, one.id))
    start, end = ordered[0].start_us, max(one.end_us for one in ordered)
    text = " ".join(one.text for one in ordered if one.text)
    words: list[Word] = []
    if any(one.words for one in ordered):
        for one in ordered:
            words += one.words or estimated(one.text, one.start_us, one.end_us)
    speaker = next((one.participant_id for one in ordered if one.participant_id is not None), None)
    guesses = [one.suggested for one in ordered if one.participant_id == speaker]
    return replace(
        ordered[0],
        end_us=end,
        text=text,
        participant_id=speaker,
        words=fitting(words, text, start, end),
        checked=all(one.checked for one in ordered),
        suggested=speaker is not None and all(guesses),
    )


def respanned(old: Utterance, start_us: int, end_us: int) -> Utterance:
    """Return an utterance with another start and end.

    Moved as a whole, it takes its words along. Otherwise words stay where they are, and those that would be left
    outside share the room up to the nearest word that is not.
    """
    shift = start_us - old.start_us
    if shift == end_us - old.end_us:
        words = tuple(replace(one, start_us=one.start_us + shift, end_us=one.end_us + shift) for one in old.words)
    else:
        words = _within(old.words, start_us, end_us)
    return replace(old, start_us=start_us, end_us=end_us, words=fitting(words, old.text, start_us, end_us))


def _cut_text(text: str, parts: Sequence[str], index: int) -> tuple[str, str]:
    """Cut a text before its word `index`; what blanks stand inside the halves stays."""
    at = 0
    for part in parts[:index]:
        at = text.index(part, at) + len(part)
    return text[:at].strip(), text[at:].strip()


def _within(words: Words, start_us: int, end_us: int) -> Words:
    kept = [i for i, one in enumerate(words) if one.end_us > start_us and one.start_us < end_us]
    if not kept:
        return _shared(words, start_us, end_us)
    first, last = kept[0], kept[-1] + 1
    made = words
    if first:
        made = (*_shared(made[: first + 1], start_us, min(made[first].end_us, end_us)), *made[first + 1 :])
    if last < len(words):
        made = (*made[: last - 1], *_shared(made[last - 1 :], max(made[last - 1].start_us, start_us), end_us))
    return made


def _shared(words: Words, start_us: int, end_us: int) -> Words:
    spread = estimated(" ".join(one.text for one in words), start_us, end_us)
    return tuple(replace(one, start_us=at.start_us, end_us=at.end_us) for one, at in zip(words, spread, strict=True))
