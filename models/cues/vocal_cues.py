"""Finds utterances that are louder, softer, higher, livelier or faster than the speaker's others."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from models.cues.cue_baseline import CALM, LIVELY, SHARP, SOFT, CueSuggestion, robust_scores

SAMPLE_RATE = 16_000
MIN_UTTERANCES = 8
"""Of one speaker, before anything is said about what is usual for them."""
MIN_UTTERANCE_US = 400_000
_FRAME_MS = 10.0
_OUT = 1.8
_FLOOR_DB = -60.0
_SPREADS = {"loudness": 1.5, "pitch": 0.6, "range": 0.4, "rate": 0.5}
"""Smallest standard deviations to count with: decibels, semitones, semitones, syllables a second."""
_VOWELS = re.compile("[aeiouyäöüéèêáàâíìîóòôúùûåæøœ]+")


@dataclass(frozen=True, slots=True)
class UtteranceProsody:
    """How one utterance sounds.

    Attributes:
        loudness: of its louder half, in decibels of full scale.
        pitch: median, in semitones over 55 Hz; NaN where nothing is voiced.
        range: 10th to 90th percentile of the pitch, in semitones; NaN where nothing is voiced.
        rate: syllables a second, by the vowels of its text; NaN where it has none.
    """

    start_us: int
    end_us: int
    loudness: float
    pitch: float
    range: float
    rate: float


def measure_prosody(samples: NDArray[np.float32], start_us: int, end_us: int, text: str) -> UtteranceProsody:
    """Measure one utterance.

    The pitch is WORLD's: DIO refined by StoneMask (Morise, Yokomori and Ozawa, "WORLD: A Vocoder-Based High-Quality
    Speech Synthesis System for Real-Time Applications", IEICE Transactions 2016). `samples` are (n,) mono at
    `SAMPLE_RATE`, -1 to 1.
    """
    frame = round(SAMPLE_RATE * _FRAME_MS / 1000)
    whole = samples[: len(samples) // frame * frame].reshape(-1, frame).astype(np.float64)
    energy = (whole**2).mean(1) if len(whole) else np.zeros(1)
    power = 10 * np.log10(np.maximum(energy, 10 ** (_FLOOR_DB / 10)))
    loud = power[power >= np.median(power)]
    tones = _semitones(samples)
    vowels = _syllables(text)
    return UtteranceProsody(
        start_us,
        end_us,
        float(loud.mean()),
        float(np.median(tones)) if len(tones) else float("nan"),
        float(np.ptp(np.percentile(tones, (10, 90)))) if len(tones) else float("nan"),
        vowels / ((end_us - start_us) / 1e6) if vowels else float("nan"),
    )


def find_tone_cues(utterances: Sequence[UtteranceProsody]) -> list[CueSuggestion]:
    """Find the utterances of one speaker that stand out from their others; nothing where there are few of them.

    Sharp: louder, and higher or quicker. Lively: higher or with a wider range, or quicker, without being sharp. Soft:
    less loud without being quick. Calm: slower with a narrower range.
    """
    long = [
        utterance
        for utterance in utterances
        if utterance.end_us - utterance.start_us >= MIN_UTTERANCE_US and utterance.loudness > _FLOOR_DB + 6
    ]
    if len(long) < MIN_UTTERANCES:
        return []
    scores = {
        name: np.nan_to_num(robust_scores(np.array([getattr(prosody, name) for prosody in long], np.float64), spread))
        for name, spread in _SPREADS.items()
    }
    found = []
    for at, prosody in enumerate(long):
        kind, strength, told = _classify_tone({name: float(values[at]) for name, values in scores.items()})
        if kind and strength >= 1:
            found.append(CueSuggestion(kind, prosody.start_us, prosody.end_us, strength, told))
    return found


def _classify_tone(scores: dict[str, float]) -> tuple[str, float, str]:
    loud, pitch, wide, quick = (scores[name] for name in ("loudness", "pitch", "range", "rate"))
    moved = max(pitch, wide, quick)
    ranked = (
        (SHARP, min(loud, max(pitch, quick) + 0.8), "louder, and higher or quicker, than usual"),
        (LIVELY, moved, "higher, with more up and down, or quicker than usual"),
        (SOFT, min(-loud, 2.5 - quick), "less loud than usual"),
        (CALM, min(-wide, -quick + 0.5), "slower and more even than usual"),
    )
    kind, most, told = max(ranked, key=lambda row: row[1])
    if kind == LIVELY and ranked[0][1] >= _OUT:
        kind, most, told = ranked[0]
    return kind, most / _OUT, told


def _semitones(samples: NDArray[np.float32]) -> NDArray[np.float64]:
    import pyworld

    if len(samples) < SAMPLE_RATE // 10:
        return np.zeros(0)
    wave = np.ascontiguousarray(samples, np.float64)
    rough, times = pyworld.dio(wave, SAMPLE_RATE, f0_floor=65.0, f0_ceil=500.0, frame_period=_FRAME_MS)
    pitch = pyworld.stonemask(wave, rough, times, SAMPLE_RATE)
    voiced = pitch[pitch > 0]
    return np.asarray(12 * np.log2(voiced / 55.0), np.float64)


def _syllables(text: str) -> int:
    """Return about how many syllables a text in a Latin script has: its groups of vowels, at least one a word."""
    words = [word for word in text.lower().split() if any(letter.isalpha() for letter in word)]
    return sum(max(len(_VOWELS.findall(word)), 1) for word in words)
