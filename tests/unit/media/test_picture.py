from fractions import Fraction

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media.picture import DecodedFrame, FrameGeometry, Image, planes
from tests.builders.clips import numbered


def picture(width: int = 64, height: int = 48, *, full: bool = False, matrix: int = 1) -> DecodedFrame:
    frame = av.VideoFrame.from_ndarray(numbered(5, width, height), format="rgb24").reformat(
        format="yuv420p", dst_colorspace=matrix, dst_color_range=2 if full else 1
    )
    return DecodedFrame(5, 170_000, frame, FrameGeometry.from_frame(frame))


def solid(height: int, width: int, colour: tuple[int, int, int] = (30, 160, 90)) -> Image:
    return np.full((height, width, 3), colour, np.uint8)


RECTANGLES = st.tuples(st.integers(0, 60), st.integers(0, 44), st.integers(1, 64), st.integers(1, 48)).filter(
    lambda r: r[0] + r[2] <= 64 and r[1] + r[3] <= 48
)


@given(RECTANGLES)
def test_a_region_is_that_part_of_the_image(rectangle: tuple[int, int, int, int]) -> None:
    x, y, width, height = rectangle
    decoded_frame = picture()
    assert np.array_equal(decoded_frame.region(*rectangle), decoded_frame.image[y : y + height, x : x + width])


@given(RECTANGLES)
def test_painting_changes_no_brightness_outside(rectangle: tuple[int, int, int, int]) -> None:
    x, y, width, height = rectangle
    decoded_frame, before = picture(), picture()
    decoded_frame.paint(x, y, solid(height, width))
    changed = decoded_frame.planes[0] != before.planes[0]
    changed[y : y + height, x : x + width] = False
    assert not changed.any()
    inside = decoded_frame.planes[0][y : y + height, x : x + width]
    assert int(inside.max()) - int(inside.min()) <= 1
    tinted = decoded_frame.planes[1] != before.planes[1]
    tinted[y // 2 : (y + height + 1) // 2, x // 2 : (x + width + 1) // 2] = False
    assert not tinted.any()


@pytest.mark.parametrize(("matrix", "full"), [(1, False), (1, True), (5, False), (9, True)])
def test_colours_survive_the_way_to_rgb_and_back(matrix: int, full: bool) -> None:
    decoded_frame = picture(matrix=matrix, full=full)
    assert decoded_frame.is_full_range == full
    decoded_frame.paint(10, 10, solid(20, 30))
    found = decoded_frame.region(12, 12, 26, 16).reshape(-1, 3).astype(int)
    assert np.abs(found - (30, 160, 90)).max() <= 3
    before = decoded_frame.image.astype(int)
    decoded_frame.paint(0, 0, decoded_frame.image)
    assert np.abs(decoded_frame.image - before).mean() < 3


def test_a_mask_keeps_what_it_does_not_cover() -> None:
    decoded_frame, before = picture(), picture()
    mask = np.zeros((20, 20), np.uint8)
    mask[4:16, 4:16] = 255
    decoded_frame.paint(8, 8, solid(20, 20), mask)
    kept = np.ones((48, 64), bool)
    kept[12:24, 12:24] = False
    assert np.array_equal(decoded_frame.planes[0][kept], before.planes[0][kept])
    assert np.abs(decoded_frame.region(13, 13, 10, 10).astype(int) - (30, 160, 90)).max() <= 3


def test_a_half_mask_mixes() -> None:
    decoded_frame, before = picture(), picture()
    decoded_frame.paint(8, 8, solid(10, 10, (255, 255, 255)), np.full((10, 10), 128, np.uint8))
    luma = before.planes[0][8:18, 8:18].astype(int)
    expected = luma + (235 - luma) * 128 / 255
    assert np.abs(decoded_frame.planes[0][8:18, 8:18] - expected).max() <= 1


def test_the_decoders_own_picture_is_never_written_to() -> None:
    frame = av.VideoFrame.from_ndarray(numbered(1, 64, 48), format="rgb24").reformat(format="yuv420p")
    before = bytes(frame.planes[0])
    decoded_frame = DecodedFrame(0, 0, frame, FrameGeometry.from_frame(frame))
    decoded_frame.paint(0, 0, solid(48, 64))
    assert bytes(frame.planes[0]) == before


def test_untouched_pictures_reach_the_encoder_bit_for_bit() -> None:
    frame = av.VideoFrame.from_ndarray(numbered(1, 65, 49), format="rgb24").reformat(format="yuv420p")
    out = DecodedFrame(0, 0, frame, FrameGeometry.from_frame(frame)).to_video_frame()
    assert all(np.array_equal(a, b) for a, b in zip(planes(frame), planes(out), strict=True))


@pytest.mark.parametrize("rectangle", [(-1, 0, 4, 4), (0, 0, 65, 4), (60, 40, 5, 4), (0, 0, 0, 3)])
def test_rectangles_outside_are_refused(rectangle: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="not inside"):
        picture().region(*rectangle)


def test_the_smallest_pictures() -> None:
    for width, height in ((1, 1), (3, 5), (2, 2)):
        decoded_frame = picture(width, height)
        decoded_frame.paint(0, 0, solid(height, width, (200, 200, 200)))
        assert np.abs(decoded_frame.image.astype(int) - 200).max() <= 3


def test_what_could_not_be_decoded_is_black_and_damaged() -> None:
    decoded_frame = DecodedFrame(3, 0, None, FrameGeometry(64, 48, 90))
    assert decoded_frame.damaged
    assert decoded_frame.image.shape == (64, 48, 3)
    assert not decoded_frame.image.any()
    assert decoded_frame.to_rgb_frame().damaged


def test_turned_pictures_look_alike_whole_and_by_planes() -> None:
    image = numbered(9, 64, 48)
    stored = np.ascontiguousarray(np.rot90(image))
    frame = av.VideoFrame.from_ndarray(stored, format="rgb24").reformat(format="yuv420p")
    canvas = FrameGeometry(frame.width, frame.height, 90)
    whole = DecodedFrame(0, 0, frame, canvas).image
    assert np.abs(whole.astype(int) - image).mean() < 4
    assert np.array_equal(DecodedFrame(0, 0, frame, canvas).region(0, 0, 64, 48), whole)


def test_absurd_pixel_shapes_count_as_square() -> None:
    frame = av.VideoFrame(64, 48, "yuv420p")
    assert FrameGeometry.from_frame(frame, Fraction(100)).width == 64
    assert FrameGeometry.from_frame(frame, Fraction(4, 3)).width == 85
