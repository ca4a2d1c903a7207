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
        word = found.group()
        width = width_of(word)
        for part, start in [(word, 0)] if width <= room else _parts(word, width, room):
            wide = width if part is word else width_of(part)
            if at > 0 and at + wide > room:
                line, at = line + 1, 0.0
            pieces.append(Piece(part, found.start() + start, index, line, at, wide))
            at += wide + space
    if _right_to_left(text):
        pieces = [
            Piece(one.text, one.start, one.word, one.line, room - one.left - one.width, one.width) for one in pieces
        ]
    return Wrapped(tuple(pieces), line + 1)


def _parts(word: str, width: float, room: float) -> list[tuple[str, int]]:
    """Cut a word that is wider than a line: languages without blanks have sentences for words."""
    each = max(1, int(len(word) * room / width * 0.95))
    return [(word[at : at + each], at) for at in range(0, len(word), each)]


def _right_to_left(text: str) -> bool:
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False
