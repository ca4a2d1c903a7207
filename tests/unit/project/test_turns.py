"""A turn survives as the text of an utterance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.turns import Act, Turn, turn_of, written_turn


@given(st.sampled_from(list(Act)), st.text().map(str.strip))
def test_what_is_written_is_read_back(act: Act, text: str) -> None:
    assert turn_of(written_turn(Turn(act, text))) == Turn(act, text)


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("Hello there.", Turn(Act.SPEAK, "Hello there.")),
        ("[non-verbal] smiles", Turn(Act.NONVERBAL, "smiles")),
        ("  [Action]  closes the door ", Turn(Act.ACTION, "closes the door")),
        ("[leaves]", Turn(Act.LEAVE)),
        ("[none]", Turn(Act.NONE)),
        ("[says] [none] is what it says", Turn(Act.SPEAK, "[none] is what it says")),
        ("[laughs] Come on!", Turn(Act.SPEAK, "[laughs] Come on!")),
    ],
)
def test_a_mark_says_what_it_is_and_all_else_is_said(text: str, turn: Turn) -> None:
    assert turn_of(text) == turn


def test_what_is_said_stands_there_as_it_is() -> None:
    assert written_turn(Turn(Act.SPEAK, "Hello.")) == "Hello."
    assert written_turn(Turn(Act.LEAVE)) == "[leaves]"
