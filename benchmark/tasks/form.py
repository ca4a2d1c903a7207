"""What an answer to a task consists of, as data: for a form that a person fills in, and for a model's schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from project.schemes.scheme import Choice, Field, FieldKind
from project.types import Json

LABEL = "label"
"""Key of the field that holds a segment's label in an answer; no field of a scheme may shadow it."""
NONE = "none"
"""The label of a segment in which nothing of the sort is to be seen."""
LONGEST_TEXT = 600
LONGEST_REASON = 240


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that is asked.

    Attributes:
        field: how it is filled in; its `only_for` names the labels that it belongs to.
        required: it must be answered; else it may be left open.
        longest: of a text, in characters.
    """

    field: Field
    required: bool = False
    longest: int = LONGEST_TEXT


@dataclass(frozen=True, slots=True)
class FormSpec:
    """Everything that one answer consists of.

    Attributes:
        name: short, of letters, digits and `_`.
        asked: in the order in which it is answered.
        people: what a person is called in this request -> participant id, for fields of the kind `participant`.
    """

    name: str
    asked: tuple[Asked, ...]
    people: tuple[tuple[str, str], ...] = ()

    def asks(self, key: str) -> bool:
        """Tell whether a field is among what is asked."""
        return any(one.field.key == key for one in self.asked)

    def as_json(self) -> dict[str, Json]:
        """Return what `form_from` reads: enough to make the schema and to read an answer, without the definitions."""
        return {
            "name": self.name,
            "asked": [_asked_json(one) for one in self.asked],
            "people": [[label, who] for label, who in self.people],
        }


def form_from(found: Mapping[str, Json]) -> FormSpec:
    """Read what `FormSpec.as_json` made."""
    asked = tuple(_asked(one) for one in cast(list[dict[str, Json]], found["asked"]))
    people = cast(list[list[str]], found["people"])
    return FormSpec(str(found["name"]), asked, tuple((label, who) for label, who in people))


@lru_cache(maxsize=64)
def bare(spec: FormSpec) -> FormSpec:
    """Return a form as `FormSpec.as_json` keeps it: the same before and after its way to another process."""
    return form_from(spec.as_json())


def label_field(name: str, choices: tuple[Choice, ...], definition: str = "") -> Field:
    """Return the field that holds a label."""
    return Field(LABEL, FieldKind.CHOICE, name, definition, choices)


def _asked_json(one: Asked) -> dict[str, Json]:
    field = one.field
    return {
        "key": field.key,
        "kind": field.kind.value,
        "name": field.name,
        "choices": [[choice.key, choice.name] for choice in field.choices],
        "only_for": [*field.only_for],
        "range": [field.minimum, field.maximum, field.step],
        "required": one.required,
        "longest": one.longest,
    }


def _asked(found: Mapping[str, Json]) -> Asked:
    choices = tuple(Choice(key, name) for key, name in cast(list[list[str]], found["choices"]))
    minimum, maximum, step = cast(list[float], found["range"])
    field = Field(
        str(found["key"]),
        FieldKind(str(found["kind"])),
        str(found["name"]),
        choices=choices,
        only_for=tuple(cast(list[str], found["only_for"])),
        minimum=minimum,
        maximum=maximum,
        step=step,
    )
    return Asked(field, bool(found["required"]), cast(int, found["longest"]))
