"""Values of rows as they are meant, also in a study that was spoiled by a disk or by a stranger."""

import json
from enum import StrEnum
from typing import TypeVar

from project.errors import UserError
from project.names import shown
from project.types import Json

Choice = TypeVar("Choice", bound=StrEnum)


def stored_object(text: str, what: str) -> dict[str, Json]:
    """Return a JSON object that a row holds.

    Args:
        text: of the row.
        what: is damaged where it is something else; begins a sentence.

    Raises:
        UserError: it is none.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise damaged_value(what)
    return found


def stored_choice(choices: type[Choice], text: str, what: str) -> Choice:
    """Return which of some choices a row holds; `what` as for `stored_object`.

    Raises:
        UserError: it is none of them.
    """
    try:
        return choices(text)
    except ValueError:
        raise damaged_value(what) from None


def judgment_called(judgment_id: str) -> str:
    """Return how messages name a judgment."""
    return f"A judgment ({shown(judgment_id)})"


def is_whole(found: object, least: int = 0) -> bool:
    """Tell whether a value is a whole number from `least` on that fits into a column."""
    return isinstance(found, int) and not isinstance(found, bool) and least <= found < 1 << 63


def damaged_value(what: str) -> UserError:
    """Return the message for what is not as it is meant; `what` begins it."""
    return UserError(f"{what} of this study is damaged.", "Find out what else is: greenroom check STUDY")
