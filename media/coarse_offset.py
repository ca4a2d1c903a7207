"""Where one sound may begin within another, to a hundredth of a second, from their shapes alone."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from media.sound_shape import PER_SECOND, Shape

MOST_DRIFT = 2e-4
"""How much faster one recorder's clock is taken to run than another's, at most: 200 parts in a million."""

_CHUNK = 300 * PER_SECOND
_PEAKS = 5
_APART = PER_SECOND // 4
_SLACK = 4
_LEAST_OVERLAP = 3 * PER_SECOND
_GROUPS = 5
_WORTH = 0.5


@dataclass(frozen=True, slots=True)
class Peak:
    """One chunk of the first sound fits the second one somewhere.

    Attributes:
        at: middle of the chunk in the first sound, in columns of its shape.
        lag: place in the first sound less place in the second, in columns.
        height: how far above chance, in deviations.
    """

    at: float
    lag: float
    height: float


@dataclass(frozen=True, slots=True)
class Guess:
    """Peaks that tell the same offset, up to what clocks differ by.

    Attributes:
        height: all of them together, in deviations.
    """

    peaks: tuple[Peak, ...]
    height: float

    def lag_at(self, at: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the lag at places in the first sound, in columns."""
        places = np.array([peak.at for peak in self.peaks])
        lags = np.array([peak.lag for peak in self.peaks])
        slope = _middle_slope(places, lags) if len(places) > 2 else 0.0
        return np.asarray(np.median(lags - slope * places) + slope * at, np.float64)


def guesses(first: Shape, second: Shape) -> list[Guess]:
    """Return what the offset may be, the likeliest first; empty where one of the sounds has no shape.

    The first sound is cut into pieces of five minutes, so that clocks that drift apart do not smear the peak and a
    small overlap is found too. Each piece is correlated with the whole second sound by FFT; the sum over the bands is
    divided by the square root of the overlap, which makes lags with different overlaps comparable.
    """
    if not first.any() or not second.any():
        return []
    least = max(PER_SECOND // 4, min(_LEAST_OVERLAP, min(first.shape[1], second.shape[1]) // 2))
    size = 1 << int(min(_CHUNK, first.shape[1]) + second.shape[1] - 1).bit_length()
    spectrum = np.fft.rfft(second, size, axis=1)
    peaks: list[list[Peak]] = []
    for start in range(0, first.shape[1], _CHUNK):
        chunk = first[:, start : start + _CHUNK]
        if chunk.shape[1] < least:
            continue
        together = np.fft.irfft((np.conj(np.fft.rfft(chunk, size, axis=1)) * spectrum).sum(axis=0), size)
        peaks.append(_peaks(together, chunk.shape[1], second.shape[1], start, least))
    return _grouped([peak for one in peaks for peak in one])


def _peaks(together: NDArray[np.floating], count: int, other: int, start: int, least: int) -> list[Peak]:
    shifts = np.arange(-(count - 1), other)
    overlap = np.minimum(count, other - shifts) - np.maximum(0, -shifts)
    usable = overlap >= least
    shifts, overlap = shifts[usable], overlap[usable]
    if not len(shifts):
        return []
    score = together[shifts] / np.sqrt(overlap)
    score = score - np.median(score)
    deviation = 1.4826 * float(np.median(np.abs(score)))
    if deviation <= 0:
        return []
    score = score / deviation
    found = []
    for _ in range(_PEAKS):
        best = int(np.argmax(score))
        if not np.isfinite(score[best]) or score[best] <= 0:
            break
        found.append(Peak(start + count / 2, float(start - shifts[best]), float(score[best])))
        score[max(0, best - _APART) : best + _APART + 1] = -np.inf
    return found


def _grouped(peaks: list[Peak]) -> list[Guess]:
    left = sorted(peaks, key=lambda peak: -peak.height)
    found: list[Guess] = []
    while left and len(found) < _GROUPS:
        best = max((_around(seed, left) for seed in left[:40]), key=lambda guess: guess.height)
        if found and best.height < _WORTH * found[0].height:
            break
        found.append(best)
        lags = best.lag_at(np.array([peak.at for peak in left]))
        left = [peak for peak, lag in zip(left, lags, strict=True) if abs(peak.lag - lag) > _APART]
        left = [peak for peak in left if peak not in best.peaks]
    return found


def _around(seed: Peak, peaks: list[Peak]) -> Guess:
    near: dict[float, Peak] = {}
    for peak in peaks:
        fits = abs(peak.lag - seed.lag) <= _SLACK + MOST_DRIFT * abs(peak.at - seed.at)
        if fits and (peak.at not in near or peak.height > near[peak.at].height):
            near[peak.at] = peak
    return Guess(tuple(near.values()), float(np.sqrt(sum(peak.height**2 for peak in near.values()))))


def _middle_slope(places: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    i, j = np.triu_indices(len(places), 1)
    apart = places[j] != places[i]
    slopes = (values[j] - values[i])[apart] / (places[j] - places[i])[apart]
    return float(np.median(slopes)) if len(slopes) else 0.0
