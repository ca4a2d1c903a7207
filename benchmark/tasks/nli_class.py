"""What a statement is about: how things are, what somebody believes, or what somebody feels."""

from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import LABEL, FormSpec
from benchmark.tasks.labels import asked_label
from benchmark.tasks.nli import OfStatements
from project.types import Json

KEY = "nli_class"


class StatementClass(OfStatements):
    """One of the scheme's labels: reality, belief or emotion (SocialNLI, appendices A.2 and C.9)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Class of a statement"
    description: ClassVar[str] = "Whether a statement is about reality, a belief or an emotion."
    prompt: ClassVar[str] = KEY

    def spec(self, item: Item) -> FormSpec:
        """Return the label."""
        return FormSpec(KEY, (asked_label(item),))

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the label."""
        return {LABEL: item.label} if item.label else {}
