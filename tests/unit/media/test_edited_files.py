"""In a file that was cut, turned or joined without encoding, all that reads it agrees which picture is shown when."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from media.clip_writer import paint_clip
from media.decoding import iterate_frames
from media.exact_frames import FrameReader
from media.frame_index import load_index
from media.picture import FrameGeometry
from media.sound import read_mono
from tests.builders.clips import make_clip, noise, number_of
from tests.builders.edited_clips import copied, with_edits

FPS, FRAMES, RATE = 25, 50, 48_000
SIZE = (96, 64)
PIECE = RATE // 10
REALTIME = {"deadline": "realtime", "cpu-used": "8"}
CODECS: dict[str, tuple[tuple[str, ...], dict[str, object]]] = {
    "h264": ((".mp4", ".mov", ".mkv", ".ts"), {"bframes": 2, "gop": 10}),
    "h264-open": ((".mp4", ".mkv", ".ts"), {"bframes": 3, "gop": 12, "open_gop": True}),
    "hevc": ((".mp4", ".mkv", ".ts"), {"codec": "libx265", "bframes": 2, "gop": 10}),
    "mpeg4": ((".mp4", ".mkv", ".avi"), {"codec": "mpeg4", "gop": 8, "options": {"bf": "2", "q": "3"}}),
    "mpeg2": ((".mkv", ".ts", ".mpg"), {"codec": "mpeg2video", "gop": 8, "options": {"bf": "2", "q": "3"}}),
    "vp8": (
        (".webm", ".mkv"),
        {"codec": "libvpx", "gop": 12, "options": {"auto-alt-ref": "1", "lag-in-frames": "16", "b": "200k"}},
    ),
    "vp9": ((".webm", ".mkv", ".mp4"), {"codec": "libvpx-vp9", "gop": 12, "options": REALTIME}),
}
"""In which containers each is tried, and how it is encoded."""
SOUNDS = {".webm": "libopus", ".avi": "mp2", ".mpg": "mp2"}


def from_frame(first: int, source: Path, target: Path) -> Path:
    """Leave out all pictures that are stored before one, wherever a group of pictures begins."""
    return copied(source, target, wanted=lambda packet, number: packet.stream.type != "video" or number >= first)


def without_some(first: int, source: Path, target: Path) -> Path:
    def is_wanted(packet: av.Packet, number: int) -> bool:
        return packet.stream.type != "video" or not first <= number < first + 4

    return copied(source, target, wanted=is_wanted)


def from_time(first: int, source: Path, target: Path) -> Path:
    """Cut at a time, as FFmpeg does with -c copy: what is decoded before it gets times before zero."""
    start = Fraction(first, FPS)
    with av.open(str(source)) as container:
        keys = [packet.pts * packet.time_base for packet in container.demux(video=0) if packet.is_keyframe]
    key = max((time for time in keys if time <= start), default=start)
    later_us = -round(start * 1_000_000)
    return copied(
        source, target, wanted=lambda packet, _number: (packet.pts or 0) * packet.time_base >= key, later_us=later_us
    )


EDITS: dict[str, Callable[[int, Path, Path], Path]] = {
    "none": lambda _first, source, target: copied(source, target),
    "from a picture": from_frame,
    "without some": without_some,
    "from a time": from_time,
}
LISTS: dict[str, Callable[[float], list[tuple[float, float]]]] = {
    "trimmed": lambda start: [(start, 1.0)],
    "joined": lambda start: [(start / 2, 0.5), (1.2, 0.5)],
    "turned round": lambda start: [(1.2, 0.5), (start / 2, 0.5)],
    "twice": lambda start: [(start, 0.5), (start, 0.5)],
    "later": lambda start: [(-1, 0.3), (start, 0.6)],
}
TURNS = [(0, False), (90, False), (270, True)]


@dataclass(frozen=True)
class Case:
    codec: str
    suffix: str
    edit: str
    first: int
    turn: tuple[int, bool] = (0, False)
    late_us: int = 0

    @property
    def lost(self) -> range:
        return range(self.first - 3, self.first + 22) if self.edit == "without some" else range(0)

    def make(self, folder: Path) -> Path:
        how = CODECS[self.codec][1]
        rotation, mirrored = self.turn
        source = make_clip(
            folder / f"source{self.suffix}",
            size=SIZE if rotation % 180 == 0 else SIZE[::-1],
            frames=FRAMES,
            fps=FPS,
            sound=True,
            sound_codec=SOUNDS.get(self.suffix, "aac"),
            picture_offset_us=self.late_us,
            rotation=rotation,
            mirrored=mirrored,
            **how,
        )
        target = folder / f"cut{self.suffix}"
        if self.edit in LISTS:
            # Half of an even number: an edit that begins within a picture shows it half a frame late.
            return with_edits(source, target, LISTS[self.edit](self.first // 2 * 2 / FPS))
        return EDITS[self.edit](self.first, source, target)


@st.composite
def cases(draw: st.DrawFn) -> Case:
    codec = draw(st.sampled_from([*CODECS]))
    suffix = draw(st.sampled_from(CODECS[codec][0]))
    has_tables = suffix in (".mp4", ".mov")
    edits = [edit for edit in EDITS if (edit, suffix) != ("from a time", ".avi")]
    edit = draw(st.sampled_from([*edits, *LISTS] if has_tables else edits))
    turn = draw(st.sampled_from(TURNS)) if has_tables else (0, False)
    late_us = 0 if edit in LISTS or suffix == ".avi" else draw(st.sampled_from((0, 120_000)))
    return Case(codec, suffix, edit, draw(st.integers(1, 24)), turn, late_us)


def heard_frame(sound: np.ndarray, at_us: int) -> float | None:
    """Return the number of the frame with which the sound at a time was recorded; None where it is not that of one."""
    start = round(at_us * RATE / 1e6)
    piece = sound[start : start + PIECE]
    if len(piece) < PIECE:
        return None
    original = noise(FRAMES / FPS, RATE)
    alike = np.fft.irfft(np.fft.rfft(original, 2 * len(original)) * np.conj(np.fft.rfft(piece, 2 * len(original))))
    place = int(alike[: len(original) - PIECE].argmax())
    there = original[place : place + PIECE]
    sure = float(piece @ there) / max(1e-9, float(np.linalg.norm(piece) * np.linalg.norm(there)))
    return place * FPS / RATE if sure > 0.9 else None


def play(path: Path, canvas: FrameGeometry) -> Iterator[tuple[int, int, np.ndarray]]:
    """Yield what a player shows that decodes from the beginning: when, its time stamp, and the picture."""
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        for packet in container.demux(stream):
            with suppress(av.FFmpegError):
                for frame in stream.codec_context.decode(packet):
                    if frame.pts is not None:
                        at_us = round(frame.pts * stream.time_base * 1_000_000) - (container.start_time or 0)
                        yield at_us, frame.pts, canvas.to_rgb(frame)


def check(path: Path, late_us: int = 0, lost: range = range(0), frames_off: int = 1) -> None:
    """Compare all that read a file, but for the frames after lost packets, which nothing may mark as damaged.

    The pictures may be so many frames off from the sound.
    """
    index = load_index(path)
    assert (np.diff(index.times.times_us) > 0).all()
    whole = list(iterate_frames(path, index))
    assert [frame.index for frame in whole] == list(range(len(index)))
    shown = [number_of(frame.image) for frame in whole]
    lost_us = (lost.start * 1_000_000 // FPS, lost.stop * 1_000_000 // FPS)
    good = [frame.index for frame in whole if not frame.damaged and not lost_us[0] <= frame.time_us <= lost_us[1]]
    assert len(good) >= 5
    with FrameReader(path, index) as reader:
        for place in (*good[::-7], *good[::5]):
            still = reader.frame_at(place)
            assert (still.index, number_of(still.image)) == (place, shown[place])
    for at_us, pts, image in play(path, index.canvas):
        place = index.position_of(pts)
        if place in good and not index.counted_by_decoding:
            assert number_of(image) == shown[place]
            assert abs(index.times.time_of(place) - at_us) <= 1
    target = path.with_name("export.mp4")
    paint_clip(path, target, lambda picture: None)
    exported = load_index(target)
    assert np.abs(exported.times.times_us - index.times.times_us).max() <= 20
    copies = [number_of(frame.image) for frame in iterate_frames(target, exported)]
    assert [copies[place] for place in good] == [shown[place] for place in good]
    # Not near to where one edit ends and another begins: the pictures and the sound do so within a frame.
    steady = [place for place in good if shown[place - 1 : place + 4] == [*range(shown[place] - 1, shown[place] + 4)]]
    before, after = (
        np.array([heard_frame(sound, index.times.time_of(place)) or np.nan for place in steady])
        for sound in (read_mono(path, RATE), read_mono(target, RATE))
    )
    off = before - np.array([shown[place] for place in steady]) - late_us * FPS / 1e6
    assert np.isfinite(off).sum() >= min(5, len(steady) // 4)
    assert np.nanmax(np.abs(off)) <= frames_off + 0.005 * FPS
    assert np.nanmax(np.abs(after - before)) <= 0.005 * FPS


@given(case=cases())
@settings(max_examples=settings.default.max_examples // 3)
def test_stills_playing_sound_and_export_agree_in_any_file(case: Case) -> None:
    with TemporaryDirectory() as folder:
        # FFmpeg, in libVLC too, shows the pictures of a later edit late by those that it puts in order.
        check(
            case.make(Path(folder)),
            case.late_us,
            case.lost,
            3 if case.edit in ("joined", "turned round", "twice") else 1,
        )
