"""Tells a bug of the program from a study that holds what no study holds, which shows when it is read."""

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from project.check import check
from project.errors import UserError
from project.names import shown

_OF_CONTENT = (
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
    AssertionError,
    RuntimeError,
    sqlite3.Error,
)
"""What is raised where a row is not what it should be."""


def damage_behind(error: BaseException, studies: Iterable[Path]) -> UserError | None:
    """Return the message for an unexpected error that comes of what a study holds; None where it is a bug.

    Args:
        error: that nobody expected.
        studies: files that were worked on; each is looked through as `greenroom check` does.
    """
    if not isinstance(error, _OF_CONTENT):
        return None
    for path in studies:
        found = check(path)
        if found:
            return UserError(
                f"This cannot be done, because the study “{shown(path.name)}” is damaged: {shown(found[0])[:300]}.",
                "What was not finished was not saved. `greenroom check` lists everything; go back to a backup copy.",
            )
    return None
