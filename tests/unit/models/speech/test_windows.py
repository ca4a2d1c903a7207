"""Stretches of speech from likelihoods, windows that a model can hear, and words laid back where they were said."""

from itertools import pairwise
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from media.sound import stream_mono
from models.speech.speech_recognizers import SAMPLE_RATE, RecognizedWord, SpeechOptions
from models.speech.speech_windows import (
    MAX_WINDOW_US,
    clean_spans,
    likelihood_to_spans,
    place_words,
    plan_windows,
    read_windows,
)
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


STEP_US = 32_000
EXACT = SpeechOptions(pause_ms=0, shortest_ms=0, margin_ms=0)
LIKELY = st.lists(st.sampled_from([0.0, 0.2, 0.4, 0.6, 0.9]), max_size=80).map(lambda one: np.array(one, np.float32))
OPTIONS = st.builds(
    SpeechOptions,
    shortest_ms=st.integers(0, 400),
    pause_ms=st.integers(0, 400),
    margin_ms=st.integers(0, 400),
)


def in_order(spans: NDArray[np.int64], end_us: int) -> bool:
    edges = spans.ravel()
    return bool((np.diff(edges) >= 0).all() and (spans[:, 0] < spans[:, 1]).all()) and (
        not len(edges) or (edges[0] >= 0 and edges[-1] <= end_us)
    )


@given(LIKELY, OPTIONS, st.integers(0, STEP_US))
def test_stretches_are_in_order_apart_and_inside(
    likely: NDArray[np.float32], options: SpeechOptions, short_us: int
) -> None:
    end_us = max(0, len(likely) * STEP_US - short_us)
    assert in_order(likelihood_to_spans(likely, STEP_US, end_us, options), end_us)


@given(LIKELY)
def test_every_step_over_the_threshold_is_in_a_stretch_and_no_stretch_begins_elsewhere(
    likely: NDArray[np.float32],
) -> None:
    found = likelihood_to_spans(likely, STEP_US, len(likely) * STEP_US, EXACT)
    inside = np.zeros(len(likely), bool)
    for start, end in found // STEP_US:
        inside[start:end] = True
        assert likely[start] >= EXACT.threshold
        assert likely[end - 1] >= EXACT.release
    assert inside[likely >= EXACT.threshold].all()
    assert not inside[likely < EXACT.release].any()


@given(LIKELY, OPTIONS)
def test_joining_what_was_found_finely_gives_the_same_as_looking_once(
    likely: NDArray[np.float32], options: SpeechOptions
) -> None:
    end_us = len(likely) * STEP_US
    fine = likelihood_to_spans(likely, STEP_US, end_us, EXACT)
    assert np.array_equal(clean_spans(fine, end_us, options), likelihood_to_spans(likely, STEP_US, end_us, options))


def test_a_short_pause_is_joined_and_a_click_is_none() -> None:
    likely = np.array([0.9] * 10 + [0.0] * 5 + [0.9] * 10 + [0.0] * 40 + [0.9] * 2 + [0.0] * 10, np.float32)
    options = SpeechOptions(pause_ms=300, shortest_ms=200, margin_ms=100)
    found = likelihood_to_spans(likely, STEP_US, len(likely) * STEP_US, options)
    assert found.tolist() == [[0, 25 * STEP_US + 100_000]]
