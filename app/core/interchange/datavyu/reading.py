"""Reads what is in a Datavyu file: `db`, the columns and their cells in any of its four versions, and media's names.

In versions 1 to 3 a cell is a number, a text or a list in brackets; in version 4 it is always a list. A backslash
stands before characters that would mean something, and at the end of a line where a text goes on.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.core.interchange.document import Document, Entry, Lane, MediaLink, RecordingPart
from app.core.interchange.limits import damaged
from app.core.interchange.unique import unique
from project.types import Json

MARKS = "greenroom"
"""The column of our own files with a cell for each other column, about the lane that it is."""
ABOUT = ("column", "lane", "kind", "annotator", "participant", "scheme", "track", "fields")
"""Its codes. The cell without a column is about the recording: its name is the lane, its id the track."""
LABEL, ID = "label", "id"
_CELL = re.compile(r"(\d{2,5}):(\d\d):(\d\d):(\d{3}),(\d{2,5}):(\d\d):(\d\d):(\d{3}),?(.*)", re.DOTALL)
_VOCABULARY = re.compile(r"\d+:")
_FEED = re.compile(r"^[ \t]*(?:feed|filename|file)[ \t]*:(.+)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MOST_COLUMNS = 5_000
_PIECES = {sign: re.compile(rf"[^\\{sign}]+|\\.?|{re.escape(sign)}", re.DOTALL) for sign in ",|"}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its times, and its values in the order of the column's codes."""

    start_us: int
    end_us: int
    values: tuple[str, ...]


@dataclass(slots=True)
class Column:
    """One column; `codes` is empty where its cells have one value without a name."""

    name: str
    codes: tuple[str, ...]
    cells: list[Cell]


def read_columns(text: str, path: Path) -> tuple[list[Column], Counter[str]]:
    """Return the columns, and what of them is left out.

    Raises:
        UserError: the text is no `db` of Datavyu's, or is damaged.
    """
    found: list[Column] = []
    left_out: Counter[str] = Counter()
    # Version 4 has no quotes around texts.
    quoted = not text.startswith("#4")
    for number, line in _lines(text):
        if not line.strip() or (number == 1 and line.startswith("#")):
            continue
        cell = _CELL.fullmatch(line)
        if cell is not None:
            if not found:
                raise damaged(path, "there is a cell before any column", number)
            _add(found[-1], cell, left_out, quoted)
        elif found == [] and _VOCABULARY.match(line):
            continue
        else:
            name, bracket, rest = line.partition("(")
            kind, end, listed = rest.partition(")")
            if not bracket or not end or not kind.split(",")[0].strip().isidentifier():
                raise damaged(path, f"“{line[:40]}” is neither a column nor a cell", number)
            if len(found) == _MOST_COLUMNS:
                raise damaged(path, f"it has more than {_MOST_COLUMNS} columns", number)
            codes = _split(listed.removeprefix("-"), ",")
            names = tuple(_plain(_split(code, "|")[0]) for code in codes if code)
            found.append(Column(_plain(name.rstrip()), names, []))
    if not found and not text.startswith("#"):
        raise damaged(path, "there is no column in it")
    return found, left_out


def document_of(columns: Sequence[Column], left_out: Counter[str], project: str, path: Path) -> Document:
    """Return columns as the lanes of one recording."""
    marks = {
        cell.values[0]: dict(zip(ABOUT, cell.values, strict=False))
        for column in columns
        if column.name == MARKS and column.codes == ABOUT
        for cell in column.cells
        if cell.values
    }
    taken: set[str] = set()
    lanes = []
    for column in columns:
        if column.name == MARKS and column.codes == ABOUT:
            continue
        about = marks.get(column.name, {})
        entries = tuple(sorted((_entry(column, cell, about) for cell in column.cells), key=_times))
        lanes.append(
            Lane(
                unique(about.get("lane") or column.name, taken),
                entries,
                "utterances" if about.get("kind") == "utterances" else "segments",
                about.get("annotator", ""),
                about.get("participant", ""),
                about.get("scheme", ""),
                about.get("track", ""),
            )
        )
    whole = marks.get("", {})
    media = tuple(MediaLink(name.strip().strip("'\"")) for name in _FEED.findall(project))
    part = RecordingPart(whole.get("lane") or path.stem, tuple(lanes), media, 0, whole.get("track", ""))
    return Document((part,), tuple(f"{why}: {count}." for why, count in left_out.items()))


def _times(entry: Entry) -> tuple[int, int]:
    return entry.start_us, entry.end_us


def _entry(column: Column, cell: Cell, about: dict[str, str]) -> Entry:
    if not column.codes:
        return Entry(cell.start_us, cell.end_us, cell.values[0] if cell.values else "")
    names = list(column.codes)
    ours = bool(about) and column.codes[:2] == (LABEL, ID)
    if ours:
        fields = [_plain(one) for one in _split(about.get("fields", ""), "|") if one]
        names[2 : 2 + len(fields)] = fields
    values = list(zip(names, cell.values, strict=False))
    text = values[0][1] if values else ""
    row_id = values[1][1] if ours and len(values) > 1 else ""
    held: dict[str, Json] = {name: value for name, value in values[2 if ours else 1 :] if value}
    return Entry(cell.start_us, cell.end_us, text, held, row_id)


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with their numbers; one that ends with a backslash of its own goes on with the next."""
    whole: list[str] = []
    first = 1
    for number, line in enumerate(text.split("\n"), start=1):
        whole.append(line.removesuffix("\r"))
        if (len(whole[-1]) - len(whole[-1].rstrip("\\"))) % 2:
            continue
        yield first, "\n".join(whole)
        whole, first = [], number + 1
    if whole:
        yield first, "\n".join(whole)


def _add(column: Column, cell: re.Match[str], left_out: Counter[str], quoted: bool) -> None:
    start, end = (_microseconds(cell.groups()[place : place + 4]) for place in (0, 4))
    text = cell[9]
    listed = bool(column.codes) and text.startswith("(")
    values = tuple(_plain(one) for one in _split(text[1:].removesuffix(")"), ",")) if listed else ()
    if quoted:
        values = tuple(one[1:-1] if len(one) > 1 and one[0] == one[-1] == '"' else one for one in values)
    if end < start:
        # Datavyu gives a cell that has no end yet one of 0.
        left_out["Cells that end before they start are read as points"] += 1
        end = start
    column.cells.append(Cell(start, end, values if listed else (_plain(text),)))


def _microseconds(found: Sequence[str]) -> int:
    hours, minutes, seconds, milliseconds = map(int, found)
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + milliseconds * 1000


def _split(text: str, sign: str) -> list[str]:
    """Divide a text at signs without a backslash before them; backslashes stay where they are."""
    found: list[list[str]] = [[]]
    for piece in re.findall(_PIECES[sign], text):
        if piece == sign:
            found.append([])
        else:
            found[-1].append(piece)
    return ["".join(pieces) for pieces in found]


def _plain(text: str) -> str:
    """Return a text without the backslashes that stand before other characters."""
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text
