"""Reads Datavyu spreadsheets (.opf), with `db` in any of its four versions, and writes version 4.

Of the ZIP archive only `db` and `project` are read, and nothing is unpacked.
"""

import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, decode_text, read_bytes, read_member
from annotate.interchange.document import (
    FORM_LOSSES,
    LANE_FACTS,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    format_clock,
    unique_name,
)
from annotate.interchange.value_text import to_text
from project.entities.study_records import Json

METADATA_COLUMN = "greenroom"
"""The column of our own files with a cell for each other column, about the lane that it is."""
METADATA_CODES = ("column", "lane", *LANE_FACTS, "fields")
"""Its codes. The cell without a column is about the recording: its name is the lane, its id the track."""
LABEL, ID = "label", "id"
_CELL = re.compile(r"(\d{2,5}):(\d\d):(\d\d):(\d{3}),(\d{2,5}):(\d\d):(\d\d):(\d{3}),?(.*)", re.DOTALL)
_VOCABULARY = re.compile(r"\d+:")
_FEED = re.compile(r"^[ \t]*(?:feed|filename|file)[ \t]*:(.+)$", re.MULTILINE)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MAX_COLUMNS = 5_000
_SPLIT_PATTERNS = {sign: re.compile(rf"[^\\{sign}]+|\\.?|{re.escape(sign)}", re.DOTALL) for sign in ",|"}


@dataclass(frozen=True, slots=True)
class DatavyuCell:
    """One cell: its times, and its values in the order of the column's codes."""

    start_us: int
    end_us: int
    values: tuple[str, ...]


@dataclass(slots=True)
class DatavyuColumn:
    """One column; `codes` is empty where its cells have one value without a name."""

    name: str
    codes: tuple[str, ...]
    cells: list[DatavyuCell]


def read_columns(text: str, path: Path) -> tuple[list[DatavyuColumn], Counter[str]]:
    """Return the columns, and what of them is left out."""
    found: list[DatavyuColumn] = []
    left_out: Counter[str] = Counter()
    # Version 4 has no quotes around texts.
    quoted = not text.startswith("#4")
    for number, line in _lines(text):
        if not line.strip() or (number == 1 and line.startswith("#")):
            continue
        cell = _CELL.fullmatch(line)
        if cell is not None:
            if not found:
                raise damaged_file_error(path, "there is a cell before any column", number)
            _add(found[-1], cell, left_out, quoted)
        elif found == [] and _VOCABULARY.match(line):
            continue
        else:
            name, bracket, rest = line.partition("(")
            kind, end, listed = rest.partition(")")
            if not bracket or not end or not kind.split(",")[0].strip().isidentifier():
                raise damaged_file_error(path, f"“{line[:40]}” is neither a column nor a cell", number)
            if len(found) == _MAX_COLUMNS:
                raise damaged_file_error(path, f"it has more than {_MAX_COLUMNS} columns", number)
            codes = _split(listed.removeprefix("-"), ",")
            names = tuple(_unescape(_split(code, "|")[0]) for code in codes if code)
            found.append(DatavyuColumn(_unescape(name.rstrip()), names, []))
    if not found and not text.startswith("#"):
        raise damaged_file_error(path, "there is no column in it")
    return found, left_out


