"""Frozen dataclasses as JSON and back: parameters and results of jobs, plans, files.

Fields may be numbers, texts, paths, enumerations, nested dataclasses, tuples and mappings of these, and `Json`.
"""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from project.errors import UserError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")
_JSON_TYPES = frozenset({str, int, float, bool, type(None)})


def dump(value: object) -> dict[str, Any]:
    """Return a dataclass as what `json` can write."""
    return cast(dict[str, Any], _plain(value))


def load(cls: type[T], data: object, where: str) -> T:
    """Return a dataclass from what `dump` made of one, or what a person wrote.

    Fields that the class does not have are ignored, unless its `__pydantic_config__` is `{"extra": "forbid"}`.

    Args:
        cls: the dataclass.
        data: as read from JSON.
        where: begins the message of an error, such as the name of the file.
    """
    from pydantic import ValidationError

    try:
        return cast(T, adapter(cast(Any, cls)).validate_python(data))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(map(str, problem["loc"])) or "content"
        raise UserError(f"{where}: “{place}” is wrong: {problem['msg']}.", "Correct it, or make it again.") from error


@cache
def adapter(cls: Any) -> "TypeAdapter[Any]":
    """Return what reads a class. The first one takes a tenth of a second: pydantic is loaded for it."""
    from pydantic import TypeAdapter

    return TypeAdapter(cls)


def _plain(value: Any) -> Any:
    kind = type(value)
    if kind in _JSON_TYPES:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(content) for content in value]
    if isinstance(value, Enum):
        return value.value
    if is_dataclass(kind):
        return {name: _plain(getattr(value, name)) for name in _field_names(kind)}
    if isinstance(value, Mapping):
        return {str(_plain(key)): _plain(content) for key, content in value.items()}
    if isinstance(value, str | int | float):
        return value
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not written as JSON")


@cache
def _field_names(cls: type[Any]) -> tuple[str, ...]:
    return tuple(field.name for field in fields(cls))
