"""Shots of a face: steady crops that hold the mask, key frames where the face changes, and the batches of them."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymize.masking.masks import MaskSet
from anonymize.methods.diffusion.shots import (
    add_excursions,
    choose_keyframes,
    group_into_batches,
    nearest_shot,
    split_into_shots,
)
from tests.builders.face_tracks import track


def test_the_crop_covers_what_the_renderer_masks() -> None:
    there = track([(100 + 3 * i, 80 + i, 50, 60) for i in range(30)])
    shot = split_into_shots(there, "P01", ())[0]
    masks = MaskSet([there])
    for frame in range(30):
        view, area = shot.window_at(frame), masks.masks_at(frame)[0].draw_area(400, 300)
        rows, columns = np.nonzero(area.alpha)
        assert view.x <= area.x + columns.min()
        assert view.y <= area.y + rows.min()
        assert view.x + view.width >= area.x + columns.max() + 1
        assert view.y + view.height >= area.y + rows.max() + 1


def test_a_track_is_divided_at_cuts_and_long_gaps_and_short_ones_have_a_view() -> None:
    there = track([(50, 50, 40, 40)] * 20, frames=[*range(10, 20), *range(60, 70)])
    shots = split_into_shots(there, "P01", (15, 40, 65))
    assert [(shot.first, shot.last) for shot in shots] == [(10, 14), (15, 19), (60, 64), (65, 69)]
    assert [nearest_shot(shots, frame).first for frame in (3, 21, 66)] == [10, 15, 65]
    (bridged,) = split_into_shots(track([(50, 50, 40, 40), (60, 50, 40, 40)], frames=[0, 10]), "P01", ())
    assert (bridged.first, bridged.last) == (0, 10)
    assert bridged.window_at(0).x < bridged.window_at(5).x < bridged.window_at(10).x


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


def test_the_greatest_change_becomes_a_key_and_equal_limits_mean_even_spacing() -> None:
    changes = [1.0] * 40
    changes[24] = 50.0
    assert 25 in choose_keyframes(changes, 5, 20)
    assert choose_keyframes([0.0] * 10, 4, 4) == [0, 4, 8, 10]


def blink(closed: bool) -> np.ndarray:
    face = np.full((64, 64), 150, np.uint8)
    face[26:29, 18:25] = 150 if closed else 60
    return face


def test_lids_that_are_closed_for_a_moment_are_a_key() -> None:
    frames = [blink(10 <= number < 14) for number in range(30)]
    keys = add_excursions([0, 8, 16, 29], frames, 2, 10)
    assert [key for key in keys if 10 <= key < 14]
    assert set(keys) >= {0, 8, 16, 29}
    assert len(keys) <= 6


@given(st.lists(st.integers(0, 10_000), min_size=1, max_size=100, unique=True).map(sorted), st.integers(1, 12))
def test_every_key_is_new_in_exactly_one_batch(keys: list[int], size: int) -> None:
    batches = group_into_batches(keys, size)
    assert [frame for batch in batches for frame in batch.new_frames] == keys
    drawn: list[int] = []
    for batch in batches:
        assert len(batch.new_frames) >= 1
        assert len(batch.frames) <= size
        known = batch.frames[: batch.known]
        assert set(known) <= set(drawn)
        if drawn and size > 2:
            assert (known[0], known[-1]) == (keys[0], drawn[-1])
        drawn += batch.new_frames
