"""Cuts what a model heard into utterances that can be read: at pauses, at the ends of sentences, and not too long."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from models.speech.base import Piece
from project.limits import hold_to_limits, limited
from project.timebase import SECOND
from project.transcript import Heard, Word, fitting

WITHOUT_BLANKS = frozenset({"zh", "ja", "th", "lo", "my", "yue", "km", "bo"})
"""Languages that are written without blanks between words."""
_SHORTEST_US = 100_000
_ENDS = tuple(".?!…\u3002\uff1f\uff01")
_CLAUSES = tuple(",;:—\u3001\uff0c\uff1b\uff1a")
_CLOSING = "\"'”\u2019»)]』」"
_ABBREVIATIONS = frozenset({"mr.", "mrs.", "ms.", "dr.", "prof.", "st."})
_CLAUSE_US = 400_000
"""What a comma counts where a long utterance is cut, as a pause."""


@dataclass(frozen=True, slots=True)
class CuttingOptions:
    """Where an utterance ends.

    Attributes:
        pause_ms: at a longer pause, always.
        sentence_pause_ms: at the end of a sentence, after this pause.
        sentence_s: at the end of a sentence without a pause, once the utterance is this long.
        longest_s: a longer one is cut at its longest pause or at a comma.
    """

    pause_ms: int = limited(700, 100, 10_000, "Pause", "A longer pause ends an utterance.")
    sentence_pause_ms: int = limited(200, 0, 10_000, "Sentence pause", "Ends an utterance after a sentence.")
    sentence_s: float = limited(3.0, 0.0, 60.0, "Sentence", "A sentence's end ends an utterance of this length.")
    longest_s: float = limited(12.0, 1.0, 60.0, "Longest", "Longer utterances are cut.")

    def __post_init__(self) -> None:
        hold_to_limits(self)


def cut(pieces: Sequence[Piece], language: str, end_us: int, options: CuttingOptions | None = None) -> list[Heard]:
    """Return utterances with the times of their words, by start.

    Args:
        pieces: in order; times that run backwards are put in order.
        language: code; in some languages there may be a cut between any two pieces.
        end_us: of the recording; nothing lies after it.
        options: see there.
    """
    options = options or CuttingOptions()
    free = language in WITHOUT_BLANKS
    groups: list[list[Piece]] = []
    for piece in pieces:
        if not piece.text.strip() and not (groups and free):
            continue
        if groups and not ((free or piece.text[:1].isspace()) and _ends(groups[-1], piece, options)):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    short = [part for group in groups for part in _shortened(group, free, round(options.longest_s * SECOND))]
    found: list[Heard] = []
    for group in short:
        made = _utterance(group, found[-1].end_us if found else 0, end_us)
        if made is not None:
            found.append(made)
    return found


def _ends(group: Sequence[Piece], following: Piece, options: CuttingOptions) -> bool:
    pause = following.start_us - group[-1].end_us
    if pause >= options.pause_ms * 1000:
        return True
    long = group[-1].end_us - group[0].start_us >= options.sentence_s * SECOND
    return _sentence_ends(group[-1].text) and (pause >= options.sentence_pause_ms * 1000 or long)


def _sentence_ends(text: str) -> bool:
    word = text.strip().rstrip(_CLOSING)
    return word.endswith(_ENDS) and word.casefold() not in _ABBREVIATIONS


def _shortened(group: list[Piece], free: bool, longest_us: int) -> list[list[Piece]]:
    """Cut a group in two, at the best place away from its ends, until no part is too long or none can be cut."""
    begin, end = group[0].start_us, group[-1].end_us
    if end - begin <= longest_us:
        return [group]
    places = [
        (_weight(before, after, begin, end), at)
        for at, (before, after) in enumerate(pairwise(group), 1)
        if free or after.text[:1].isspace()
    ]
    if not places:
        return [group]
    _, at = max(places, key=lambda one: (one[0], -abs(len(group) - 2 * one[1])))
    return [part for half in (group[:at], group[at:]) for part in _shortened(half, free, longest_us)]


def _weight(before: Piece, after: Piece, begin_us: int, end_us: int) -> int:
    """Return how good a cut is: the pause there, more after a comma, and none near the ends of the group."""
    pause = max(0, after.start_us - before.end_us)
    word = before.text.rstrip(_CLOSING)
    pause += 2 * _CLAUSE_US * word.endswith(_ENDS) or _CLAUSE_US * word.endswith(_CLAUSES)
    share = (before.end_us - begin_us) / (end_us - begin_us)
    return pause if 0.15 <= share <= 0.85 else pause - SECOND


def _utterance(group: Sequence[Piece], after_us: int, end_us: int) -> Heard | None:
    words: list[Word] = []
    for piece in group:
        joins = bool(words) and not piece.text[:1].isspace()
        for at, token in enumerate(piece.text.split()):
            if at == 0 and joins:
                last = words[-1]
                sure = min(last.confidence or 0.0, piece.confidence)
                words[-1] = Word(last.text + token, last.start_us, max(last.end_us, piece.end_us), sure)
            else:
                words.append(Word(token, piece.start_us, piece.end_us, piece.confidence))
    start = max(after_us, group[0].start_us)
    end = min(end_us, max(start + _SHORTEST_US, group[-1].end_us))
    text = " ".join(word.text for word in words)
    return Heard(start, end, text, fitting(words, text, start, end)) if words and end > start else None
