"""The voice embedding interface and registry, default first. A new embedding is a class and one line here."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from models.weights.model_plugins import InferenceModel, ModelPlugins

SAMPLE_RATE = 16_000
"""Samples a second of the sound that an embedding takes."""

Samples = NDArray[np.float32]
Vectors = NDArray[np.float32]


class VoiceEmbedder(InferenceModel, Protocol):
    """Turns sound into vectors; those of one voice point the same way. May be called from several threads at once."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    @property
    def window(self) -> int:
        """Samples that one look of the network covers."""

    def embed(self, samples: Samples) -> Vectors:
        """Embed what one voice says.

        Args:
            samples: (n,) in -1..1 at `SAMPLE_RATE`; of any length.

        Returns:
            (dimensions,) of length 1; the cosine of two is their product. All zeros where there is nothing to hear.
        """

    def embed_windows(self, samples: Samples, starts: Sequence[int]) -> Vectors:
        """Embed windows of a stretch of sound, each by itself.

        Args:
            samples: (n,) in -1..1 at `SAMPLE_RATE`. A stretch shorter than a window is repeated until it fills one.
            starts: of the windows, in samples; a window that reaches past the end is moved back.

        Returns:
            (len(starts), dimensions), each of length 1, or all zeros where there is nothing to hear.
        """


EMBEDDERS = ModelPlugins[VoiceEmbedder](
    "voice embedding",
    {"resemblyzer": "models.voices.resemblyzer:Resemblyzer"},
    weights={"resemblyzer": "voice-embedding"},
)
default_voice_embedder = EMBEDDERS.default
create_voice_embedder = EMBEDDERS.make
