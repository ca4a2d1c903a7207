import wave
from pathlib import Path

import av
import numpy as np
import pytest

from media.decoding import iterate_frames
from media.exact_frames import FrameReader
from media.frame_index import load_index
from media.sound import read_mono
from project.errors import UserError
from tests.builders.clips import make_clip, texture

GOP = 40


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_clip(
        tmp_path_factory.mktemp("good") / "a.mp4", size=(160, 120), frames=100, bframes=3, gop=GOP, draw=texture
    )


@pytest.fixture(params=["zeros", "middle"])
def bad(request: pytest.FixtureRequest, good: Path, tmp_path: Path) -> Path:
    with av.open(str(good)) as container:
        packets = [(p.pos or 0, p.size) for p in container.demux(video=0) if p.size]
    place, size = max(packets[50:70], key=lambda packet: packet[1])
    if request.param == "middle":
        place, size = place + size // 2, min(200, size // 2)
    path = tmp_path / "bad.mp4"
    # H.264 has no checksums: now and then noise in the middle of a picture decodes without an error.
    for seed in range(20):
        noise = np.random.default_rng(seed).integers(0, 255, size, dtype=np.uint8).tobytes()
        data = bytearray(good.read_bytes())
        data[place : place + size] = bytes(size) if request.param == "zeros" else noise
        path.write_bytes(data)
        if any(frame.damaged for frame in iterate_frames(path)):
            return path
    raise AssertionError("no damage is noticed")


def test_every_position_is_there_and_no_wrong_picture_passes_for_right(good: Path, bad: Path) -> None:
    right = list(iterate_frames(good))
    found = list(iterate_frames(bad))
    assert [frame.index for frame in found] == list(range(100))
    damaged = [frame.index for frame in found if frame.damaged]
    assert damaged
    assert damaged[0] >= GOP
    assert damaged[-1] < 2 * GOP
    for frame in found:
        assert frame.damaged or np.array_equal(frame.image, right[frame.index].image), frame.index
    with FrameReader(bad) as reader:
        for i in map(int, np.random.default_rng(2).permutation(100)[:40]):
            frame = reader.frame_at(i)
            assert frame.damaged or np.array_equal(frame.image, right[i].image), i


def test_slices_that_end_with_data_left_are_damaged(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=80, gop=40, draw=texture)
    index = load_index(clip)
    right = [frame.image for frame in iterate_frames(clip, index)]
    with av.open(str(clip)) as container:
        places = [packet.pos or 0 for packet in container.demux(video=0) if packet.size]
    random = np.random.default_rng(15)
    place = int(random.integers(places[2], places[-1] - 1000))
    data = bytearray(clip.read_bytes())
    data[place : place + 1000] = random.integers(0, 255, 1000, dtype=np.uint8).tobytes()
    clip.write_bytes(data)
    found = list(iterate_frames(clip, index))
    assert any(frame.damaged for frame in found)
    for frame in found:
        assert frame.damaged or np.array_equal(frame.image, right[frame.index]), frame.index


def test_sound_of_a_rate_that_nothing_records_with_is_no_sound(tmp_path: Path) -> None:
    """The rate of a WAV file stands at byte 24; a gigahertz would be resampled for hours."""
    clip = tmp_path / "a.wav"
    with wave.open(str(clip), "wb") as made:
        made.setparams((1, 2, 48_000, 0, "NONE", ""))
        made.writeframes(bytes(96_000))
    assert len(read_mono(clip)) == 16_000
    content = clip.read_bytes()
    clip.write_bytes(content[:24] + (1_073_789_824).to_bytes(4, "little") + content[28:])
    with pytest.raises(UserError):
        read_mono(clip)
