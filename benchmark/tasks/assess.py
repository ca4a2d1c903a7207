"""Everything that an annotator would fill in."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

from benchmark.tasks.base import Item, OfSegments
from benchmark.tasks.form import LABEL, Asked, FormSpec
from benchmark.tasks.labels import asked_label, why_no_label
from project.schemes.scheme import Field, FieldKind
from project.types import Json

_GIVEN = {("socialnli", "statement")}
"""Fields by scheme and key that say what a segment is about, so that they are told and not asked for."""


class Assess(OfSegments):
    """The whole form of a segment's scheme: its label or none, and every field of its track.

    SHREC, section 3: verdict, attributes, channel, rationale and, for an error, what should have been done instead.
    In other schemes it is whatever their form holds.
    """

    key: ClassVar[str] = "assess"
    name: ClassVar[str] = "Whole form"
    description: ClassVar[str] = "Label and all fields of the segment's form."
    prompt: ClassVar[str] = "assess"

    def why_not(self, item: Item) -> str:
        """Return why it cannot be asked: the scheme has no labels for the track."""
        if any(field.key == LABEL for field in item.scheme.fields_of(item.track)):
            return f"{item.scheme.name} has a field called “{LABEL}”, as the label is called in an answer."
        return why_no_label(item)

    def spec(self, item: Item) -> FormSpec:
        """Return the label and the fields that are not told."""
        fields = tuple(Asked(field) for field in _fields(item) if not _told(item, field))
        return FormSpec(self.key, (asked_label(item), *fields), tuple(item.people))

    def given(self, item: Item) -> Mapping[str, str]:
        """Return the fields that say what the segment is about."""
        names = {who: label for label, who in item.people}
        found = {}
        for field in _fields(item):
            if _told(item, field):
                value = str(item.filled[field.key])
                found[field.name] = names.get(value, value) if field.kind is FieldKind.PARTICIPANT else value
        return found

    def truth(self, item: Item) -> dict[str, Json]:
        """Return the label and the values that are asked for."""
        if not item.label:
            return {}
        asked = self.spec(item)
        values = item.scheme.placed(item.track, item.filled)
        return {LABEL: item.label} | {key: value for key, value in values.items() if asked.asks(key)}


def _fields(item: Item) -> Iterator[Field]:
    """Yield the fields of the track that can be answered: nobody can be named where nobody is known."""
    for field in item.scheme.fields_of(item.track):
        if field.kind is not FieldKind.PARTICIPANT or item.people:
            yield field


def _told(item: Item, field: Field) -> bool:
    about = field.kind is FieldKind.PARTICIPANT or (item.scheme.key, field.key) in _GIVEN
    return about and bool(item.filled.get(field.key))
