"""Streams whose packets are not one picture each, that lack times or a length, or that are none that can be told."""

import wave
from pathlib import Path

import av
import numpy as np
import pytest
from av.video.codeccontext import VideoCodecContext

from media.clip_writer import paint_clip
from media.decoding import iterate_frames
from media.exact_frames import FrameReader
from media.excerpts import decode_jpegs, read_thumbnail
from media.frame_index import load_index
from media.probe import probe
from project.errors import UserError
from tests.builders.clips import make_clip, number_of, numbered
from tests.builders.edited_clips import copied, joined, with_edits
from tests.builders.field_pictures import make_field_clip

REALTIME = {"deadline": "realtime", "cpu-used": "8"}


def numbers(path: Path) -> list[int]:
    found = list(iterate_frames(path))
    assert not any(frame.damaged for frame in found)
    return [number_of(frame.image) for frame in found]


def test_only_what_a_cut_without_encoding_leaves_is_shown(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", size=(96, 64), frames=50, fps=25, gop=10, bframes=2)
    trimmed = with_edits(source, tmp_path / "b.mp4", [(0.6, 1.0)])
    assert numbers(trimmed) == list(range(15, 40))
    assert probe(trimmed).duration_us == 1_000_000
    twice = with_edits(source, tmp_path / "c.mp4", [(0.2, 0.4), (1.4, 0.4)])
    assert numbers(twice) == [*range(5, 15), *range(35, 45)]
    for suffix in (".ts", ".mkv"):
        begun = copied(source, tmp_path / f"d{suffix}", wanted=lambda _packet, number: number >= 14)
        assert numbers(begun) == list(range(20, 50))
        with FrameReader(begun) as reader:
            assert [number_of(reader.frame_at(place).image) for place in (0, 29, 4)] == [20, 49, 24]


@pytest.mark.parametrize(
    ("suffix", "packets", "whole_every"),
    [(".ts", "fields", 0), (".mkv", "fields", 3), (".mp4", "frames", 0)],
)
def test_two_fields_are_one_picture(tmp_path: Path, suffix: str, packets: str, whole_every: int) -> None:
    source = make_field_clip(
        tmp_path / "a.ts",
        packets=packets,
        late_us=500_000,
        whole=lambda frame: bool(whole_every) and frame % whole_every == 1,
    )
    clip = source if suffix == ".ts" else copied(source, tmp_path / f"b{suffix}")
    index = load_index(clip)
    assert not index.counted_by_decoding
    assert numbers(clip) == list(range(30))
    assert index.times.time_of(0) == pytest.approx(510_000, abs=12_000), "silence begins 10 ms before a whole second"
    assert index.times.end_us - index.times.time_of(0) == pytest.approx(1_200_000, abs=1_000)
    with FrameReader(clip, index) as reader:
        assert [number_of(reader.frame_at(place).image) for place in (29, 7, 13)] == [29, 7, 13]


def test_a_hidden_reference_is_no_picture(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.webm", codec="libvpx", options=REALTIME, frames=30, size=(96, 64))

    def hide(packet: av.Packet, number: int) -> bool:
        content = bytes(packet)
        if number % 7 == 3:
            packet.update(bytes([content[0] & ~0x10]) + content[1:])
        return True

    clip = copied(source, tmp_path / "b.webm", wanted=hide)
    assert numbers(clip) == [number for number in range(30) if number % 7 != 3]


@pytest.mark.parametrize(
    ("name", "how"),
    [
        ("live.webm", {"codec": "libvpx", "options": REALTIME, "sound": True, "sound_codec": "libopus"}),
        ("raw.hevc", {"codec": "libx265"}),
        ("sound.mp3", {"picture": False, "sound": True, "sound_codec": "libmp3lame"}),
    ],
)
def test_the_length_is_that_of_what_is_there(tmp_path: Path, name: str, how: dict[str, object]) -> None:
    source = make_clip(tmp_path / name, size=(96, 64), frames=75, fps=25, **how)
    clip = tmp_path / f"unsaid-{name}"
    with av.open(str(source)) as reading, av.open(str(clip), "w", options={"live": "1", "write_xing": "0"}) as writing:
        streams = {stream.index: writing.add_stream_from_template(stream) for stream in reading.streams}
        for packet in reading.demux():
            if packet.size:
                packet.stream = streams[packet.stream_index]
                writing.mux(packet)
    facts = probe(clip)
    assert facts.duration_us == pytest.approx(3_000_000, abs=60_000)
    if facts.video is not None:
        assert (facts.video.frames, facts.video.frame_rate) == (75, pytest.approx(25, abs=0.1))


def test_a_length_in_the_header_is_not_believed(tmp_path: Path) -> None:
    path = tmp_path / "a.wav"
    with wave.open(str(path), "wb") as made:
        made.setparams((1, 2, 8_000, 0, "NONE", ""))
        made.writeframes(bytes(32_000))
    content = bytearray(path.read_bytes())
    content[40:44] = (3_200_000).to_bytes(4, "little")
    path.write_bytes(content)
    assert probe(path).duration_us == 2_000_000


@pytest.mark.parametrize(("rotation", "mirrored"), [(90, False), (180, False), (270, True)])
def test_what_turns_or_mirrors_a_picture_is_followed_everywhere(tmp_path: Path, rotation: int, mirrored: bool) -> None:
    size = (96, 64) if rotation % 180 == 0 else (64, 96)
    clip = make_clip(tmp_path / "a.mp4", size=size, frames=6, rotation=rotation, mirrored=mirrored)
    right = numbered(5, 96, 64).astype(int)
    with FrameReader(clip) as reader:
        still = reader.frame_at(5)
        pictures = [still.image, still.preview(96)[..., 2::-1]]
        assert still.planes[0].shape == (64, 96)
        pictures.append(still.image)
    paint_clip(clip, tmp_path / "b.mp4", lambda picture: None)
    pictures.append(list(iterate_frames(tmp_path / "b.mp4"))[5].image)
    (jpeg,) = decode_jpegs(clip, [5], (96, 64), 90)
    codec = av.CodecContext.create("mjpeg", "r")
    assert isinstance(codec, VideoCodecContext)
    pictures.append(codec.decode(av.Packet(jpeg))[0].to_ndarray(format="rgb24"))
    for picture in pictures:
        assert np.abs(picture.astype(int) - right).mean() < 12
    assert np.abs(read_thumbnail(clip, 0, 96).astype(int) - numbered(0, 96, 64)).mean() < 12


def refusal(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        probe(path)
    assert "ffmpeg" in caught.value.hint
    assert "\n" not in f"{caught.value.message}{caught.value.hint}"
    return caught.value.message


@pytest.mark.parametrize(
    ("suffix", "how"),
    [
        (".ts", {"sound": True}),
        (".mkv", {"sound": True}),
        (".ogg", {"picture": False, "sound": True, "sound_codec": "libopus"}),
    ],
)
def test_a_file_whose_times_begin_anew_is_refused(tmp_path: Path, suffix: str, how: dict[str, object]) -> None:
    parts = [make_clip(tmp_path / f"{name}{suffix}", size=(96, 64), fps=25, **how) for name in "ab"]
    clip = tmp_path / f"c{suffix}"
    clip.write_bytes(b"".join(part.read_bytes() for part in parts))
    assert "c" + suffix + " restart" in refusal(clip)
    assert probe(parts[0]).duration_us == pytest.approx(2_400_000, abs=60_000)


@pytest.mark.parametrize(
    ("suffix", "how"),
    [
        (".ts", {}),
        (".mp4", {}),
        (".avi", {"codec": "mjpeg", "pix_fmt": "yuvj420p"}),
        (".webm", {"codec": "libvpx-vp9", "options": REALTIME}),
    ],
)
def test_a_file_whose_pictures_change_their_size_is_refused(
    tmp_path: Path, suffix: str, how: dict[str, object]
) -> None:
    own = suffix if how else ".ts"
    first, second = (
        make_clip(tmp_path / f"{size[0]}{own}", size=size, frames=10, fps=25, **how) for size in ((96, 64), (128, 96))
    )
    clip = joined(first, second, tmp_path / f"c{suffix}", 400_000)
    assert f"c{suffix} changes its size from 96 x 64 to 128 x 96" in refusal(clip)
    assert probe(joined(first, first, tmp_path / f"d{suffix}", 400_000)).video is not None


def test_no_packet_of_sound_that_an_edit_list_hides_is_exported(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", size=(96, 64), frames=50, fps=25, sound=True)
    for name, edits, kind in (("one.mp4", [(1.0, 0.5)], "copied"), ("two.mp4", [(0.2, 0.4), (1.2, 0.4)], "encoded")):
        clip = with_edits(source, tmp_path / name, edits)
        assert paint_clip(clip, tmp_path / f"of-{name}", lambda picture: None).sound == kind
        with av.open(str(tmp_path / f"of-{name}")) as container:
            assert sum(packet.is_discard for packet in container.demux(audio=0)) <= 1
