"""The name finder interface and registry; each finder reads the texts of its language.

A new finder is one file and one line here.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from models.weights import installed_weights
from models.weights.model_plugins import InferenceModel, ModelPlugins
from project.entities.study_records import Json
from project.session.optional_parts import NAMES

PERSON_LABELS = frozenset({"PERSON", "PER"})
"""What pipelines call the name of a person: English ones the first, those of other languages the second."""


@dataclass(frozen=True, slots=True)
class NameSpan:
    """A stretch of a text that a model takes for a name.

    Attributes:
        end: after the last character.
        kind: `person`, `place` or `organisation`.
        score: 0 to 1; what the model is worth where it says no score itself.
        source: key of the model, where several are asked; "" where there is one.
    """

    start: int
    end: int
    kind: str
    score: float
    source: str = ""


class NameFinder(InferenceModel, Protocol):
    """Finds names in texts."""

    def find_all(self, texts: Sequence[str]) -> list[list[NameSpan]]:
        """Return the names in each of some texts."""
        ...


_WEIGHTS = {
    "own": "ner",
    "own-german": "ner-german",
    "own-spanish": "ner-spanish",
    "own-french": "ner-french",
    "own-chinese": "ner-chinese",
    "spacy": "ner-english",
    "spacy-french": "ner-french-small",
}
FINDERS = ModelPlugins[NameFinder](
    "finder of names", dict.fromkeys(_WEIGHTS, "models.names.spacy_names:SpacyNames"), weights=_WEIGHTS
)
"""What a lab brings itself goes before the small models of the catalogue."""
WEIGHTS_BY_LANGUAGE = {
    "en": "ner-english",
    "de": "ner-german",
    "es": "ner-spanish",
    "fr": "ner-french-small",
    "zh": "ner-chinese",
}
"""The weights to get where texts are in a language of which no model of names is installed."""
ANY_LANGUAGE = "xx"
"""What spaCy writes for a pipeline of several languages."""
_JOIN = "+"


def default_finders() -> str | None:
    """Return the finders of names whose weights are installed, the first of each language, joined by `+`.

    A pipeline that finds no names of persons is none. None where there is none.
    """
    chosen: dict[str, str] = {}
    for name in FINDERS:
        if FINDERS.is_installed(name):
            language = finder_language(name)
            if language and language not in chosen and ANY_LANGUAGE not in chosen:
                chosen[language] = name
    return _JOIN.join(chosen.values()) or None


def finder_language(name: str) -> str:
    """Return the code of the language in which an installed finder finds names of persons; `xx` for several.

    "" where its pipeline finds none, or does not say which language it is of.
    """
    meta = _meta(name)
    language, labels, disabled = meta.get("lang"), meta.get("labels"), meta.get("disabled")
    if not isinstance(language, str) or not isinstance(labels, dict):
        return ""
    idle = disabled if isinstance(disabled, list) else []
    found = {label for part, names in labels.items() if part not in idle and isinstance(names, list) for label in names}
    return language if found & PERSON_LABELS else ""


def describe_finders(names: str | None) -> list[str]:
    """Return the weights' name, and the pipeline's name and version, of finders joined as by `default_finders`."""
    made = []
    for name in names.split(_JOIN) if names else []:
        meta = _meta(name)
        pipeline = f"{meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}".strip()
        made.append(f"{FINDERS.weights[name]} ({pipeline})")
    return made


def finders_fingerprint(names: str | None) -> str:
    """Return what tells apart models that were installed under the same names one after another; "" for none."""
    if not names:
        return ""
    states = [
        f"{name} {inside} {state.st_size} {state.st_mtime_ns}"
        for name in names.split(_JOIN)
        for inside, file in sorted(
            installed_weights.list_files(installed_weights.weights_location(FINDERS.weights[name])).items()
        )
        for state in (file.stat(),)
    ]
    return hashlib.sha256("\n".join(states).encode()).hexdigest()


def _meta(name: str) -> dict[str, Json]:
    """Return what a pipeline says of itself; nothing where that cannot be read."""
    try:
        meta = json.loads((installed_weights.verified_path(FINDERS.weights[name]) / "meta.json").read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return meta if isinstance(meta, dict) else {}


def finder_languages(names: str | None) -> frozenset[str]:
    """Return the codes of the languages of finders joined as by `default_finders`."""
    return frozenset(finder_language(name) for name in names.split(_JOIN)) - {""} if names else frozenset()


def create_name_finder(names: str) -> NameFinder:
    """Make a finder of names, or of several joined by `+` one that lets each read the texts of its language."""
    NAMES.require()
    made = [FINDERS.make(name, FINDERS.require_installed(name)) for name in names.split(_JOIN)]
    if len(made) == 1:
        return made[0]
    return NamesByLanguage(
        names, [(finder_language(name), finder) for name, finder in zip(names.split(_JOIN), made, strict=True)]
    )


class NamesByLanguage:
    """Asks each model about the texts of its language, and every model about texts whose language is unclear."""

    def __init__(
        self,
        key: str,
        models: Sequence[tuple[str, NameFinder]],
        language_of: Callable[[str], str] | None = None,
    ) -> None:
        """Get ready with a model for each language (ISO 639).

        `language_of` tells the code of a text, "" where it cannot; without it, every model reads every text.
        """
        self.key = key
        self._models = [*models]
        self.language_of = language_of
        self.parameters: Mapping[str, Json] = {language: dict(model.parameters) for language, model in models}

    def find_all(self, texts: Sequence[str]) -> list[list[NameSpan]]:
        """Return the names in each of some texts."""
        codes = [self.language_of(text) if self.language_of else "" for text in texts]
        found: list[list[NameSpan]] = [[] for _ in texts]
        for language, model in self._models:
            mine = [at for at, code in enumerate(codes) if not code or language in (code, ANY_LANGUAGE)]
            for at, names in zip(mine, model.find_all([texts[at] for at in mine]), strict=True):
                found[at] += [replace(name, source=model.key) for name in names]
        return found
