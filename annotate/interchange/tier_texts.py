"""What kind of texts a tier holds: speech, free text, or the codes of a closed set."""

import re
from collections.abc import Sequence

MAX_CODES = 40
"""A tier without a vocabulary and with more different texts than this is free text."""
_MAX_CODE_CHARS = 60
_MANY = 5
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]+")
OBSERVATION = "observation"
"""Value, and key of a field, that tells apart several observations of one recording."""
NO_TEXT = "(empty)"
"""Key of the label of annotations without a text."""


def code_key(text: str) -> str:
    """Return a text as the key and name of a label, track, field or choice: printable, on one line, never empty."""
    return _CONTROL.sub(" ", text).strip() or NO_TEXT


def looks_like_speech(texts: Sequence[str]) -> bool:
    """Tell whether texts look like what somebody said: hardly any comes twice, and most have several words."""
    said = [text for text in texts if text and not text.isspace()]
    if len(set(said)) * 2 <= len(said):
        return False
    return sum(len(text.split()) > 1 for text in said) * 2 > len(said)


def is_free_text(texts: Sequence[str]) -> bool:
    """Tell whether the texts of a tier without a vocabulary are free text and no codes.

    They are where more than `MAX_CODES` differ, where many differ and most come once, where one is long or has several
    lines, and where they look like speech.
    """
    different = {text.strip() for text in {*texts}}
    once = len(different) > _MANY and len(different) * 2 > len(texts)
    return once or len(different) > MAX_CODES or any(map(_is_long, different)) or looks_like_speech(texts)


def is_closed_set(values: Sequence[str]) -> bool:
    """Tell whether the values of a field without a list of choices are choices: few, short, and used repeatedly."""
    different = set(values)
    few = 0 < len(different) <= MAX_CODES and len(different) * 2 <= len(values)
    return few and not any(map(_is_long, different))


def _is_long(text: str) -> bool:
    return len(text) > _MAX_CODE_CHARS or "\n" in text.strip()
