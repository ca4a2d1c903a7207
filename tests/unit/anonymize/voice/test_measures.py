"""Figures of what changing a voice costs and buys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.voice.voice_measures import (
    compare_intonation,
    count_syllables,
    normalize_words,
    word_error_rate,
)
from tests.builders.speaking import vowels

RATE = 16_000
words = st.lists(st.sampled_from(["a", "b", "c"]), max_size=6)


def sound(pitch: float = 120.0) -> np.ndarray:
    return vowels(4.0, RATE, pitch)[0].astype(np.float64)


def test_words_changed_left_out_and_added_count_alike() -> None:
    heard = ("my name is jo", "my name is", "my name was jo", "oh my name is jo", "")
    rates = [word_error_rate(["my", "name", "is", "jo"], text.split()) for text in heard]
    assert rates == [0.0, 0.25, 0.25, 0.25, 1.0]


@given(words, words)
def test_word_errors_need_a_reference_and_are_zero_for_the_same_words(reference: list[str], heard: list[str]) -> None:
    found = word_error_rate(reference, heard)
    if not reference:
        assert found is None
    else:
        assert (found == 0) == (reference == heard)
        assert found >= abs(len(reference) - len(heard)) / len(reference)


def test_words_are_compared_without_capitals_and_punctuation() -> None:
    assert normalize_words("Hi, everybody! I\u2019m Jo - 2nd.") == ["hi", "everybody", "i'm", "jo", "2nd"]


def test_a_higher_voice_with_the_same_course_correlates_and_its_ratio_is_told() -> None:
    found = compare_intonation(sound(120), sound(150), RATE)
    assert found.correlation == pytest.approx(1, abs=0.05)
    assert found.ratio == pytest.approx(1.25, abs=0.03)


def test_a_course_that_runs_backwards_does_not_correlate() -> None:
    assert compare_intonation(sound(), sound()[::-1], RATE).correlation < 0.5


def test_without_a_voice_there_is_no_pitch_and_no_syllable() -> None:
    for silent in (np.zeros(4 * RATE), np.zeros(0), np.zeros(10)):
        assert compare_intonation(silent, silent, RATE).correlation is None
        assert compare_intonation(sound(), silent, RATE).ratio is None
        assert count_syllables(silent, RATE) == 0


def test_syllables_are_counted() -> None:
    assert count_syllables(sound(), RATE) == pytest.approx(8, abs=1)
