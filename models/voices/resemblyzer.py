"""Resemblyzer's voice encoder, run by onnxruntime.

Mel energies are computed as librosa does, with numpy alone.
"""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from models.voices.voice_embeddings import SAMPLE_RATE, Samples, Vectors
from models.weights.onnx_model import OnnxModel
from models.weights.voice_network import BANDS as VOICE_NETWORK_BANDS
from models.weights.voice_network import DIMENSIONS, FRAMES, INPUT

WINDOW, STEP, BANDS = 400, 160, 40
_BLOCK = 6_000
_LINEAR_HZ, _BREAK_HZ = 200 / 3, 1_000.0
_BREAK_MEL = _BREAK_HZ / _LINEAR_HZ
_LOG_STEP = np.log(6.4) / 27

Floats = NDArray[np.float32]


def mel_energies(samples: Floats) -> Floats:
    """Return (1 + n // 160, 40) energies of (n,) samples at 16 kHz; row k is centred on sample 160 k."""
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
    bins = np.linspace(0, SAMPLE_RATE / 2, WINDOW // 2 + 1)
    edges = _hertz(np.linspace(0, _mel(SAMPLE_RATE / 2), BANDS + 2))
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


_LOUDNESS = 10 ** (-30 / 20)
_LEAST_LOUD = 1e-5
_LOOKS_PER_SECOND = 1.3
_LEAST_OF_LAST = 0.75
_BATCH = 32


class Resemblyzer(OnnxModel):
    """The GE2E encoder: 256 numbers, none of them negative, so that the cosine of two voices is never below 0."""

    key = "resemblyzer"
    weights = "voice-embedding"
    dimensions = DIMENSIONS
    window = FRAMES * STEP

    def __init__(self, threads: int = 1) -> None:
        super().__init__(threads, looks_per_second=_LOOKS_PER_SECOND)

    def embed(self, samples: Samples) -> Vectors:
        """Embed what one voice says, as (256,) of length 1; all zeros where there is nothing to hear."""
        step = round(SAMPLE_RATE / _LOOKS_PER_SECOND / STEP) * STEP
        starts = [*range(0, max(1, len(samples) - self.window + step + 1), step)]
        if len(starts) > 1 and len(samples) - starts[-1] < _LEAST_OF_LAST * self.window:
            starts.pop()
        energies = _padded_energies(_normalize_loudness(samples), starts[-1] + self.window)
        voice: Vectors = _unit(self._voices(energies, starts).mean(0, keepdims=True))[0]
        return voice

    def embed_windows(self, samples: Samples, starts: Sequence[int]) -> Vectors:
        """Embed windows of 1.6 s of a stretch of sound, each by itself, as (len(starts), 256)."""
        loud = _normalize_loudness(samples)
        if 0 < len(loud) < self.window:
            loud = np.resize(loud, self.window)
        latest = max(0, len(loud) - self.window)
        return self._voices(_padded_energies(loud, self.window), [min(start, latest) for start in starts])

    def _voices(self, energies: NDArray[np.float32], starts: Sequence[int]) -> Vectors:
        rows = [start // STEP for start in starts]
        found = [np.zeros((0, DIMENSIONS), np.float32)]
        for first in range(0, len(rows), _BATCH):
            batch = np.stack([energies[row : row + FRAMES] for row in rows[first : first + _BATCH]])
            vectors = np.asarray(self.session.run(None, {INPUT: batch})[0], np.float32)
            heard = np.asarray(batch.any(axis=(1, 2)), np.float32).reshape(-1, 1)
            found.append(vectors * heard)
        return np.concatenate(found)


def _normalize_loudness(samples: Samples) -> Samples:
    loudness = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if len(samples) else 0.0
    if loudness < _LEAST_LOUD:
        return np.zeros_like(samples)
    louder: Samples = samples * np.float32(max(1.0, _LOUDNESS / loudness))
    return louder


def _padded_energies(samples: Samples, length: int) -> NDArray[np.float32]:
    """Return the energies of sound that is continued by silence up to a length."""
    energies = mel_energies(np.pad(samples, (0, max(0, length - len(samples)))).astype(np.float32))
    assert energies.shape[1] == VOICE_NETWORK_BANDS
    return energies


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)