def columns_to_document(columns: Sequence[DatavyuColumn], left_out: Counter[str], project: str, path: Path) -> Document:
    """Return columns as the lanes of one recording."""
    marks = {
        cell.values[0]: dict(zip(METADATA_CODES, cell.values, strict=False))
        for column in columns
        if column.name == METADATA_COLUMN and column.codes == METADATA_CODES
        for cell in column.cells
        if cell.values
    }
    taken: set[str] = set()
    lanes = []
    for column in columns:
        if column.name == METADATA_COLUMN and column.codes == METADATA_CODES:
            continue
        about = marks.get(column.name, {})
        entries = sorted((_entry(column, cell, about) for cell in column.cells), key=lambda entry: entry.span)
        name = unique_name(about.get("lane") or column.name, taken)
        kind, annotator, participant, scheme, track = (about.get(fact, "") for fact in LANE_FACTS)
        kind = "utterances" if kind == "utterances" else "segments"
        lanes.append(InterchangeLane(name, tuple(entries), kind, annotator, participant, scheme, track))
    whole = marks.get("", {})
    media = tuple(MediaLink(name.strip().strip("'\"")) for name in _FEED.findall(project))
    part = RecordingPart(whole.get("lane") or path.stem, tuple(lanes), media, 0, whole.get("track", ""))
    return Document((part,), tuple(f"{why}: {count}." for why, count in left_out.items()))


def _entry(column: DatavyuColumn, cell: DatavyuCell, about: dict[str, str]) -> InterchangeEntry:
    if not column.codes:
        return InterchangeEntry(cell.start_us, cell.end_us, cell.values[0] if cell.values else "")
    names = list(column.codes)
    ours = bool(about) and column.codes[:2] == (LABEL, ID)
    if ours:
        fields = [_unescape(name) for name in _split(about.get("fields", ""), "|") if name]
        names[2 : 2 + len(fields)] = fields
    values = list(zip(names, cell.values, strict=False))
    text = values[0][1] if values else ""
    row_id = values[1][1] if ours and len(values) > 1 else ""
    held: dict[str, Json] = {name: value for name, value in values[2 if ours else 1 :] if value}
    return InterchangeEntry(cell.start_us, cell.end_us, text, held, row_id)


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


def _add(column: DatavyuColumn, cell: re.Match[str], left_out: Counter[str], quoted: bool) -> None:
    start, end = (_microseconds(cell.groups()[place : place + 4]) for place in (0, 4))
    text = cell[9]
    listed = bool(column.codes) and text.startswith("(")
    values = tuple(_unescape(value) for value in _split(text[1:].removesuffix(")"), ",")) if listed else ()
    if quoted:
        values = tuple(value[1:-1] if len(value) > 1 and value[0] == value[-1] == '"' else value for value in values)
    if end < start:
        # Datavyu gives a cell that has no end yet one of 0.
        left_out["Cells that end before they start are read as points"] += 1
        end = start
    column.cells.append(DatavyuCell(start, end, values if listed else (_unescape(text),)))


def _microseconds(found: Sequence[str]) -> int:
    hours, minutes, seconds, milliseconds = map(int, found)
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + milliseconds * 1000


def _split(text: str, sign: str) -> list[str]:
    """Divide a text at signs without a backslash before them; backslashes stay where they are."""
    found: list[list[str]] = [[]]
    for piece in re.findall(_SPLIT_PATTERNS[sign], text):
        if piece == sign:
            found.append([])
        else:
            found[-1].append(piece)
    return ["".join(pieces) for pieces in found]


def _unescape(text: str) -> str:
    """Return a text without the backslashes that stand before other characters."""
    return _ESCAPED.sub(r"\1", text) if "\\" in text else text


_SPECIAL_CHARS = re.compile(r"[\\()\n,|-]")
_BREAKS = re.compile(r"\r\n?")
_DROPPED_CHARS = re.compile("[\x00\x01]")
_LATEST_HOURS = 100


def format_db(document: Document) -> str:
    """Return the columns of one recording."""
    return "\n".join(["#4", *_db_lines(document.only_recording("A Datavyu file"))]) + "\n"


