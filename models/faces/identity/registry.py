"""The identity embeddings there are, the one that is used first. A new one is a class and one line here."""

from importlib import import_module
from typing import cast

from models import weights
from models.faces.identity.base import Embedder
from project.errors import UserError

EMBEDDERS = {
    "sface": "models.faces.identity.networks:SFace",
    "mobilefacenet": "models.faces.identity.networks:MobileFaceNet",
}
"""Their names are those of their weights in the catalogue."""


def usual() -> str | None:
    """Return the first whose weights are installed; None where none are."""
    return next((name for name in EMBEDDERS if weights.installed(name)), None)


def embedder(name: str) -> Embedder:
    """Make an embedder; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or its weights are not installed or are damaged.
    """
    if name not in EMBEDDERS:
        raise UserError(f"There is no identity embedding “{name}”.", f"Choose one of: {', '.join(EMBEDDERS)}.")
    weights.path(name)
    module, attribute = EMBEDDERS[name].split(":")
    return cast(Embedder, getattr(import_module(module), attribute)())
