"""What tasks about statements share: a statement about a dialogue, frozen from a segment of the scheme `socialnli`."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import FormSpec
from benchmark.tasks.worded import asked_text
from project.judging import Modality
from project.types import Json

SCHEME = "socialnli"
STATEMENT, PLAUSIBILITY, EXPLANATION = "statement", "plausibility", "explanation"
"""Keys of the scheme's fields; an explanation is answered under the same key."""
STATEMENT_TOLD, EXPLANATION_TOLD, STANCE_TOLD = "The statement", "The explanation", "What the explanation is for"
LONGEST_STATEMENT, LONGEST_EXPLANATION = 240, 400


class OfStatements(OfSegments):
    """What tasks about statements share."""

    material: ClassVar[tuple[str, ...]] = ()
    shows: ClassVar[Modality] = Modality.BOTH

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: there is no statement."""
        return (
            ""
            if statement_of(item)
            else "This is asked about the statements of a frozen set. Make one of the task socialnli."
        )

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the statement."""
        return {STATEMENT_TOLD: statement_of(item)}


class ExplainTask(OfStatements):
    """One sentence that takes a side; `about` says what it tells."""

    key: ClassVar[str]
    about: ClassVar[str]

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return one sentence."""
        return FormSpec(self.key, (asked_text(EXPLANATION, "Reason", LONGEST_EXPLANATION, self.about),))

    def truth(self, item: Item) -> dict[str, Json]:  # noqa: ARG002
        """Return nothing: many reasons are good."""
        return {}


def statement_of(item: Item) -> str:
    """Return the statement that an item is about, in the words in which it is told; "" for none."""
    return item.frozen.facts.get(STATEMENT, "") if item.frozen is not None and item.scheme.key == SCHEME else ""
