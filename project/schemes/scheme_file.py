"""Reads and validates schemes in TOML, and strips a lab's explanations from their text."""

import json
import math
import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.schemes.scheme import (
    CHOICE_KINDS,
    NUMERIC_KINDS,
    Extent,
    Field,
    FieldKind,
    Label,
    Sampling,
    SamplingKind,
    Scheme,
    Track,
)
from project.text_format import escape_unprintable
from resources import resource

MAX_SCHEME_BYTES = 1_000_000
MAX_VERSION = 1_000_000
MIN_SAMPLING_US = 100_000
COLOURS = ("error", "competence", "uncertain", "muted", "accent")
"""The names of the theme's colours that a label can have."""
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_COLOUR = re.compile("|".join((*COLOURS, "#[0-9a-fA-F]{6}")))
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
    try:
        return resource("schemes", f"{name}.toml")
    except FileNotFoundError:
        raise UserError(
            f"There is no scheme “{escape_unprintable(name)}”.",
            "Your version of Greenroom may be too old for this study; update it.",
        ) from None


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
    return _TomlTable(found, name, "").build(Scheme)


_CHOICES: Mapping[str, Iterable[str]] = {
    "inside": ("", "utterance"),
    "coding": ("several", "one"),
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
        _check(self, made)
        return made

    def _read(self, key: str, hint: Any, kind: Any) -> Any:
        default = kind.__dataclass_fields__[key].default
        needed = default is MISSING
        value = self._found.get(key, None if needed else default)
        if key in _CHOICES or (isinstance(hint, type) and issubclass(hint, StrEnum)):
            return self._choice(key, "" if value is None else value, _CHOICES.get(key, hint))
        if hint == Sampling | None:
            return None if value is None else self._table(key, value).build(Sampling)
        if hint is str:
            return self._text(key, value, needed)
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

    def _text(self, key: str, value: object, needed: bool) -> str:
        if not isinstance(value, str) or (needed and not value.strip()):
            raise self.error(key, "must be a text")
        return self._printable(key, value.strip())

    def _table(self, key: str, value: object) -> "_TomlTable":
        if not isinstance(value, dict):
            raise self.error(key, "must be a table")
        return _TomlTable(value, self._file, f"{self._where}{key}.")

    def _choice(self, key: str, value: object, known: Iterable[str]) -> str:
        text = self._text(key, value, needed=False)
        if text not in [*known]:
            raise self.error(key, f"“{text}” is not one of {', '.join(choice for choice in known if choice)}")
        return next(choice for choice in known if choice == text)

    def _items(self, key: str, value: object, kind: Any) -> tuple[Any, ...]:
        items = value if isinstance(value, list) else [None]
        if kind is str:
            if not all(isinstance(item, str) for item in items):
                raise self.error(key, "must be a list of texts")
            return tuple(self._printable(key, str(item)) for item in items)
        if not all(isinstance(item, dict) for item in items):
            raise self.error(key, f"must be a list of tables, [[{key}]]")
        return tuple(
            _TomlTable(item, self._file, f"{self._where}{key}[{place}].").build(kind)
            for place, item in enumerate(items, start=1)
        )

    def _printable(self, key: str, value: str) -> str:
        if _CONTROL.search(value):
            raise self.error(key, "must be without control characters")
        return value

    def error(self, key: str, what: str) -> UserError:
        return UserError(
            f"The scheme “{escape_unprintable(self._file)}” is wrong at {self._where}{key}: {what}.",
            "Correct the file.",
        )


def _check(table: _TomlTable, made: object) -> None:
    """Check what no type says of a part of a scheme."""
    match made:
        case Scheme():
            _check_scheme(table, made)
        case Track():
            if not made.labels:
                raise table.error("labels", "there must be at least one")
            _require_unique(table, "labels", [label.key for label in made.labels])
            _check_sampling(table, made)
        case Sampling() if made.every_us < MIN_SAMPLING_US:
            raise table.error("every", f"must be {MIN_SAMPLING_US / 1e6:g} seconds or more")
        case Label() if made.colour and not _COLOUR.fullmatch(made.colour):
            raise table.error("colour", f"“{made.colour}” is neither #rrggbb nor one of {', '.join(COLOURS)}")
        case Field():
            _check_field(table, made)


def _check_sampling(table: _TomlTable, track: Track) -> None:
    if track.sampling is None:
        return
    wanted = Extent.POINT if track.sampling.kind is SamplingKind.INSTANTANEOUS else Extent.SPAN
    if track.extent is not wanted:
        raise table.error("extent", f"{track.sampling.kind} samples need “{wanted}”")
    if track.inside:
        raise table.error("inside", "samples do not depend on utterances")


def _check_scheme(table: _TomlTable, scheme: Scheme) -> None:
    if not scheme.tracks:
        raise table.error("tracks", "there must be at least one")
    _require_unique(table, "tracks", [track.key for track in scheme.tracks])
    _require_unique(table, "fields", [field.key for field in scheme.fields])
    _check_names(table, scheme)
    _check_examples(table, scheme)
    for track in scheme.tracks:
        _require_unique(table, "shortcut", list(_shortcuts(scheme, track)))


def _check_names(table: _TomlTable, scheme: Scheme) -> None:
    fields, tracks = {field.key for field in scheme.fields}, {track.key for track in scheme.tracks}
    labels = {label.key for track in scheme.tracks for label in track.labels}
    for place, field in enumerate(scheme.fields, start=1):
        _require_known(table, f"fields[{place}].only_for", field.only_for, labels, "a label")
        _require_known(table, f"fields[{place}].tracks", field.tracks, tracks, "a track")
    for place, rule in enumerate(scheme.rules, start=1):
        _require_known(table, f"rules[{place}].label", [rule.label], labels, "a label")
        _require_known(table, f"rules[{place}].track", [rule.track] if rule.track else [], tracks, "a track")
        _require_known(table, "rules", rule.needs, fields, "a field")


def _check_examples(table: _TomlTable, scheme: Scheme) -> None:
    labels = {label.key for track in scheme.tracks for label in track.labels}
    for place, example in enumerate(scheme.examples, start=1):
        _require_known(table, f"examples[{place}].label", [example.label], labels, "a label")
        for key, value in example.values.items():
            try:
                scheme.check_value(key, value)
            except UserError as error:
                raise table.error(f"examples[{place}].values.{key}", error.message.rstrip(".")) from None


def _require_known(table: _TomlTable, key: str, values: Iterable[str], known: Collection[str], what: str) -> None:
    for value in values:
        if value not in known:
            raise table.error(key, f"“{value}” is not {what}")


def _check_field(table: _TomlTable, field: Field) -> None:
    if bool(field.choices) != (field.kind in CHOICE_KINDS):
        kind = "an" if field.kind[0] in "aeiou" else "a"
        raise table.error("choices", f"{kind} {field.kind} has none" if field.choices else "there must be at least one")
    if field.kind in NUMERIC_KINDS and not field.minimum < field.maximum:
        raise table.error("maximum", "must be more than minimum")
    if field.kind not in NUMERIC_KINDS and (field.minimum or field.maximum or field.ends):
        raise table.error("minimum", f"only {' and '.join(NUMERIC_KINDS)} fields have a range")
    if field.step <= 0 or (field.kind is FieldKind.SCALE and not _has_whole_numbers(field)):
        raise table.error("step", "must be more than 0, and a scale has whole numbers only")
    if field.ends and len(field.ends) != 2:
        raise table.error("ends", "must be two texts: what the lowest and the highest value mean")
    _require_unique(table, "choices", [choice.key for choice in field.choices])


def _has_whole_numbers(field: Field) -> bool:
    return all(float(value).is_integer() for value in (field.minimum, field.maximum, field.step))


def _shortcuts(scheme: Scheme, track: Track) -> Iterator[str]:
    yield from (label.shortcut for label in track.labels if label.shortcut)
    for field in scheme.fields_of(track.key):
        keys = (field.shortcut, *(choice.shortcut for choice in field.choices))
        yield from (key for key in keys if key)


def _require_unique(table: _TomlTable, key: str, values: list[str]) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            raise table.error(key, f"“{value}” is there {count} times")


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
    return "".join(f"{_string(key)} = {_value(item)}\n" for key, item in found.items())


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
