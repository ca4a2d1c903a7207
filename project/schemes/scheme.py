"""What can be said about a segment: the form, as data."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from project.errors import UserError
from project.types import Json, Verdict


class FieldKind(StrEnum):
    """How a field is filled in, and what its value is."""

    CHOICES = "choices"
    """Several of the choices: a list of their keys, in the scheme's order."""
    CHOICE = "choice"
    """One of the choices: its key."""
    TEXT = "text"
    """Free text."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One answer of a field. `shortcut` is a key, or ""."""

    key: str
    name: str
    definition: str = ""
    shortcut: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Field:
    """One field of the form; `only_for` are the verdicts that it belongs to, empty for all."""

    key: str
    kind: FieldKind
    name: str
    definition: str = ""
    choices: tuple[Choice, ...] = ()
    shortcut: str = ""
    only_for: tuple[Verdict, ...] = ()

    def applies_to(self, verdict: Verdict) -> bool:
        """Tell whether a segment with this verdict has the field."""
        return not self.only_for or verdict in self.only_for


@dataclass(frozen=True, slots=True)
class Label:
    """One verdict as a track shows it; `colour` names one of the theme's colours. The key is a `Verdict`."""

    key: str
    name: str
    definition: str = ""
    colour: str = ""
    shortcut: str = ""
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Track:
    """A kind of lane, and the labels that its segments can have."""

    key: str
    name: str
    labels: tuple[Label, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """Which fields a segment with this verdict needs before the work on it is done."""

    verdict: Verdict
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scheme:
    """What can be annotated. Values are stored under `key` and `version`, so that a new version breaks no old study."""

    key: str
    name: str
    version: int
    tracks: tuple[Track, ...]
    fields: tuple[Field, ...]
    rules: tuple[Rule, ...] = ()

    def field(self, key: str) -> Field:
        """Return one field.

        Raises:
            UserError: the scheme has none of that key.
        """
        for field in self.fields:
            if field.key == key:
                return field
        known = ", ".join(field.key for field in self.fields)
        raise UserError(f"{self.name} has no field “{key}”.", f"Choose one of {known}.")

    def check_value(self, key: str, value: Json) -> Json:
        """Return a value as it is stored: choices without repeats and in the scheme's order, None for nothing.

        Raises:
            UserError: the scheme has no such field, or the value does not fit it.
        """
        field = self.field(key)
        if value is None or value in ("", []):
            return None
        match field.kind:
            case FieldKind.TEXT:
                if not isinstance(value, str):
                    raise UserError(f"{field.name} is a text.", "Give it as text.")
                return value if value.strip() else None
            case FieldKind.CHOICE:
                return _known(field, [value])[0]
            case FieldKind.CHOICES:
                if not isinstance(value, list):
                    raise UserError(f"{field.name} is a list of choices.", "Give a list, even for one.")
                wanted = _known(field, value)
                return [choice.key for choice in field.choices if choice.key in wanted]

    def missing(self, verdict: Verdict, values: Mapping[str, Json]) -> tuple[str, ...]:
        """Return the fields that a segment with this verdict needs and does not have yet."""
        return tuple(
            key
            for rule in self.rules
            if rule.verdict is verdict
            for key in rule.needs
            if values.get(key) in (None, "", [])
        )


def _known(field: Field, values: list[Json]) -> list[str]:
    keys = [choice.key for choice in field.choices]
    for value in values:
        if value not in keys:
            raise UserError(f"“{value}” is not one of the choices of {field.name}.", f"Choose from {', '.join(keys)}.")
    return [str(value) for value in values]
