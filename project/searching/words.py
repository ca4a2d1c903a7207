"""What a person types into a search field, as an expression that SQLite's full-text search takes."""

import re

_PART = re.compile(r'"([^"]*)(")?|([^\s"]+)')
_MOST = 24
"""More words than this are left out: the engine has a limit on how deep an expression may be."""


def expression(typed: str) -> str:
    """Return the expression for what was typed, or "" where there is nothing to look for.

    Each word is found where a word of the text begins with it; words between quotes are found as they stand, one after
    the other, and while the second quote is missing the last of them may go on. A text has to have all of it. Nothing
    that can be typed is an error: every word is handed on between quotes, where signs mean nothing.
    """
    clean = re.sub("[\x00\ud800-\udfff]", " ", typed)
    parts = []
    for phrase, closed, word in _PART.findall(clean):
        # A quote before nothing, or signs alone, would be words that no text has.
        if any(sign.isalnum() for sign in phrase or word):
            parts.append(f'"{phrase}"' if closed else f'"{phrase or word}"*')
    return " ".join(parts[:_MOST])
