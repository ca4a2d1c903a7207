"""Names of files in messages, and names that are no text."""

from project.errors import UserError


def shown(name: object) -> str:
    """Return a file's name or path with what cannot be printed (newlines, bytes that are no UTF-8) as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in str(name))


def require_text(name: object) -> None:
    """Return quietly where a name or path can be kept in a study and in JSON.

    Raises:
        UserError: it holds bytes that are no UTF-8.
    """
    try:
        str(name).encode("utf-8")
    except UnicodeEncodeError:
        raise UserError(f"This is not valid text: {shown(name)}.", "Rename the file or folder first.") from None
