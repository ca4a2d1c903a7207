"""Reads a file that holds one JSON object a line, and says where it is not what it should be."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from app.core.interchange.limits import MEGABYTE, damaged, read_text
from project.errors import UserError
from project.types import Json

_UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ufeff]")
LARGEST = 200 * MEGABYTE
LONGEST = 20_000
"""Characters of one text."""


def objects_in(path: Path) -> list[tuple[int, Mapping[str, Json]]]:
    """Return line number -> object; empty lines are passed over. A list of objects in one JSON text is read too.

    Raises:
        UserError: the file cannot be read, or a line is no JSON object.
    """
    text = read_text(path, LARGEST)
    if text.lstrip().startswith("["):
        listed = [*_listed(path, text)]
        if not listed:
            raise UserError(f"There is nothing in {path.name}.", "Choose a file with one JSON object a line.")
        return listed
    found = []
    # Not `splitlines`: a text may hold other signs that it takes for the end of a line.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            found.append((number, _object(path, number, _json(path, number, line))))
    if not found:
        raise UserError(f"There is nothing in {path.name}.", "Choose a file with one JSON object a line.")
    return found


def text_at(path: Path, line: int, found: Mapping[str, Json], key: str, *, required: bool = True) -> str:
    """Return a text or number of an object as text, without what nobody sees; "" where it is missing and not required.

    Raises:
        UserError: it is missing, empty or something else.
    """
    value = found.get(key)
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = str(value)
    if value is None or value == "":
        if required:
            raise damaged(path, f"“{key}” is missing", line)
        return ""
    found_text = plain_text(path, line, value, key)
    if required and not found_text:
        raise damaged(path, f"“{key}” is missing", line)
    return found_text


def plain_text(path: Path, line: int, value: Json, key: str) -> str:
    """Return a text without what nobody sees, such as signs that turn the direction of writing.

    Raises:
        UserError: it is no text, is too long, or holds half of a character; `key` is named.
    """
    if not isinstance(value, str) or len(value) > LONGEST:
        raise damaged(path, f"“{key}” is no text of at most {LONGEST:,} characters", line)
    try:
        value.encode()
    except UnicodeEncodeError:
        raise damaged(path, f"“{key}” holds half of a character", line) from None
    return _UNSEEN.sub("", value).strip()


def _listed(path: Path, text: str) -> Iterator[tuple[int, Mapping[str, Json]]]:
    found = _json(path, 1, text)
    for number, one in enumerate(found if isinstance(found, list) else [], 1):
        yield number, _object(path, number, one)


def _json(path: Path, number: int, text: str) -> Json:
    try:
        found: Json = json.loads(text)
    except (ValueError, RecursionError):
        raise damaged(path, "it is no JSON", number) from None
    return found


def _object(path: Path, number: int, found: Json) -> Mapping[str, Json]:
    if not isinstance(found, dict):
        raise damaged(path, "it is no JSON object", number)
    return found
