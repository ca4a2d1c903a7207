from fractions import Fraction
from math import floor
from pathlib import Path

import av
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from media import frame_index as index_module
from media.frame_index import load_index
from media.source import ticks_array_to_us, ticks_to_us
from tests.builders.clips import make_clip


def decoded_times(path: Path) -> list[int]:
    with av.open(str(path)) as container:
        return [frame.pts for frame in container.decode(video=0) if frame.pts is not None]


@pytest.mark.parametrize(("suffix", "open_gop"), [(".mp4", True), (".mkv", False), (".ts", True)])
def test_packets_tell_what_decoding_shows(tmp_path: Path, suffix: str, open_gop: bool) -> None:
    clip = make_clip(tmp_path / f"a{suffix}", frames=70, bframes=3, gop=20, open_gop=open_gop)
    index = load_index(clip)
    assert index.pts.tolist() == decoded_times(clip)
    assert not index.counted_by_decoding
    assert len(index.keyframes) >= 3


def test_variable_rate_is_kept_to_the_microsecond(tmp_path: Path) -> None:
    times = [0, 40_000, 50_000, 250_000, 290_000, 1_000_000]
    index = load_index(make_clip(tmp_path / "v.mp4", times_us=times, bframes=2))
    assert index.times.times_us.tolist() == times
    assert index.times.end_us > 1_000_000
    assert index.variable_rate


def test_stream_without_usable_time_stamps_is_counted(tmp_path: Path) -> None:
    index = load_index(make_clip(tmp_path / "raw.h264", frames=50, bframes=3))
    assert index.counted_by_decoding
    assert len(index) == 50


def test_cache_is_used_and_follows_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=20, bframes=2)
    made = load_index(clip, tmp_path / "cache")
    moved = clip.rename(tmp_path / "b.mp4")
    monkeypatch.setattr(index_module, "_read", lambda *_: pytest.fail("read again"))
    kept = load_index(moved, tmp_path / "cache")
    assert kept.pts.tolist() == made.pts.tolist()
    assert kept.times.times_us.tolist() == made.times.times_us.tolist()
    assert (kept.times.end_us, kept.canvas, kept.time_base) == (made.times.end_us, made.canvas, made.time_base)
    monkeypatch.undo()
    make_clip(moved, frames=21)
    assert len(load_index(moved, tmp_path / "cache")) == 21


def test_a_spoiled_cache_is_made_again_and_one_that_cannot_be_written_done_without(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=9)
    (tmp_path / "file").touch()
    assert len(load_index(clip, tmp_path / "file" / "cache")) == 9
    load_index(clip, tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    for damage in (b"", b"PK\x03\x04 cut"):
        kept.write_bytes(damage)
        assert len(load_index(clip, tmp_path / "cache")) == 9
        with np.load(kept) as arrays:
            assert len(arrays["pts"]) == 9
    with np.load(kept) as arrays:
        changed = {name: arrays[name] for name in arrays.files} | {"pts": np.arange(4)}
    np.savez(kept, **changed)
    assert len(load_index(clip, tmp_path / "cache")) == 9


TICKS = st.lists(st.integers(-(10**11), 10**11), min_size=1, max_size=20)
BASES = st.sampled_from([(1, 24_000), (1001, 30_000), (1, 90_000), (1, 15_360), (1, 1_000_000_000), (1, 1), (1, 7)])


@given(TICKS, BASES)
def test_ticks_round_to_the_nearest_microsecond_and_halves_go_up(ticks: list[int], base: tuple[int, int]) -> None:
    exact = [floor(Fraction(tick * base[0] * 1_000_000, base[1]) + Fraction(1, 2)) for tick in ticks]
    assert [ticks_to_us(tick, *base) for tick in ticks] == exact
    assert ticks_array_to_us(np.array(ticks, np.int64), *base).tolist() == exact


def test_a_picture_that_starts_after_the_sound_keeps_its_place(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "late.mp4", frames=10, sound=True, picture_offset_us=500_000)
    assert load_index(clip).times.times_us[:2].tolist() == [500_000, 533_333]
