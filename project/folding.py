"""Texts as they are compared where somebody searches: without capitals and accents."""

import unicodedata


def folded(text: str) -> str:
    """Return a text in small letters without accents."""
    if text.isascii():
        return text.casefold()
    apart = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in apart if not unicodedata.combining(letter))
