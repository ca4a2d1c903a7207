"""A turn survives as the text of an utterance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.roleplay import Act, AgentTurn, format_turn, parse_turn


@given(st.sampled_from(list(Act)), st.text().map(str.strip))
def test_what_is_written_is_read_back(act: Act, text: str) -> None:
    assert parse_turn(format_turn(AgentTurn(act, text))) == AgentTurn(act, text)


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("Hello there.", AgentTurn(Act.SPEAK, "Hello there.")),
        ("[non-verbal] smiles", AgentTurn(Act.NONVERBAL, "smiles")),
        ("  [Action]  closes the door ", AgentTurn(Act.ACTION, "closes the door")),
        ("[leaves]", AgentTurn(Act.LEAVE)),
        ("[none]", AgentTurn(Act.NONE)),
        ("[says] [none] is what it says", AgentTurn(Act.SPEAK, "[none] is what it says")),
        ("[laughs] Come on!", AgentTurn(Act.SPEAK, "[laughs] Come on!")),
    ],
)
def test_a_mark_says_what_it_is_and_all_else_is_said(text: str, turn: AgentTurn) -> None:
    assert parse_turn(text) == turn


def test_what_is_said_stands_there_as_it_is() -> None:
    assert format_turn(AgentTurn(Act.SPEAK, "Hello.")) == "Hello."
    assert format_turn(AgentTurn(Act.LEAVE)) == "[leaves]"
