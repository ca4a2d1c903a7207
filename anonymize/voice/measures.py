"""What changing a voice costs, and what it buys: figures over arrays."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonymize.voice.base import Voice

_FRAME_MS = 10.0
_LEAST_VOICED = 20
_SYLLABLE_HZ = 12.0
_LEAST_RISE = 0.1


def word_errors(reference: Sequence[str], heard: Sequence[str]) -> float | None:
    """Return the word error rate: words changed, left out or added, over those of the reference; None without any."""
    from rapidfuzz.distance import Levenshtein

    if not reference:
        return None
    return Levenshtein.distance(list(reference), list(heard)) / len(reference)


def plain_words(text: str) -> list[str]:
    """Return the words of a text without capitals and punctuation, as they are compared."""
    kept = "".join(one if one.isalnum() or one == "'" else " " for one in text.lower().replace("\u2019", "'"))
    return kept.split()


@dataclass(frozen=True, slots=True)
class Intonation:
    """How the course of the pitch was kept.

    Attributes:
        correlation: Pearson's r of the two log pitches where both voices sound, 1 for the same course; None where there
            is too little voice, or its pitch does not move.
        ratio: median pitch after over before; None likewise.
    """

    correlation: float | None
    ratio: float | None


def intonation(before: Voice, after: Voice, rate: int) -> Intonation:
    """Compare the pitch of two versions of the same sound: the pitch correlation of VoicePrivacy 2022.

    Args:
        before: (n,) samples.
        after: (n,) samples.
        rate: samples a second.
    """
    one, two = (_pitch(part, rate) for part in (before, after))
    length = min(len(one), len(two))
    both = (one[:length] > 0) & (two[:length] > 0)
    if both.sum() < _LEAST_VOICED:
        return Intonation(None, None)
    first, second = np.log(one[:length][both]), np.log(two[:length][both])
    ratio = float(np.exp(np.median(second - first)))
    if first.std() < 1e-6 or second.std() < 1e-6:
        return Intonation(None, ratio)
    return Intonation(float(np.corrcoef(first, second)[0, 1]), ratio)


def syllables(samples: Voice, rate: int) -> int:
    """Return about how many syllables are heard: rises of the loudness, smoothed to what a mouth can do.

    Args:
        samples: (n,).
        rate: samples a second.
    """
    from scipy.signal import butter, find_peaks, sosfiltfilt

    hop = max(1, rate // 100)
    count = len(samples) // hop
    if count < _LEAST_VOICED:
        return 0
    loud = np.sqrt((samples[: count * hop].reshape(count, hop) ** 2).mean(axis=1))
    smooth = sosfiltfilt(butter(2, _SYLLABLE_HZ, fs=rate / hop, output="sos"), loud)
    peak = float(np.percentile(smooth, 95))
    if peak <= 0:
        return 0
    return len(find_peaks(smooth, prominence=_LEAST_RISE * peak)[0])


def equal_error(genuine: Sequence[float], impostor: Sequence[float]) -> float | None:
    """Return the equal error rate of scores: where as many pairs of one voice are refused as pairs of two are accepted.

    Half is what guessing gives. None where one of both is empty.
    """
    if not len(genuine) or not len(impostor):
        return None
    same, other = np.sort(genuine), np.sort(impostor)
    thresholds = np.concatenate([same, other, [np.inf]])
    refused = np.searchsorted(same, thresholds, "left") / len(same)
    accepted = 1 - np.searchsorted(other, thresholds, "left") / len(other)
    best = int(np.abs(refused - accepted).argmin())
    return float((refused[best] + accepted[best]) / 2)


def _pitch(samples: Voice, rate: int) -> NDArray[np.float64]:
    import pyworld

    whole = np.ascontiguousarray(samples, np.float64)
    if len(whole) < rate // 10:
        return np.zeros(0)
    rough, times = pyworld.dio(whole, rate, f0_floor=60.0, f0_ceil=600.0, frame_period=_FRAME_MS)
    found: NDArray[np.float64] = pyworld.stonemask(whole, rough, times, rate)
    return found
