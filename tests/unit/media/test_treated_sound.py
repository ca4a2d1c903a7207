"""Treated sound in a clip: what a filter leaves is what the decoder gave, at the same time."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from numpy.typing import NDArray

from anonymize.sound.sound_plan import FADE_US, SoundPlan, covered_samples, sound_filter
from media.clip_writer import constant_rate_copy, paint_clip
from media.frame_index import load_index
from media.sound import Samples, Silence, stream_original, to_int16
from media.soundtrack import write_sound
from project.errors import UserError
from tests.builders.clips import make_clip, noise


@dataclass
class Leaves:
    """A filter that changes nothing, and notes where sound begins."""

    started: list[tuple[int, int]] = field(default_factory=list)

    def treat(self, blocks: Iterator[Samples], rate: int, start_us: int) -> Iterator[Samples]:
        self.started.append((rate, start_us))
        return blocks


def leave(_picture: object) -> None:
    pass


def stored(path: Path) -> tuple[str, NDArray[np.int16]]:
    """Codec and samples of a file's sound as they lie in it, without any laying out on an axis."""
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        assert stream.start_time == 0
        frames = [frame.to_ndarray().reshape(-1, stream.codec_context.channels).T for frame in container.decode(stream)]
    return stream.codec_context.name, np.concatenate(frames, axis=1)


def own(path: Path) -> NDArray[np.int16]:
    return np.concatenate([to_int16(block) for block in stream_original(path).blocks], axis=1)


def surround(path: Path, layout: str, rate: int, codec: str = "pcm_s16le") -> Path:
    """A recording with several channels, each of which sounds different."""
    channels = av.AudioLayout(layout).nb_channels
    silent = make_clip(path.with_name("silent.mkv"), frames=10, fps=10)
    samples = np.stack([noise(1.0, rate, seed) for seed in range(channels)])
    with av.open(str(silent)) as source, av.open(str(path), "w") as output:
        video = output.add_stream_from_template(source.streams.video[0])
        sound = output.add_stream(codec, rate=rate, layout=layout)
        for packet in source.demux(video=0):
            if packet.size:
                packet.stream = video
                output.mux(packet)
        whole = np.ascontiguousarray(to_int16(samples).T).reshape(1, -1)
        frame = av.AudioFrame.from_ndarray(whole, format="s16", layout=layout)
        frame.sample_rate, frame.pts, frame.time_base = rate, 0, Fraction(1, rate)
        output.mux(sound.encode(frame))
        output.mux(sound.encode(None))
    return path


@pytest.mark.parametrize(
    ("codec", "rate", "layout"),
    [
        ("pcm_s16le", 48_000, "5.1"),
        ("flac", 96_000, "stereo"),
    ],
)
def test_what_a_filter_leaves_is_stored_to_the_bit_with_its_rate_and_channels(
    tmp_path: Path, codec: str, rate: int, layout: str
) -> None:
    source = surround(tmp_path / "a.mkv", layout, rate, codec)
    result = paint_clip(source, tmp_path / "b.mp4", leave, sound=Leaves())
    assert result.sound == "treated"
    name, samples = stored(result.path)
    assert name == "flac"
    assert np.array_equal(samples, own(source))
    assert samples.shape == (av.AudioLayout(layout).nb_channels, rate)


def test_sound_that_starts_late_has_silence_before_and_stays_in_step(tmp_path: Path) -> None:
    late_us = 700_000
    source = make_clip(
        tmp_path / "a.mkv", frames=60, sound=True, sound_offset_us=late_us, sound_codec="pcm_s16le", sound_seconds=1.0
    )
    clip = paint_clip(source, tmp_path / "b.mp4", leave, sound=Leaves()).path
    late = late_us * 48 // 1000
    wanted = np.concatenate([np.zeros(late, np.int16), to_int16(noise(1.0, 48_000))])
    found = own(clip)[0]
    assert len(found) == len(wanted)
    assert np.array_equal(found, wanted)
    assert load_index(clip).times.times_us.tolist() == load_index(source).times.times_us.tolist()


