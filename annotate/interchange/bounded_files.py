"""Reads files with limits on size, depth and entries, so that a hostile file exhausts neither memory nor time.

XML with a document type, and so with any entity, is refused.
"""

import csv
import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

from project.errors import UserError
from project.files.atomic_files import explain_os_errors
from project.text_format import escape_unprintable, restore_formula

MEGABYTE = 1_000_000
MAX_FILE_BYTES = 64 * MEGABYTE
"""The largest file that is read where its format says nothing else."""
MAX_ENTRIES = 500_000
"""Segments and utterances that are read from one file of another tool."""
MAX_LANES = 5_000
"""Tiers, subjects or columns of different names that are read from one file of another tool."""
HEAD_BYTES = 65_536
_MAX_CELL_CHARS = 10_000_000
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a character, as JSON writes it."""


def read_head(path: Path) -> bytes:
    """Return what a file begins with."""
    with open_input(path) as file:
        return file.read(HEAD_BYTES)


@contextmanager
def open_input(path: Path) -> Iterator[BinaryIO]:
    """Open a file that somebody chose, and say why where it cannot be read."""
    name = escape_unprintable(path.name)
    if path.is_dir():
        raise UserError(f"{name} is a folder.", "Choose a file in it.")
    with explain_os_errors(f"{name} cannot be read", "Choose another file."), path.open("rb") as file:
        yield file


def read_bytes(path: Path, largest: int = MAX_FILE_BYTES) -> bytes:
    """Return the content of a file of `largest` bytes at most."""
    with open_input(path) as file:
        found = file.read(largest + 1)
    if len(found) > largest:
        raise too_large_error(path, largest)
    return found


def read_text(path: Path, largest: int = MAX_FILE_BYTES) -> str:
    """Return the text of a file in UTF-8 (with or without a mark), or in UTF-16 where a mark says so."""
    return decode_text(read_bytes(path, largest), path)


def decode_text(found: bytes, path: Path) -> str:
    """Return bytes as text: UTF-8 with or without a mark, or UTF-16 where a mark says so."""
    try:
        if found[:2] in (b"\xff\xfe", b"\xfe\xff"):
            return found.decode("utf-16")
        return found.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(
            f"{escape_unprintable(path.name)} is not text in UTF-8 or UTF-16.",
            "Save it as UTF-8 in the program it comes from.",
        ) from None


def load_json(text: str, **options: Any) -> Any:
    """Return what a JSON text says, read with options of `json.loads`.

    Raises:
        ValueError: it is no JSON, or a text in it is no Unicode, which no study can hold.
    """
    found = json.loads(text, **options)
    if _SURROGATE.search(text):
        json.dumps(found, ensure_ascii=False).encode()
    return found


def parse_json(text: str, path: Path) -> Any:
    """Return what the JSON in a file says."""
    try:
        return load_json(text)
    except json.JSONDecodeError as error:
        raise damaged_file_error(path, f"it is not JSON ({error.msg})", error.lineno) from None
    except (ValueError, RecursionError):
        raise damaged_file_error(path, "it is not JSON that makes sense") from None


def read_member(archive: zipfile.ZipFile, name: str, path: Path, largest: int = MAX_FILE_BYTES) -> bytes:
    """Return one file of a zip archive, never more than `largest` bytes of it, whatever the archive declares."""
    try:
        with archive.open(name) as member:
            found = member.read(largest + 1)
    except KeyError:
        raise damaged_file_error(path, f"there is no “{escape_unprintable(name)}” in it") from None
    except (zipfile.BadZipFile, OSError, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise damaged_file_error(path, str(error) or type(error).__name__) from None
    except Exception as error:
        # zlib, bz2 and lzma have errors of their own.
        if type(error).__module__ not in ("zlib", "_lzma", "lzma", "bz2"):
            raise
        raise damaged_file_error(path, "what is packed in it cannot be read") from None
    if len(found) > largest:
        raise too_large_error(path, largest)
    return found


def read_cells(text: str, first: str, path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield line number and cells of each row of a table; `first` is a line that tells how cells are divided."""
    csv.field_size_limit(_MAX_CELL_CHARS)
    separator = max(",;\t", key=first.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in table:
            yield table.line_num, [restore_formula(cell) for cell in cells]
    except csv.Error as error:
        raise damaged_file_error(path, str(error), table.line_num) from None


def name_cells(columns: Sequence[str], cells: Sequence[str], path: Path, line: int) -> dict[str, str]:
    """Return a row by the names of its columns."""
    if len(cells) != len(columns):
        raise damaged_file_error(path, f"there are {len(cells)} cells instead of {len(columns)}", line)
    return dict(zip(columns, cells, strict=True))


def damaged_file_error(path: Path, why: str, line: int = 0) -> UserError:
    """Return the error for a file that cannot be understood; `why` is a clause without its full stop."""
    where = f" at line {line}" if line else ""
    return UserError(
        f"{escape_unprintable(path.name)} cannot be read{where}: {escape_unprintable(why)[:200]}.",
        "Nothing was imported.",
    )


def too_large_error(path: Path, largest: int) -> UserError:
    """Return the error for a file that is larger than its format allows."""
    return UserError(
        f"{escape_unprintable(path.name)} is larger than {largest // MEGABYTE} MB, which is the limit.",
        "Nothing was imported.",
    )


def check_entries(path: Path, number: int) -> None:
    """Return quietly where a file holds `MAX_ENTRIES` segments and utterances at most."""
    if number > MAX_ENTRIES:
        raise UserError(
            f"{escape_unprintable(path.name)} has more than {MAX_ENTRIES} segments and utterances, which is the limit.",
            "Nothing was imported. Split the file.",
        )


def check_lanes(path: Path, number: int) -> None:
    """Return quietly where a file holds `MAX_LANES` tiers of different names at most."""
    if number > MAX_LANES:
        raise UserError(
            f"{escape_unprintable(path.name)} has more than {MAX_LANES} tiers, which is the limit.",
            "Nothing was imported. Split the file.",
        )


MAX_DEPTH = 32
_CHUNK_BYTES = 65_536
Start = Callable[[dict[str, str]], object]
End = Callable[[str], object]


class _ForbiddenXml(Exception):
    """Something in the file is not allowed; its text says what."""


def parse_xml(path: Path, starts: Mapping[str, Start], ends: Mapping[str, End]) -> str:
    """Read a file of `MAX_FILE_BYTES` bytes at most; returns the name of its root.

    `starts` has what gets the attributes of each element of a name; `ends` has what gets, at its end, the text since
    its last child or its start.
    """
    content = io.BytesIO(read_bytes(path))
    parser = expat.ParserCreate()
    parser.buffer_text = True
    pieces: list[str] = []
    depth, root = 0, ""

    def refuse(*_: object) -> None:
        raise _ForbiddenXml("it declares a document type, which is refused for safety")

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, root
        depth += 1
        if depth > MAX_DEPTH:
            raise _ForbiddenXml("its elements are nested too deeply")
        if depth == 1:
            root = name
        if pieces:
            pieces.clear()
        if name in starts:
            starts[name](attributes)

    def finish(name: str) -> None:
        nonlocal depth
        depth -= 1
        if name in ends:
            ends[name]("".join(pieces))
        if pieces:
            pieces.clear()

    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    parser.StartElementHandler = begin
    parser.EndElementHandler = finish
    parser.CharacterDataHandler = pieces.append
    try:
        while chunk := content.read(_CHUNK_BYTES):
            parser.Parse(chunk, False)
        parser.Parse(b"", True)
    except expat.ExpatError as error:
        raise damaged_file_error(path, expat.ErrorString(error.code), error.lineno) from None
    except _ForbiddenXml as error:
        raise damaged_file_error(path, str(error), parser.CurrentLineNumber) from None
    except (LookupError, UnicodeError, ValueError) as error:
        # An encoding that Python does not know, or that expat cannot use.
        raise damaged_file_error(path, str(error) or "its encoding is not known") from None
    return root
