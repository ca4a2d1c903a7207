import errno
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from media.decoding import Decoder, iterate_frames
from media.exact_frames import FrameReader
from media.frame_index import load_index
from media.picture import DecodedFrame, FrameGeometry, planes
from project.errors import UserError
from tests.builders.clips import make_clip, number_of, numbered, paint_over

KINDS: Mapping[str, dict[str, Any]] = {
    "pyramid.mp4": {
        "frames": 100,
        "bframes": 7,
        "options": {"x264-params": "keyint=70:open-gop=1:b-pyramid=2:b-adapt=2:ref=5:weightp=2:scenecut=0"},
    },
    "hevc-pyramid.mp4": {
        "frames": 100,
        "codec": "libx265",
        "options": {"x265-params": "log-level=none:bframes=4:b-pyramid=1:b-adapt=2:ref=4:keyint=70:scenecut=0"},
    },
    "hevc-layers.mp4": {
        "frames": 100,
        "codec": "libx265",
        "options": {"x265-params": "log-level=none:bframes=4:temporal-layers=2:keyint=50:scenecut=0"},
    },
    "part-2.mp4": {"frames": 80, "codec": "mpeg4", "gop": 40, "options": {"bf": "3"}},
    "variable.mkv": {"times_us": [i * 33_000 + i % 5 * 6_000 for i in range(80)], "bframes": 2, "gop": 20},
    "vp9.webm": {"frames": 60, "codec": "libvpx-vp9", "gop": 20, "options": {"deadline": "realtime", "cpu-used": "8"}},
    "stream.ts": {"frames": 80, "bframes": 3, "gop": 25, "sound": True},
    "program.mpg": {"frames": 60, "codec": "mpeg2video", "gop": 8, "options": {"bf": "2"}, "fps": 25},
    "counted.avi": {"frames": 60, "bframes": 3, "gop": 20},
    "refresh.mp4": {"frames": 90, "gop": 30, "options": {"x264-params": "intra-refresh=1:keyint=30:bframes=2"}},
}
DAILY = (
    "pyramid.mp4",
    "hevc-pyramid.mp4",
    "hevc-layers.mp4",
    "variable.mkv",
    "program.mpg",
    "counted.avi",
    "refresh.mp4",
)


