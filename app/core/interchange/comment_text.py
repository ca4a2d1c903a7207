"""Comments on a segment as one text, for formats that have no comments."""

import json
import re
from collections.abc import Sequence

from project.types import Json

COMMENTS = "comments"
"""The name under which a segment's comments stand among its values."""
_BETWEEN = ": "
_SAID = re.compile(r"((?:[^\\]|\\.)*?): (.+)", re.DOTALL)
"""A name, in which a backslash keeps what follows it from ending the name, and what that person said."""


def comments_text(said: Sequence[tuple[str, str]]) -> str:
    """Return comments, each by somebody: `Ada: too long`, or a JSON list of such texts where there are several."""
    texts = [f"{_kept_whole(who)}{_BETWEEN}{text}" for who, text in said]
    return texts[0] if len(texts) == 1 and not texts[0].startswith("[") else json.dumps(texts, ensure_ascii=False)


def texts_in(value: Json) -> list[str]:
    """Return the texts of comments in what a file says: a list, a JSON list, or one text; empty ones are left out."""
    found = value
    if isinstance(value, str) and value.startswith("["):
        try:
            found = json.loads(value)
        except (ValueError, RecursionError):
            found = value
    items = found if isinstance(found, list) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def by_whom(text: str) -> tuple[str, str]:
    """Return the name before a comment and the comment; the name is "" where there is none."""
    found = _SAID.fullmatch(text)
    return ("", text) if found is None else (re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), found[2])


def _kept_whole(who: str) -> str:
    return who.replace("\\", "\\\\").replace(_BETWEEN, f"\\{_BETWEEN}")
