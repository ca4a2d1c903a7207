"""What is typed becomes an expression that the engine takes, whatever it is."""

import sqlite3

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from project.search.search_index import match_expression


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("", ""),
        ("  ", ""),
        ("robot", '"robot"*'),
        ("robot interrupts", '"robot"* "interrupts"*'),
        ('"the robot" waits', '"the robot" "waits"*'),
        ('"the rob', '"the rob"*'),
        ('""', ""),
        ("— … !", ""),
        ("robot AND NOT (x)", '"robot"* "AND"* "NOT"* "(x)"*'),
    ],
)
def test_words_and_phrases(typed: str, expected: str) -> None:
    assert match_expression(typed) == expected


@given(st.text())
@example("NEAR(a b, 5)")
@example('text : a* OR ^b "')
@example("a\x00b")
@example("\ud800x")
@example("a " * 400)
def test_nothing_that_is_typed_is_an_error(typed: str) -> None:
    memory = sqlite3.connect(":memory:")
    memory.execute("CREATE VIRTUAL TABLE found USING fts5 (text, tokenize = 'unicode61 remove_diacritics 2')")
    memory.execute("INSERT INTO found VALUES ('a b c')")
    wanted = match_expression(typed)
    if wanted:
        memory.execute("SELECT rowid FROM found WHERE found MATCH ?", (wanted,)).fetchall()
    memory.close()
