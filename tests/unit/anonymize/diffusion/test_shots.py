"""Shots of a face: steady crops that hold the mask, key frames where the face changes, and the batches of them."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonymize.masking.masks import MaskSet
from anonymize.methods.diffusion.shots import (
    CropWindow,
    add_excursions,
    choose_keyframes,
    frame_change,
    group_into_batches,
    nearest_shot,
    split_into_shots,
    stabilize_boxes,
    whole_frame_window,
)
from tests.builders.face_tracks import track


def noise(height: int, width: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 256, (height, width, 3), np.uint8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(5, 60))
def test_each_square_holds_the_mask_of_its_face(seed: int, count: int, rate: float) -> None:
    rng = np.random.default_rng(seed)
    centres = 300 + np.cumsum(rng.normal(0, 4, (count, 2)), axis=0)
    size = np.clip(60 + np.cumsum(rng.normal(0, 2, (count, 2)), axis=0), 40, 120)
    boxes = np.concatenate([centres - size / 2, size], axis=1)
    for (x, y, side), box in zip(stabilize_boxes(boxes, rate), boxes, strict=True):
        for place, (start, extent) in ((x, (box[0], box[2])), (y, (box[1], box[3]))):
            assert place - side / 2 <= start - 0.3 * extent
            assert place + side / 2 >= start + 1.3 * extent


def test_the_square_of_a_trembling_box_hardly_moves() -> None:
    rng = np.random.default_rng(0)
    boxes = np.array([[100, 100, 50, 60]]) + rng.normal(0, 2, (100, 4))
    moved = np.abs(np.diff(stabilize_boxes(boxes, 25), axis=0)).mean()
    assert moved < np.abs(np.diff(boxes[:, :2], axis=0)).mean() / 5


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


def test_a_crop_is_the_picture_itself_and_beyond_it_its_edge() -> None:
    picture = noise(60, 80)
    assert (CropWindow(10, 20, 32, 24).crop(picture, (32, 24)) == picture[20:44, 10:42]).all()
    assert (CropWindow(-5, 3, 10, 10).crop(picture, (10, 10))[:, :5] == picture[3:13, :1]).all()


def test_what_was_cut_is_placed_back_and_fills_a_larger_rectangle() -> None:
    picture = np.repeat(np.repeat(noise(10, 10), 12, axis=0), 12, axis=1)
    view = CropWindow(7.3, 11.6, 90.2, 90.2)
    placed = view.paste(view.crop(picture, (256, 256)), (20, 24, 60, 50))
    assert placed.shape == (50, 60, 3)
    assert np.abs(placed.astype(int) - picture[24:74, 20:80]).mean() < 3
    drawn = np.full((64, 64, 3), 77, np.uint8)
    assert (CropWindow(30, 30, 20, 20).paste(drawn, (0, 0, 100, 90)) == 77).all()


def test_a_whole_picture_goes_through_at_multiples_of_64() -> None:
    assert whole_frame_window((1280, 720), 512) == (CropWindow(0, 0, 1280, 720), (896, 512))


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


def test_where_nothing_comes_and_goes_no_key_is_added() -> None:
    tremble = np.random.default_rng(0).integers(-2, 3, (20, 64, 64))
    still = [np.uint8(blink(False) + each) for each in tremble]
    assert add_excursions([0, 9, 19], still, 2, 10) == [0, 9, 19]
    closing = [blink(number >= 12) for number in range(20)]
    assert add_excursions([0, 19], closing, 2, 10) == [0, 19]


@given(st.integers(0, 2**32 - 1), st.integers(1, 40))
def test_added_keys_keep_their_distance(seed: int, last: int) -> None:
    frames = list(np.random.default_rng(seed).integers(0, 256, (last + 1, 8, 8), np.uint8))
    keys = add_excursions([0, last], frames, 2, 2)
    assert keys == sorted(set(keys))
    assert all(b - a >= 2 for a, b in pairwise(keys)) or last == 1


def test_a_blink_is_seen_beside_a_change_of_light() -> None:
    face = np.full((100, 100), 120, np.uint8)
    brighter, blinking = face + 6, face.copy()
    blinking[40:46, 30:42] = 40
    assert frame_change(face, face) == 0
    assert frame_change(face, brighter) > frame_change(face, blinking)
    assert frame_change(face, brighter, 10) < frame_change(face, blinking, 10)


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


def test_the_batches_of_the_paper() -> None:
    assert [(batch.frames, batch.known) for batch in group_into_batches(range(16), 8)] == [
        (tuple(range(8)), 0),
        ((0, 7, 8, 9, 10, 11, 12, 13), 2),
        ((0, 13, 14, 15), 2),
    ]
