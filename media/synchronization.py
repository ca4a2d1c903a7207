"""Finds where one recorder's sound begins on another's time axis, by comparing loudness in a few frequency bands.

Candidates come from the band shapes at 100 Hz; `refine` then finds each offset to a fraction of a millisecond.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from media.sound import Samples, stream_mono, stream_sound
from project.progress import Progress, Silent, SubtaskProgress
from project.timebase import SECOND_US

SAMPLE_RATE = 8_000
COLUMNS_PER_SECOND = 100

_HOP = SAMPLE_RATE // COLUMNS_PER_SECOND
_WINDOW = 256
_BANDS_HZ = ((100, 400), (400, 900), (900, 1800), (1800, 3600))
_AT_ONCE = 2 * SAMPLE_RATE
_FAINT = 1e-4
_STEADY = COLUMNS_PER_SECOND
_MAX_CHANGE = 3.0

Shape = NDArray[np.float32]


def sound_shape(path: Path, progress: Progress | None = None, *, track: int = 0) -> Shape:
    """Return (bands, n) float32: the logarithm of the loudness in each band, less its mean over the second around it.

    So neither gain, nor steady noise, nor the colour of a microphone counts, only what changes. Each band has a
    deviation of 1, or is 0 throughout where nothing changes. Column k is about k / `COLUMNS_PER_SECOND` seconds of the
    file.
    """
    parts: list[NDArray[np.float32]] = []
    waiting: list[Samples] = []
    for block in stream_mono(path, SAMPLE_RATE, progress, track=track):
        waiting.append(block)
        if sum(map(len, waiting)) >= _AT_ONCE:
            waiting = [_add_loudness(np.concatenate(waiting), parts)]
    if waiting:
        rest = np.concatenate(waiting)
        _add_loudness(np.pad(rest, (0, max(0, _WINDOW - len(rest)))), parts)
    return _loudness_changes(np.concatenate(parts).T) if parts else np.zeros((len(_BANDS_HZ), 0), np.float32)


def _add_loudness(samples: Samples, parts: list[NDArray[np.float32]]) -> Samples:
    """Add the loudness of all whole windows; return what the next ones begin with."""
    count = (len(samples) - _WINDOW) // _HOP + 1
    if count <= 0:
        return samples
    windows = sliding_window_view(samples, _WINDOW)[::_HOP][:count]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW).astype(np.float32), axis=1)) ** 2
    hertz = np.fft.rfftfreq(_WINDOW, 1 / SAMPLE_RATE)
    bands = [spectrum[:, (hertz >= low) & (hertz < high)].sum(axis=1) for low, high in _BANDS_HZ]
    parts.append(np.stack(bands, axis=1).astype(np.float32))
    return samples[count * _HOP :]


def _loudness_changes(energies: NDArray[np.float32]) -> Shape:
    floor = _FAINT * energies.mean(axis=1, keepdims=True) + 1e-12
    level = np.log(energies + floor).astype(np.float64)
    level -= _running_mean(level, _STEADY)
    deviation = level.std(axis=1, keepdims=True)
    flat = deviation < 1e-6
    level = np.clip(level / np.where(flat, 1, deviation), -_MAX_CHANGE, _MAX_CHANGE)
    return np.where(flat, 0, level).astype(np.float32)


def _running_mean(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    count = rows.shape[1]
    sums = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    first = np.clip(np.arange(count) - width // 2, 0, None)
    stop = np.clip(np.arange(count) + width // 2 + 1, None, count)
    means: NDArray[np.float64] = (sums[:, stop] - sums[:, first]) / (stop - first)
    return means


MAX_DRIFT = 2e-4
"""How much faster one recorder's clock is taken to run than another's, at most: 200 parts in a million."""

_CHUNK = 300 * COLUMNS_PER_SECOND
_PEAKS = 5
_APART = COLUMNS_PER_SECOND // 4
_SLACK = 4
_MIN_OVERLAP = 3 * COLUMNS_PER_SECOND
_GROUPS = 5
_WORTH = 0.5


@dataclass(frozen=True, slots=True)
class Peak:
    """A lag at which one chunk of the first sound fits the second one.

    Attributes:
        at: middle of the chunk in the first sound, in columns of its shape.
        lag: place in the first sound less place in the second, in columns.
        height: how far above chance, in deviations.
    """

    at: float
    lag: float
    height: float


@dataclass(frozen=True, slots=True)
class OffsetCandidate:
    """Peaks that agree on an offset, within the drift of the clocks.

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


