"""How plausible a statement is, on the slider that people have."""

from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.nli import PLAUSIBILITY, OfStatements
from project.types import Json

KEY = "nli_plausibility"


class Plausibility(OfStatements):
    """From 0 to 100, asked outright, as people are (SocialNLI, section 3.4 and appendix B.1)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Plausibility of a statement"
    description: ClassVar[str] = "How likely a statement about a dialogue is true, from 0 to 100."
    prompt: ClassVar[str] = KEY

    def spec(self, item: Item) -> FormSpec:
        """Return the slider of the scheme."""
        return FormSpec(KEY, (Asked(item.scheme.field(PLAUSIBILITY), True),))

    def truth(self, item: Item) -> dict[str, Json]:
        """Return what somebody said."""
        said = item.filled.get(PLAUSIBILITY)
        return {PLAUSIBILITY: said} if isinstance(said, int | float) else {}
