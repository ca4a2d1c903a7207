"""Finds what is personal in texts of the recordings of somebody who withdraws: by the rules of personal information."""

from collections.abc import Sequence

from anonymize.pii.finding import PersonalFinder as RuleFinder
from anonymize.pii.hit import LIKELY
from models.names import registry
from models.names.base import NameFinder
from project.withdrawing.personal import PersonalString, contacts_in


class TextFinder:
    """Finds personal strings, each text once: what would be removed is worked out several times before it is done.

    Attributes:
        model: key of the model of names that is used beside the rules; "" for none.
    """

    def __init__(self, *, with_model: bool = False) -> None:
        """Get ready; a model of names is loaded into this process, so the window goes without."""
        self.model = (registry.usual() or "") if with_model else ""
        self._names: NameFinder | None = registry.name_finder(self.model) if self.model else None
        self._finder = RuleFinder(names=self._names)
        self._known: dict[str, list[PersonalString]] = {}

    def __call__(self, texts: Sequence[str]) -> list[list[PersonalString]]:
        """Return what is personal in each text, but for what the rules are unsure of."""
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, hits in zip(new, self._finder.find_all(new), strict=True):
            found = [PersonalString(hit.kind, hit.text) for hit in hits if hit.score >= LIKELY]
            self._known[text] = [*dict.fromkeys((*found, *contacts_in(text)))]
        return [self._known[text] for text in texts]
