from pathlib import Path

import av
import numpy as np
import pytest

from media import frame_index as index_module
from media.frame_index import load_index
from media.probe import probe
from project.errors import Cancelled, UserError
from tests.builders.clips import make_clip


def decoded_times(path: Path) -> list[int]:
    with av.open(str(path)) as container:
        return [frame.pts for frame in container.decode(video=0) if frame.pts is not None]


@pytest.mark.parametrize(("suffix", "open_gop"), [(".mp4", True), (".mkv", False), (".ts", True), (".mov", False)])
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
    for clip in (
        make_clip(tmp_path / "a.avi", frames=50, bframes=3),
        make_clip(tmp_path / "raw.h264", frames=50, bframes=3),
    ):
        index = load_index(clip)
        assert index.counted_by_decoding
        assert len(index) == 50
        assert probe(clip).video is not None


def test_cache_is_used_and_follows_the_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=20, bframes=2)
    made = load_index(clip, tmp_path / "cache")
    moved = clip.rename(tmp_path / "b.mp4")
    monkeypatch.setattr(index_module, "_read", lambda *_: pytest.fail("read again"))
    kept = load_index(moved, tmp_path / "cache")
    assert kept.pts.tolist() == made.pts.tolist()
    assert kept.times.times_us.tolist() == made.times.times_us.tolist()
    assert (kept.times.end_us, kept.canvas, kept.time_base, kept.codec, kept.origin_us) == (
        made.times.end_us,
        made.canvas,
        made.time_base,
        made.codec,
        made.origin_us,
    )
    monkeypatch.undo()
    make_clip(moved, frames=21)
    assert len(load_index(moved, tmp_path / "cache")) == 21


def test_spoiled_cache_and_one_with_arrays_that_do_not_fit_are_made_again(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=9)
    load_index(clip, tmp_path / "cache")
    (kept,) = (tmp_path / "cache").iterdir()
    for damage in (b"", b"junk", b"PK\x03\x04 cut"):
        kept.write_bytes(damage)
        assert len(load_index(clip, tmp_path / "cache")) == 9
        with np.load(kept) as arrays:
            assert len(arrays["pts"]) == 9
    with np.load(kept) as arrays:
        changed = {name: arrays[name] for name in arrays.files} | {"pts": np.arange(4)}
    np.savez(kept, **changed)
    assert len(load_index(clip, tmp_path / "cache")) == 9


def test_cache_folder_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert len(load_index(make_clip(tmp_path / "a.mp4", frames=3), tmp_path / "file" / "cache")) == 3


def test_sound_only_has_no_frames(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no picture"):
        load_index(make_clip(tmp_path / "s.m4a", picture=False, sound=True))


def test_reading_can_be_cancelled(tmp_path: Path) -> None:
    class Stopped:
        def progress(self, done: int, total: int, text: str = "") -> None: ...

        def check_cancelled(self) -> None:
            raise Cancelled

    with pytest.raises(Cancelled):
        load_index(make_clip(tmp_path / "a.mp4", frames=3), progress=Stopped())
