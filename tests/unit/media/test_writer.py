import errno
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from media.clip_writer import paint_clip
from media.decoding import iterate_frames
from media.frame_index import load_index
from media.picture import DecodedFrame
from media.probe import probe
from media.sound import Silence, read_mono
from project.errors import Cancelled, UserError
from project.files.fingerprints import file_sha256
from tests.builders.clips import level_of, make_clip, make_sound_tracks, noise, number_of, paint_over, shift_ms, tone
from tests.builders.encoded import pictures_to_encode
from tests.builders.words_in_files import words_in


def leave(picture: DecodedFrame) -> None:
    """Change nothing."""


def times(path: Path) -> list[int]:
    return load_index(path).times.times_us.tolist()


@pytest.mark.parametrize(
    "kind",
    [
        {"times_us": [i * 33_000 + i % 4 * 9_000 for i in range(40)], "bframes": 2},
        {"codec": "libx265", "pix_fmt": "yuv420p10le", "bframes": 3},
        {"fps": 24000 / 1001, "size": (101, 77), "codec": "ffv1", "suffix": ".mkv"},
    ],
    ids=["variable", "ten-bit", "odd"],
)
def test_every_frame_is_painted_once_and_the_times_are_the_sources(tmp_path: Path, kind: dict[str, object]) -> None:
    seen: list[int] = []

    def negate(picture: DecodedFrame) -> None:
        seen.append(picture.index)
        paint_over(picture, 255 - picture.image)

    options = {"size": (160, 96), "frames": 40, "suffix": ".mp4", **kind}
    source = make_clip(tmp_path / f"a{options.pop('suffix')}", **options)
    result = paint_clip(source, tmp_path / "b.mp4", negate)
    assert times(result.path) == times(source)
    assert load_index(result.path).times.end_us == load_index(source).times.end_us
    assert result.frames == len(times(source))
    assert seen == list(range(result.frames))
    assert [number_of(255 - frame.image) for frame in iterate_frames(result.path)] == seen
    assert result.sha256 == file_sha256(result.path)
    facts = probe(result.path).video
    assert (facts.codec, facts.pixel_format, facts.rotation) == ("h264", "yuv420p", 0)
    assert (facts.width, facts.height) == (result.width, result.height)
    with av.open(str(result.path)) as container:
        assert not container.streams.video[0].codec_context.has_b_frames


