"""The finders of names there are. A new one is one file and one line here."""

from importlib import import_module
from typing import cast

from models import weights
from models.names.base import NameFinder
from project.errors import UserError

FINDERS = {"own": "models.names.spacy_ner:SpacyNames", "spacy": "models.names.spacy_ner:SpacyNames"}
"""What a lab brings itself goes before the small English model."""
NEEDS_WEIGHTS = {"own": "ner", "spacy": "ner-english"}


def usual() -> str | None:
    """Return the first finder of names whose weights are installed; None where there is none."""
    return next((name for name in FINDERS if weights.installed(NEEDS_WEIGHTS[name])), None)


def name_finder(name: str) -> NameFinder:
    """Make a finder of names; nothing heavy is imported before.

    Raises:
        UserError: there is none of that name, or its weights are not installed.
    """
    if name not in FINDERS:
        raise UserError(f"There is no finder of names “{name}”.", f"Choose one of: {', '.join(FINDERS)}.")
    module, made = FINDERS[name].split(":")
    return cast(NameFinder, getattr(import_module(module), made)(weights.path(NEEDS_WEIGHTS[name])))
