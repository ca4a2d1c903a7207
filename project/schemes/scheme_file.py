"""Reads and validates schemes in TOML, and strips a lab's explanations from their text."""

import json
import math
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.schemes.scheme import Pattern, Sampling, Scheme
from project.schemes.scheme_checks import find_scheme_problems
from project.text_format import escape_unprintable
from resources import resource

MAX_SCHEME_BYTES = 1_000_000
MAX_VERSION = 1_000_000
_BARE_KEY = re.compile("[A-Za-z0-9_-]+")
_Part = TypeVar("_Part")


@cache
def load_scheme(name: str = "shrec") -> Scheme:
    """Return one of the schemes that the program ships."""
    return load_scheme_file(_shipped(name))


def shipped_text(name: str) -> str:
    """Return the TOML text of one of the schemes that the program ships."""
    return scheme_text(_shipped(name))


def shipped_names() -> list[str]:
    """Return the keys of the schemes that the program ships, the default one first."""
    names = sorted(path.name.removesuffix(".toml") for path in resource("schemes").iterdir())
    return sorted((name for name in names if not name.startswith(("_", "."))), key=lambda name: name != "shrec")


def _shipped(name: str) -> Path:
    if name not in shipped_names():
        raise UserError(
            f"There is no scheme “{escape_unprintable(name)}”.",
            "Your version of Greenroom may be too old for this study; update it.",
        )
    return resource("schemes", f"{name}.toml")


def load_scheme_file(path: Path) -> Scheme:
    """Read a scheme from a TOML file."""
    return parse_scheme(scheme_text(path), path.name)


def scheme_text(path: Path) -> str:
    """Return the text of a scheme file."""
    name = f"The scheme “{escape_unprintable(path.name)}”"
    with explain_os_errors(f"{name} cannot be read", "Choose another file."):
        if path.stat().st_size > MAX_SCHEME_BYTES:
            raise UserError(f"“{name}” is too large for a scheme.", "Choose another file.")
        content = path.read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError:
        raise UserError(f"“{name}” is not UTF-8 text.", "Save it as UTF-8.") from None


def parse_scheme(text: str, name: str) -> Scheme:
    """Read a scheme from TOML text; `name` is what messages call it."""
    try:
        return _parse_cached(text)
    except UserError:
        return _parse(text, name)


@lru_cache(maxsize=64)
def _parse_cached(text: str) -> Scheme:
    """Read a scheme, or return it as it was read before: a study keeps the text of those that are shipped."""
    return _parse(text, "")


def _parse(text: str, name: str) -> Scheme:
    try:
        found = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UserError(f"The scheme “{escape_unprintable(name)}” is not TOML: {error}.", "Correct the file.") from None
    table = _TomlTable(found, name, "")
    scheme = table.build(Scheme)
    for problem in find_scheme_problems(scheme):
        raise table.error(problem.where, problem.what)
    return scheme


_CHOICES: Mapping[str, Iterable[str]] = {
    "inside": ("", "utterance"),
    "coding": ("several", "one"),
    "pattern": ("", *Pattern),
}
"""Key -> the words that it can have, where its type does not say them."""


