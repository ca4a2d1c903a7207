"""What the tasks share that ask for one of several options which an item of a set brings."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.items.distractors import same
from benchmark.tasks.attributes import Attributes
from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import Asked, FormSpec
from project.questions import LETTERS
from project.schemes.scheme import Choice, Field, FieldKind
from project.types import Json


class OfChoices(OfSegments):
    """Which of the options of an item is right; the answer is its letter."""

    key: ClassVar[str]
    asks_for: ClassVar[str]
    """What the right option is, in one sentence."""
    facts: ClassVar[Mapping[str, str]] = {}
    """Facts of the item that are told: key -> what they are called."""

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: it is no item of a set, or its options cannot be told apart."""
        frozen = item.frozen
        if frozen is None or not 2 <= len(frozen.options) <= len(LETTERS):
            return "This is asked about items of a set, which bring the options: greenroom benchmark make."
        if not all(frozen.facts.get(key, "").strip() for key in self.facts):
            return "What this is asked about is missing from the item."
        options = [same(one) for one in frozen.options]
        if len({*options}) < len(options) or not all(options):
            # Also where two differed in nothing but what is personal, and are told without it.
            return "Two options of this item are the same as they would be told."
        return ""

    def spec(self, item: Item) -> FormSpec:
        """Return one letter."""
        assert item.frozen is not None
        choices = tuple(Choice(letter, text) for letter, text in zip(LETTERS, item.frozen.options, strict=False))
        field = Field(self.key, FieldKind.CHOICE, "Right option", self.asks_for, choices)
        return FormSpec(self.key, (Asked(field, True),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the facts that are told, or where there are none, the label."""
        assert item.frozen is not None
        if not self.facts:
            return Attributes().given(item)
        return {name: item.frozen.facts[key] for key, name in self.facts.items()}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the letter of the right option; {} for what is no item of a set."""
        return {self.key: LETTERS[item.frozen.place]} if item.frozen is not None and item.frozen.options else {}
