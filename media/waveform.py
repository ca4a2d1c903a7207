"""Computes and caches a recording's waveform for drawing: minimum and maximum at several zoom levels."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from media.sound import stream_mono
from project.files.fingerprints import fingerprint
from project.files.temporary_files import load_arrays, save_arrays
from project.progress import Progress, Silent
from project.timebase import SECOND_US

_RATE = 16_000
_FINEST = 32
_STEP = 8
_LEVELS = 5
_FULL = 32_767


@dataclass(frozen=True, slots=True, eq=False)
class Peaks:
    """Minimum and maximum of the sound in equal bins, finest level first.

    Attributes:
        levels: arrays of (n, 2) int16, minimum and maximum; 32767 is full scale. A bin of the finest level is
            2 ms long, one of each next level eight times as long as one of the level before.
        samples: how many samples of 16 kHz they were made of.
    """

    levels: tuple[NDArray[np.int16], ...]
    samples: int

    @property
    def duration_us(self) -> int:
        """Where the sound ends on the recording's axis."""
        return self.samples * SECOND_US // _RATE

    def peaks(self, start_us: int, end_us: int, columns: int) -> NDArray[np.float32]:
        """Return (columns, 2) minimum and maximum in -1..1 for equal slices of a stretch; silence outside the sound."""
        found = np.zeros((max(columns, 0), 2), np.float32)
        if columns <= 0 or end_us <= start_us or not self.samples:
            return found
        edges = start_us + (end_us - start_us) * np.arange(columns + 1, dtype=np.int64) // columns
        level = self._level_for((end_us - start_us) / columns)
        bins = self.levels[level]
        length = _FINEST * _STEP**level * SECOND_US // _RATE
        first = edges[:-1] // length
        stop = np.maximum(-(-edges[1:] // length), first + 1)
        inside = (stop > 0) & (first < len(bins))
        if not inside.any():
            return found
        first = np.clip(first[inside], 0, len(bins) - 1)
        stop = np.clip(stop[inside], first + 1, len(bins))
        # reduceat takes pairs: even places hold the answers; a last edge at the very end needs one bin more.
        pairs = np.stack([first, stop], axis=1).ravel()
        padded = np.concatenate([bins, bins[-1:]])
        found[inside, 0] = np.minimum.reduceat(padded[:, 0], pairs)[::2]
        found[inside, 1] = np.maximum.reduceat(padded[:, 1], pairs)[::2]
        return found / np.float32(_FULL)

    def _level_for(self, column_us: float) -> int:
        level = 0
        while level + 1 < len(self.levels) and _FINEST * _STEP ** (level + 1) * SECOND_US / _RATE <= column_us:
            level += 1
        return level


def load_peaks(path: Path, cache: Path | None = None, progress: Progress | None = None, *, track: int = 0) -> Peaks:
    """Return the peaks of a sound track, from the cache folder when they were made before."""
    name = f"peaks-{fingerprint(path)}-{track}" if cache is not None else ""
    kept = load_arrays(cache, name)
    if kept is not None and {"samples", *map(str, range(_LEVELS))} <= kept.keys():
        return Peaks(tuple(kept[str(i)] for i in range(_LEVELS)), int(kept["samples"]))
    peaks = _compute_peaks(path, progress or Silent(), track)
    arrays = {str(i): level for i, level in enumerate(peaks.levels)}
    save_arrays(cache, name, {**arrays, "samples": np.array(peaks.samples)})
    return peaks


def _compute_peaks(path: Path, progress: Progress, track: int) -> Peaks:
    parts: list[NDArray[np.int16]] = []
    left = np.zeros(0, np.float32)
    samples = 0
    for block in stream_mono(path, _RATE, progress, track=track):
        samples += len(block)
        joined = np.concatenate([left, block])
        whole = len(joined) // _FINEST * _FINEST
        if whole:
            parts.append(_bins(joined[:whole]))
        left = joined[whole:]
    if len(left):
        parts.append(_bins(np.pad(left, (0, _FINEST - len(left)), mode="edge")))
    levels = [np.concatenate(parts) if parts else np.zeros((1, 2), np.int16)]
    while len(levels) < _LEVELS:
        levels.append(_coarsen(levels[-1]))
    return Peaks(tuple(levels), samples)


def _bins(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    scaled = np.round(np.clip(samples, -1, 1) * _FULL).astype(np.int16).reshape(-1, _FINEST)
    return np.stack([scaled.min(axis=1), scaled.max(axis=1)], axis=1)


def _coarsen(level: NDArray[np.int16]) -> NDArray[np.int16]:
    padded = np.pad(level, ((0, -len(level) % _STEP), (0, 0)), mode="edge").reshape(-1, _STEP, 2)
    return np.stack([padded[..., 0].min(axis=1), padded[..., 1].max(axis=1)], axis=1)
