"""Lays out a line of the transcript: wraps its text word by word and places its parts."""

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF

from project.entities.study_records import Utterance
from project.entities.transcript import Words, estimate_word_times
from widgets import theme


@dataclass(frozen=True, slots=True)
class CueChip:
    """A cue as a line shows it: at which word it begins (-1 before the first), and whether nobody accepted it yet."""

    word: int
    text: str
    is_suggested: bool = False


@dataclass(frozen=True, slots=True)
class TranscriptLine:
    """An utterance and who says it.

    Attributes:
        utterance: the utterance.
        speaker: pseudonym, or what a voice is called that is no participant's yet; "" while nobody knows.
        colour: of the speaker, `#rrggbb`; "" while nobody knows.
        flag: why somebody should look at it, in a few words; "" where there is no reason.
        cues: inside it, by place.
    """

    utterance: Utterance
    speaker: str = ""
    colour: str = ""
    flag: str = ""
    cues: tuple[CueChip, ...] = ()

    @property
    def timed_words(self) -> Words:
        """The words with their times; guessed from their length where nobody measured them."""
        said = self.utterance
        return said.words or estimate_word_times(said.text, said.start_us, said.end_us)

    def word_at(self, time_us: int) -> int:
        """Return the index of the word that is spoken at a time; -1 before the first and outside the utterance."""
        if not self.utterance.start_us <= time_us < self.utterance.end_us:
            return -1
        found = -1
        for index, word in enumerate(self.timed_words):
            if word.start_us > time_us:
                break
            found = index
        return found

    def doubtful_words(self, below: float) -> frozenset[int]:
        """Return the indices of words that a model heard with less confidence than `below`, and nobody checked."""
        if self.utterance.checked:
            return frozenset()
        sure = (word.confidence for word in self.utterance.words)
        return frozenset(index for index, value in enumerate(sure) if value is not None and value < below)


_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class WrappedWord:
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
class WrappedText:
    """A text in lines."""

    pieces: tuple[WrappedWord, ...]
    lines: int

    def piece_at(self, line: int, x: float) -> WrappedWord | None:
        """Return the piece of a line that lies at or nearest to `x`; None where the line has none."""
        those = [piece for piece in self.pieces if piece.line == line]
        return min(
            those,
            key=lambda wrapped_word: max(wrapped_word.left - x, x - wrapped_word.left - wrapped_word.width, 0.0),
            default=None,
        )


def wrap(text: str, width_of: Callable[[str], float], space: float, room: float) -> WrappedText:
    """Break a text into lines.

    Args:
        text: any blanks part its words.
        width_of: of a word, in pixels.
        space: width of a blank, in pixels.
        room: width of a line, in pixels; text that begins from right to left stands at its right end.
    """
    turned = _is_right_to_left(text)
    pieces = tuple(
        WrappedWord(part, start, word, line, room - left - width if turned else left, width)
        for part, start, word, line, left, width in _break_lines(text, width_of, space, room)
    )
    return WrappedText(pieces, pieces[-1].line + 1 if pieces else 1)


def _break_lines(
    text: str, width_of: Callable[[str], float], space: float, room: float
) -> Iterator[tuple[str, int, int, int, float, float]]:
    """Yield what a `WrappedWord` holds, from left to right."""
    line, at = 0, 0.0
    for index, found in enumerate(_WORD.finditer(text)):
        word = found.group()
        width = width_of(word)
        for part, start in [(word, 0)] if width <= room else _split_word(word, width, room):
            wide = width if part is word else width_of(part)
            if at > 0 and at + wide > room:
                line, at = line + 1, 0.0
            yield part, found.start() + start, index, line, at, wide
            at += wide + space


def count_lines(text: str, width_of: Callable[[str], float], space: float, room: float) -> int:
    """Return how many lines `wrap` makes; much faster, for the heights of rows that nobody sees yet."""
    return 1 + max((line for _, _, _, line, _, _ in _break_lines(text, width_of, space, room)), default=0)


def _split_word(word: str, width: float, room: float) -> list[tuple[str, int]]:
    """Cut a word that is wider than a line: languages without blanks have sentences for words."""
    each = max(1, int(len(word) * room / width * 0.95))
    return [(word[at : at + each], at) for at in range(0, len(word), each)]


