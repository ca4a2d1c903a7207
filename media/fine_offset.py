"""The offset between two sounds to a fraction of a millisecond, once it is known to a few hundredths of a second."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from media.audio import Samples
from media.coarse_offset import MOST_DRIFT, Guess
from media.sound_shape import PER_SECOND, RATE, Shape
from project.progress import Progress

Read = Callable[[float, float], Samples]
"""Returns (n,) samples at `RATE` from a start to an end, in seconds of a file; silence outside it."""

_SECONDS = 10
_MOST_WINDOWS = 9
_MARGIN_S = 0.2
_WHITENED = 0.75
_HEARD_HZ = (150, 3500)
_FINER = 4
_CLEAR = 7.0
_AGREE_S = 0.012


@dataclass(frozen=True, slots=True)
class Hit:
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
class Fine:
    """What the windows of one guess say.

    Attributes:
        hits: those that agree.
        windows: how many were looked at.
        start_s: where in the first sound both overlap.
        end_s: until where.
    """

    hits: tuple[Hit, ...]
    windows: int
    start_s: float
    end_s: float

    @property
    def strength(self) -> float:
        """How clear it is: the mean height of the hits, less where few windows agree."""
        if not self.hits:
            return 0.0
        return float(np.mean([hit.height for hit in self.hits]) * np.sqrt(len(self.hits) / self.windows))


def refine(first: Shape, second: Shape, guess: Guess, read_first: Read, read_second: Read, progress: Progress) -> Fine:
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
        middle = (begin + end) / 2
        lag = float(guess.lag_at(np.array([middle]))[0])
        hit = _compare(
            begin / PER_SECOND, end / PER_SECOND, lag / PER_SECOND, read_first=read_first, read_second=read_second
        )
        if hit is not None:
            hits.append(hit)
    return Fine(_agreeing(hits), max(1, len(windows)), start / PER_SECOND, stop / PER_SECOND)


def _fit(first: Shape, second: Shape, guess: Guess) -> tuple[int, int, NDArray[np.float64]]:
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
    length = _SECONDS * PER_SECOND
    if len(fit) < PER_SECOND // 4:
        return []
    if len(fit) <= length:
        return [(start, start + len(fit))]
    sections = min(_MOST_WINDOWS, len(fit) // length)
    edges = np.linspace(0, len(fit), sections + 1).astype(int)
    sums = np.concatenate([[0.0], np.cumsum(fit)])
    found = []
    for low, high in pairwise(edges):
        last = max(low, high - length)
        best = low + int(np.argmax(sums[low + length : last + length + 1] - sums[low : last + 1]))
        found.append((start + best, start + best + length))
    return found


def _compare(begin_s: float, end_s: float, offset_s: float, *, read_first: Read, read_second: Read) -> Hit | None:
    one = read_first(begin_s, end_s)
    other_begin = round((begin_s - offset_s - _MARGIN_S) * RATE) / RATE
    other = read_second(other_begin, end_s - offset_s + _MARGIN_S)
    if not one.any() or not other.any():
        return None
    size = 1 << (len(one) + len(other) - 1).bit_length()
    cross = np.conj(np.fft.rfft(one, size)) * np.fft.rfft(other, size)
    hertz = np.fft.rfftfreq(size, 1 / RATE)
    loudness = np.abs(cross)
    loudness[loudness == 0] = 1
    cross = np.where((hertz >= _HEARD_HZ[0]) & (hertz <= _HEARD_HZ[1]), cross / loudness**_WHITENED, 0)
    shifts = np.abs(np.fft.irfft(cross, size * _FINER))[: round(2 * _MARGIN_S * RATE * _FINER)]
    level = float(np.sqrt(np.mean(shifts**2)))
    if level <= 0:
        return None
    best = int(np.argmax(shifts))
    delay = (best + _vertex(shifts, best)) / (RATE * _FINER)
    height = float(shifts[best]) / level
    if height < _CLEAR:
        return None
    return Hit((begin_s + end_s) / 2, begin_s - (other_begin + delay), height)


def _vertex(values: NDArray[np.floating], at: int) -> float:
    """Return where a parabola through a value and its neighbours has its top, from -0.5 to 0.5."""
    if not 0 < at < len(values) - 1:
        return 0.0
    left, middle, right = (float(values[at + step]) for step in (-1, 0, 1))
    bend = left - 2 * middle + right
    return 0.0 if bend == 0 else float(np.clip((left - right) / (2 * bend), -0.5, 0.5))


def _agreeing(hits: list[Hit]) -> tuple[Hit, ...]:
    def around(seed: Hit) -> tuple[Hit, ...]:
        return tuple(
            hit
            for hit in hits
            if abs(hit.offset_s - seed.offset_s) <= _AGREE_S + MOST_DRIFT * abs(hit.at_s - seed.at_s)
        )

    return max((around(seed) for seed in hits), key=len, default=())
