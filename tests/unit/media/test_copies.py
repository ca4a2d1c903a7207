"""Copies of a clip: silent, at a steady rate, and as single pictures, all on the clip's own time; thumbnails."""

from collections.abc import Iterator
from pathlib import Path

import av
import numpy as np
import pytest

from media.clip_writer import constant_rate_copy, paint_clip
from media.decoding import iterate_frames
from media.excerpts import encode_jpeg, read_thumbnail, write_stills
from media.frame_index import load_index
from media.sound import Samples, stream_original
from media.soundtrack import copy_with_sound, copy_without_sound
from project.errors import UserError
from tests.builders.clips import make_clip, number_of, numbered


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clip whose picture begins 0.7 s after its sound, at an uneven rate."""
    folder = tmp_path_factory.mktemp("clip")
    times = [0, 40_000, 80_000, 200_000, 240_000, 500_000, 900_000, 1_260_000]
    source = make_clip(folder / "a.mp4", times_us=times, sound=True, picture_offset_us=700_000)
    paint_clip(source, folder / "clip.mp4", lambda _: None)
    return folder / "clip.mp4"


def kinds(path: Path) -> list[str]:
    with av.open(str(path)) as container:
        return [stream.type for stream in container.streams]


def test_a_silent_copy_keeps_every_picture_and_time_and_shows_the_first_from_zero(clip: Path, tmp_path: Path) -> None:
    target = tmp_path / "silent.mp4"
    before = load_index(clip)
    assert copy_without_sound(clip, target) == len(before)
    after = load_index(target)
    assert kinds(target) == ["video"]
    assert before.times.time_of(0) == 700_000
    assert after.times.times_us.tolist() == [0, *before.times.times_us.tolist()[1:]]
    same = zip(iterate_frames(clip, before), iterate_frames(target, after), strict=True)
    assert all((decoded_frame.image == other.image).all() for decoded_frame, other in same)


def test_at_a_steady_rate_each_tick_shows_what_is_on_screen_then(clip: Path, tmp_path: Path) -> None:
    target = tmp_path / "steady.mp4"
    index = load_index(clip)
    count = constant_rate_copy(clip, target, 15)
    steady = load_index(target)
    assert len(steady) == count == -(-index.times.end_us * 15 // 1_000_000)
    for tick, picture in enumerate(iterate_frames(target, steady)):
        assert abs(picture.time_us - tick * 1_000_000 / 15) <= 1
        assert number_of(picture.image) == index.times.frame_at(tick * 1_000_000 // 15)
    assert kinds(target) == ["video"]
    constant_rate_copy(clip, tmp_path / "heard.mp4", 15, sound=True)
    assert sorted(kinds(tmp_path / "heard.mp4")) == ["audio", "video"]


def test_a_picture_of_every_second(clip: Path, tmp_path: Path) -> None:
    index = load_index(clip)
    written = write_stills(clip, tmp_path)
    assert [path.name for path in written] == ["00000.jpg", "00001.jpg"]
    for second, path in enumerate(written):
        with av.open(str(path)) as container:
            (frame,) = container.decode(video=0)
        assert number_of(frame.to_ndarray(format="rgb24")) == index.times.frame_at(second * 1_000_000)


def test_a_picture_is_the_same_each_time_and_holds_no_comment() -> None:
    image = numbered(5, 161, 121)
    assert encode_jpeg(image) == encode_jpeg(image)
    assert b"Lavc" not in encode_jpeg(image)
    assert b"\xff\xfe" not in encode_jpeg(image)[:200]


class Half:
    """Makes everything half as loud."""

    def treat(self, blocks: Iterator[Samples], _rate: int, _start_us: int) -> Iterator[Samples]:
        return (block / 2 for block in blocks)


def test_a_sounding_copy_has_the_pictures_of_the_clip_and_the_treated_sound_of_its_source(
    clip: Path, tmp_path: Path
) -> None:
    source, target = clip.with_name("a.mp4"), tmp_path / "sounding.mp4"
    before = load_index(clip)
    assert copy_with_sound(clip, source, target, Half()) == len(before)
    after = load_index(target)
    assert sorted(kinds(target)) == ["audio", "video"]
    assert after.times.times_us.tolist() == before.times.times_us.tolist()
    same = zip(iterate_frames(clip, before), iterate_frames(target, after), strict=True)
    assert all((decoded_frame.image == other.image).all() for decoded_frame, other in same)
    raw, heard = (np.concatenate([*stream_original(path).blocks], axis=1) for path in (source, target))
    assert heard.shape == raw.shape
    assert np.abs(heard - raw / 2).max() <= 1 / 32768
    with av.open(str(target)) as container:
        assert container.streams.audio[0].codec_context.name == "flac"


def test_copies_of_a_silent_rendering_lie_on_the_same_axis_and_a_later_zero_is_added(
    clip: Path, tmp_path: Path
) -> None:
    source, rendered = clip.with_name("a.mp4"), tmp_path / "rendered.mp4"
    paint_clip(source, rendered, lambda _: None, sound="none")
    expected = load_index(clip).times.times_us.tolist()
    copy_with_sound(rendered, source, tmp_path / "sounding.mp4", Half())
    assert load_index(tmp_path / "sounding.mp4").times.times_us.tolist() == expected
    copy_without_sound(rendered, tmp_path / "silent.mp4")
    assert load_index(tmp_path / "silent.mp4").times.times_us.tolist() == [0, *expected[1:]]
    copy_with_sound(tmp_path / "silent.mp4", source, tmp_path / "later.mp4", Half(), zero_us=250_000)
    assert load_index(tmp_path / "later.mp4").times.times_us.tolist() == [250_000, *(t + 250_000 for t in expected[1:])]


def test_a_thumbnail_is_upright_and_small_and_there_is_none_of_sound(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=40, rotation=90)
    assert read_thumbnail(clip, 1_000_000, 100).shape == (100, 75, 3)
    assert max(read_thumbnail(clip, 99_000_000, 1000).shape) == 320
    with pytest.raises(UserError, match="no picture"):
        read_thumbnail(make_clip(tmp_path / "a.m4a", picture=False, sound=True), 0, 64)
