"""What the tasks share: the labels of a segment as choices, and which of its fields are its attributes."""

from benchmark.tasks.base import Item
from benchmark.tasks.form import NONE, Asked, label_field
from project.schemes.scheme import Choice, Extent, Field, FieldKind, Label
from project.types import Verdict

_NOTHING = Choice(NONE, "None", "Nothing of the kind is to be seen here.")
YES_NO = (Choice("yes", "Yes"), Choice("no", "No"))


def labels_of(item: Item) -> tuple[Choice, ...]:
    """Return the labels of an item's track as choices; `none` is among them where a span may be of no label.

    A track that rates whole recordings always has one of its labels.
    """
    track = item.scheme.lane(item.track)
    found = tuple(Choice(one.key, one.name, one.definition) for one in track.labels)
    if track.extent is Extent.SPAN and track.label(NONE) is None:
        found = (*found, _NOTHING)
    return found


def asked_label(item: Item) -> Asked:
    """Return the question for the label."""
    return Asked(label_field("Label", labels_of(item)), required=True)


def why_no_label(item: Item) -> str:
    """Return why no label can be asked for; "" where one can."""
    if not item.scheme.lane(item.track).labels:
        return f"{item.scheme.name} has no labels for “{item.track}” any more."
    return ""


def label_named(item: Item, key: str) -> Label | None:
    """Return a label of the item's track."""
    return item.scheme.lane(item.track).label(key)


def error_of(item: Item) -> Label | None:
    """Return the label that says that something went wrong; None where the track has none."""
    return label_named(item, Verdict.ERROR.value)


def attributes_of(item: Item) -> Field | None:
    """Return the field that says what a segment is about: the first of the track in which several are chosen."""
    fields = item.scheme.fields_of(item.track)
    return next((field for field in fields if field.kind is FieldKind.CHOICES), None)


def why_no_attributes(item: Item) -> str:
    """Return why attributes cannot be asked for; "" where they can."""
    field = attributes_of(item)
    if field is None:
        return f"{item.scheme.name} has no field in which several are chosen."
    if not item.label or label_named(item, item.label) is None or not field.applies_to(item.label):
        return f"{field.name} are asked for where a label is known, and this segment has none that they belong to."
    return ""
