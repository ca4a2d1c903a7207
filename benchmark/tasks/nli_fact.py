"""Whether what an explanation says of a dialogue is right."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.nli import (
    EXPLANATION,
    EXPLANATION_TOLD,
    STANCE_TOLD,
    STATEMENT_TOLD,
    OfStatements,
    statement_of,
)
from project.schemes.scheme import Choice, Field, FieldKind
from project.types import Json

KEY = "nli_fact"
ACCURATE = "accurate"
YES, NO = "yes", "no"
STANCE = "stance"
"""Key of what an explanation is for, among the facts of an item."""
_CHOICES = (
    Choice(YES, "Accurate", "Everything that it says happened is in the dialogue, and means what it says it means."),
    Choice(NO, "Not accurate", "It says something that is not in the dialogue, or reads it wrongly."),
)


class FactCheck(OfStatements):
    """Yes or no about one explanation, whoever wrote it (SocialNLI, section 4.3)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Fact-check of an explanation"
    description: ClassVar[str] = "Whether an explanation of a statement is accurate."
    prompt: ClassVar[str] = KEY

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no statement, or no explanation."""
        return super().why_not(item) or ("" if _explanation(item) else "There is no explanation to check.")

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return yes or no."""
        return FormSpec(KEY, (Asked(Field(ACCURATE, FieldKind.CHOICE, "Accuracy", "", _CHOICES), True),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return statement and explanation, without who wrote it."""
        told = {STATEMENT_TOLD: statement_of(item), EXPLANATION_TOLD: _explanation(item)}
        stance = item.frozen.facts.get(STANCE, "") if item.frozen else ""
        return {**told, **({STANCE_TOLD: stance} if stance else {})}

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: what people answer is the figure."""
        return {}


def _explanation(item: Item) -> str:
    return item.frozen.facts.get(EXPLANATION, "") if item.frozen is not None else ""
