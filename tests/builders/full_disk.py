"""A disk without room, for whatever would be written."""

from typing import NoReturn

from project.errors import UserError


def full_disk(*_arguments: object, **_more: object) -> NoReturn:
    """Stand in for a function that writes."""
    raise UserError("The disk is full.", "Free some space.")
