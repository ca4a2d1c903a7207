"""Frozen dataclasses as JSON and back: parameters and results of jobs, plans, files.

Fields may be numbers, texts, paths, enumerations, nested dataclasses, tuples and mappings of these, and `Json`.
"""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from project.errors import UserError

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def dump(value: object) -> dict[str, Any]:
    """Return a dataclass as what `json` can write."""
    from pydantic_core import to_jsonable_python

    return cast(dict[str, Any], to_jsonable_python(value, fallback=_plain_mapping))


def dump_bytes(value: object) -> bytes:
    """Return a dataclass, or a mapping with some in it, as JSON; its texts must be valid UTF-8."""
    from pydantic_core import to_json

    return to_json(value, fallback=_plain_mapping, inf_nan_mode="constants")


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


def _plain_mapping(value: object) -> dict[Any, Any]:
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is not written as JSON")
