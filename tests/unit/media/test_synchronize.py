"""Finding where one recorder's sound begins on another one's axis."""

import wave
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from media.sound import read_mono
from media.synchronization import synchronize
from project.errors import UserError
from tests.builders.clips import make_clip

RATE = 16_000
Sound = NDArray[np.float64]


def write(path: Path, sound: Sound, rate: int = RATE) -> Path:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(sound, -1, 1) * 32_767).astype("<i2").tobytes())
    return path


def chatter(seconds: float, seed: int = 0) -> Sound:
    """Noise whose loudness changes eight times a second, about as syllables do, over a few tones."""
    rng = np.random.default_rng(seed)
    count = round(seconds * RATE)
    loudness = np.repeat(rng.gamma(0.6, 1, count // (RATE // 8) + 1), RATE // 8)[:count]
    tones = sum(np.sin(np.arange(count) * 2 * np.pi * hertz / RATE) for hertz in (220, 440, 990))
    return 0.03 * loudness * (rng.normal(0, 1, count) + 0.5 * tones)


def other_recorder(sound: Sound, seed: int = 1, noise: float = 0.5) -> Sound:
    """What a quieter recorder further away takes down: less treble, an echo, its own noise."""
    rng = np.random.default_rng(seed)
    dull = np.convolve(sound, [0.6, 0.3, 0.1])[: len(sound)]
    dull[600:] += 0.4 * dull[:-600]
    return 0.3 * (dull + rng.normal(0, noise * sound.std(), len(sound)))


@settings(max_examples=settings.default.max_examples // 3, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(shift=st.integers(-8 * RATE, 8 * RATE), seed=st.integers(0, 99))
def test_shifting_by_d_gives_d(tmp_path: Path, shift: int, seed: int) -> None:
    sound = chatter(20, seed)
    first, second = (sound[:-shift], sound[shift:]) if shift > 0 else (sound[-shift:], sound[: len(sound) + shift])
    found = synchronize(write(tmp_path / "a.wav", first), write(tmp_path / "b.wav", other_recorder(second, seed + 1)))
    assert found.sure
    assert found.offset_us == pytest.approx(shift * 1e6 / RATE, abs=1000)


def test_files_with_their_sound_late_are_on_their_own_axes(tmp_path: Path) -> None:
    early = make_clip(tmp_path / "a.mp4", size=(64, 48), frames=30, fps=10, sound=True)
    late = make_clip(tmp_path / "b.mp4", size=(64, 48), frames=30, fps=10, sound=True, sound_offset_us=700_000)
    assert synchronize(early, early).offset_us == 0
    assert synchronize(early, late).offset_us == pytest.approx(-700_000, abs=1500)
    assert synchronize(late, early).offset_us == pytest.approx(700_000, abs=1500)


def test_a_clock_that_drifts_is_measured(tmp_path: Path) -> None:
    sound, ppm = chatter(220), 60
    begins, seconds = 30.0, 160.0
    faster = 1 + ppm * 1e-6
    heard_at = begins + np.arange(round(seconds * RATE)) / RATE / faster
    second = np.interp(heard_at, np.arange(len(sound)) / RATE, sound)
    found = synchronize(write(tmp_path / "a.wav", sound), write(tmp_path / "b.wav", other_recorder(second)))
    assert found.sure
    assert found.drift_ppm == pytest.approx(ppm, abs=5)
    middle = seconds / 2
    assert found.offset_us == pytest.approx((begins + middle / faster - middle) * 1e6, abs=1000)
    assert found.agreeing >= found.windows / 2


def test_a_small_overlap_is_found(tmp_path: Path) -> None:
    sound = chatter(120)
    first, second = sound[: 70 * RATE], other_recorder(sound[60 * RATE :])
    found = synchronize(write(tmp_path / "a.wav", first), write(tmp_path / "b.wav", second))
    assert found.sure
    assert found.offset_us == pytest.approx(60_000_000, abs=1000)
    assert found.overlap_us == pytest.approx(10_000_000, abs=100_000)


def test_different_sounds_silence_and_a_snippet_are_not_sure_and_a_file_without_sound_is_refused(
    tmp_path: Path,
) -> None:
    sound = chatter(30)
    first = write(tmp_path / "a.wav", sound)
    for second in (chatter(25, 100), np.zeros(10 * RATE), sound[RATE : RATE + 160]):
        assert not synchronize(first, write(tmp_path / "b.wav", second)).sure
    with pytest.raises(UserError, match="no sound"):
        synchronize(first, make_clip(tmp_path / "silent.mp4", size=(64, 48), frames=10))


def test_real_voices_of_one_room_are_sure_and_of_two_are_not(shared_data: Path, tmp_path: Path) -> None:
    path, begins = shared_data / "media" / "expressive_talker.mp4", 1.2345
    heard = read_mono(path, RATE).astype(np.float64)[round(begins * RATE) :]
    found = synchronize(path, write(tmp_path / "b.wav", other_recorder(heard, noise=1.0)))
    assert found.sure
    assert found.offset_us == pytest.approx(begins * 1e6, abs=1000)
    assert not synchronize(path, shared_data / "media" / "talk_vfr_tags.mp4").sure
