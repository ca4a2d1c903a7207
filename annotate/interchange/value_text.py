"""Form values as text in files of other tools, and back."""

import json
from collections.abc import Callable

from annotate.interchange.bounded_files import load_json
from project.entities.study_records import Json
from project.schemes.scheme import Field, FieldKind, Scheme

_SEPARATOR = ";"


def to_text(value: Json) -> str:
    """Write a value: a text as it is, choices as `one; two`, a number in digits; anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_plain_item(item) for item in value):
        return f"{_SEPARATOR} ".join(str(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def to_value(scheme: Scheme, field: Field, value: Json, participant: Callable[[str], str]) -> Json:
    """Read what a file says about a field: a choice by its key or name, a number in digits, a participant by name.

    `participant` returns the id for a pseudonym or id.
    """
    match field.kind:
        case FieldKind.TEXT:
            value = value if isinstance(value, str) or value is None else to_text(value)
        case FieldKind.CHOICE:
            value = _choice(field, value)
        case FieldKind.CHOICES:
            value = [_choice(field, item) for item in _items(field, value)]
        case FieldKind.SCALE | FieldKind.SLIDER:
            value = _number(value)
        case FieldKind.PARTICIPANT:
            value = participant(value.strip()) if isinstance(value, str) and value.strip() else None
    return scheme.check_value(field.key, value)


def _is_plain_item(item: Json) -> bool:
    return isinstance(item, str) and bool(item) and _SEPARATOR not in item and item == item.strip() and item[0] != "["


def _items(field: Field, value: Json) -> list[Json]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return [value]
    text = value.strip()
    if text.startswith("["):
        try:
            found = load_json(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return found
    if _find(field, text) is not None:
        return [text]
    separator = next((sign for sign in (_SEPARATOR, "|", ",") if sign in text), _SEPARATOR)
    return [item.strip() for item in text.split(separator) if item.strip()]


def _choice(field: Field, value: Json) -> Json:
    if not isinstance(value, str):
        return value
    return _find(field, value.strip()) or value.strip()


def _find(field: Field, text: str) -> str | None:
    if any(choice.key == text for choice in field.choices):
        return text
    folded = text.casefold()
    fits = [c.key for c in field.choices if folded in (c.key.casefold(), c.name.casefold())]
    return fits[0] if len(fits) == 1 else None


def _number(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text:
        return None
    try:
        number = float(text.replace(",", ".", 1))
        return int(number) if number.is_integer() else number
    except (ValueError, OverflowError):
        return value
