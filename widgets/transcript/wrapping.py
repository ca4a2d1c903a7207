"""Breaks a text into lines, word by word, and knows where each word stands."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word, or a part of one that is wider than a line.

    Attributes:
        text: what to draw.
        start: where it begins in the text.
        word: index of its word.
        line: from 0.
        left: of the first line's start, in pixels.
        width: in pixels.
    """

    text: str
    start: int
    word: int
    line: int
    left: float
    width: float


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A text in lines."""

    pieces: tuple[Piece, ...]
    lines: int

    def at(self, line: int, x: float) -> Piece | None:
        """Return the piece of a line that lies at or nearest to `x`; None where the line has none."""
        those = [one for one in self.pieces if one.line == line]
        return min(those, key=lambda one: max(one.left - x, x - one.left - one.width, 0.0), default=None)


def wrap(text: str, width_of: Callable[[str], float], space: float, room: float) -> Wrapped:
    """Break a text into lines.

    Args:
        text: any blanks part its words.
        width_of: of a word, in pixels.
        space: width of a blank, in pixels.
        room: width of a line, in pixels; text that begins from right to left stands at its right end.
    """
    pieces: list[Piece] = []
    line, at = 0, 0.0
    for index, found in enumerate(_WORD.finditer(text)):
        for part, start in _parts(found.group(), found.start(), width_of, room):
            width = width_of(part)
            if at > 0 and at + width > room:
                line, at = line + 1, 0.0
            pieces.append(Piece(part, start, index, line, at, width))
            at += width + space
    if _right_to_left(text):
        pieces = [
            Piece(one.text, one.start, one.word, one.line, room - one.left - one.width, one.width) for one in pieces
        ]
    return Wrapped(tuple(pieces), line + 1)


def _parts(word: str, start: int, width_of: Callable[[str], float], room: float) -> list[tuple[str, int]]:
    """Cut a word that is wider than a line: languages without blanks have sentences for words."""
    if width_of(word) <= room:
        return [(word, start)]
    each = max(1, int(len(word) * room / width_of(word) * 0.95))
    return [(word[at : at + each], start + at) for at in range(0, len(word), each)]


def _right_to_left(text: str) -> bool:
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
