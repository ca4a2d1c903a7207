"""More than one attribute, or a single one."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.attributes import Attributes
from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.labels import YES_NO, attributes_of, why_no_attributes
from project.schemes.scheme import Field, FieldKind
from project.types import Json

KEY = "multiple"


class Multiple(OfSegments):
    """Whether a segment is about more than one attribute, given its label (SHREC, appendix B, example 4)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Several attributes"
    description: ClassVar[str] = "Whether the segment is about more than one attribute, given its label."
    prompt: ClassVar[str] = "multiple"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: no field of attributes, or no label is known."""
        return why_no_attributes(item)

    def spec(self, item: Item) -> FormSpec:  # noqa: ARG002
        """Return yes or no."""
        return FormSpec(KEY, (Asked(Field(KEY, FieldKind.CHOICE, "More than one", "", YES_NO), True),))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the label."""
        return Attributes().given(item)

    def truth(self, item: Item) -> dict[str, Json]:
        """Return whether more than one attribute is filled in."""
        field = attributes_of(item)
        values = item.scheme.placed(item.track, item.filled)
        chosen = values.get(field.key) if field else None
        return {KEY: "yes" if len(chosen) > 1 else "no"} if isinstance(chosen, list) else {}
