"""A file that was cut off is refused or said to end early; a whole one never is."""

from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from media.decoding import iterate_frames
from media.frame_index import load_index
from media.probe import probe
from project.errors import UserError
from tests.builders.clips import make_clip, texture

FRAMES = 40
REALTIME = {"deadline": "realtime", "cpu-used": "8"}


def repacked(movflags: str, folder: Path) -> Path:
    source, path = plain(".mp4", bframes=2, gop=10, sound=True)(folder), folder / "repacked.mp4"
    with av.open(str(source)) as whole, av.open(str(path), "w", options={"movflags": movflags}) as output:
        streams = {stream.index: output.add_stream_from_template(stream) for stream in whole.streams}
        for packet in whole.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream_index]
                output.mux(packet)
    return path


def plain(suffix: str, **options: object) -> Callable[[Path], Path]:
    return lambda folder: make_clip(folder / f"a{suffix}", size=(160, 120), frames=FRAMES, **options)


KINDS: dict[str, Callable[[Path], Path]] = {
    "mkv": plain(".mkv", bframes=3, sound=True),
    "webm": plain(".webm", codec="libvpx-vp9", options=REALTIME, sound=True, sound_codec="libopus"),
    "mp4": plain(".mp4", bframes=3, sound=True),
    "mp4, table first": partial(repacked, "faststart"),
    "mp4, fragments": partial(repacked, "frag_keyframe+empty_moov"),
    "avi": plain(".avi", codec="mpeg4"),
    "ts": plain(".ts", sound=True),
}


@pytest.fixture(scope="module")
def wholes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {name: make(tmp_path_factory.mktemp("whole")) for name, make in KINDS.items()}


def test_a_whole_file_is_not_said_to_end_early(wholes: dict[str, Path]) -> None:
    for kind, whole in wholes.items():
        assert probe(whole).missing_us == load_index(whole).missing_us == 0, kind


def test_an_avi_that_is_cut_in_its_last_picture_is_said_to_end_early(wholes: dict[str, Path], tmp_path: Path) -> None:
    whole = wholes["avi"].read_bytes()
    for missing in (1, 15):
        size = whole.rindex(b"idx1") - 1 - missing
        (tmp_path / "cut.avi").write_bytes(whole[:size])
        assert probe(tmp_path / "cut.avi").missing_us > 0
    (tmp_path / "no table.avi").write_bytes(whole[: whole.rindex(b"idx1")])
    assert probe(tmp_path / "no table.avi").missing_us == 0


def told_or_whole(whole: Path, cut: Path, size: int) -> bool:
    cut.write_bytes(whole.read_bytes()[:size])
    try:
        facts, index = probe(cut), load_index(cut)
    except UserError:
        return True
    frames = list(iterate_frames(cut, index))
    told = facts.missing_us > 0 and index.missing_us > 0
    return told or (len(frames) == FRAMES and not any(frame.damaged for frame in frames))


@pytest.mark.parametrize("kind", KINDS)
@given(st.floats(0.001, 0.999999))
@settings(max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_cut_file_is_refused_or_ends_early_or_has_every_frame(
    wholes: dict[str, Path], tmp_path: Path, kind: str, part: float
) -> None:
    size = round(wholes[kind].stat().st_size * part)
    if kind == "ts" and size % 188 == 0:
        # Streams are cut between packets all the time, and nothing in them says how long they were to be.
        size -= 1
    assert told_or_whole(wholes[kind], tmp_path / f"cut{wholes[kind].suffix}", size)


@pytest.mark.parametrize("kind", ["mkv", "mp4, table first", "avi"])
def test_what_is_said_to_be_missing_is_what_is_missing(wholes: dict[str, Path], tmp_path: Path, kind: str) -> None:
    whole = wholes[kind].read_bytes()
    cut = tmp_path / f"cut{wholes[kind].suffix}"
    for part in (0.6, 0.9):
        cut.write_bytes(whole[: round(len(whole) * part)])
        index = load_index(cut)
        lost = (FRAMES - len(index)) / 30
        assert index.missing_us / 1e6 == pytest.approx(lost, abs=0.15)
        assert probe(cut).missing_us == index.missing_us


@pytest.mark.parametrize(
    "options",
    [
        {"times_us": [0, 40_000, 90_000, 3_000_000, 9_000_000]},
        {"frames": 15, "sound": True, "sound_seconds": 3.0},
        {"frames": 15, "sound": True, "sound_seconds": 0.2},
        {"frames": 15, "sound": True, "picture_offset_us": 700_000},
    ],
    ids=["variable", "long sound", "short sound", "late picture"],
)
def test_uneven_streams_are_no_reason_to_say_so(tmp_path: Path, options: dict[str, object]) -> None:
    for suffix in (".mkv", ".mp4"):
        clip = make_clip(tmp_path / f"a{suffix}", size=(160, 120), **options)
        assert probe(clip).missing_us == load_index(clip).missing_us == 0, suffix


def test_a_last_picture_that_is_shown_for_long_is_not_missing(tmp_path: Path) -> None:
    still = make_clip(tmp_path / "a.mp4", size=(160, 120), times_us=[0, 40_000, 80_000])
    for suffix in (".mkv", ".mp4"):
        longer = tmp_path / f"long{suffix}"
        with av.open(str(still)) as source, av.open(str(longer), "w") as output:
            stream = output.add_stream_from_template(source.streams.video[0])
            for packet in source.demux(video=0):
                if packet.dts is not None:
                    last = packet.pts is not None and packet.pts * packet.time_base > 0.07
                    packet.duration = round((5 if last else 0.04) / packet.time_base)
                    packet.stream = stream
                    output.mux(packet)
        assert probe(longer).missing_us == load_index(longer).missing_us == 0


def test_recordings_from_devices_are_whole(shared_data: Path) -> None:
    for name in ("face_noface_vfr_hevc.mov", "talk_vfr_tags.mp4", "conv_multi_friends_720p.mp4"):
        path = shared_data / "media" / name
        assert probe(path).missing_us == load_index(path).missing_us == 0, name


def test_damage_that_ends_the_reading_is_told(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mkv", size=(160, 120), frames=30, draw=texture)
    data = bytearray(clip.read_bytes())
    middle = len(data) // 2
    data[middle : middle + 20_000] = bytes(20_000)
    clip.write_bytes(data)
    index = load_index(clip, tmp_path / "cache")
    assert len(index) < 30
    assert index.missing_us / 1e6 == pytest.approx((30 - len(index)) / 30, abs=0.05)
    assert load_index(clip, tmp_path / "cache").missing_us == probe(clip).missing_us == index.missing_us


def test_damage_in_the_last_pictures_shows_every_time(tmp_path: Path) -> None:
    clip = make_clip(
        tmp_path / "a.mp4",
        size=(160, 120),
        frames=15,
        bframes=3,
        draw=lambda i, width, height: np.random.default_rng(i).integers(0, 256, (height, width, 3), np.uint8),
    )
    with av.open(str(clip)) as container:
        places = [((packet.pos or 0), packet.size) for packet in container.demux(video=0) if packet.size]
    data = bytearray(clip.read_bytes())
    for place, size in places[-2:]:
        data[place + size - 900 : place + size] = bytes(900)
    clip.write_bytes(data)
    index = load_index(clip)
    found = Counter(tuple(frame.index for frame in iterate_frames(clip, index) if frame.damaged) for _ in range(3))
    assert len(found) == 1
    assert all(found)
