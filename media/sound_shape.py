"""How loud a sound is in a few bands, a hundred times a second: what two recorders in one room have in common."""

from pathlib import Path

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from media.audio import Samples, stream_mono
from project.progress import Progress

RATE = 8_000
PER_SECOND = 100

_HOP = RATE // PER_SECOND
_WINDOW = 256
_BANDS_HZ = ((100, 400), (400, 900), (900, 1800), (1800, 3600))
_AT_ONCE = 2 * RATE
_FAINT = 1e-4
_STEADY = PER_SECOND
_MOST = 3.0

Shape = NDArray[np.float32]


def sound_shape(path: Path, progress: Progress | None = None) -> Shape:
    """Return (bands, n) float32: the logarithm of the loudness in each band, less its mean over the second around it.

    So neither gain, nor steady noise, nor the colour of a microphone counts, only what changes. Each band has a
    deviation of 1, or is 0 throughout where nothing changes. Column k is about k / `PER_SECOND` seconds of the file.

    Raises:
        UserError: the file cannot be read or has no sound.
    """
    parts: list[NDArray[np.float32]] = []
    waiting: list[Samples] = []
    for block in stream_mono(path, RATE, progress):
        waiting.append(block)
        if sum(map(len, waiting)) >= _AT_ONCE:
            waiting = [_take(np.concatenate(waiting), parts)]
    if waiting:
        rest = np.concatenate(waiting)
        _take(np.pad(rest, (0, max(0, _WINDOW - len(rest)))), parts)
    return _changes(np.concatenate(parts).T) if parts else np.zeros((len(_BANDS_HZ), 0), np.float32)


def _take(samples: Samples, parts: list[NDArray[np.float32]]) -> Samples:
    """Add the loudness of all whole windows; return what the next ones begin with."""
    count = (len(samples) - _WINDOW) // _HOP + 1
    if count <= 0:
        return samples
    windows = sliding_window_view(samples, _WINDOW)[::_HOP][:count]
    spectrum = np.abs(np.fft.rfft(windows * np.hanning(_WINDOW).astype(np.float32), axis=1)) ** 2
    hertz = np.fft.rfftfreq(_WINDOW, 1 / RATE)
    bands = [spectrum[:, (hertz >= low) & (hertz < high)].sum(axis=1) for low, high in _BANDS_HZ]
    parts.append(np.stack(bands, axis=1).astype(np.float32))
    return samples[count * _HOP :]


def _changes(energies: NDArray[np.float32]) -> Shape:
    floor = _FAINT * energies.mean(axis=1, keepdims=True) + 1e-12
    level = np.log(energies + floor).astype(np.float64)
    level -= _running_mean(level, _STEADY)
    deviation = level.std(axis=1, keepdims=True)
    flat = deviation < 1e-6
    level = np.clip(level / np.where(flat, 1, deviation), -_MOST, _MOST)
    return np.where(flat, 0, level).astype(np.float32)


def _running_mean(rows: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    count = rows.shape[1]
    sums = np.concatenate([np.zeros((len(rows), 1)), np.cumsum(rows, axis=1)], axis=1)
    first = np.clip(np.arange(count) - width // 2, 0, None)
    stop = np.clip(np.arange(count) + width // 2 + 1, None, count)
    means: NDArray[np.float64] = (sums[:, stop] - sums[:, first]) / (stop - first)
    return means
