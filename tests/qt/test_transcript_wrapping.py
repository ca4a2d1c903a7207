"""Texts in lines: no word is lost, none reaches over the edge."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.gui.transcript.utterance_layout import wrap

_ROOM = 60.0
_SIGNS = st.text("abÄß漢שלם,.? \t\n\u00a0\u3000", max_size=60)


def _width(text: str) -> float:
    return 6.0 * len(text)


@given(_SIGNS)
def test_every_word_stands_on_a_line_in_order(text: str) -> None:
    made = wrap(text, _width, 6.0, _ROOM)
    words = text.split()
    assert ["".join(piece.text for piece in made.pieces if piece.word == index) for index in range(len(words))] == words
    assert all(text[piece.start : piece.start + len(piece.text)] == piece.text for piece in made.pieces)
    assert [piece.line for piece in made.pieces] == sorted(piece.line for piece in made.pieces)
    assert all(0 <= piece.line < made.lines for piece in made.pieces)
    assert all(piece.left >= -0.01 and piece.left + piece.width <= _ROOM + 0.01 for piece in made.pieces)


def test_lines_break_between_words() -> None:
    made = wrap("one two three four", _width, 6.0, _ROOM)
    assert [(piece.text, piece.line, piece.left) for piece in made.pieces] == [
        ("one", 0, 0.0),
        ("two", 0, 24.0),
        ("three", 1, 0.0),
        ("four", 1, 36.0),
    ]


def test_a_sentence_without_blanks_is_broken_too() -> None:
    made = wrap("今日は天気がいいから散歩しましょう", _width, 6.0, _ROOM)
    assert made.lines == 2
    assert {piece.word for piece in made.pieces} == {0}


def test_a_text_from_right_to_left_begins_at_the_right() -> None:
    made = wrap("שלום לכם", _width, 6.0, _ROOM)
    assert [piece.left for piece in made.pieces] == [36.0, 12.0]


@pytest.mark.parametrize(("x", "word"), [(0.0, 2), (33.0, 2), (58.0, 3), (500.0, 3)])
def test_the_nearest_word_of_a_line_is_found(x: float, word: int) -> None:
    found = wrap("one two three four", _width, 6.0, _ROOM).piece_at(1, x)
    assert found.word == word
    assert wrap("one", _width, 6.0, _ROOM).piece_at(1, x) is None
