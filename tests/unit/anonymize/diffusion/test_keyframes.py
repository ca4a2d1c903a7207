"""Key frames and batches."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonymize.methods.diffusion.batches import batches
from anonymize.methods.diffusion.keyframes import change, keyframes


@given(st.lists(st.floats(0, 100), max_size=120), st.integers(1, 10), st.integers(0, 20))
def test_keys_are_neither_too_close_nor_too_far(changes: list[float], least: int, more: int) -> None:
    most = least + more
    keys = keyframes(changes, least, most)
    assert keys[0] == 0
    assert keys[-1] == len(changes)
    gaps = [b - a for a, b in pairwise(keys)]
    assert all(0 < gap <= most for gap in gaps)
    if most >= 2 * least and len(changes) >= least:
        assert all(gap >= least for gap in gaps)


def test_the_greatest_change_becomes_a_key() -> None:
    changes = [1.0] * 40
    changes[24] = 50.0
    assert 25 in keyframes(changes, 5, 20)


def test_equal_limits_mean_even_spacing() -> None:
    assert keyframes([0.0] * 10, 4, 4) == [0, 4, 8, 10]


def test_change_is_nothing_for_the_same_picture() -> None:
    picture = np.random.default_rng(0).integers(0, 256, (20, 20, 3), np.uint8)
    assert change(picture, picture) == 0
    assert change(picture, 255 - picture) > 0


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=100, unique=True).map(sorted), st.integers(1, 12))
def test_every_key_is_new_in_exactly_one_batch(keys: list[int], size: int) -> None:
    found = batches(keys, size)
    assert [frame for batch in found for frame in batch.new] == keys
    drawn: list[int] = []
    for batch in found:
        assert len(batch.new) >= 1
        assert len(batch.frames) <= size
        known = batch.frames[: batch.known]
        assert set(known) <= set(drawn)
        if drawn and size > 2:
            assert known[0] == keys[0]
            assert known[-1] == drawn[-1]
        drawn += batch.new


def test_the_batches_of_the_paper() -> None:
    assert [(b.frames, b.known) for b in batches(range(16), 8)] == [
        (tuple(range(8)), 0),
        ((0, 7, 8, 9, 10, 11, 12, 13), 2),
        ((0, 13, 14, 15), 2),
    ]


@pytest.mark.parametrize("count", [1, 3, 8])
def test_a_single_batch_is_fine(count: int) -> None:
    assert len(batches(range(count), 8)) == 1
