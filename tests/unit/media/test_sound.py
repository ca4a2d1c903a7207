from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from media.sound import read_mono
from media.waveform import load_peaks
from project.errors import UserError
from tests.builders.clips import (
    BEEP_RATE,
    beeps_s,
    level_of,
    make_beeps,
    make_clip,
    make_sound_tracks,
    noise,
    shift_ms,
    tone,
)


def test_sound_lies_where_it_is_heard(tmp_path: Path) -> None:
    rate, offset_us = 16_000, 700_000
    clip = make_clip(tmp_path / "a.mp4", frames=60, sound=True, sound_offset_us=offset_us, sound_rate=rate)
    found = read_mono(clip, rate)
    assert found.dtype == np.float32
    assert shift_ms(found, noise(2, rate), rate) == pytest.approx(offset_us / 1000, abs=1.5)
    assert not found[: round((offset_us - 70_000) * rate / 1e6)].any()


PLACES: dict[str, Callable[[int], int | None]] = {
    "without gaps": lambda at: at,
    "late": lambda at: at + BEEP_RATE // 2,
    "half a second lost": lambda at: None if 3.4 < at / BEEP_RATE < 3.9 else at,
    "4 ms lost in a second": lambda at: at + at // BEEP_RATE * 64,
    "slow clock": lambda at: round(at * 1.005),
}


def heard_beeps(clip: Path, heard: Callable[[int], int | None]) -> list[float]:
    """When beeps are heard, in seconds of the stamps; time zero of a file is where it begins."""
    return [at + (heard(0) or 0) / BEEP_RATE for at in beeps_s(read_mono(clip), BEEP_RATE)]


@pytest.mark.parametrize("heard", PLACES.values(), ids=[*PLACES])
def test_sound_is_heard_when_its_stamps_say(tmp_path: Path, heard: Callable[[int], int | None]) -> None:
    beeps = heard_beeps(make_beeps(tmp_path / "a.mkv", heard), heard)
    first = round(beeps[0])
    assert beeps[:11] == pytest.approx([*range(first, first + 11)], abs=0.005)


def test_stamps_that_jitter_neither_tear_sound_apart_nor_hide_a_drift(tmp_path: Path) -> None:
    mono = read_mono(make_beeps(tmp_path / "a.mkv", PLACES["slow clock"], (0, 8, -8, -8, 8, 8, -8)))
    assert beeps_s(mono, BEEP_RATE)[:11] == pytest.approx([*range(11)], abs=0.005)
    quiet = np.diff(np.flatnonzero(np.abs(mono[: 11 * BEEP_RATE]) > 0.2))
    assert not ((quiet > BEEP_RATE // 1000) & (quiet < BEEP_RATE // 2)).any(), "no hole within a beep"


def test_one_of_several_sound_tracks_is_read(tmp_path: Path) -> None:
    clip = make_sound_tracks(tmp_path / "a.mp4", [tone(level) for level in (0.1, 0.3, 0.6)], default=2)
    levels = [level_of(read_mono(clip, track=track)) for track in (0, 1, 2, 3)]
    assert levels == pytest.approx([0.3, 0.1, 0.3, 0.6], abs=0.05)
    loudest = [load_peaks(clip, tmp_path, track=track).peaks(300_000, 700_000, 1)[0, 1] for track in (1, 3)]
    assert loudest == pytest.approx([0.1, 0.6], abs=0.05)
    with pytest.raises(UserError, match="no readable sound track 4"):
        read_mono(clip, track=4)
    with pytest.raises(UserError, match="no sound"):
        read_mono(make_clip(tmp_path / "b.mp4", frames=2))


def test_peaks_bound_the_sound_at_every_zoom_and_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clip = make_clip(tmp_path / "a.m4a", picture=False, sound=True, frames=300)
    mono = read_mono(clip)
    peaks = load_peaks(clip, tmp_path / "cache")
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
    beside = peaks.peaks(-1_000_000, 13_000_000, 140)
    assert not beside[:10].any()
    assert beside[10:100].any()
    assert not beside[115:].any()
    monkeypatch.setattr("media.waveform._compute_peaks", lambda *_: pytest.fail("made again"))
    assert np.array_equal(load_peaks(clip, tmp_path / "cache").peaks(0, 1_000_000, 50), peaks.peaks(0, 1_000_000, 50))
