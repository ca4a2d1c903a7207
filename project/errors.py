"""Errors that the user can put right, and those of them that many places raise in the same words."""

from collections.abc import Iterable

from project.text_format import escape_unprintable

_MAX_LISTED = 12


class UserError(Exception):
    """Something the user can put right.

    Shown in the message bar, or printed by the command line before it exits with 2. Anything else that is
    raised is a bug and is treated as one.

    Attributes:
        message: one line that says what is wrong.
        hint: one line that says what to do next; may be empty.
    """

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class Cancelled(Exception):
    """The user stopped a job. Raised by `Progress.check_cancelled`."""


def require_name(name: str, owner: str) -> str:
    """Return a name without spaces around it; `owner` begins the message where nothing is left: `A recording`."""
    if not name.strip():
        raise UserError(f"{owner} needs a name.", "Type a name.")
    return name.strip()


def name_taken(noun: str, name: str) -> UserError:
    """Return the error for a new name that another row of the study has."""
    return UserError(f"The {noun} “{escape_unprintable(name)}” already exists.", "Choose another name.")


def unknown_choice(noun: str, name: object, choices: Iterable[str]) -> UserError:
    """Return the error for a word that is none of the program's choices."""
    return UserError(f"There is no {noun} “{escape_unprintable(name)}”.", f"Choose one of {', '.join(choices)}.")


def unknown_name(noun: str, name: str, known: Iterable[str], hint_if_none: str = "") -> UserError:
    """Return the error for a name that nothing in the study has.

    Args:
        noun: of what is looked for.
        name: as it was given.
        known: the names that exist; the hint lists them.
        hint_if_none: what to do where none exists.
    """
    names = [*known]
    listed = ", ".join(map(escape_unprintable, names[:_MAX_LISTED])) + (", …" if len(names) > _MAX_LISTED else "")
    hint = f"Choose one of {listed}." if names else hint_if_none or f"This study has no {noun} yet."
    return UserError(f"There is no {noun} “{escape_unprintable(name)}” in this study.", hint)


def unknown_id(noun: str, row_id: object) -> UserError:
    """Return the error for an id that no row of the study has."""
    hint = f"Check the id; the {noun} may have been deleted."
    return UserError(f"There is no {noun} with the id “{escape_unprintable(row_id)}”.", hint)


def no_longer_in_study(noun: str) -> UserError:
    """Return the error for a row that was removed while somebody worked on it."""
    return UserError(f"This {noun} is no longer in the study.", "Choose another.")


def path_not_found(noun: str, path: object, hint: str = "Check its path.") -> UserError:
    """Return the error for a file or folder that does not exist."""
    return UserError(f"The {noun} “{escape_unprintable(path)}” does not exist.", hint)


def no_own_decision(verb: str, noun: str) -> UserError:
    """Return the error for taking back a decision that the annotator has not made: `review` a `segment`."""
    return UserError(f"You did not {verb} this {noun}.", "Only your own decisions can be withdrawn.")


def require_length(text: str, longest: int, what: str) -> str:
    """Return a text of so many characters at most, and refuse a longer one; `what` begins the message."""
    if len(text) > longest:
        raise UserError(f"{what} has up to {longest:,} characters; this one has {len(text):,}.", "Shorten it.")
    return text


def require_utf8(name: object) -> None:
    """Raise where a name or path cannot be stored in a study and in JSON."""
    try:
        str(name).encode("utf-8")
    except UnicodeEncodeError:
        raise UserError(
            f"“{escape_unprintable(name)}” is not valid UTF-8.", "Rename the file or folder first."
        ) from None
