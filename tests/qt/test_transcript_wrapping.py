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
    assert ["".join(one.text for one in made.pieces if one.word == index) for index in range(len(words))] == words
    assert all(text[one.start : one.start + len(one.text)] == one.text for one in made.pieces)
    assert [one.line for one in made.pieces] == sorted(one.line for one in made.pieces)
    assert all(0 <= one.line < made.lines for one in made.pieces)
    assert all(one.left >= -0.01 and one.left + one.width <= _ROOM + 0.01 for one in made.pieces)


def test_lines_break_between_words() -> None:
    made = wrap("one two three four", _width, 6.0, _ROOM)
    assert [(one.text, one.line, one.left) for one in made.pieces] == [
        ("one", 0, 0.0),
        ("two", 0, 24.0),
        ("three", 1, 0.0),
        ("four", 1, 36.0),
    ]


def test_a_sentence_without_blanks_is_broken_too() -> None:
    made = wrap("今日は天気がいいから散歩しましょう", _width, 6.0, _ROOM)
    assert made.lines == 2
    assert {one.word for one in made.pieces} == {0}


def test_a_text_from_right_to_left_begins_at_the_right() -> None:
    made = wrap("שלום לכם", _width, 6.0, _ROOM)
    assert [one.left for one in made.pieces] == [36.0, 12.0]


@pytest.mark.parametrize(("x", "word"), [(0.0, 2), (33.0, 2), (58.0, 3), (500.0, 3)])
def test_the_nearest_word_of_a_line_is_found(x: float, word: int) -> None:
    found = wrap("one two three four", _width, 6.0, _ROOM).at(1, x)
    assert found is not None
    assert found.word == word
    assert wrap("one", _width, 6.0, _ROOM).at(1, x) is None