def test_a_stretch_begins_with_its_own_sample_and_tells_the_filter_where_that_is(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mkv", frames=90, sound=True, sound_codec="pcm_s16le")
    filtering = Leaves()
    result = paint_clip(source, tmp_path / "b.mp4", leave, start_us=1_000_000, end_us=2_000_000, sound=filtering)
    assert filtering.started == [(48_000, 1_000_000)]
    assert np.array_equal(stored(result.path)[1][0], own(source)[0, 48_000:96_000])
    constant_rate_copy(result.path, tmp_path / "c.mp4", 15, sound=True)
    assert np.array_equal(stored(tmp_path / "c.mp4")[1], stored(result.path)[1])


def test_without_sound_there_is_no_track_but_where_the_picture_begins_late(tmp_path: Path) -> None:
    plain = make_clip(tmp_path / "a.mkv", frames=20, sound=True)
    result = paint_clip(plain, tmp_path / "b.mp4", leave, sound="none")
    assert result.sound is None
    with av.open(str(result.path)) as container:
        assert not container.streams.audio
    late = make_clip(tmp_path / "c.mkv", frames=20, sound=True, picture_offset_us=400_000)
    result = paint_clip(late, tmp_path / "d.mp4", leave, sound="none")
    assert not stored(result.path)[1].any()
    assert load_index(result.path).times.times_us.tolist() == load_index(late).times.times_us.tolist()


def test_a_muted_word_has_no_energy_and_every_sample_beside_it_is_the_source_s(tmp_path: Path) -> None:
    """What a release promises."""
    source = make_clip(tmp_path / "a.mp4", frames=90, sound=True)
    words = ((500_000, 812_345), (2_000_000, 2_000_001), (2_900_000, 9_000_000))
    treatment = sound_filter(SoundPlan(words), source)
    clip = paint_clip(source, tmp_path / "b.mp4", leave, sound=treatment).path
    before, after = own(source), stored(clip)[1]
    assert after.shape == before.shape
    muted, faded = np.zeros(after.shape[1], bool), np.zeros(after.shape[1], bool)
    for first, last in covered_samples(words, 48_000):
        muted[first:last] = True
        faded[max(0, first - FADE_US * 48 // 1000) : last + FADE_US * 48 // 1000] = True
    assert np.abs(before[:, muted]).max() > 1000, "there was something to hear"
    assert not after[:, muted].any()
    assert np.array_equal(after[:, ~faded], before[:, ~faded])


def test_sound_alone_is_as_long_as_the_recording_s_and_says_nothing_of_its_origin(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "anna.mp4", frames=30, sound=True, metadata={"title": "Anna at home"})
    out = tmp_path / "b.flac"
    assert write_sound(source, out) == (own(source).shape[1],) * 2
    with av.open(str(out)) as container:
        frames = [frame.to_ndarray().reshape(-1) for frame in container.decode(audio=0)]
    assert np.array_equal(np.concatenate(frames), own(source)[0])
    assert b"Anna at home" not in out.read_bytes()
    with pytest.raises(UserError, match="already exists"):
        write_sound(source, out)


def test_other_endings_and_recordings_without_sound_are_refused(tmp_path: Path) -> None:
    silent = make_clip(tmp_path / "a.mp4", frames=5)
    with pytest.raises(UserError, match="has no sound"):
        write_sound(silent, tmp_path / "b.flac", Silence())
    with pytest.raises(UserError, match="FLAC or WAV"):
        write_sound(silent, tmp_path / "b.mp3")
    assert [path.name for path in tmp_path.iterdir()] == ["a.mp4"]


def test_numbers_are_rounded_exactly_and_never_wrap() -> None:
    given = np.array([[0, 0.5 / 32768, 1.49 / 32768, 1, 2, -1, -2, np.nan, np.inf]], np.float32)
    assert to_int16(given).tolist() == [[0, 0, 1, 32767, 32767, -32768, -32768, 0, 32767]]
    every = np.arange(-32768, 32768, dtype=np.int16)[None]
    assert np.array_equal(to_int16(every.astype(np.float32) / 32768), every)
