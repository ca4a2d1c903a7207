"""Words keep their times while a text is edited; a turn survives as the text of an utterance."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from project.entities.roleplay import Act, AgentTurn, parse_turn
from project.entities.transcript import Word, Words, clamp_words, estimate_word_times, realign_words, split_words

_TEXTS = st.lists(st.sampled_from(["so", "what", "do", "you", "think", "Anna?", "hm.", "no"]), max_size=12).map(
    " ".join
)


def _heard(*times: tuple[str, int, int], sure: float = 0.5) -> Words:
    return tuple(Word(text, start, end, sure) for text, start, end in times)


def _is_whole(words: Words, text: str, start_us: int, end_us: int) -> bool:
    edges = [start_us, *(edge for word in words for edge in (word.start_us, word.end_us)), end_us]
    return [word.text for word in words] == split_words(text) and edges == sorted(edges)


@given(_TEXTS, st.integers(0, 10**9), st.integers(1, 10**8))
def test_estimated_words_are_the_texts_and_fill_its_time(text: str, start_us: int, length_us: int) -> None:
    words = estimate_word_times(text, start_us, start_us + length_us)
    assert _is_whole(words, text, start_us, start_us + length_us)
    assert all(word.confidence is None for word in words)
    if words:
        assert (words[0].start_us, words[-1].end_us) == (start_us, start_us + length_us)


@given(_TEXTS.filter(bool), _TEXTS, st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_edited_text_has_a_time_for_each_word(before: str, after: str, first: int, second: int) -> None:
    start_us, end_us = sorted((first, second + 10**6 + 1))
    words = realign_words(estimate_word_times(before, 0, 10**6), after, start_us, end_us)
    assert _is_whole(words, after, start_us, end_us)


def test_words_that_stay_keep_time_and_confidence() -> None:
    heard = _heard(("Hi,", 0, 100), ("Bob", 150, 300), ("Smiss", 400, 500))
    words = realign_words(heard, "Hi, dear Bob Smith", 0, 600)
    assert [word for word in words if word.confidence != 1.0] == [heard[0], heard[1]]
    assert Word("Smith", 400, 500, 1.0) in words
    assert Word("dear", 100, 150, 1.0) in words
    shared = realign_words(_heard(("gonna", 100, 300)), "going to", 0, 400)
    assert [(word.text, word.start_us, word.end_us) for word in shared] == [("going", 100, 233), ("to", 233, 300)]


def test_words_that_run_backwards_or_out_of_the_stretch_are_put_in_order() -> None:
    wild = _heard(("a", 50, 40), ("b", 10, 500), ("c", -5, 2))
    assert _is_whole(clamp_words(wild, "a b c", 20, 100), "a b c", 20, 100)
    assert clamp_words(wild, "a b d", 20, 100) == ()


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("  [Action]  closes the door ", AgentTurn(Act.ACTION, "closes the door")),
        ("[leaves]", AgentTurn(Act.LEAVE)),
        ("[says] [none] is what it says", AgentTurn(Act.SPEAK, "[none] is what it says")),
        ("[laughs] Come on!", AgentTurn(Act.SPEAK, "[laughs] Come on!")),
    ],
)
def test_a_mark_says_what_it_is_and_all_else_is_said(text: str, turn: AgentTurn) -> None:
    assert parse_turn(text) == turn
