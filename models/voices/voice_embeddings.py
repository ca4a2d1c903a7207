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
        """Embed what one voice says, (n,) in -1..1 at `SAMPLE_RATE`, as (dimensions,) of length 1.

        The cosine of two is their product. All zeros where there is nothing to hear.
        """

    def embed_windows(self, samples: Samples, starts: Sequence[int]) -> Vectors:
        """Embed windows of a stretch of sound, each by itself, as (len(starts), dimensions).

        A stretch shorter than a window is repeated until it fills one; a window that reaches past the end is moved
        back.
        """


EMBEDDERS = ModelPlugins[VoiceEmbedder](
    "voice embedding",
    {"resemblyzer": "models.voices.resemblyzer:Resemblyzer"},
    weights={"resemblyzer": "voice-embedding"},
)
default_voice_embedder = EMBEDDERS.default
create_voice_embedder = EMBEDDERS.make
