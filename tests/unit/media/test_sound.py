from pathlib import Path

import av
import numpy as np
import pytest

from media.sound import read_mono, stream_mono, stream_sound
from media.waveform import load_peaks
from project.errors import UserError
from tests.builders.clips import make_clip, noise, shift_ms


@pytest.mark.parametrize(("rate", "offset_us"), [(16_000, 700_000), (48_000, 0)])
def test_sound_lies_where_it_is_heard(tmp_path: Path, rate: int, offset_us: int) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=60, sound=True, sound_offset_us=offset_us, sound_rate=rate)
    found = read_mono(clip, rate)
    assert found.dtype == np.float32
    assert shift_ms(found, noise(2, rate), rate) == pytest.approx(offset_us / 1000, abs=1.5)
    lead = found[: round((offset_us - 70_000) * rate / 1e6)] if offset_us else found[:0]
    assert not lead.any()


def test_a_stretch_is_the_same_samples(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mp4", frames=210, size=(64, 48), sound=True, sound_rate=16_000)
    whole = read_mono(clip)
    part = np.concatenate([b[0] for b in stream_sound(clip, 16_000, "mono", 5_000_000, 6_500_000)])
    assert len(part) == 24_000
    assert np.abs(part - whole[80_000:104_000]).max() < 0.02


def test_blocks_join_to_the_whole(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.m4a", picture=False, sound=True, frames=60)
    blocks = list(stream_mono(clip))
    assert len(blocks) > 10
    assert np.array_equal(np.concatenate(blocks), read_mono(clip))


def test_a_hole_in_the_sound_is_silence(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.mkv", frames=90, sound=True, sound_codec="pcm_s16le", sound_rate=16_000)
    holed = tmp_path / "hole.mkv"
    with av.open(str(clip)) as source, av.open(str(holed), "w") as output:
        stream = output.add_stream_from_template(source.streams.audio[0])
        for packet in source.demux(audio=0):
            if packet.size and not 1.0 <= float((packet.pts or 0) * packet.time_base) < 1.5:
                packet.stream = stream
                output.mux(packet)
    whole, found = read_mono(clip), read_mono(holed)
    assert len(found) == pytest.approx(len(whole), abs=2_000)
    assert not found[17_700:22_400].any()
    assert np.abs(found[26_000:40_000] - whole[26_000:40_000]).max() < 0.01


def test_no_sound_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no sound"):
        read_mono(make_clip(tmp_path / "a.mp4", frames=2))


def test_peaks_bound_the_sound_at_every_zoom(tmp_path: Path) -> None:
    clip = make_clip(tmp_path / "a.m4a", picture=False, sound=True, frames=300)
    mono = read_mono(clip)
    peaks = load_peaks(clip)
    for start, end, columns in ((0, 10_000_000, 700), (2_000_000, 2_500_000, 200), (0, 10_000_000, 3)):
        found = peaks.peaks(start, end, columns)
        assert found.shape == (columns, 2)
        for column in range(0, columns, max(1, columns // 20)):
            a = (start + (end - start) * column // columns) * 16 // 1000
            b = (start + (end - start) * (column + 1) // columns) * 16 // 1000
            assert found[column, 0] <= mono[a:b].min() + 1e-4
            assert found[column, 1] >= mono[a:b].max() - 1e-4
    loud, quiet = peaks.peaks(250_000, 350_000, 1)[0, 1], peaks.peaks(50_000, 150_000, 1)[0, 1]
    assert loud > 2 * quiet


def test_peaks_outside_the_sound_are_silence(tmp_path: Path) -> None:
    peaks = load_peaks(make_clip(tmp_path / "a.m4a", picture=False, sound=True, frames=30))
    found = peaks.peaks(-1_000_000, 3_000_000, 40)
    assert not found[:10].any()
    assert found[10:20].any()
    assert not found[22:].any()
    assert peaks.peaks(5, 5, 10).shape == (10, 2)
    assert peaks.peaks(0, 1000, 0).shape == (0, 2)


def test_peaks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = make_clip(tmp_path / "a.m4a", picture=False, sound=True, frames=30)
    made = load_peaks(clip, tmp_path / "cache")
    monkeypatch.setattr("media.waveform._compute_peaks", lambda *_: pytest.fail("made again"))
    kept = load_peaks(clip, tmp_path / "cache")
    assert np.array_equal(kept.peaks(0, 1_000_000, 50), made.peaks(0, 1_000_000, 50))


def test_real_sound_starts_where_the_container_says(shared_data: Path) -> None:
    mono = read_mono(shared_data / "media" / "face_noface_vfr_hevc.mov")
    assert not mono[: int(2.42 * 16_000)].any()
    assert mono[int(2.6 * 16_000) :].any()
