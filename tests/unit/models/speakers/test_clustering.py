"""Voices that are told apart, where it is known whose they are."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.speakers.voice_clustering import NO_VOICE, group_voices, voice_probabilities
from tests.builders.planted_speakers import voices


def same_partition(labels: np.ndarray, who: list[int]) -> bool:
    return len({*zip(labels.tolist(), who, strict=True)}) == len({*who}) == len({*labels.tolist()})


@pytest.mark.parametrize("count", [1, 3])
def test_the_number_of_voices_is_found_and_each_stretch_gets_its_own(count: int) -> None:
    who = [k % count for k in range(8 * count)]
    found = group_voices(voices(who), np.full(len(who), 2.5))
    assert found.labels.tolist() == who, "voices are numbered as they are first heard"
    assert len(found.centres) == count


def test_a_number_that_is_given_is_kept_where_there_are_as_many_stretches() -> None:
    who = [k % 3 for k in range(12)]
    assert len(group_voices(voices(who), np.full(12, 2.0), number=2).centres) == 2
    assert len(group_voices(voices([0] * 8), np.full(8, 2.0), number=2).centres) == 2
    assert len(group_voices(voices([0]), np.full(1, 2.0), number=4).centres) == 1


def test_short_stretches_follow_the_long_ones_and_make_no_voice_of_their_own() -> None:
    who = [0, 1] * 8
    vectors = voices([*who, *[2] * 6], wobble=0.2)
    seconds = np.array([2.5] * 16 + [0.3] * 6)
    found = group_voices(vectors, seconds)
    assert len(found.centres) == 2
    assert same_partition(found.labels[:16], who)


def test_silence_has_no_voice() -> None:
    vectors = voices([0, 0, 1, 1, 0, 1])
    vectors[2] = 0
    assert group_voices(vectors, np.full(6, 3.0)).labels[2] == NO_VOICE
    nothing = group_voices(np.zeros((3, 64), np.float32), np.full(3, 2.0))
    assert nothing.labels.tolist() == [NO_VOICE] * 3
    assert nothing.centres.shape == (0, 64)
    assert group_voices(np.zeros((0, 64), np.float32), np.zeros(0)).labels.shape == (0,)


def test_a_number_that_is_expected_is_taken_where_voices_are_rather_alike() -> None:
    who = [k % 2 for k in range(24)]
    vectors, seconds = voices(who, wobble=0.2, alike=0.91), np.full(24, 3.0)
    assert len(group_voices(vectors, seconds).centres) == 1
    assert same_partition(group_voices(vectors, seconds, expected=2).labels, who)
    array = voices([0] * 24, wobble=0.3)
    assert len(group_voices(array, seconds, expected=2).centres) == 1


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=30), st.integers(0, 99), st.one_of(st.none(), st.integers(1, 6))
)
def test_labels_are_always_numbers_of_centres_and_shares_are_probabilities(
    who: list[int], seed: int, number: int | None
) -> None:
    vectors = voices(who, seed)
    found = group_voices(vectors, np.random.default_rng(seed).uniform(0.1, 9, len(who)), number)
    assert found.labels.min() >= 0
    assert set(found.labels.tolist()) <= {*range(len(found.centres))}
    assert number is None or len(found.centres) <= number
    assert np.allclose(voice_probabilities(vectors, found.centres).sum(1), 1)