def _db_lines(part: RecordingPart) -> Iterator[str]:
    taken = {METADATA_COLUMN}
    columns = [(unique_column(lane, taken), lane) for lane in part.lanes]
    yield _header(METADATA_COLUMN, METADATA_CODES)
    yield _cell(0, 0, ["", part.name, "", "", "", "", part.id, ""])
    fields = [list(dict.fromkeys(name for entry in lane.entries for name in entry.values)) for lane in part.lanes]
    for (name, lane), named in zip(columns, fields, strict=True):
        listed = "|".join(re.sub(r"[\\|]", r"\\\g<0>", text) for text in named)
        yield _cell(0, 0, [name, lane.name, *lane.subject, listed])
    for (name, lane), named in zip(columns, fields, strict=True):
        codes: set[str] = set()
        yield _header(name, [unique_name(_word(text), codes) for text in (LABEL, ID, *named)])
        for entry in sorted(lane.entries, key=lambda entry: entry.span):
            yield _cell(entry.start_us, entry.end_us, _values(entry, named))


def unique_column(lane: InterchangeLane, taken: set[str]) -> str:
    """Return a name that Datavyu allows: letters, digits and underscores, beginning with a letter."""
    base = name = _word(lane.name)
    number = 2
    while name in taken:
        name, number = f"{base}_{number}", number + 1
    taken.add(name)
    return name


def _word(text: str) -> str:
    plain = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return plain if plain[:1].isalpha() else f"c_{plain}".rstrip("_")


def _header(name: str, codes: Sequence[str]) -> str:
    return f"{name} (MATRIX,true,)-" + ",".join(f"{code}|NOMINAL" for code in codes)


def _values(entry: InterchangeEntry, fields: Sequence[str]) -> list[str]:
    held = [to_text(entry.values[name]) if name in entry.values else "" for name in fields]
    return [entry.text, entry.id, *held]


def _cell(start_us: int, end_us: int, values: Sequence[str]) -> str:
    start, end = (format_clock(time_us, ":", _LATEST_HOURS) for time_us in (start_us, end_us))
    return f"{start},{end},({','.join(_escape(value) for value in values)})"


def _escape(text: str) -> str:
    return _SPECIAL_CHARS.sub(r"\\\g<0>", _BREAKS.sub("\n", _DROPPED_CHARS.sub("", text)))


_MAX_PROJECT_BYTES = MEGABYTE
_DB, _PROJECT = "db", "project"
_PROJECT_YAML = "!project\ndbFile: db\nname: Greenroom\nversion: 5\nviewerSettings: []\n"
_ZIP_TIMESTAMP = (1980, 1, 1, 0, 0, 0)


def _recognises(head: bytes) -> bool:
    """Tell whether the first bytes are of a ZIP archive whose first file is one of Datavyu's."""
    size = int.from_bytes(head[26:28], "little")
    return head.startswith(b"PK\x03\x04") and head[30 : 30 + size] in (_DB.encode(), _PROJECT.encode())


def _read(path: Path) -> Document:
    try:
        with zipfile.ZipFile(io.BytesIO(read_bytes(path))) as archive:
            db = read_member(archive, _DB, path)
            named = _PROJECT in archive.namelist()
            project = read_member(archive, _PROJECT, path, _MAX_PROJECT_BYTES) if named else b""
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError) as error:
        raise damaged_file_error(path, f"it is no whole ZIP archive ({error})") from None
    columns, left_out = read_columns(decode_text(db, path), path)
    return columns_to_document(columns, left_out, project.decode("utf-8", "replace"), path)


def _write(document: Document, path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in ((_PROJECT, _PROJECT_YAML), (_DB, format_db(document))):
            archive.writestr(zipfile.ZipInfo(name, _ZIP_TIMESTAMP), text.encode("utf-8", "replace"))


DATAVYU = Format(
    "datavyu",
    "Datavyu (.opf)",
    (".opf",),
    _recognises,
    _read,
    _write,
    (
        "Datavyu counts milliseconds: finer times are cut off.",
        "Links to media are left out: add the video in Datavyu.",
        "Empty values are left out, and lines end in one way; Datavyu itself also drops spaces around a value.",
        *FORM_LOSSES,
    ),
)
"""Datavyu. A column holds a lane; its codes are the label, the id and the form fields."""
