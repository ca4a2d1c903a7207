"""Where the parts of a line of the transcript stand, and what the moment adds to it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetricsF

from widgets import theme
from widgets.transcript.line import Line
from widgets.transcript.wrapping import Wrapped, wrap

LEFT, RIGHT, TOP, BOTTOM = 12, 10, 5, 7
HEAD = 18
CHIPS = 20
LEADING = 3
TEXT_POINTS = theme.POINTS + 0.5


@dataclass(slots=True)
class Moment:
    """What is lit, found and typed at this moment.

    Attributes:
        spoken: (utterance, word) that is spoken; the word is -1 between words.
        doubtful_below: confidence under which a word is underlined.
        found: places that a search found: utterance -> (start, end) in its text.
        place: the place that is shown of these: (utterance, start).
        typed: utterance that is typed in and the height of its field.
    """

    spoken: tuple[str, int] = ("", -1)
    doubtful_below: float = 0.6
    found: Mapping[str, list[tuple[int, int]]] = field(default_factory=dict)
    place: tuple[str, int] = ("", -1)
    typed: tuple[str, int] = ("", 0)


class Geometry:
    """Breaks the texts of lines and remembers how, as long as text and width stay."""

    def __init__(self) -> None:
        self._metrics = QFontMetricsF(theme.font(TEXT_POINTS))
        self._space = self._metrics.horizontalAdvance(" ")
        self._widths: dict[str, float] = {}
        self._wrapped: dict[str, tuple[str, int, Wrapped]] = {}

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

    def wrapped(self, line: Line, width: int) -> Wrapped:
        """Return the text of a line in lines that fit into a row of a width."""
        known = self._wrapped.get(line.said.id)
        if known is not None and known[:2] == (line.said.text, width):
            return known[2]
        made = wrap(line.said.text, self.advance, self._space, max(width - LEFT - RIGHT, 40))
        self._wrapped[line.said.id] = (line.said.text, width, made)
        return made

    def height(self, line: Line, width: int) -> int:
        """Return how high the row of a line is."""
        chips = CHIPS if line.cues else 0
        return round(TOP + HEAD + self.wrapped(line, width).lines * self.line_height + chips + BOTTOM)

    def advance(self, text: str) -> float:
        """Return the width of a text in pixels."""
        found = self._widths.get(text)
        if found is None:
            found = self._widths[text] = self._metrics.horizontalAdvance(text)
        return found

    def text_area(self, row: QRect) -> QRect:
        """Return where the text stands in a row."""
        return row.adjusted(LEFT, TOP + HEAD, -RIGHT, -BOTTOM)

    def word_at(self, line: Line, row: QRect, x: int, y: int) -> int:
        """Return the index of the word under a point of a row; -1 beside the text."""
        area = self.text_area(row)
        if not area.adjusted(0, 0, 0, BOTTOM).contains(x, y):
            return -1
        wrapped = self.wrapped(line, row.width())
        piece = wrapped.at(int((y - area.top()) / self.line_height), x - area.left())
        if piece is None or not piece.left - 4 <= x - area.left() <= piece.left + piece.width + 4:
            return -1
        return piece.word
