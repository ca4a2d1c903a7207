"""The finders of names there are. A new one is one file and one line here."""

import json
from importlib import import_module
from typing import cast

from models import weights
from models.names.base import NameFinder
from project.errors import UserError

_SPACY = "models.names.spacy_ner:SpacyNames"
FINDERS = {
    "own": _SPACY,
    "own-german": _SPACY,
    "own-spanish": _SPACY,
    "own-french": _SPACY,
    "own-chinese": _SPACY,
    "spacy": _SPACY,
}
"""What a lab brings itself goes before the small English model."""
NEEDS_WEIGHTS = {
    "own": "ner",
    "own-german": "ner-german",
    "own-spanish": "ner-spanish",
    "own-french": "ner-french",
    "own-chinese": "ner-chinese",
    "spacy": "ner-english",
}
ANY_LANGUAGE = "xx"
"""What spaCy writes for a pipeline of several languages."""
_JOIN = "+"


def usual() -> str | None:
    """Return the finders of names whose weights are installed, the first of each language, joined by `+`.

    None where there is none.
    """
    chosen: dict[str, str] = {}
    for name in FINDERS:
        if weights.installed(NEEDS_WEIGHTS[name]):
            language = language_of(name)
            if language not in chosen and ANY_LANGUAGE not in chosen:
                chosen[language] = name
    return _JOIN.join(chosen.values()) or None


def language_of(name: str) -> str:
    """Return the code of the language of a finder whose weights are installed; `xx` for several, or an empty one."""
    try:
        meta = json.loads((weights.path(NEEDS_WEIGHTS[name]) / "meta.json").read_text("utf-8"))
    except (OSError, ValueError):
        return ""
    found = meta.get("lang") if isinstance(meta, dict) else None
    return found if isinstance(found, str) else ""


def languages(names: str | None) -> frozenset[str]:
    """Return the codes of the languages of some finders, as `usual` names them."""
    return frozenset(language_of(name) for name in names.split(_JOIN)) - {""} if names else frozenset()


def name_finder(names: str) -> NameFinder:
    """Make a finder of names; nothing heavy is imported before.

    Args:
        names: a key of `FINDERS`, or several joined by `+`, of which each reads the texts of its language.

    Raises:
        UserError: there is none of that name, or its weights are not installed.
    """
    made = [_finder(name) for name in names.split(_JOIN)]
    if len(made) == 1:
        return made[0]
    from models.names.by_language import NamesByLanguage

    return NamesByLanguage(
        names, [(language_of(name), finder) for name, finder in zip(names.split(_JOIN), made, strict=True)]
    )


def _finder(name: str) -> NameFinder:
    if name not in FINDERS:
        raise UserError(f"There is no finder of names “{name}”.", f"Choose one of: {', '.join(FINDERS)}.")
    module, made = FINDERS[name].split(":")
    return cast(NameFinder, getattr(import_module(module), made)(weights.path(NEEDS_WEIGHTS[name])))
