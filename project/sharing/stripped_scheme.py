"""The text of a scheme without what a lab wrote into it to explain: keys, names and numbers alone."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

from project.errors import UserError
from project.schemes.loader import parse_scheme, shipped_names, shipped_text
from project.schemes.scheme import Scheme

EXPLAINING = frozenset({"definition", "example", "examples", "situation", "why", "title"})
"""Keys of a scheme under which a lab explains it; nothing refers to them."""


def stripped(text: str, what: str) -> tuple[str, Scheme]:
    """Return the text of a scheme as it may be shared, and the scheme.

    A scheme that comes with the program is as it is; of any other, definitions, examples and comments go.

    Raises:
        UserError: it cannot be read.
    """
    scheme = parse_scheme(text, what)
    if scheme.key in shipped_names() and text == shipped_text(scheme.key):
        return text, scheme
    try:
        written = toml_of(_unexplained(tomllib.loads(text)))
        return written, parse_scheme(written, what)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{what} cannot be read: {error}.", "See: greenroom check STUDY") from None


def _unexplained(value: Any) -> Any:
    match value:
        case list():
            return [_unexplained(one) for one in value]
        case dict():
            return {key: _unexplained(one) for key, one in value.items() if key not in EXPLAINING}
        case _:
            return value


def toml_of(found: Mapping[str, Any]) -> str:
    """Return the text of a scheme with these keys and values, without comments."""
    return "".join(f"{_string(key)} = {_value(one)}\n" for key, one in found.items())


def _value(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            return repr(value)
        case list():
            return f"[{', '.join(map(_value, value))}]"
        case dict():
            return f"{{{', '.join(f'{_string(key)} = {_value(one)}' for key, one in value.items())}}}"
        case _:
            return _string(str(value))


def _string(text: str) -> str:
    """Return a basic string of TOML; JSON's are those, but for one sign that it does not escape."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