def test_colours_stay(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", frames=10, size=(160, 96))
    filmed = [[plane.astype(int) for plane in picture.planes] for picture in iterate_frames(source)]
    with pictures_to_encode() as left:
        copy = paint_clip(source, tmp_path / "b.mp4", leave).path
    with pictures_to_encode() as painted:
        paint_clip(source, tmp_path / "c.mp4", lambda picture: paint_over(picture, picture.image))
    stored = [picture.planes for picture in iterate_frames(copy)]
    for before, same, changed, after in zip(filmed, left, painted, stored, strict=True):
        for plane, same_plane, changed_plane, after_plane in zip(before, same, changed, after, strict=True):
            assert (same_plane == plane).all(), "what is not painted is not converted"
            assert abs((after_plane - plane).mean()) < 1, "compression brightens nothing"
            # To RGB and back rounds twice, by a level each time; where colours meet, the half-size planes mix more.
            # With another matrix or range the brightness of this picture is 15 levels off.
            far = np.abs(changed_plane - plane)
            assert np.percentile(far, 99 if plane.shape == (96, 160) else 90) <= 2


@pytest.mark.parametrize("tags", [(5, 2), (9, 1)])
def test_colour_tags_stay(tmp_path: Path, tags: tuple[int, int]) -> None:
    source = tmp_path / "a.mp4"
    with av.open(str(source), "w") as output:
        stream = output.add_stream("libx264", rate=30)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.codec_context.colorspace, stream.codec_context.color_range = tags
        for _ in range(3):
            frame = av.VideoFrame(64, 48, "yuv420p")
            for plane in frame.planes:
                plane.update(bytes([100]) * plane.buffer_size)
            output.mux(stream.encode(frame))
        output.mux(stream.encode(None))
    copy = paint_clip(source, tmp_path / "b.mp4", leave).path
    with av.open(str(copy)) as container:
        first = next(container.decode(video=0))
    assert (first.colorspace, first.color_range) == tags


@pytest.mark.parametrize(
    ("suffix", "late"),
    [
        (".mkv", {"picture_offset_us": 400_000}),
        (".ts", {"sound_offset_us": 300_000}),
    ],
)
def test_sound_stays_in_sync(tmp_path: Path, suffix: str, late: dict[str, int]) -> None:
    source = make_clip(tmp_path / f"a{suffix}", frames=60, size=(160, 96), sound=True, **late)
    result = paint_clip(source, tmp_path / "b.mp4", leave)
    before, after = read_mono(source, 48_000), read_mono(result.path, 48_000)
    offset = late.get("sound_offset_us", 0) // 1000
    wanted = shift_ms(before, noise(2, 48_000), 48_000)
    assert shift_ms(after, noise(2, 48_000), 48_000) == pytest.approx(wanted, abs=1)
    assert wanted == pytest.approx(offset, abs=25)
    assert np.abs(np.subtract(times(result.path), times(source))).max() <= 12
    assert result.sound == ("encoded" if suffix == ".ts" else "copied")


def test_sound_that_mp4_does_not_hold_or_that_has_gaps_is_encoded(tmp_path: Path) -> None:
    """So that its samples alone say when it is heard."""
    opus = make_clip(tmp_path / "opus.mkv", frames=60, size=(64, 48), sound=True, sound_codec="libopus")
    result = paint_clip(opus, tmp_path / "c.mp4", leave)
    assert result.sound == "encoded"
    assert shift_ms(read_mono(result.path, 48_000), noise(2, 48_000), 48_000) == pytest.approx(0, abs=8)
    whole = make_clip(tmp_path / "a.mkv", frames=90, size=(64, 48), sound=True)
    source = tmp_path / "gaps.mkv"
    with av.open(str(whole)) as container, av.open(str(source), "w") as output:
        streams = {stream.index: output.add_stream_from_template(stream) for stream in container.streams}
        for number, packet in enumerate(container.demux()):
            if packet.dts is not None and (packet.stream.type == "video" or number % 40):
                packet.stream = streams[packet.stream_index]
                output.mux(packet)
    result = paint_clip(source, tmp_path / "b.mp4", leave)
    assert result.sound == "encoded"
    with av.open(str(result.path)) as stored:
        samples = np.concatenate([frame.to_ndarray()[0] for frame in stored.decode(audio=0)])
    piece = noise(3, 48_000)[108_000:132_000]
    assert int(np.argmax(np.correlate(samples, piece, "valid"))) == pytest.approx(108_000, abs=240)


def test_the_clip_has_the_chosen_sound_track_alone(tmp_path: Path) -> None:
    source = make_sound_tracks(tmp_path / "a.mp4", [tone(level) for level in (0.1, 0.3, 0.6)], picture=True)
    cases: dict[str, dict[str, Any]] = {
        "copied": {},
        "encoded": {"start_us": 300_000},
        "treated": {"sound": Silence()},
    }
    for kind, options in cases.items():
        result = paint_clip(source, tmp_path / f"{kind}.mp4", leave, track=3, **options)
        assert result.sound == kind
        with av.open(str(result.path)) as container:
            assert len(container.streams.audio) == 1
        level = 0 if kind == "treated" else 0.6
        assert level_of(read_mono(result.path)) == pytest.approx(level, abs=0.05)


def test_a_stretch_has_its_frames_and_its_sound(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", frames=150, size=(160, 96), bframes=3, gop=60, sound=True)
    result = paint_clip(source, tmp_path / "b.mp4", leave, start_us=2_010_000, end_us=4_000_000)
    assert [number_of(frame.image) for frame in iterate_frames(result.path)] == list(range(60, 120))
    assert result.frames == 60
    assert times(result.path)[:3] == [0, 33_333, 66_667]
    assert result.sound == "encoded"
    after = read_mono(result.path, 48_000)
    piece = noise(5, 48_000)[96_000 + 12_000 : 96_000 + 48_000]
    assert abs(int(np.argmax(np.correlate(after, piece, "valid"))) - 12_000) <= 48
    assert len(after) / 48_000 == pytest.approx(2.0, abs=0.03)


SECRETS = ("Ada Lovelace", "2020-01-02", "+48.8577+002.295", "Phone 99", "Chapter Ada")


@pytest.mark.parametrize("suffix", [".mp4", ".mkv"])
def test_nothing_is_told_about_the_source(tmp_path: Path, suffix: str) -> None:
    source = make_clip(
        tmp_path / f"a{suffix}",
        frames=30,
        size=(160, 96),
        sound=True,
        metadata={
            "title": SECRETS[0],
            "creation_time": f"{SECRETS[1]}T03:04:05Z",
            "location": f"{SECRETS[2]}/",
            "comment": SECRETS[3],
            "artist": SECRETS[0],
        },
        chapters=[(0, 500_000, SECRETS[4])],
    )
    assert {SECRETS[0], "x264 - core"} <= {*words_in(source, (*SECRETS, "x264 - core"))}
    clip = paint_clip(source, tmp_path / "b.mp4", leave).path
    assert words_in(clip, (*SECRETS, "x264", "x264 - core", "Lavf", "Lavc")) == []
    with av.open(str(clip)) as container:
        assert not {"title", "creation_time", "location", "comment", "encoder"} & container.metadata.keys()
        assert container.chapters() == []
        assert [stream.type for stream in container.streams] == ["video", "audio"]
        for stream in container.streams:
            assert set(stream.metadata) <= {"language", "handler_name", "vendor_id"}
            assert "creation_time" not in stream.metadata
            assert list(next(container.demux(stream)).iter_sidedata()) == []
            container.seek(0)


def test_subtitles_and_captions_stay_behind(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "plain.mkv", frames=30, size=(160, 96))
    with_text = tmp_path / "a.mkv"
    srt = tmp_path / "a.srt"
    srt.write_text("1\n00:00:00,000 --> 00:00:01,000\nMy name is Ada\n")
    with av.open(str(source)) as film, av.open(str(srt)) as text, av.open(str(with_text), "w") as output:
        streams = [output.add_stream_from_template(input_container.streams[0]) for input_container in (film, text)]
        for input_container, stream in zip((film, text), streams, strict=True):
            for packet in input_container.demux():
                if packet.size:
                    packet.stream = stream
                    output.mux(packet)
    assert b"My name is Ada" in with_text.read_bytes()
    clip = paint_clip(with_text, tmp_path / "b.mp4", leave).path
    assert b"My name is Ada" not in clip.read_bytes()
    assert len(times(clip)) == 30


def test_odd_pictures_become_even_and_pixels_square(tmp_path: Path) -> None:
    small = make_clip(tmp_path / "a.mkv", size=(3, 5), frames=1, codec="ffv1", pix_fmt="yuv444p")
    result = paint_clip(small, tmp_path / "b.mp4", leave)
    assert (result.width, result.height, result.frames) == (4, 6, 1)
    wide = make_clip(tmp_path / "a.mp4", size=(120, 96), frames=3, pixel_aspect=Fraction(4, 3))
    result = paint_clip(wide, tmp_path / "c.mp4", leave)
    assert (result.width, result.height) == (160, 96)


def only(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_source_is_never_overwritten(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", frames=5)
    (tmp_path / "symbolic.mp4").symlink_to(source)
    (tmp_path / "hard.mp4").hardlink_to(source)
    before, names = source.read_bytes(), only(tmp_path)
    for name in ("a.mp4", "symbolic.mp4", "hard.mp4"):
        with pytest.raises(UserError, match="never overwritten"):
            paint_clip(source, tmp_path / name, leave, overwrite=True)
    assert source.read_bytes() == before
    assert only(tmp_path) == names


def test_an_existing_file_is_replaced_only_when_allowed_and_where_nothing_can_be_written_it_is_said(
    tmp_path: Path,
) -> None:
    source = make_clip(tmp_path / "a.mp4", frames=5)
    target = tmp_path / "b.mp4"
    target.write_text("precious")
    with pytest.raises(UserError, match="already exists"):
        paint_clip(source, target, leave)
    assert target.read_text() == "precious"
    assert paint_clip(source, target, leave, overwrite=True).frames == 5
    assert len(times(target)) == 5
    with pytest.raises(UserError, match="empty"):
        paint_clip(source, tmp_path / "c.mp4", leave, start_us=100_000, end_us=50_000)
    with pytest.raises(UserError, match="does not exist"):
        paint_clip(source, tmp_path / "gone" / "b.mp4", leave)


class StopsAt:
    def __init__(self, frame: int) -> None:
        self.frame = frame
        self.done = 0

    def progress(self, done: int, total: int, text: str = "") -> None:
        self.done = done

    def check_cancelled(self) -> None:
        if self.done >= self.frame:
            raise Cancelled


def test_a_stop_a_bug_while_painting_and_a_full_disk_leave_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def paint(picture: DecodedFrame) -> None:
        if picture.index == 20:
            raise ZeroDivisionError

    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    source = make_clip(tmp_path / "a.mp4", frames=60, sound=True, size=(160, 96))
    threads = threading.active_count()
    with pytest.raises(Cancelled):
        paint_clip(source, tmp_path / "b.mp4", leave, progress=StopsAt(30))
    with pytest.raises(ZeroDivisionError):
        paint_clip(source, tmp_path / "b.mp4", paint)
    monkeypatch.setattr("media.encoding.VideoEncoder.encode", fail)
    with pytest.raises(UserError, match="disk is full"):
        paint_clip(source, tmp_path / "b.mp4", leave)
    assert only(tmp_path) == ["a.mp4"]
    assert threading.active_count() == threads


def test_damaged_frames_are_passed_on_as_such(tmp_path: Path) -> None:
    source = make_clip(tmp_path / "a.mp4", size=(160, 96), frames=90, gop=30)
    with av.open(str(source)) as container:
        packets = [(p.pos or 0, p.size) for p in container.demux(video=0) if p.size]
    data = bytearray(source.read_bytes())
    place, size = packets[40]
    data[place : place + size] = bytes(size)
    source.write_bytes(data)
    seen: list[bool] = []
    result = paint_clip(source, tmp_path / "b.mp4", lambda picture: seen.append(picture.damaged))
    assert result.frames == len(times(result.path)) == 90
    assert seen[40]
    assert result.damaged == sum(seen) < 60


@pytest.mark.parametrize("how", ["replaced", "written to"])
def test_a_clip_that_another_program_touches_before_it_has_its_name_is_not_kept(tmp_path: Path, how: str) -> None:
    source, other = make_clip(tmp_path / "a.mp4", frames=4), make_clip(tmp_path / "b.mp4", frames=4)

    def touched(clip: Path) -> None:
        if how == "replaced":
            other.replace(clip)
        else:
            with clip.open("ab") as file:
                file.write(b"\0\0\0\x10freeother da")

    with pytest.raises(UserError, match="was changed or replaced while it was in use"):
        paint_clip(source, tmp_path / "out.mp4", leave, examine=touched)
    assert not (tmp_path / "out.mp4").exists()
