"""Key frames and batches."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.diffusion.shots import add_excursions, choose_keyframes, frame_change, group_into_batches


@given(st.lists(st.floats(0, 100), max_size=120), st.integers(1, 10), st.integers(0, 20))
def test_keys_are_neither_too_close_nor_too_far(changes: list[float], least: int, more: int) -> None:
    most = least + more
    keys = choose_keyframes(changes, least, most)
    assert keys[0] == 0
    assert keys[-1] == len(changes)
    gaps = [b - a for a, b in pairwise(keys)]
    assert all(0 < gap <= most for gap in gaps)
    if most >= 2 * least and len(changes) >= least:
        assert all(gap >= least for gap in gaps)


def test_the_greatest_change_becomes_a_key() -> None:
    changes = [1.0] * 40
    changes[24] = 50.0
    assert 25 in choose_keyframes(changes, 5, 20)


def blink(closed: bool) -> np.ndarray:
    face = np.full((64, 64), 150, np.uint8)
    face[26:29, 18:25] = 150 if closed else 60
    return face


def test_lids_that_are_closed_for_a_moment_are_a_key() -> None:
    frames = [blink(10 <= number < 14) for number in range(30)]
    found = add_excursions([0, 8, 16, 29], frames, 2, 10)
    assert [key for key in found if 10 <= key < 14]
    assert set(found) >= {0, 8, 16, 29}
    assert len(found) <= 6


def test_where_nothing_comes_and_goes_no_key_is_added() -> None:
    noise = np.random.default_rng(0).integers(-2, 3, (20, 64, 64))
    still = [np.uint8(blink(False) + each) for each in noise]
    assert add_excursions([0, 9, 19], still, 2, 10) == [0, 9, 19]
    closing = [blink(number >= 12) for number in range(20)]
    assert add_excursions([0, 19], closing, 2, 10) == [0, 19]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_added_keys_keep_their_distance(seed: int, last: int) -> None:
    frames = list(np.random.default_rng(seed).integers(0, 256, (last + 1, 8, 8), np.uint8))
    found = add_excursions([0, last], frames, 2, 2)
    assert found == sorted(set(found))
    assert all(b - a >= 2 for a, b in pairwise(found)) or last == 1


def test_equal_limits_mean_even_spacing() -> None:
    assert choose_keyframes([0.0] * 10, 4, 4) == [0, 4, 8, 10]


def test_change_is_nothing_for_the_same_picture() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (20, 20), np.uint8)
    assert frame_change(picture, picture) == 0
    assert frame_change(picture, 255 - picture) > 0


def test_a_blink_is_seen_beside_a_change_of_light() -> None:
    face = np.full((100, 100), 120, np.uint8)
    brighter, blinking = face + 6, face.copy()
    blinking[40:46, 30:42] = 40
    assert frame_change(face, brighter) > frame_change(face, blinking)
    assert frame_change(face, brighter, 10) < frame_change(face, blinking, 10)


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=100, unique=True).map(sorted), st.integers(1, 12))
def test_every_key_is_new_in_exactly_one_batch(keys: list[int], size: int) -> None:
    found = group_into_batches(keys, size)
    assert [frame for batch in found for frame in batch.new_frames] == keys
    drawn: list[int] = []
    for batch in found:
        assert len(batch.new_frames) >= 1
        assert len(batch.frames) <= size
        known = batch.frames[: batch.known]
        assert set(known) <= set(drawn)
        if drawn and size > 2:
            assert known[0] == keys[0]
            assert known[-1] == drawn[-1]
        drawn += batch.new_frames


def test_the_batches_of_the_paper() -> None:
    assert [(b.frames, b.known) for b in group_into_batches(range(16), 8)] == [
        (tuple(range(8)), 0),
        ((0, 7, 8, 9, 10, 11, 12, 13), 2),
        ((0, 13, 14, 15), 2),
    ]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_single_batch_is_fine(count: int) -> None:
    assert len(group_into_batches(range(count), 8)) == 1