def find_candidates(first: Shape, second: Shape) -> list[OffsetCandidate]:
    """Return what the offset may be, the likeliest first; empty where one of the sounds has no shape.

    The first sound is cut into pieces of five minutes, so that clocks that drift apart do not smear the peak and a
    small overlap is found too. Each piece is correlated with the whole second sound by FFT; the sum over the bands is
    divided by the square root of the overlap, which makes lags with different overlaps comparable.
    """
    if not first.any() or not second.any():
        return []
    least = max(COLUMNS_PER_SECOND // 4, min(_MIN_OVERLAP, min(first.shape[1], second.shape[1]) // 2))
    size = 1 << int(min(_CHUNK, first.shape[1]) + second.shape[1] - 1).bit_length()
    spectrum = np.fft.rfft(second, size, axis=1)
    peaks: list[Peak] = []
    for start in range(0, first.shape[1], _CHUNK):
        chunk = first[:, start : start + _CHUNK]
        if chunk.shape[1] < least:
            continue
        together = np.fft.irfft((np.conj(np.fft.rfft(chunk, size, axis=1)) * spectrum).sum(axis=0), size)
        peaks += _peaks(together, chunk.shape[1], second.shape[1], start, least)
    return _group_peaks(peaks)


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


def _group_peaks(peaks: list[Peak]) -> list[OffsetCandidate]:
    left = sorted(peaks, key=lambda peak: -peak.height)
    found: list[OffsetCandidate] = []
    while left and len(found) < _GROUPS:
        best = max((_gather_candidate(seed, left) for seed in left[:40]), key=lambda guess: guess.height)
        if found and best.height < _WORTH * found[0].height:
            break
        found.append(best)
        lags = best.lag_at(np.array([peak.at for peak in left]))
        left = [peak for peak, lag in zip(left, lags, strict=True) if abs(peak.lag - lag) > _APART]
        left = [peak for peak in left if peak not in best.peaks]
    return found


def _gather_candidate(seed: Peak, peaks: list[Peak]) -> OffsetCandidate:
    near: dict[float, Peak] = {}
    for peak in peaks:
        fits = abs(peak.lag - seed.lag) <= _SLACK + MAX_DRIFT * abs(peak.at - seed.at)
        if fits and (peak.at not in near or peak.height > near[peak.at].height):
            near[peak.at] = peak
    return OffsetCandidate(tuple(near.values()), float(np.sqrt(sum(peak.height**2 for peak in near.values()))))


def _middle_slope(places: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    i, j = np.triu_indices(len(places), 1)
    apart = places[j] != places[i]
    slopes = (values[j] - values[i])[apart] / (places[j] - places[i])[apart]
    return float(np.median(slopes)) if len(slopes) else 0.0


Read = Callable[[float, float], Samples]
"""Returns (n,) samples at `SAMPLE_RATE` from a start to an end, in seconds of a file; silence outside it."""

_SECONDS = 10
_MAX_WINDOWS = 9
_MARGIN_S = 0.2
_WHITENED = 0.75
_HEARD_HZ = (150, 3500)
_FINER = 4
_CLEAR = 7.0
_AGREE_S = 0.012


@dataclass(frozen=True, slots=True)
class WindowMatch:
    """One window in which both sounds fit.

    Attributes:
        at_s: middle of the window in the first sound.
        offset_s: time in the first sound less time in the second.
        height: of the peak, over the root mean square of what is around it.
    """

    at_s: float
    offset_s: float
    height: float


@dataclass(frozen=True, slots=True)
class OffsetMatches:
    """The window matches of one offset candidate.

    Attributes:
        start_s: where in the first sound both overlap.
        end_s: until where.
    """

    matches: tuple[WindowMatch, ...]
    windows: int
    start_s: float
    end_s: float

    @property
    def strength(self) -> float:
        """How clear it is: the mean height of the hits, less where few windows agree."""
        if not self.matches:
            return 0.0
        return float(np.mean([hit.height for hit in self.matches]) * np.sqrt(len(self.matches) / self.windows))


def refine(
    first: Shape, second: Shape, guess: OffsetCandidate, read_first: Read, read_second: Read, progress: Progress
) -> OffsetMatches:
    """Compare windows of up to ten seconds, spread over the overlap, where the shapes fit best.

    Each is a generalized cross-correlation with phase transform (Knapp and Carter 1976), whitened in part, so that
    an echo or the colour of a microphone does not move the peak.
    """
    start, stop, fit = _fit(first, second, guess)
    hits = []
    windows = _windows(fit, start)
    for done, (begin, end) in enumerate(windows):
        progress.check_cancelled()
        progress.progress(done, len(windows), "Comparing the sounds")
        lag = float(guess.lag_at(np.array([(begin + end) / 2]))[0])
        begin_s, end_s, lag_s = (column / COLUMNS_PER_SECOND for column in (begin, end, lag))
        hit = _compare(begin_s, end_s, lag_s, read_first=read_first, read_second=read_second)
        if hit is not None:
            hits.append(hit)
    start_s, stop_s = start / COLUMNS_PER_SECOND, stop / COLUMNS_PER_SECOND
    return OffsetMatches(_agreeing_matches(hits), max(1, len(windows)), start_s, stop_s)


def _fit(first: Shape, second: Shape, guess: OffsetCandidate) -> tuple[int, int, NDArray[np.float64]]:
    """Return the columns of the first sound that the second one overlaps, and how well they fit one by one."""
    columns = np.arange(first.shape[1])
    other = np.round(columns - guess.lag_at(columns.astype(np.float64))).astype(np.int64)
    inside = np.flatnonzero((other >= 0) & (other < second.shape[1]))
    if not len(inside):
        return 0, 0, np.zeros(0)
    start, stop = int(inside[0]), int(inside[-1]) + 1
    chosen = columns[start:stop]
    partner = np.clip(other[start:stop], 0, second.shape[1] - 1)
    return start, stop, (first[:, chosen] * second[:, partner]).sum(axis=0, dtype=np.float64)


def _windows(fit: NDArray[np.float64], start: int) -> list[tuple[int, int]]:
    """Choose in each of equal sections of the overlap the window that fits best."""
    length = _SECONDS * COLUMNS_PER_SECOND
    if len(fit) < COLUMNS_PER_SECOND // 4:
        return []
    if len(fit) <= length:
        return [(start, start + len(fit))]
    sections = min(_MAX_WINDOWS, len(fit) // length)
    edges = np.linspace(0, len(fit), sections + 1).astype(int)
    sums = np.concatenate([[0.0], np.cumsum(fit)])
    found = []
    for low, high in pairwise(edges):
        last = max(low, high - length)
        best = low + int(np.argmax(sums[low + length : last + length + 1] - sums[low : last + 1]))
        found.append((start + best, start + best + length))
    return found


def _compare(
    begin_s: float, end_s: float, offset_s: float, *, read_first: Read, read_second: Read
) -> WindowMatch | None:
    array = read_first(begin_s, end_s)
    other_begin = round((begin_s - offset_s - _MARGIN_S) * SAMPLE_RATE) / SAMPLE_RATE
    other = read_second(other_begin, end_s - offset_s + _MARGIN_S)
    if not array.any() or not other.any():
        return None
    size = 1 << (len(array) + len(other) - 1).bit_length()
    cross = np.conj(np.fft.rfft(array, size)) * np.fft.rfft(other, size)
    hertz = np.fft.rfftfreq(size, 1 / SAMPLE_RATE)
    loudness = np.abs(cross)
    loudness[loudness == 0] = 1
    cross = np.where((hertz >= _HEARD_HZ[0]) & (hertz <= _HEARD_HZ[1]), cross / loudness**_WHITENED, 0)
    shifts = np.abs(np.fft.irfft(cross, size * _FINER))[: round(2 * _MARGIN_S * SAMPLE_RATE * _FINER)]
    level = float(np.sqrt(np.mean(shifts**2)))
    if level <= 0:
        return None
    best = int(np.argmax(shifts))
    delay = (best + _vertex(shifts, best)) / (SAMPLE_RATE * _FINER)
    height = float(shifts[best]) / level
    if height < _CLEAR:
        return None
    return WindowMatch((begin_s + end_s) / 2, begin_s - (other_begin + delay), height)


def _vertex(values: NDArray[np.floating], at: int) -> float:
    """Return where a parabola through a value and its neighbours has its top, from -0.5 to 0.5."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = (float(values[at + step]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return 0.0 if bend == 0 else float(np.clip((left - right) / (2 * bend), -0.5, 0.5))


def _agreeing_matches(hits: list[WindowMatch]) -> tuple[WindowMatch, ...]:
    def around(seed: WindowMatch) -> tuple[WindowMatch, ...]:
        return tuple(
            hit for hit in hits if abs(hit.offset_s - seed.offset_s) <= _AGREE_S + MAX_DRIFT * abs(hit.at_s - seed.at_s)
        )

    return max((around(seed) for seed in hits), key=len, default=())


SURE_CONFIDENCE = 2.2
"""How many times clearer than the next best one an offset must be to count as found."""

_BY_CHANCE = 4.0
_COARSE_SURE = 1.6
_COARSE_HEIGHT = 8.0
_DRIFT_FROM_S = 120.0
_DRIFT_WINDOWS = 4


@dataclass(frozen=True, slots=True)
class Alignment:
    """The result of comparing two sounds.

    Attributes:
        offset_us: where the second file's zero lies on the first one's axis, in the middle of what both recorded.
        confidence: how many times clearer it is than the next best offset, or than chance; from 1.
        sure: whether that is enough to act on. Nothing else here means anything without it.
        drift_ppm: how much faster the second recorder's clock runs, in parts in a million; None where both recorded
            too little together to tell.
        spread_us: how far windows all over the recording differ from it; None where only the coarse shape of the sound
            fits, which is right to about 10 ms.
        overlap_us: how long both recorded.
    """

    offset_us: int = 0
    confidence: float = 1.0
    sure: bool = False
    drift_ppm: float | None = None
    spread_us: int | None = None
    overlap_us: int = 0
    windows: int = 0
    agreeing: int = 0


def synchronize(
    reference: Path, other: Path, progress: Progress | None = None, *, tracks: tuple[int, int] = (0, 0)
) -> Alignment:
    """Return where `other` begins on the axis of `reference`.

    Gain, steady noise, other microphones, a partial overlap and files of hours are expected; a clock that drifts is
    measured. The shapes of the sounds are correlated as a whole, then windows of ten seconds at 8 kHz, for each of the
    few offsets that the shapes allow. `tracks` are the sound tracks of both, see `media.source.sound_stream`. Progress
    is in hundredths.
    """
    told = progress or Silent()
    first = sound_shape(reference, SubtaskProgress(told, 0, 45, 100), track=tracks[0])
    second = sound_shape(other, SubtaskProgress(told, 45, 45, 100), track=tracks[1])
    read_first, read_second = _reader(reference, tracks[0]), _reader(other, tracks[1])
    return align(first, second, read_first, read_second, SubtaskProgress(told, 90, 10, 100))


def align(first: Shape, second: Shape, read_first: Read, read_second: Read, progress: Progress) -> Alignment:
    """Do what `synchronize` does, with shapes that are there and two ways to read samples."""
    guesses = find_candidates(first, second)
    found = [(guess, refine(first, second, guess, read_first, read_second, progress)) for guess in guesses]
    if not found:
        return Alignment()
    found.sort(key=lambda pair: (-pair[1].strength, -pair[0].height))
    guess, fine = found[0]
    others = found[1:]
    if fine.matches:
        rival = max([_BY_CHANCE, *(other.strength for _, other in others)])
        return _exact_alignment(fine, max(1.0, fine.strength / rival))
    rival = max([_BY_CHANCE, *(candidate.height for candidate, _ in others)])
    confidence = max(1.0, guess.height / rival)
    lag = float(guess.lag_at(np.array([(fine.start_s + fine.end_s) / 2 * COLUMNS_PER_SECOND]))[0])
    return Alignment(
        round(lag * SECOND_US / COLUMNS_PER_SECOND),
        confidence,
        confidence >= _COARSE_SURE and guess.height >= _COARSE_HEIGHT,
        overlap_us=round((fine.end_s - fine.start_s) * SECOND_US),
        windows=fine.windows,
    )


def _exact_alignment(fine: OffsetMatches, confidence: float) -> Alignment:
    middle = (fine.start_s + fine.end_s) / 2
    slope = _slope(fine.matches)
    rest = [hit.offset_s - (slope or 0.0) * (hit.at_s - middle) for hit in fine.matches]
    offset = float(np.median(rest))
    return Alignment(
        round(offset * SECOND_US),
        confidence,
        confidence >= SURE_CONFIDENCE,
        None if slope is None else -slope * 1e6,
        round(max(abs(value - offset) for value in rest) * SECOND_US),
        round((fine.end_s - fine.start_s) * SECOND_US),
        fine.windows,
        len(fine.matches),
    )


def _slope(hits: tuple[WindowMatch, ...]) -> float | None:
    """Return seconds of offset a second, the median of the slopes between windows (Theil 1950, Sen 1968)."""
    at, offsets = np.array([hit.at_s for hit in hits]), np.array([hit.offset_s for hit in hits])
    return _middle_slope(at, offsets) if len(hits) >= _DRIFT_WINDOWS and np.ptp(at) >= _DRIFT_FROM_S else None


def _reader(path: Path, track: int) -> Read:
    def read(start_s: float, end_s: float) -> Samples:
        wanted = round((end_s - start_s) * SAMPLE_RATE)
        silent = max(0, -round(start_s * SAMPLE_RATE))
        pieces: list[Samples] = [np.zeros(min(silent, wanted), np.float32)]
        if end_s > 0:
            begin = round(max(0.0, start_s) * SECOND_US)
            end = round(end_s * SECOND_US)
            pieces += [block[0] for block in stream_sound(path, SAMPLE_RATE, "mono", begin, end, track=track)]
        found = np.concatenate(pieces)[:wanted]
        return np.pad(found, (0, wanted - len(found)))

    return read