class _TomlTable:
    """A table of the file that knows where it stands."""

    def __init__(self, found: dict[str, Any], file: str, where: str) -> None:
        self._found = found
        self._file = file
        self._where = where

    def build(self, kind: type[_Part]) -> _Part:
        """Return what the table describes: a dataclass whose fields are called as its keys."""
        hints = get_type_hints(kind)
        made = kind(**{key: self._read(key, hint, kind) for key, hint in hints.items()})
        for key in self._found:
            if key not in hints:
                raise self.error(key, "is not known")
        return made

    def _read(self, key: str, hint: Any, kind: Any) -> Any:
        default = kind.__dataclass_fields__[key].default
        value = self._found.get(key, None if default is MISSING else default)
        if key in _CHOICES or (isinstance(hint, type) and issubclass(hint, StrEnum)):
            return self._choice(key, "" if value is None else value, _CHOICES.get(key, hint))
        if hint == Sampling | None:
            return None if value is None else self._table(key, value).build(Sampling)
        if hint is str:
            return self._text(key, value)
        if hint is bool:
            if not isinstance(value, bool):
                raise self.error(key, "must be true or false")
            return value
        if hint is int:
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= MAX_VERSION:
                raise self.error(key, f"must be a whole number from 1 to {MAX_VERSION}")
            return value
        if hint == int | float:
            if not isinstance(value, int | float) or isinstance(value, bool) or not math.isfinite(value):
                raise self.error(key, "must be a number")
            return value
        if get_origin(hint) is not tuple:
            value = self._found.get(key, {})
            if not isinstance(value, dict):
                raise self.error(key, "must be a table")
            return value
        return self._items(key, self._found.get(key, []), get_args(hint)[0])

    def _text(self, key: str, value: object) -> str:
        if not isinstance(value, str):
            raise self.error(key, "must be a text")
        return value.strip()

    def _table(self, key: str, value: object) -> "_TomlTable":
        if not isinstance(value, dict):
            raise self.error(key, "must be a table")
        return _TomlTable(value, self._file, f"{self._where}{key}.")

    def _choice(self, key: str, value: object, known: Iterable[str]) -> str:
        text = self._text(key, value)
        if text not in [*known]:
            raise self.error(key, f"“{text}” is not one of {', '.join(choice for choice in known if choice)}")
        return next(choice for choice in known if choice == text)

    def _items(self, key: str, value: object, kind: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list) else [None]
        if kind is str:
            if not all(isinstance(item, str) for item in items):
                raise self.error(key, "must be a list of texts")
            return tuple(map(str, items))
        if not all(isinstance(item, dict) for item in items):
            raise self.error(key, f"must be a list of tables, [[{key}]]")
        return tuple(
            _TomlTable(item, self._file, f"{self._where}{key}[{place}].").build(kind)
            for place, item in enumerate(items, start=1)
        )

    def error(self, key: str, what: str) -> UserError:
        return UserError(
            f"The scheme “{escape_unprintable(self._file)}” is wrong at {self._where}{key}: {what}.",
            "Correct the file.",
        )


EXPLANATORY_KEYS = frozenset({"definition", "hint", "example", "examples", "situation", "why", "title", "speech_tiers"})
"""Keys of a scheme under which a lab explains it, or names its files' tiers; nothing refers to them."""


def strip_explanations(text: str, what: str) -> tuple[str, Scheme]:
    """Return the text of a scheme as it may be shared, and the scheme.

    A scheme that comes with the program is as it is; of any other, definitions, examples and comments go.
    """
    scheme = parse_scheme(text, what)
    if scheme.key in shipped_names() and text == shipped_text(scheme.key):
        return text, scheme
    try:
        written = to_toml(_drop_explanations(tomllib.loads(text)))
        return written, parse_scheme(written, what)
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{what} cannot be read: {error}.", "Check the study: greenroom study check STUDY") from None


def _drop_explanations(value: Any) -> Any:
    match value:
        case list():
            return [_drop_explanations(item) for item in value]
        case dict():
            return {key: _drop_explanations(item) for key, item in value.items() if key not in EXPLANATORY_KEYS}
        case _:
            return value


def to_toml(found: Mapping[str, Any]) -> str:
    """Return the text of a scheme with these keys and values, without comments."""
    return "\n".join(_sections(found, "", "")).lstrip("\n")


def write_scheme(scheme: Scheme) -> str:
    """Return the text of a scheme."""
    return to_toml(_to_table(scheme))


def _to_table(part: Any) -> dict[str, Any]:
    """Return what a part of a scheme says beyond what a file may leave out."""
    return {
        field.name: _to_item(value) for field in fields(part) if (value := getattr(part, field.name)) != field.default
    }


def _to_item(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_to_item(item) for item in value]
    return _to_table(value) if is_dataclass(value) else value


def _sections(found: Mapping[str, Any], head: str, name: str) -> Iterator[str]:
    """Yield the lines of a table below its head, then those of the tables in it."""
    if head:
        yield f"\n{head}"
    tables = {key: item for key, item in found.items() if _holds_tables(item)}
    yield from (f"{_key(key)} = {_value(item)}" for key, item in found.items() if key not in tables)
    if not head:
        yield ""
    for key, item in tables.items():
        inner = f"{name}.{_key(key)}".lstrip(".")
        if isinstance(item, dict):
            yield from _sections(item, f"[{inner}]", inner)
        else:
            for table in item:
                yield from _sections(table, f"[[{inner}]]", inner)


def _holds_tables(item: object) -> bool:
    return bool(item) and (
        isinstance(item, dict) or (isinstance(item, list) and all(isinstance(x, dict) for x in item))
    )


def _key(text: str) -> str:
    return text if _BARE_KEY.fullmatch(text) else _string(text)


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
