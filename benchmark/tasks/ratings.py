"""How well somebody did, on seven dimensions with a reason each."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import LONGEST_REASON, Asked, FormSpec
from project.schemes.loader import load_scheme
from project.schemes.scheme import NUMBERS, FieldKind
from project.types import Json

SCHEME = "sotopia-eval"
_REASON = "_reason"


class Ratings(OfSegments):
    """The seven dimensions of SOTOPIA-EVAL (section 3 and its appendix), a whole number and a reason each.

    Whose they are is told: the participant whom the segment rates; of a segment that rates nobody, the agent, or who
    is named first. Its fields have the keys of the scheme `sotopia-eval`.
    """

    key: ClassVar[str] = "ratings"
    name: ClassVar[str] = "Ratings"
    description: ClassVar[str] = "Seven dimensions of how a participant did, each with a reason."
    prompt: ClassVar[str] = "ratings"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: nobody is known who could be rated."""
        return "" if _rated(item) else "Nobody is known to take part, so nobody can be rated. Add participants first."

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return reason and number of each dimension: who gives a reason first, gives the better number."""
        scheme = load_scheme(SCHEME)
        asked = []
        for field in scheme.fields:
            if field.kind in NUMBERS:
                asked += [
                    Asked(scheme.field(field.key + _REASON), longest=LONGEST_REASON),
                    Asked(field, required=True),
                ]
        return FormSpec(self.key, tuple(asked))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return who is rated."""
        return {"Who is rated": _rated(item)}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the ratings of a segment of the scheme `sotopia-eval`."""
        if item.scheme.key != SCHEME:
            return {}
        asked = self.spec(item)
        values = item.scheme.placed(item.track, item.filled)
        found = {key: value for key, value in values.items() if asked.asks(key)}
        return found if all(one.field.key in found for one in asked.asked if one.required) else {}


def _rated(item: Item) -> str:
    names = {who: label for label, who in item.people}
    for field in item.scheme.fields_of(item.track):
        if field.kind is FieldKind.PARTICIPANT and item.filled.get(field.key) in names:
            return names[str(item.filled[field.key])]
    return item.agent or next((label for label, _ in item.people), "")
