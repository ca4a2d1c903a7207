"""Error or no error."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import Asked, FormSpec
from benchmark.tasks.labels import YES_NO, error_of
from project.schemes.scheme import Field, FieldKind
from project.types import Json

KEY = "error"


class ErrorTask(OfSegments):
    """Whether there is an error (SHREC, section 4.1 and appendix B, example 2: social error or none)."""

    key: ClassVar[str] = KEY
    name: ClassVar[str] = "Error or not"
    description: ClassVar[str] = "Whether the segment shows an error."
    prompt: ClassVar[str] = "error"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the track has no label for errors."""
        return "" if error_of(item) else f"{item.scheme.name} has no label “error” for “{item.track}”."

    def spec(self, item: Item) -> FormSpec:
        """Return yes or no."""
        label = error_of(item)
        assert label is not None
        return FormSpec(KEY, (Asked(Field(KEY, FieldKind.CHOICE, label.name, label.definition, YES_NO), True),))

    def given(self, item: Item) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: footage and words are all that is shown."""
        return {}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return whether the label is that of errors."""
        return {KEY: "yes" if item.label == KEY else "no"} if item.label else {}
