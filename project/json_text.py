"""JSON as a study keeps it."""

import json

from project.types import Json


def to_json(value: Json) -> str:
    """Write a value so that reading it back gives the very same one.

    Text that no UTF-8 can hold (half of a surrogate pair, from a broken paste) is kept as an escape.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, allow_nan=False)
    return text
