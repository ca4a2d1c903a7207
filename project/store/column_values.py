"""Converts row values to and from JSON, and validates values that another program or a bad disk may have changed."""

import json
from enum import StrEnum
from typing import TypeVar

from project.entities.study_records import Json
from project.entities.transcript import Word, Words
from project.errors import UserError
from project.text_format import escape_unprintable

_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def to_json(value: Json) -> str:
    """Write a value so that reading it back gives the very same one.

    Text that no UTF-8 can hold (half of a surrogate pair, from a broken paste) is kept as an escape.
    """
    text = _ENCODER.encode(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text


Choice = TypeVar("Choice", bound=StrEnum)


def parse_object(text: str, what: str) -> dict[str, Json]:
    """Return a JSON object that a row holds.

    Args:
        text: of the row.
        what: is damaged where it is something else; begins a sentence.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise damaged_value_error(what)
    return found


def parse_choice(choices: type[Choice], text: str, what: str) -> Choice:
    """Return which of some choices a row holds; `what` as for `parse_object`."""
    try:
        return choices(text)
    except ValueError:
        raise damaged_value_error(what) from None


def judgment_label(judgment_id: str) -> str:
    """Return how messages name a judgment."""
    return f"A judgment ({escape_unprintable(judgment_id)})"


def is_column_integer(found: object, least: int = 0) -> bool:
    """Tell whether a value is a whole number from `least` on that fits into a column."""
    return isinstance(found, int) and not isinstance(found, bool) and least <= found < 1 << 63


def damaged_value_error(what: str, remedy: str = "") -> UserError:
    """Return the message for what is not as it is meant; `what` begins it."""
    return UserError(
        f"{what} of this study is damaged.", remedy or "Find out what else is: greenroom study check STUDY"
    )


def words_to_json(words: Words) -> str:
    """Write words as a study keeps them: a list of [text, start, end, confidence]."""
    return to_json([[word.text, word.start_us, word.end_us, word.confidence] for word in words])


def words_from_json(text: str) -> Words:
    """Read what `words_to_json` wrote; none where it is not understood: other programs may write to a study too."""
    if text == "[]":
        return ()
    try:
        return tuple(Word(str(word), int(start), int(end), sure) for word, start, end, sure in json.loads(text))
    except (ValueError, TypeError):
        return ()
