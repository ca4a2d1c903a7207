"""Utterances that sound otherwise than a speaker's others are told, whatever the speaker's own voice."""

import numpy as np
import pytest
from numpy.typing import NDArray

from models.cues.cue_baseline import CALM, LIVELY, SHARP, SOFT
from models.cues.vocal_cues import SAMPLE_RATE, UtteranceProsody, find_tone_cues, measure_prosody

SECOND = 1_000_000


def voice(hertz: float, loudness: float, seconds: float = 1.2, wobble: float = 0.0) -> NDArray[np.float32]:
    """A buzz with the harmonics of a voice, whose pitch goes up and down by `wobble` semitones."""
    time = np.arange(round(SAMPLE_RATE * seconds)) / SAMPLE_RATE
    pitch = hertz * 2 ** (wobble / 12 * np.sin(2 * np.pi * 1.5 * time))
    phase = 2 * np.pi * np.cumsum(pitch) / SAMPLE_RATE
    sound = sum(np.sin(n * phase) / n for n in range(1, 8))
    return np.asarray(loudness * sound / 2, np.float32)


def test_loudness_pitch_and_rate_are_measured() -> None:
    prosody = measure_prosody(voice(220, 0.1), 0, round(1.2 * SECOND), "well that is it")
    other = measure_prosody(voice(220, 0.2), 0, round(1.2 * SECOND), "well that is it")
    assert prosody.pitch == pytest.approx(24, abs=0.3)
    assert prosody.range < 0.5
    assert other.loudness - prosody.loudness == pytest.approx(6.02, abs=0.1)
    assert prosody.rate == pytest.approx(4 / 1.2)
    assert measure_prosody(voice(220, 0.1, wobble=3), 0, round(1.2 * SECOND), "").range > 3
    silent = measure_prosody(np.zeros(0, np.float32), 0, SECOND, "")
    assert np.isfinite(silent.loudness)
    assert np.isnan(silent.rate)


def usual(seed: int, count: int = 20, level: float = -25.0, pitch: float = 14.0) -> list[UtteranceProsody]:
    rng = np.random.default_rng(seed)
    return [
        UtteranceProsody(
            at * 3 * SECOND, at * 3 * SECOND + 2 * SECOND, level + rng.normal(0, 0.8), pitch + rng.normal(0, 0.3),
            4 + rng.normal(0, 0.3), 4 + rng.normal(0, 0.3),
        )
        for at in range(count)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("tone", "loud", "high", "wide", "quick"),
    [
        (SHARP, 9.0, 3.0, 0.0, 1.0),
        (LIVELY, 0.0, 4.0, 4.0, 1.0),
        (SOFT, -9.0, 0.0, 0.0, 0.0),
        (CALM, 0.0, 0.0, -2.5, -2.5),
    ],
)
def test_a_planted_tone_is_told_for_loud_and_for_soft_speakers(
    tone: str, loud: float, high: float, wide: float, quick: float
) -> None:
    for level, pitch in ((-15.0, 8.0), (-35.0, 24.0)):
        spoken = usual(1, level=level, pitch=pitch)
        start = 100 * SECOND
        other = UtteranceProsody(start, start + 2 * SECOND, level + loud, pitch + high, 4 + wide, 4 + quick)
        assert [tone_cue.kind for tone_cue in find_tone_cues([*spoken, other]) if tone_cue.start_us == start] == [tone]


def test_a_voice_as_usual_has_no_tone_and_few_utterances_do_not_tell_what_is_usual() -> None:
    assert len(find_tone_cues(usual(0))) <= 1
    loud = UtteranceProsody(0, SECOND, -5, 30, 10, 9)
    assert find_tone_cues([*usual(0, count=5), loud]) == []
