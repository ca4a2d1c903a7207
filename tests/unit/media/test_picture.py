from fractions import Fraction

import av
import numpy as np
import pytest

from media.picture import DecodedFrame, FrameGeometry, planes
from tests.builders.clips import numbered, paint_over


def picture(width: int = 64, height: int = 48, *, full: bool = False, matrix: int = 1) -> DecodedFrame:
    frame = av.VideoFrame.from_ndarray(numbered(5, width, height), format="rgb24").reformat(
        format="yuv420p", dst_colorspace=matrix, dst_color_range=2 if full else 1
    )
    return DecodedFrame(5, 170_000, frame, FrameGeometry.from_frame(frame))


@pytest.mark.parametrize(("matrix", "full"), [(1, False), (1, True), (5, False), (9, True)])
def test_colours_survive_the_way_to_rgb_and_back(matrix: int, full: bool) -> None:
    decoded_frame = picture(matrix=matrix, full=full)
    assert decoded_frame.is_full_range == full
    before = decoded_frame.image.astype(int)
    paint_over(decoded_frame, decoded_frame.image)
    assert np.abs(decoded_frame.image - before).mean() < 3
    paint_over(decoded_frame, np.full((48, 64, 3), (30, 160, 90), np.uint8))
    assert np.abs(decoded_frame.image.reshape(-1, 3).astype(int) - (30, 160, 90)).max() <= 3


def test_the_decoders_own_picture_is_never_written_to() -> None:
    frame = av.VideoFrame.from_ndarray(numbered(1, 64, 48), format="rgb24").reformat(format="yuv420p")
    before = bytes(frame.planes[0])
    decoded_frame = DecodedFrame(0, 0, frame, FrameGeometry.from_frame(frame))
    decoded_frame.planes[0][:] = 0
    assert bytes(frame.planes[0]) == before


def test_untouched_pictures_reach_the_encoder_bit_for_bit() -> None:
    frame = av.VideoFrame.from_ndarray(numbered(1, 65, 49), format="rgb24").reformat(format="yuv420p")
    out = DecodedFrame(0, 0, frame, FrameGeometry.from_frame(frame)).to_video_frame()
    assert all(np.array_equal(a, b) for a, b in zip(planes(frame), planes(out), strict=True))


def test_the_smallest_pictures() -> None:
    for width, height in ((1, 1), (3, 5), (2, 2)):
        decoded_frame = picture(width, height)
        paint_over(decoded_frame, np.full((height, width, 3), 200, np.uint8))
        assert np.abs(decoded_frame.image.astype(int) - 200).max() <= 3


def test_what_could_not_be_decoded_is_black_and_damaged() -> None:
    decoded_frame = DecodedFrame(3, 0, None, FrameGeometry(64, 48, 90))
    assert decoded_frame.damaged
    assert decoded_frame.image.shape == (64, 48, 3)
    assert not decoded_frame.image.any()


def test_turned_pictures_look_alike_whole_and_by_planes() -> None:
    image = numbered(9, 64, 48)
    stored = np.ascontiguousarray(np.rot90(image))
    frame = av.VideoFrame.from_ndarray(stored, format="rgb24").reformat(format="yuv420p")
    canvas = FrameGeometry(frame.width, frame.height, 90)
    whole = DecodedFrame(0, 0, frame, canvas)
    before = whole.image
    assert np.abs(before.astype(int) - image).mean() < 4
    assert whole.planes[0].shape == (48, 64)
    assert np.array_equal(whole.image, before)


def test_absurd_pixel_shapes_count_as_square() -> None:
    frame = av.VideoFrame(64, 48, "yuv420p")
    assert FrameGeometry.from_frame(frame, Fraction(100)).width == 64
    assert FrameGeometry.from_frame(frame, Fraction(4, 3)).width == 85
