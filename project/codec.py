"""Frozen dataclasses as JSON and back: parameters and results of jobs, plans, files.

Fields may be numbers, texts, paths, enumerations, nested dataclasses, tuples and mappings of these, and `Json`.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from project.errors import UserError
from project.text_format import escape_unprintable

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def dump(value: object) -> dict[str, Any]:
    """Return a dataclass as what `json` can write."""
    return cast(dict[str, Any], _adapter(type(value)).dump_python(value, mode="json"))


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
        return cast(T, _adapter(cls).validate_python(data))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = escape_unprintable(".".join(map(str, problem["loc"]))[:80]) or "content"
        raise UserError(f"{where}: “{place}” is wrong: {problem['msg']}.", "Correct it, or make it again.") from error


@cache
def _adapter(cls: type) -> "TypeAdapter[Any]":
    from pydantic import TypeAdapter

    return TypeAdapter(cls)
