"""Windows: no longer than a model can hear, all of the speech, words laid back where they were said."""

from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from media.sound import stream_mono
from models.speech.speech_recognizers import SAMPLE_RATE, RecognizedWord
from models.speech.speech_windows import MAX_WINDOW_US, place_words, plan_windows, read_windows
from project.timebase import SECOND_US
from tests.builders.voices import spoken, write_sound

LENGTHS = st.lists(st.tuples(st.integers(1, 4_000_000), st.integers(60_000, 40_000_000)), max_size=40)
TIMES = st.lists(
    st.tuples(st.integers(-SECOND_US, 32 * SECOND_US), st.integers(-SECOND_US, 32 * SECOND_US)), max_size=30
)


def spans(pairs: list[tuple[int, int]]) -> NDArray[np.int64]:
    """Make stretches of gaps and lengths."""
    edges = np.cumsum(np.array(pairs, np.int64).ravel())
    return edges.reshape(-1, 2)


@given(LENGTHS, st.integers(0, SECOND_US))
def test_windows_hold_all_speech_and_are_short_enough(pairs: list[tuple[int, int]], rest: int) -> None:
    speech = spans(pairs)
    end_us = int(speech[-1, 1]) + rest if len(speech) else rest
    windows = plan_windows(speech, end_us)
    for parts in windows:
        assert 0 < sum(end - start for start, end in parts) <= MAX_WINDOW_US
    edges = [edge for parts in windows for part in parts for edge in part]
    assert edges == sorted(edges)
    assert all(0 <= edge <= end_us for edge in edges)
    for start, end in speech.tolist():
        held = sum(max(0, min(high, end) - max(low, start)) for parts in windows for low, high in parts)
        assert held == end - start


@given(LENGTHS)
def test_windows_are_nearly_as_few_as_can_be(pairs: list[tuple[int, int]]) -> None:
    short = spans([(gap, min(length, 2 * SECOND_US)) for gap, length in pairs])
    end_us = int(short[-1, 1]) if len(short) else 0
    windows = plan_windows(short, end_us)
    lengths = [sum(end - start for start, end in parts) for parts in windows]
    assert all(length > 26 * SECOND_US for length in lengths[:-1])


@given(LENGTHS.filter(bool), TIMES)
def test_words_lie_inside_their_window_and_never_run_backwards(
    pairs: list[tuple[int, int]], times: list[tuple[int, int]]
) -> None:
    speech = spans(pairs)
    for parts in plan_windows(speech, int(speech[-1, 1])):
        found = place_words(parts, [RecognizedWord(" so", start, max(start, end), 0.5) for start, end in times])
        assert len(found) == len(times)
        for recognized_word in found:
            assert recognized_word.start_us <= recognized_word.end_us
            assert any(low <= recognized_word.start_us <= high for low, high in parts)
        for before, after in pairwise(found):
            assert before.end_us <= after.start_us


def test_a_word_after_a_silence_that_was_left_out_is_where_it_was_said() -> None:
    parts = ((1 * SECOND_US, 3 * SECOND_US), (10 * SECOND_US, 12 * SECOND_US))
    pieces = [RecognizedWord(" one", 500_000, 900_000, 0.9), RecognizedWord(" two", 1_900_000, 2_700_000, 0.9)]
    first, second = place_words(parts, pieces)
    assert (first.start_us, first.end_us) == (1_500_000, 1_900_000)
    assert (second.start_us, second.end_us) == (10_000_000, 10_700_000)


def test_the_sound_of_windows_is_that_of_the_file(tmp_path: Path) -> None:
    sound = spoken()
    path = write_sound(tmp_path / "talk.wav", sound)
    planned = [
        ((500_000, 1_250_000), (2 * SECOND_US, 3 * SECOND_US)),
        ((3 * SECOND_US, 5 * SECOND_US),),
        ((20 * SECOND_US, 40 * SECOND_US),),
    ]
    for parts, window in zip(planned, read_windows(stream_mono(path), planned), strict=True):
        wanted = np.concatenate(
            [sound[start * SAMPLE_RATE // SECOND_US : end * SAMPLE_RATE // SECOND_US] for start, end in parts]
        )
        assert window.spans == parts
        assert len(window.samples) == sum(end - start for start, end in parts) * SAMPLE_RATE // SECOND_US
        assert np.abs(window.samples[: len(wanted)] - wanted).max() < 1e-3
        assert not window.samples[len(wanted) :].any()
