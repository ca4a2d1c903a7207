"""The voice embeddings there are, the one that is used first. A new one is a class and one line here."""

from importlib import import_module
from typing import cast

from models import weights
from models.voices.base import VoiceEmbedder
from project.errors import UserError

EMBEDDERS = {"resemblyzer": "models.voices.resemblyzer:Resemblyzer"}
NEEDS_WEIGHTS = {"resemblyzer": "voice-embedding"}
"""The name of each one's weights in the catalogue."""


def usual() -> str | None:
    """Return the first whose weights are installed; None where none are."""
    return next((name for name in EMBEDDERS if weights.installed(NEEDS_WEIGHTS[name])), None)


def embedder(name: str) -> VoiceEmbedder:
    """Make an embedder; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or its weights are not installed or are damaged.
    """
    if name not in EMBEDDERS:
        raise UserError(f"There is no voice embedding “{name}”.", f"Choose one of: {', '.join(EMBEDDERS)}.")
    weights.path(NEEDS_WEIGHTS[name])
    module, attribute = EMBEDDERS[name].split(":")
    return cast(VoiceEmbedder, getattr(import_module(module), attribute)())
