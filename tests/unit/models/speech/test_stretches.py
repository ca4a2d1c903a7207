"""Stretches of speech from likelihoods: in order, apart, inside the sound, joined over short pauses."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from models.speech.speech_recognizers import SpeechOptions
from models.speech.speech_windows import clean_spans, likelihood_to_spans

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
