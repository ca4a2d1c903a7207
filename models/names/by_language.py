"""Names found by several models, each in the texts of its language.

A model takes every other word of another language for a name; so it reads none that is surely in another one.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from models.names.base import Named, NameFinder
from project.types import Json

_ANY = "xx"


class NamesByLanguage:
    """Asks each model about the texts of its language, and every model about texts whose language is unclear."""

    def __init__(
        self,
        key: str,
        models: Sequence[tuple[str, NameFinder]],
        language_of: Callable[[str], str] | None = None,
    ) -> None:
        """Get ready.

        Args:
            key: name of all of them together.
            models: code of a language (ISO 639), and its model.
            language_of: tells the code of a text; "" where it cannot. Without, every model reads every text.
        """
        self.key = key
        self._models = [*models]
        self.language_of = language_of

    @property
    def parameters(self) -> Mapping[str, Json]:
        """What the answers of each model depend on."""
        return {language: dict(model.parameters) for language, model in self._models}

    def find_all(self, texts: Sequence[str]) -> list[list[Named]]:
        """Return the names in each of some texts."""
        codes = [self.language_of(text) if self.language_of else "" for text in texts]
        found: list[list[Named]] = [[] for _ in texts]
        for language, model in self._models:
            mine = [at for at, code in enumerate(codes) if not code or language in (code, _ANY)]
            for at, names in zip(mine, model.find_all([texts[at] for at in mine]), strict=True):
                found[at] += [replace(name, source=model.key) for name in names]
        return found
