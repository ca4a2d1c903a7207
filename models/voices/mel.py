"""Energies of mel bands over time, as librosa computes them, with numpy alone.

What `librosa.feature.melspectrogram` of librosa 0.10 gives for 16 kHz sound, windows of 25 ms every 10 ms and 40
bands: a centred Hann window over sound that is continued by silence, powers, and triangles on the mel scale of Slaney's
Auditory Toolbox (Apple Technical Report 45, 1994; linear up to 1 kHz, logarithmic above), each of the same area.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.voices.base import RATE

WINDOW, STEP, BANDS = 400, 160, 40
_BLOCK = 6_000
_LINEAR_HZ, _BREAK_HZ = 200 / 3, 1_000.0
_BREAK_MEL = _BREAK_HZ / _LINEAR_HZ
_LOG_STEP = np.log(6.4) / 27

Floats = NDArray[np.float32]


def mel_energies(samples: Floats) -> Floats:
    """Return (1 + n // 160, 40) energies; row k is centred on sample 160 k.

    Args:
        samples: (n,) in -1..1 at 16 kHz.
    """
    padded = np.pad(np.asarray(samples, np.float32), WINDOW // 2)
    count = 1 + len(samples) // STEP
    if len(padded) < WINDOW:
        padded = np.pad(padded, (0, WINDOW - len(padded)))
    frames = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::STEP][:count]
    window = _hann()
    found = np.empty((count, BANDS), np.float32)
    for first in range(0, count, _BLOCK):
        powers = np.abs(np.fft.rfft(frames[first : first + _BLOCK] * window, axis=1)) ** 2
        found[first : first + _BLOCK] = powers.astype(np.float32) @ _triangles().T
    return found


@cache
def _hann() -> Floats:
    return np.asarray(0.5 - 0.5 * np.cos(2 * np.pi * np.arange(WINDOW) / WINDOW), np.float32)


@cache
def _triangles() -> Floats:
    """Return (40, 201) weights of the spectrum's bins in each band."""
    bins = np.linspace(0, RATE / 2, WINDOW // 2 + 1)
    edges = _hertz(np.linspace(0, _mel(RATE / 2), BANDS + 2))
    slopes = edges[:, None] - bins[None, :]
    rising = -slopes[:-2] / np.diff(edges)[:-1, None]
    falling = slopes[2:] / np.diff(edges)[1:, None]
    heights = np.maximum(0, np.minimum(rising, falling))
    return np.asarray(heights * (2 / (edges[2:] - edges[:-2]))[:, None], np.float32)


def _mel(hertz: float) -> float:
    if hertz < _BREAK_HZ:
        return hertz / _LINEAR_HZ
    return float(_BREAK_MEL + np.log(hertz / _BREAK_HZ) / _LOG_STEP)


def _hertz(mel: NDArray[np.float64]) -> NDArray[np.float64]:
    above = _BREAK_HZ * np.exp(_LOG_STEP * (mel - _BREAK_MEL))
    return np.asarray(np.where(mel < _BREAK_MEL, mel * _LINEAR_HZ, above), np.float64)