@pytest.fixture(
    scope="module",
    params=[pytest.param(kind, marks=() if kind in DAILY else pytest.mark.soak) for kind in KINDS],
)
def clip(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(tmp_path_factory.mktemp("frames") / request.param, size=(160, 96), **KINDS[request.param])


def test_every_frame_is_the_one_that_a_full_decode_shows_after_any_jump_or_step(clip: Path) -> None:
    index = load_index(clip)
    whole = list(iterate_frames(clip, index))
    assert [number_of(frame.image) for frame in whole] == list(range(len(index)))
    assert [frame.index for frame in whole] == list(range(len(index)))
    assert not any(frame.damaged for frame in whole)
    chance = np.random.default_rng(3)
    with FrameReader(clip, index) as reader:
        for i in map(int, chance.integers(0, len(index), 30)):
            frame = reader.frame_at(i)
            assert np.array_equal(frame.image, whole[i].image), i
            assert not frame.damaged
            middle = (frame.time_us + (index.times.time_of(i + 1) if i + 1 < len(index) else index.times.end_us)) // 2
            assert reader.frame_at(reader.times.frame_at(middle)).index == i
    with FrameReader(clip, index, memory=20 * 160 * 96 * 3 // 2) as reader:
        for i in (*range(30, 55), *range(55, 5, -1), *range(5, 12)):
            assert number_of(reader.frame_at(i).image) == i
        for place in np.cumsum(chance.integers(3, 30, len(index))):
            for i in (place, place - 1, place - 2, place - 7, place) if place < len(index) else ():
                assert np.array_equal(reader.frame_at(max(0, int(i))).image, whole[max(0, i)].image), (place, i)


@pytest.mark.parametrize("threads", [5, pytest.param(1, marks=pytest.mark.soak)])
def test_every_frame_is_exact_with_any_number_of_threads(
    clip: Path, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    attach = Decoder._attach

    def with_threads(decoder: Decoder) -> None:
        attach(decoder)
        decoder._stream.codec_context.thread_count = threads

    index = load_index(clip)
    whole = [picture.planes[0].tobytes() for picture in iterate_frames(clip, index)]
    monkeypatch.setattr(Decoder, "_attach", with_threads)
    for i in (len(index) - 1, len(index) - 23, len(index) // 2, 33, 7):
        with FrameReader(clip, index) as reader:
            for position in (i, max(0, i - 40), i):
                picture = reader.frame_at(position)
                assert picture.planes[0].tobytes() == whole[position], position
                assert not picture.damaged


def test_stepping_back_never_waits_for_a_group_to_be_decoded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = make_clip(tmp_path / "a.mp4", size=(160, 96), frames=320, bframes=3, gop=150)
    index = load_index(clip)
    whole = [picture.planes[0].tobytes() for picture in iterate_frames(clip, index)]
    rolls: list[int] = []
    roll = FrameReader._decode_forward
    monkeypatch.setattr(FrameReader, "_decode_forward", lambda self, i, key: rolls.append(i) or roll(self, i, key))
    with FrameReader(clip, index, memory=80 * 160 * 96 * 3 // 2) as reader:
        for i in range(319, -1, -1):
            assert reader.frame_at(i).planes[0].tobytes() == whole[i]
            assert len(reader._kept) <= 80
    assert rolls == [319]


def test_threads_end_with_the_reader_and_when_jumping_away(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", size=(160, 96), frames=320, bframes=3, gop=150)
    threads = threading.active_count()
    with FrameReader(clip, memory=40 * 160 * 96 * 3 // 2) as reader:
        for i in range(280, 268, -1):
            assert number_of(reader.frame_at(i).image) == i
        assert 265 in reader._behind
        assert number_of(reader.frame_at(20).image) == 20
        assert not reader._behind.is_busy
        assert 21 in reader._ahead
    assert threading.active_count() == threads


def test_a_machine_that_fails_is_not_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    codes = iter((errno.ENOMEM, errno.EAGAIN))

    def no_room(decoder: Decoder, frames: list[av.VideoFrame]) -> None:
        raise av.FFmpegError(next(codes), "no room")

    clip = make_clip(tmp_path / "a.mp4", frames=30, gop=20)
    with FrameReader(clip) as reader:
        with monkeypatch.context() as patch:
            patch.setattr(Decoder, "_take", no_room)
            for _ in range(2):
                with pytest.raises(UserError, match=r"not enough memory in this computer to decode a\.mp4"):
                    reader.frame_at(25)
        assert number_of(reader.frame_at(25).image) == 25


def test_a_real_recording_is_exact(shared_data: Path) -> None:
    path = shared_data / "media" / "talk_vfr_tags.mp4"
    index = load_index(path)
    whole = [picture.planes[0].tobytes() for picture in iterate_frames(path, index)]
    far = np.random.default_rng(5).integers(0, len(index), 10)
    with FrameReader(path, index, memory=40 * len(whole[0]) * 3 // 2) as reader:
        for i in (*map(int, far), *range(5, len(index), 19), *range(len(index) - 1, len(index) - 40, -1)):
            assert reader.frame_at(i).planes[0].tobytes() == whole[i], i


def picture(width: int = 64, height: int = 48, *, full: bool = False, matrix: int = 1) -> DecodedFrame:
    frame = av.VideoFrame.from_ndarray(numbered(5, width, height), format="rgb24").reformat(
        format="yuv420p", dst_colorspace=matrix, dst_color_range=2 if full else 1
    )
    return DecodedFrame(5, 170_000, frame, FrameGeometry.from_frame(frame))


@pytest.mark.parametrize(("matrix", "full"), [(5, False), (9, True)])
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


def test_what_could_not_be_decoded_is_black_and_damaged() -> None:
    decoded_frame = DecodedFrame(3, 0, None, FrameGeometry(64, 48, 90))
    assert decoded_frame.damaged
    assert decoded_frame.image.shape == (64, 48, 3)
    assert not decoded_frame.image.any()
