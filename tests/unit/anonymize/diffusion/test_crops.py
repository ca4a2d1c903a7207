"""Crops: steady, large enough, and placed back where they came from."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonymize.masking.masks import MaskSet
from anonymize.methods.diffusion.shots import (
    CropWindow,
    nearest_shot,
    split_into_shots,
    stabilize_boxes,
    whole_frame_window,
)
from tests.builders.face_tracks import track


def noise(height: int, width: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)


@given(st.integers(0, 2**32 - 1), st.integers(1, 60), st.floats(5, 60))
@settings(max_examples=60, deadline=None)
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


def test_a_crop_of_the_same_size_is_the_picture_itself() -> None:
    picture = noise(60, 80)
    assert (CropWindow(10, 20, 32, 24).crop(picture, (32, 24)) == picture[20:44, 10:42]).all()


def test_beyond_the_picture_its_edge_is_repeated() -> None:
    picture = noise(20, 20)
    assert (CropWindow(-5, 3, 10, 10).crop(picture, (10, 10))[:, :5] == picture[3:13, :1]).all()


def test_what_was_cut_is_placed_back() -> None:
    picture = np.repeat(np.repeat(noise(10, 10), 12, axis=0), 12, axis=1)
    view = CropWindow(7.3, 11.6, 90.2, 90.2)
    placed = view.paste(view.crop(picture, (256, 256)), (20, 24, 60, 50))
    assert placed.shape == (50, 60, 3)
    assert np.abs(placed.astype(int) - picture[24:74, 20:80]).mean() < 3


def test_a_rectangle_larger_than_the_crop_is_filled() -> None:
    drawn = np.full((64, 64, 3), 77, np.uint8)
    assert (CropWindow(30, 30, 20, 20).paste(drawn, (0, 0, 100, 90)) == 77).all()


def test_a_whole_picture_goes_through_at_multiples_of_64() -> None:
    view, size = whole_frame_window((1280, 720), 512)
    assert view == CropWindow(0, 0, 1280, 720)
    assert size == (896, 512)


def test_a_track_is_divided_at_cuts_and_long_gaps() -> None:
    frames = [*range(10, 20), *range(60, 70)]
    there = track([(50, 50, 40, 40)] * 20, frames=frames)
    found = split_into_shots(there, "P01", (15, 40, 65))
    assert [(shot.first, shot.last) for shot in found] == [(10, 14), (15, 19), (60, 64), (65, 69)]
    assert nearest_shot(found, 3).first == 10
    assert nearest_shot(found, 21).first == 15
    assert nearest_shot(found, 66).first == 65


def test_gaps_that_are_bridged_have_a_view_too() -> None:
    there = track([(50, 50, 40, 40), (60, 50, 40, 40)], frames=[0, 10])
    found = split_into_shots(there, "P01", ())
    assert [(shot.first, shot.last) for shot in found] == [(0, 10)]
    assert found[0].window_at(0).x < found[0].window_at(10).x
