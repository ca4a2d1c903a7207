"""Checks each line of the lossless format against the table it goes to, before anything is written."""

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from app.core.interchange.limits import damaged
from app.core.interchange.lossless.rows import STUDY, Row
from project.errors import UserError
from project.ids import is_id
from project.queries.media import facts_from_json
from project.queries.whole import TABLES, Column
from project.schemes.loader import parse_scheme
from project.types import AudioFacts, MediaFacts, VideoFacts

_LARGEST_NUMBER = 2**53
_NOT_EMPTY = ("scheme", "track", "label", "field", "key", "path", "pseudonym")


def check_row(table: str, row: dict[str, Any], path: Path, line: int) -> Row:
    """Return a row where all of its columns are there and have values that the study can hold.

    Raises:
        UserError: something is missing, of the wrong kind, or is no column; it names the line.
    """
    if table == STUDY:
        return _study(row, path, line)
    columns = TABLES[table].columns
    for name in row:
        if name not in columns:
            raise damaged(path, f"“{name}” does not belong to a line of type {table}", line)
    for name, column in columns.items():
        if name not in row:
            raise damaged(path, f"“{name}” is missing", line)
        _check(name, column, row[name], path, line)
    _together(table, row, path, line)
    return row


def _study(row: dict[str, Any], path: Path, line: int) -> Row:
    name, schemes = row.get("name"), row.get("schemes")
    if not isinstance(name, str) or not isinstance(schemes, list) or not schemes or set(row) != {"name", "schemes"}:
        raise damaged(path, "the line about the study needs “name” and “schemes”", line)
    if not all(isinstance(key, str) and key for key in schemes):
        raise damaged(path, "“schemes” is not a list of keys", line)
    return row


def _check(name: str, column: Column, value: Any, path: Path, line: int) -> None:
    match column.kind:
        case "number":
            fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_NUMBER
        case "truth":
            fits = isinstance(value, bool)
        case "json":
            fits = value is not None
        case _:
            fits = _text(name, column, value)
    if not fits:
        raise damaged(path, f"“{name}” cannot be {json.dumps(value)[:40]}", line)


def _text(name: str, column: Column, value: Any) -> bool:
    if value is None:
        return column.empty
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    if column.one_of and value not in column.one_of:
        return False
    return is_id(value) if column.refers or name == "id" else bool(value) or name not in _NOT_EMPTY


def _together(table: str, row: dict[str, Any], path: Path, line: int) -> None:
    if "start_us" in row and not 0 <= row["start_us"] < row["end_us"]:
        raise damaged(path, "the end is not after the start, or the start is before the recording", line)
    if row.get("duration_us", 0) < 0 or row.get("position", 0) < 0 or row.get("number", 1) < 1:
        raise damaged(path, "a number is negative", line)
    if row.get("version", 1) < 1:
        raise damaged(path, "a version counts from 1", line)
    if table in ("annotator", "comment") and not row["name" if table == "annotator" else "text"]:
        raise damaged(path, "a text is empty", line)
    if table == "medium":
        try:
            found = facts_from_json(json.dumps(row["facts"]))
        except (TypeError, KeyError, AttributeError, ValueError):
            raise damaged(path, "the facts about a medium make no sense", line) from None
        if not all(_typed(one) for one in (found, found.video, found.audio) if one is not None):
            raise damaged(path, "the facts about a medium make no sense", line)
    if table == "scheme_version":
        _scheme(row, path, line)


def _typed(facts: MediaFacts | VideoFacts | AudioFacts) -> bool:
    """Tell whether every fact is of its type; a whole number does for one with decimals."""
    for one in fields(facts):
        value, wanted = getattr(facts, one.name), one.type
        if not isinstance(wanted, type):
            continue
        decimal = wanted is float and type(value) is int
        if not decimal and type(value) is not wanted:
            return False
    return True


def _scheme(row: dict[str, Any], path: Path, line: int) -> None:
    try:
        scheme = parse_scheme(row["text"], str(row["key"]))
    except UserError as error:
        raise damaged(path, error.message.rstrip("."), line) from None
    if (scheme.key, scheme.version) != (row["key"], row["version"]):
        raise damaged(path, f"the text is of version {scheme.version} of “{scheme.key}”", line)
