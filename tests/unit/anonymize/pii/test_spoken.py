"""Spoken numbers and letters as they are written, and where they come from."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.text_matching.spoken_forms import write_out_spoken

SAID = (
    "one two three oh zero ten twenty nineteen hundred thousand and double triple a b i o p first third plus "
    "dash , - . 7 42 the as in peter Anna \u00e9t\u00e9 \u0130stanbul"
)
WORDS = st.sampled_from(SAID.split())


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("five five five, oh one two three", "555, 0123"),
        ("oh double seven triple four", "077444"),
        ("nineteen eighty-two", "1982"),
        ("two thousand and three", "2003"),
        ("twenty twenty one", "2021"),
        ("nineteen oh five", "1905"),
        ("one hundred and twenty people", "120 people"),
        ("the twenty first of june", "the 21st of june"),
        ("p a t e l", "patel"),
        ("N-G-U-Y-E-N", "NGUYEN"),
        ("two two one b Baker Street", "221b Baker Street"),
        ("a b one two c d e", "ab12cde"),
        ("p as in peter, two one seven nine", "p, 2179"),
        ("seven seven one dash four oh", "771-40"),
        ("plus four four seven", "+447"),
    ],
)
def test_what_is_said_is_written_out(said: str, expected: str) -> None:
    assert write_out_spoken(said).text == expected


@pytest.mark.parametrize(
    "text",
    ["I am one of them", "a cat and a dog", "Oh, I see", "12 Rue 4", "an x-ray", "one", "", "vitamin C", "I, too"],
)
def test_what_is_no_number_stays(text: str) -> None:
    assert write_out_spoken(text).text == text


@given(st.lists(WORDS, max_size=14).map(" ".join) | st.text(max_size=60))
def test_every_character_says_where_it_comes_from(text: str) -> None:
    found = write_out_spoken(text)
    assert len(found.text) == len(found.starts) == len(found.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(found.starts, found.ends, strict=True))
    assert list(found.starts) == sorted(found.starts)
    for letter, start, end in zip(found.text, found.starts, found.ends, strict=True):
        if end - start == 1 and not letter.isdigit() and text[start] not in "oO":
            assert text[start] == letter or not letter.isalnum()


@given(st.lists(WORDS, min_size=1, max_size=14).map(" ".join))
def test_nothing_but_blanks_gets_lost(text: str) -> None:
    found = write_out_spoken(text)
    covered = {at for start, end in zip(found.starts, found.ends, strict=True) for at in range(start, end)}
    left = "".join(letter for at, letter in enumerate(text) if at not in covered)
    assert set(left) <= set(" ,-\t")