def _is_right_to_left(text: str) -> bool:
    for sign in text:
        direction = unicodedata.bidirectional(sign)
        if direction in ("L", "R", "AL"):
            return direction != "L"
    return False


LEFT, RIGHT, TOP, BOTTOM = 12, 10, 5, 7
_HEAD_HEIGHT = 18
_CHIPS_HEIGHT = 20
LEADING = 3
TEXT_POINTS = theme.POINTS + 0.5


def head_height() -> int:
    """Return how high the line with time, speaker and state is."""
    return theme.scaled(_HEAD_HEIGHT)


def chips_height() -> int:
    """Return how high the line with cues is."""
    return theme.scaled(_CHIPS_HEIGHT)


@dataclass(slots=True)
class TranscriptViewState:
    """What is lit, found and typed at this moment.

    Attributes:
        spoken: (utterance, word) that is spoken; the word is -1 between words.
        doubtful_below: confidence under which a word is underlined.
        matches: places that a search found: utterance -> (start, end) in its text.
        current_match: the place that is shown of these: (utterance, start).
        typed: utterance that is typed in and the height of its field.
    """

    spoken: tuple[str, int] = ("", -1)
    doubtful_below: float = 0.6
    matches: Mapping[str, list[tuple[int, int]]] = field(default_factory=dict)
    current_match: tuple[str, int] = ("", -1)
    typed: tuple[str, int] = ("", 0)


def _text_room(width: int) -> float:
    return max(width - LEFT - RIGHT, 40)


class Geometry:
    """Breaks the texts of lines and remembers how, as long as text and width stay."""

    def __init__(self) -> None:
        self._metrics = QFontMetricsF(theme.font(TEXT_POINTS))
        self._space = self._metrics.horizontalAdvance(" ")
        self._widths: dict[str, float] = {}
        self._wrapped: dict[str, tuple[str, int, WrappedText]] = {}
        self._lines: dict[str, tuple[str, int, int]] = {}

    @property
    def line_height(self) -> float:
        """Of the text, in pixels."""
        return self._metrics.height() + LEADING

    @property
    def ascent(self) -> float:
        """Of the text, in pixels."""
        return self._metrics.ascent()

    @property
    def descent(self) -> float:
        """Of the text, in pixels."""
        return self._metrics.descent()

    def wrap_line(self, line: TranscriptLine, width: int) -> WrappedText:
        """Return the text of a line in lines that fit into a row of a width."""
        known = self._wrapped.get(line.utterance.id)
        if known is not None and known[:2] == (line.utterance.text, width):
            return known[2]
        made = wrap(line.utterance.text, self.text_width, self._space, _text_room(width))
        self._wrapped[line.utterance.id] = (line.utterance.text, width, made)
        return made

    def _line_count(self, line: TranscriptLine, width: int) -> int:
        known = self._lines.get(line.utterance.id)
        if known is not None and known[:2] == (line.utterance.text, width):
            return known[2]
        lines = count_lines(line.utterance.text, self.text_width, self._space, _text_room(width))
        self._lines[line.utterance.id] = (line.utterance.text, width, lines)
        return lines

    def height(self, line: TranscriptLine, width: int) -> int:
        """Return how high the row of a line is."""
        chips = chips_height() if line.cues else 0
        return round(TOP + head_height() + self._line_count(line, width) * self.line_height + chips + BOTTOM)

    def text_width(self, text: str) -> float:
        """Return the width of a text in pixels."""
        found = self._widths.get(text)
        if found is None:
            found = self._widths[text] = self._metrics.horizontalAdvance(text)
        return found

    def text_area(self, row: QRect) -> QRect:
        """Return where the text stands in a row."""
        return row.adjusted(LEFT, TOP + head_height(), -RIGHT, -BOTTOM)

    def word_at(self, line: TranscriptLine, row: QRect, x: int, y: int) -> int:
        """Return the index of the word under a point of a row; -1 beside the text."""
        area = self.text_area(row)
        if not area.adjusted(0, 0, 0, BOTTOM).contains(x, y):
            return -1
        wrapped = self.wrap_line(line, row.width())
        piece = wrapped.piece_at(int((y - area.top()) / self.line_height), x - area.left())
        if piece is None or not piece.left - 4 <= x - area.left() <= piece.left + piece.width + 4:
            return -1
        return piece.word
