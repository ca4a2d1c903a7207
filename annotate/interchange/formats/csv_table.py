"""Our own table of annotations: one row a segment or utterance, documented in docs/interchange.md."""

import csv
import io
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from annotate.interchange.bounded_files import MEGABYTE, check_entries, damaged_file_error, read_text
from annotate.interchange.document import (
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    to_text,
    unique_name,
)
from project.entities.study_records import Json
from project.text_format import restore_formula, write_csv

MAX_FILE_BYTES = 64 * MEGABYTE
COLUMNS = (
    "recording",
    "recording_id",
    "media",
    "kind",
    "annotator",
    "participant",
    "scheme",
    "track",
    "start_s",
    "end_s",
    "label",
    "text",
    "id",
)
VALUE_PREFIX = "value "
"""Stands before the name of a value that is called like one of the columns, or that begins with it."""
_REQUIRED_COLUMNS = ("start_s", "end_s")
_MAX_CELL_CHARS = 10_000_000
_SECONDS = re.compile(r"-?\d{1,9}([.,]\d{1,12})?")
_Key = tuple[str, str, str, str, str]


class Table:
    """A plain table for spreadsheets, R and pandas."""

    key: ClassVar[str] = "csv"
    name: ClassVar[str] = "Table (.csv)"
    suffixes: ClassVar[tuple[str, ...]] = (".csv",)
    holds_several: ClassVar[bool] = True
    lossless: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "Recordings without any segment or utterance do not appear.",
        "Offsets of media are left out.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the columns that are needed are in the first line."""
        first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
        named = {name.strip().strip('"').casefold() for name in re.split("[,;\t]", first)}
        return named.issuperset(_REQUIRED_COLUMNS) and bool(named & {"label", "text"})

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        return _parse_table(read_text(path, MAX_FILE_BYTES), path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        with path.open("w", encoding="utf-8-sig", errors="replace", newline="") as file:
            names = dict.fromkeys(
                name
                for part in document.recordings
                for lane in part.lanes
                for entry in lane.entries
                for name in entry.values
            )
            write_csv(file, (*COLUMNS, *map(_column, names)), _rows(document, list(names)))


def _column(name: str) -> str:
    return f"{VALUE_PREFIX}{name}" if name in COLUMNS or name.startswith(VALUE_PREFIX) else name


def _rows(document: Document, names: list[str]) -> Iterator[list[str]]:
    for part in document.recordings:
        media = part.media[0].path if part.media else ""
        for lane in part.lanes:
            speech = lane.kind == "utterances"
            before = [part.name, part.id, media, "utterance" if speech else "segment", lane.annotator]
            before += [lane.participant, lane.scheme, lane.track]
            for entry in lane.entries:
                said = ["", entry.text] if speech else [entry.text, ""]
                held = [to_text(entry.values[name]) if name in entry.values else "" for name in names]
                yield [*before, _format_seconds(entry.start_us), _format_seconds(entry.end_us), *said, entry.id, *held]


def _parse_table(text: str, path: Path) -> Document:
    csv.field_size_limit(_MAX_CELL_CHARS)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    table = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    entries: dict[tuple[str, str, str], dict[_Key, list[InterchangeEntry]]] = {}
    line = 1
    try:
        columns = [restore_formula(name).strip() for name in next(table, [])]
        missing = [name for name in _REQUIRED_COLUMNS if name not in columns]
        if missing or not {"label", "text"} & set(columns):
            raise damaged_file_error(path, f"it has no column “{missing[0] if missing else 'label'}”")
        if len(set(columns)) != len(columns):
            raise damaged_file_error(path, "two of its columns have the same name")
        for number, cells in enumerate(table, start=1):
            line = table.line_num
            check_entries(path, number)
            if not cells:
                continue
            if len(cells) != len(columns):
                raise damaged_file_error(path, f"there are {len(cells)} cells instead of {len(columns)}", line)
            row = dict(zip(columns, (restore_formula(cell) for cell in cells), strict=True))
            place, key, entry = _entry(row, path, line)
            entries.setdefault(place, {}).setdefault(key, []).append(entry)
    except csv.Error as error:
        raise damaged_file_error(path, str(error), line) from None
    return Document(tuple(_part(place, lanes, path) for place, lanes in entries.items()))


def _entry(row: Mapping[str, str], path: Path, line: int) -> tuple[tuple[str, str, str], _Key, InterchangeEntry]:
    start, end = (_time(row[name], path, line) for name in _REQUIRED_COLUMNS)
    if end < start:
        raise damaged_file_error(path, "the end is before the start", line)
    kind = row.get("kind", "").strip() or "segment"
    if kind not in ("segment", "utterance"):
        raise damaged_file_error(path, f"the kind is “{kind}”, not segment or utterance", line)
    text = row.get("text", "") if kind == "utterance" or "label" not in row else row["label"]
    values: dict[str, Json] = {
        name.removeprefix(VALUE_PREFIX): cell for name, cell in row.items() if name not in COLUMNS and cell
    }
    key = (f"{kind}s", *(row.get(name, "").strip() for name in ("annotator", "participant", "scheme", "track")))
    place = row.get("recording", ""), row.get("recording_id", "").strip(), row.get("media", "")
    found = InterchangeEntry(start, end, text, MappingProxyType(values), row.get("id", "").strip())
    return place, (key[0], key[1], key[2], key[3], key[4]), found


def _part(place: tuple[str, str, str], lanes: Mapping[_Key, list[InterchangeEntry]], path: Path) -> RecordingPart:
    name, row_id, media = place
    taken: set[str] = set()
    made = []
    for (kind, annotator, participant, scheme, track), entries in lanes.items():
        words = ("Speech", participant) if kind == "utterances" else (annotator, f"{scheme}.{track}".strip("."))
        title = unique_name(" ".join(word for word in words if word) or "Segments", taken)
        made.append(InterchangeLane(title, tuple(entries), kind, annotator, participant, scheme, track))
    return RecordingPart(name or path.stem, tuple(made), (MediaLink(media),) if media else (), 0, row_id)


def _time(text: str, path: Path, line: int) -> int:
    found = text.strip()
    if not _SECONDS.fullmatch(found):
        raise damaged_file_error(path, f"“{found[:40]}” is no time in seconds", line)
    return round(float(found.replace(",", ".")) * 1_000_000)


def _format_seconds(time_us: int) -> str:
    whole, rest = divmod(time_us, 1_000_000)
    return f"{whole}.{rest:06}"
