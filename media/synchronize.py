"""Where one recorder's sound begins on another one's time axis, found by comparing what both heard."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from media.audio import Samples, stream_sound
from media.coarse_offset import Guess, guesses
from media.fine_offset import Fine, Hit, Read, refine
from media.sound_shape import PER_SECOND, RATE, Shape, sound_shape
from project.progress import Progress, Silent
from project.timebase import SECOND

SURE = 2.2
"""How many times clearer than the next best one an offset must be to count as found."""

_BY_CHANCE = 4.0
_COARSE_SURE = 1.6
_COARSE_HEIGHT = 8.0
_DRIFT_FROM_S = 120.0
_DRIFT_WINDOWS = 4


@dataclass(frozen=True, slots=True)
class Alignment:
    """What comparing two sounds found out.

    Attributes:
        offset_us: where the second file's zero lies on the first one's axis, in the middle of what both recorded.
        confidence: how many times clearer it is than the next best offset, or than chance; from 1.
        sure: whether that is enough to act on. Nothing else here means anything without it.
        drift_ppm: how much faster the second recorder's clock runs, in parts in a million; None where both recorded
            too little together to tell.
        spread_us: how far windows all over the recording differ from it; None where only the coarse shape of the sound
            fits, which is right to about 10 ms.
        overlap_us: how long both recorded.
        windows: how many windows were compared.
        agreeing: how many of them agree.
    """

    offset_us: int = 0
    confidence: float = 1.0
    sure: bool = False
    drift_ppm: float | None = None
    spread_us: int | None = None
    overlap_us: int = 0
    windows: int = 0
    agreeing: int = 0


def synchronize(reference: Path, other: Path, progress: Progress | None = None) -> Alignment:
    """Return where `other` begins on the axis of `reference`.

    Gain, steady noise, other microphones, a partial overlap and files of hours are expected; a clock that drifts is
    measured. The shapes of the sounds are correlated as a whole, then windows of ten seconds at 8 kHz, for each of
    the few offsets that the shapes allow.

    Raises:
        UserError: a file cannot be read or has no sound.
    """
    told = progress or Silent()
    first = sound_shape(reference, _Part(told, 0, 45))
    second = sound_shape(other, _Part(told, 45, 90))
    return align(first, second, _reader(reference), _reader(other), _Part(told, 90, 100))


def align(first: Shape, second: Shape, read_first: Read, read_second: Read, progress: Progress) -> Alignment:
    """Do what `synchronize` does, with shapes that are there and two ways to read samples."""
    found: list[tuple[Guess, Fine]] = []
    for guess in guesses(first, second):
        found.append((guess, refine(first, second, guess, read_first, read_second, progress)))
    if not found:
        return Alignment()
    found.sort(key=lambda one: (-one[1].strength, -one[0].height))
    guess, fine = found[0]
    others = found[1:]
    if fine.hits:
        rival = max([_BY_CHANCE, *(one.strength for _, one in others)])
        return _exact(fine, max(1.0, fine.strength / rival))
    rival = max([_BY_CHANCE, *(one.height for one, _ in others)])
    confidence = max(1.0, guess.height / rival)
    lag = float(guess.lag_at(np.array([(fine.start_s + fine.end_s) / 2 * PER_SECOND]))[0])
    return Alignment(
        round(lag * SECOND / PER_SECOND),
        confidence,
        confidence >= _COARSE_SURE and guess.height >= _COARSE_HEIGHT,
        overlap_us=round((fine.end_s - fine.start_s) * SECOND),
        windows=fine.windows,
    )


def _exact(fine: Fine, confidence: float) -> Alignment:
    middle = (fine.start_s + fine.end_s) / 2
    slope = _slope(fine.hits)
    rest = [hit.offset_s - (slope or 0.0) * (hit.at_s - middle) for hit in fine.hits]
    offset = float(np.median(rest))
    return Alignment(
        round(offset * SECOND),
        confidence,
        confidence >= SURE,
        None if slope is None else -slope * 1e6,
        round(max(abs(one - offset) for one in rest) * SECOND),
        round((fine.end_s - fine.start_s) * SECOND),
        fine.windows,
        len(fine.hits),
    )


def _slope(hits: tuple[Hit, ...]) -> float | None:
    """Return seconds of offset a second, the median of the slopes between windows (Theil 1950, Sen 1968)."""
    ordered = sorted(hits, key=lambda hit: hit.at_s)
    if len(ordered) < _DRIFT_WINDOWS or ordered[-1].at_s - ordered[0].at_s < _DRIFT_FROM_S:
        return None
    slopes = [(b.offset_s - a.offset_s) / (b.at_s - a.at_s) for i, a in enumerate(ordered) for b in ordered[i + 1 :]]
    return float(np.median(slopes))


class _Part:
    """Tells progress as a part, in hundredths, of a longer work."""

    def __init__(self, whole: Progress, start: int, end: int) -> None:
        self._whole, self._start, self._end = whole, start, end

    def progress(self, done: int, total: int, text: str = "") -> None:
        share = done / total if total else 0.0
        self._whole.progress(round(self._start + share * (self._end - self._start)), 100, text)

    def check_cancelled(self) -> None:
        self._whole.check_cancelled()


def _reader(path: Path) -> Read:
    def read(start_s: float, end_s: float) -> Samples:
        wanted = round((end_s - start_s) * RATE)
        silent = max(0, -round(start_s * RATE))
        pieces: list[Samples] = [np.zeros(min(silent, wanted), np.float32)]
        if end_s > 0:
            begin = round(max(0.0, start_s) * SECOND)
            pieces += [block[0] for block in stream_sound(path, RATE, "mono", begin, round(end_s * SECOND))]
        found = np.concatenate(pieces)[:wanted]
        return np.pad(found, (0, wanted - len(found)))

    return read
