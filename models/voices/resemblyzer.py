"""Resemblyzer's voice encoder, run by onnxruntime.

Wan et al., "Generalized End-to-End Loss for Speaker Verification", ICASSP 2018 (arXiv 1710.10467), in the
implementation and with the weights of Resemblyzer 0.1.4 (Apache-2.0): sound quieter than -30 dB of full scale is made
louder, windows of 1.6 s are looked at 1.3 times a second, and their vectors averaged. Its trimming of silences is left
out: who calls it knows where there is speech.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from models import weights
from models.onnx_session import open_session
from models.voice_network import BANDS, DIMENSIONS, FRAMES, INPUT
from models.voices.base import RATE, Samples, Vectors
from models.voices.mel import STEP, mel_energies
from project.types import Json

WEIGHTS = "voice-embedding"
_LOUDNESS = 10 ** (-30 / 20)
_LEAST_LOUD = 1e-5
_LOOKS_PER_SECOND = 1.3
_LEAST_OF_LAST = 0.75
_BATCH = 32


class Resemblyzer:
    """The GE2E encoder: 256 numbers, none of them negative, so that the cosine of two voices is never below 0.

    Args:
        threads: of one call.

    Raises:
        UserError: the weights are not installed or are damaged.
    """

    key = "resemblyzer"
    dimensions = DIMENSIONS
    window = FRAMES * STEP

    def __init__(self, threads: int = 1) -> None:
        self._session = open_session(weights.path(WEIGHTS), threads)
        self._weights = weights.digest(WEIGHTS)

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers."""
        return {"weights": self._weights, "looks_per_second": _LOOKS_PER_SECOND}

    def embed(self, samples: Samples) -> Vectors:
        """Embed what one voice says, as (256,) of length 1; all zeros where there is nothing to hear."""
        step = round(RATE / _LOOKS_PER_SECOND / STEP) * STEP
        starts = [*range(0, max(1, len(samples) - self.window + step + 1), step)]
        if len(starts) > 1 and len(samples) - starts[-1] < _LEAST_OF_LAST * self.window:
            starts.pop()
        energies = _filled(_loud_enough(samples), starts[-1] + self.window)
        voice: Vectors = _unit(self._voices(energies, starts).mean(0, keepdims=True))[0]
        return voice

    def embed_windows(self, samples: Samples, starts: Sequence[int]) -> Vectors:
        """Embed windows of 1.6 s of a stretch of sound, each by itself, as (len(starts), 256)."""
        loud = _loud_enough(samples)
        if 0 < len(loud) < self.window:
            loud = np.resize(loud, self.window)
        latest = max(0, len(loud) - self.window)
        return self._voices(_filled(loud, self.window), [min(start, latest) for start in starts])

    def _voices(self, energies: NDArray[np.float32], starts: Sequence[int]) -> Vectors:
        rows = [start // STEP for start in starts]
        found = [np.zeros((0, DIMENSIONS), np.float32)]
        for first in range(0, len(rows), _BATCH):
            batch = np.stack([energies[row : row + FRAMES] for row in rows[first : first + _BATCH]])
            vectors = np.asarray(self._session.run(None, {INPUT: batch})[0], np.float32)
            heard = np.asarray(batch.any(axis=(1, 2)), np.float32).reshape(-1, 1)
            found.append(vectors * heard)
        return np.concatenate(found)


def _loud_enough(samples: Samples) -> Samples:
    loudness = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64)))) if len(samples) else 0.0
    if loudness < _LEAST_LOUD:
        return np.zeros_like(samples)
    louder: Samples = samples * np.float32(max(1.0, _LOUDNESS / loudness))
    return louder


def _filled(samples: Samples, length: int) -> NDArray[np.float32]:
    """Return the energies of sound that is continued by silence up to a length."""
    energies = mel_energies(np.pad(samples, (0, max(0, length - len(samples)))).astype(np.float32))
    assert energies.shape[1] == BANDS
    return energies


def _unit(vectors: Vectors) -> Vectors:
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12), np.float32)
