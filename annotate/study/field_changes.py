"""Fields of a scheme that get another key or kind, and the values that were filled in under them."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from project.entities.study_records import FieldValue, Json
from project.queries.segment_rows import replace_values, values_of_fields
from project.schemes.scheme import Field, FieldKind, Scheme
from project.store.study import Study

_SEPARATOR = "; "
"""Between the choices that become a text."""


@dataclass(frozen=True, slots=True)
class FieldChange:
    """A field before and after, whose key or kind is another one."""

    before: Field
    after: Field

    def new_value(self, value: Json) -> Json:
        """Return a value as the field holds it afterwards; None where it cannot."""
        converted = convert_value(self.before, self.after, value)
        return converted if self.after.holds(converted) else None


def find_field_changes(base: Scheme, scheme: Scheme, keys: Mapping[str, str]) -> tuple[FieldChange, ...]:
    """Return the fields of a scheme that have another key or kind in another version of it.

    `keys` has the keys of fields before and after; those that it does not name are gone.
    """
    now = {known.key: known for known in scheme.fields}
    changes = [FieldChange(known, now[keys[known.key]]) for known in base.fields if keys.get(known.key) in now]
    return tuple(
        change for change in changes if (change.before.key, change.before.kind) != (change.after.key, change.after.kind)
    )


def convert_value(before: Field, after: Field, value: Json) -> Json:
    """Return a value of a field as another field of this kind holds it; None where that cannot hold it.

    Choices are found by key, then by name. A text has the names of choices, and numbers as they are written. Whom a
    segment is about is held by no other kind.
    """
    if before.kind is after.kind:
        return value
    if FieldKind.PARTICIPANT in (before.kind, after.kind):
        return None
    parts = value if isinstance(value, list) else [value]
    texts = [_part_text(before, part) for part in parts]
    match after.kind:
        case FieldKind.TEXT:
            return _SEPARATOR.join(texts)
        case FieldKind.CHOICE | FieldKind.CHOICES:
            found = {_find_choice(after, part, text) for part, text in zip(parts, texts, strict=True)}
            if "" in found or (after.kind is FieldKind.CHOICE and len(found) != 1):
                return None
            chosen = [choice.key for choice in after.choices if choice.key in found]
            return chosen[0] if after.kind is FieldKind.CHOICE else [*chosen]
        case _:
            return _number_in(after, texts[0]) if len(texts) == 1 else None


def _part_text(field: Field, part: Json) -> str:
    if isinstance(part, int | float):
        return f"{part:g}"
    return next((choice.name for choice in field.choices if choice.key == part), str(part)).strip()


def _find_choice(field: Field, part: Json, text: str) -> str:
    """Return the key of the choice that a value or its text names; "" where none is."""
    named = {choice.name.casefold(): choice.key for choice in field.choices}
    return next((choice.key for choice in field.choices if choice.key == part), named.get(text.casefold(), ""))


def _number_in(field: Field, text: str) -> int | float | None:
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    if not math.isfinite(number) or not field.minimum <= number <= field.maximum:
        return None
    if float(number).is_integer():
        return int(number)
    whole = field.kind is FieldKind.SCALE or float(field.step).is_integer()
    return None if whole else number


def apply_field_changes(study: Study, scheme: Scheme, changes: Sequence[FieldChange]) -> None:
    """Give the values of changed fields their new key and form, under this version of the scheme; inside a step.

    A value that its field cannot hold stays as it was filled in. Values of earlier versions follow the newest one of
    their segment, so that none of them comes to light again.
    """
    by_key: Mapping[str, FieldChange] = {change.before.key: change for change in changes}
    groups: dict[tuple[str, str], list[FieldValue]] = {}
    for value in values_of_fields(study, scheme.key, [*by_key]):
        groups.setdefault((value.segment_id, value.field), []).append(value)
    kept: list[FieldValue] = []
    for (_, key), values in groups.items():
        change = by_key[key]
        *_, newest = sorted(values, key=lambda value: value.version)
        if change.new_value(newest.value) is None:
            kept += values
            continue
        for value in values:
            new = change.new_value(value.value)
            version = scheme.version if value is newest else value.version
            changed = replace(value, field=change.after.key, value=new, version=version)
            kept.append(value if new is None else changed)
    replace_values(study, scheme.key, [*by_key], kept)
