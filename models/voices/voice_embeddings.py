"""The voice embedding interface and registry, default first. A new embedding is a class and one line here."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from models.weights import installed_weights
from project.entities.study_records import Json
from project.errors import UserError

SAMPLE_RATE = 16_000
"""Samples a second of the sound that an embedding takes."""

Samples = NDArray[np.float32]
Vectors = NDArray[np.float32]


class VoiceEmbedder(Protocol):
    """Turns sound into vectors; those of one voice point the same way. May be called from several threads at once."""

    @property
    def key(self) -> str:
        """Its name in the registry."""

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Whatever changes its answers, so that a run can be repeated."""

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


EMBEDDERS = {"resemblyzer": "models.voices.resemblyzer:Resemblyzer"}
NEEDS_WEIGHTS = {"resemblyzer": "voice-embedding"}
"""The name of each one's weights in the catalogue."""


def default_voice_embedder() -> str | None:
    """Return the first whose weights are installed; None where none are."""
    return next((name for name in EMBEDDERS if installed_weights.is_installed(NEEDS_WEIGHTS[name])), None)


def create_voice_embedder(name: str) -> VoiceEmbedder:
    """Make an embedder; nothing heavy is imported before."""
    if name not in EMBEDDERS:
        raise UserError(f"There is no voice embedding “{name}”.", f"Choose one of: {', '.join(EMBEDDERS)}.")
    installed_weights.verified_path(NEEDS_WEIGHTS[name])
    module, attribute = EMBEDDERS[name].split(":")
    return cast(VoiceEmbedder, getattr(import_module(module), attribute)())
