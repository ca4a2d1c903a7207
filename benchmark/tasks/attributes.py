"""Which attributes, given the verdict."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.labels import attributes_of, label_named, why_no_attributes
from project.types import Json


class Attributes(OfSegments):
    """Which of the attributes a segment is about, given its label (SHREC, section 4.1 and appendix B, example 3)."""

    key: ClassVar[str] = "attributes"
    name: ClassVar[str] = "Attributes"
    description: ClassVar[str] = "Which attributes the segment is about, given its label."
    prompt: ClassVar[str] = "attributes"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: no such field, or no label is known."""
        return why_no_attributes(item)

    def spec(self, item: Item) -> FormSpec:
        """Return the field in which several are chosen."""
        field = attributes_of(item)
        assert field is not None
        return FormSpec(self.key, (Asked(field),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the label."""
        label = label_named(item, item.label)
        return {"Label": label.name if label else item.label}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the attributes that are filled in."""
        field = attributes_of(item)
        values = item.scheme.placed(item.track, item.filled)
        return {field.key: values[field.key]} if field and field.key in values else {}
