"""Reads schemes from TOML, and says where one is wrong."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from project.errors import UserError
from project.names import shown
from project.schemes.scheme import Choice, Field, FieldKind, Label, Rule, Scheme, Track
from project.types import Verdict
from resources import resource


@cache
def load_scheme(name: str = "shrec") -> Scheme:
    """Return one of the schemes that the program ships.

    Raises:
        UserError: it ships none of that name.
    """
    try:
        path = resource("schemes", f"{name}.toml")
    except FileNotFoundError:
        raise UserError(f"There is no scheme “{shown(name)}”.", "It may come with a newer version.") from None
    return load_scheme_file(path)


def load_scheme_file(path: Path) -> Scheme:
    """Read a scheme from a TOML file.

    Raises:
        UserError: the file cannot be read or is not a scheme; the message names the file and the key.
    """
    try:
        with path.open("rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise UserError(f"The scheme “{shown(path.name)}” cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The scheme “{shown(path.name)}” is not TOML: {error}.", "Correct the file.") from None
    return _scheme(_Table(found, path.name, ""))


class _Table:
    """A table of the file that knows where it stands, takes each key once, and complains about those left over."""

    def __init__(self, found: dict[str, Any], file: str, where: str) -> None:
        self._found = dict(found)
        self._file = file
        self._where = where

    def text(self, key: str, default: str | None = None) -> str:
        value = self._found.pop(key, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.wrong(key, "must be a text")
        return value.strip()

    def number(self, key: str) -> int:
        value = self._found.pop(key, None)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            raise self.wrong(key, "must be a whole number from 1")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._found.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.wrong(key, "must be a list of texts")
        return tuple(value)

    def tables(self, key: str) -> "Iterator[_Table]":
        value = self._found.pop(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.wrong(key, f"must be a list of tables, [[{key}]]")
        for place, item in enumerate(value, start=1):
            yield _Table(item, self._file, f"{self._where}{key}[{place}].")

    def verdict(self, key: str, text: str) -> Verdict:
        try:
            return Verdict(text)
        except ValueError:
            raise self.wrong(key, f"“{text}” is not one of {', '.join(Verdict)}") from None

    def end(self) -> None:
        for key in self._found:
            raise self.wrong(key, "is not known")

    def wrong(self, key: str, what: str) -> UserError:
        return UserError(
            f"The scheme “{shown(self._file)}” is wrong at {self._where}{key}: {what}.", "Correct the file."
        )


def _scheme(table: _Table) -> Scheme:
    scheme = Scheme(
        table.text("key"),
        table.text("name"),
        table.number("version"),
        tuple(_track(found) for found in table.tables("tracks")),
        tuple(_field(found) for found in table.tables("fields")),
        tuple(_rule(found) for found in table.tables("rules")),
    )
    table.end()
    if not scheme.tracks:
        raise table.wrong("tracks", "there must be at least one")
    _no_repeats(table, "tracks", [track.key for track in scheme.tracks])
    _no_repeats(table, "fields", [field.key for field in scheme.fields])
    keys = {field.key for field in scheme.fields}
    for rule in scheme.rules:
        for needed in rule.needs:
            if needed not in keys:
                raise table.wrong("rules", f"“{needed}” is not a field")
    _no_repeats(table, "shortcut", list(_shortcuts(scheme)))
    return scheme


def _track(table: _Table) -> Track:
    track = Track(table.text("key"), table.text("name"), tuple(_label(found) for found in table.tables("labels")))
    if not track.labels:
        raise table.wrong("labels", "there must be at least one")
    _no_repeats(table, "labels", [label.key for label in track.labels])
    table.end()
    return track


def _label(table: _Table) -> Label:
    key = table.verdict("key", table.text("key"))
    label = Label(
        key.value,
        table.text("name"),
        table.text("definition", ""),
        table.text("colour", ""),
        table.text("shortcut", ""),
        table.texts("examples"),
    )
    table.end()
    return label


def _field(table: _Table) -> Field:
    key, kind = table.text("key"), table.text("kind")
    if kind not in set(FieldKind):
        raise table.wrong("kind", f"“{kind}” is not one of {', '.join(FieldKind)}")
    field = Field(
        key,
        FieldKind(kind),
        table.text("name"),
        table.text("definition", ""),
        tuple(_choice(found) for found in table.tables("choices")),
        table.text("shortcut", ""),
        tuple(table.verdict("only_for", verdict) for verdict in table.texts("only_for")),
    )
    if bool(field.choices) == (field.kind is FieldKind.TEXT):
        raise table.wrong("choices", "a text has none" if field.choices else "there must be at least one")
    _no_repeats(table, "choices", [choice.key for choice in field.choices])
    table.end()
    return field


def _choice(table: _Table) -> Choice:
    choice = Choice(
        table.text("key"),
        table.text("name"),
        table.text("definition", ""),
        table.text("shortcut", ""),
        table.texts("examples"),
    )
    table.end()
    return choice


def _rule(table: _Table) -> Rule:
    rule = Rule(table.verdict("verdict", table.text("verdict")), table.texts("needs"))
    table.end()
    return rule


def _shortcuts(scheme: Scheme) -> Iterator[str]:
    for track in scheme.tracks:
        yield from (label.shortcut for label in track.labels if label.shortcut)
    for field in scheme.fields:
        keys = (field.shortcut, *(choice.shortcut for choice in field.choices))
        yield from (key for key in keys if key)


def _no_repeats(table: _Table, key: str, values: list[str]) -> None:
    for value, count in Counter(values).items():
        if count > 1:
            raise table.wrong(key, f"“{value}” is there {count} times")
