"""Makes answers that a form's schema allows, without a model."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from project.types import Json

WORDS = "No reason is given."
"""Stands where a text is needed."""

Choose = Callable[[Sequence[Json]], Json]
"""Picks one of several values."""
Several = Callable[[Sequence[Json]], list[Json]]
"""Picks any number of several values."""


def answer_in(schema: Mapping[str, Json], choose: Choose, several: Several) -> dict[str, Json]:
    """Return an answer in a form.

    Args:
        schema: of an object.
        choose: picks a value where one of a list is asked for; an answer that may be left open has None among them.
        several: picks the items of a list.
    """
    properties = cast(Mapping[str, Mapping[str, Any]], schema.get("properties", {}))
    return {key: _value(each, choose, several) for key, each in properties.items()}


def texts_in(schema: Mapping[str, Json]) -> frozenset[str]:
    """Return the keys of an object that hold free text."""
    properties = cast(Mapping[str, Mapping[str, Any]], schema.get("properties", {}))
    return frozenset(key for key, each in properties.items() if _free(each))


def _free(schema: Mapping[str, Any]) -> bool:
    return any(map(_free, schema.get("anyOf", ()))) or (schema.get("type") == "string" and _values(schema) is None)


def _value(schema: Mapping[str, Any], choose: Choose, several: Several) -> Json:
    found = _values(schema)
    if found is not None:
        return choose(found)
    if schema.get("type") == "array":
        items = _values(schema.get("items", {})) or []
        return several(items)
    if schema.get("type") == "object":
        return answer_in(schema, choose, several)
    if schema.get("type") in ("number", "integer"):
        return cast(Json, schema.get("minimum", 0))
    return WORDS[: schema.get("maxLength", len(WORDS))] if schema.get("minLength") else ""


def _values(schema: Mapping[str, Any]) -> list[Json] | None:
    """Return every value that a schema allows; None where they are not listed."""
    if "enum" in schema:
        return [*schema["enum"]]
    if "const" in schema:
        return [schema["const"]]
    if schema.get("type") == "boolean":
        return [True, False]
    if schema.get("type") == "null":
        return [None]
    if "anyOf" in schema:
        each = [_values(one) for one in schema["anyOf"]]
        return [value for one in each if one is not None for value in one] or None
    return None
