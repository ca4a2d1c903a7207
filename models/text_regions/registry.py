"""The text detectors there are. A new one is one file and one line here."""

from importlib import import_module
from typing import cast

from models import weights
from models.text_regions.base import TextFinder
from project.errors import UserError

FINDERS = {"binarization": "models.text_regions.binarization:Binarization"}
NEEDS_WEIGHTS = {"binarization": "text-regions"}


def usual() -> str | None:
    """Return the first text detector whose weights are installed; None where there is none."""
    return next((name for name in FINDERS if weights.installed(NEEDS_WEIGHTS[name])), None)


def require(name: str | None) -> str:
    """Return the name of a text detector that can be used.

    Raises:
        UserError: there is none of that name, or its weights are not installed.
    """
    chosen = name or usual() or next(iter(FINDERS))
    if chosen not in FINDERS:
        raise UserError(f"There is no text detector “{chosen}”.", f"Choose one of: {', '.join(FINDERS)}.")
    weights.path(NEEDS_WEIGHTS[chosen])
    return chosen


def text_finder(name: str) -> TextFinder:
    """Make a text detector; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or its weights are not installed.
    """
    module, made = FINDERS[require(name)].split(":")
    return cast(TextFinder, getattr(import_module(module), made)())
