"""Which label: competence, error or none."""

from collections.abc import Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import LABEL, FormSpec
from benchmark.tasks.labels import asked_label, why_no_label
from project.types import Json


class Verdict(OfSegments):
    """The label alone.

    SHREC, section 4.1 and appendix B, example 1: social competence, social error or none. In other schemes, the
    labels of the segment's track.
    """

    key: ClassVar[str] = "verdict"
    name: ClassVar[str] = "Verdict"
    description: ClassVar[str] = "Which label the segment has, or none."
    prompt: ClassVar[str] = "verdict"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the scheme has no labels for the track."""
        return why_no_label(item)

    def spec(self, item: Item) -> FormSpec:
        """Return the label."""
        return FormSpec(self.key, (asked_label(item),))

    def given(self, item: Item) -> Mapping[str, str]:  # noqa: ARG002
        """Return nothing: footage and words are all that is shown."""
        return {}

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the label."""
        return {LABEL: item.label} if item.label else {}
