"""Our own table of annotations: one row a segment or utterance, documented in docs/interchange.md."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from annotate.interchange.bounded_files import check_entries, damaged_file_error, name_cells, read_cells, read_text
from annotate.interchange.document import (
    FORM_LOSSES,
    LANE_FACTS,
    Document,
    Format,
    InterchangeEntry,
    LaneSubject,
    MediaLink,
    RecordingPart,
    build_lanes,
    format_seconds,
    parse_seconds,
)
from annotate.interchange.value_text import to_text
from project.entities.study_records import Json
from project.text_format import write_csv

COLUMNS = ("recording", "recording_id", "media", *LANE_FACTS, "start_s", "end_s", "label", "text", "id")
VALUE_PREFIX = "value "
"""Stands before the name of a value that is called like one of the columns, or that begins with it."""
_REQUIRED_COLUMNS = ("start_s",)


def _recognises(head: bytes) -> bool:
    """Tell whether the columns that are needed are in the first line."""
    first = head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace")
    named = {name.strip().strip('"').casefold() for name in re.split("[,;\t]", first)}
    return named.issuperset(_REQUIRED_COLUMNS) and bool(named & {"label", "text"})


def _write(document: Document, path: Path) -> None:
    document = document.with_codes()
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
            kind, *about = lane.subject
            before = [part.name, part.id, media, kind.removesuffix("s"), *about]
            for entry in lane.entries:
                said = ["", entry.text] if lane.is_speech else [entry.text, ""]
                held = [to_text(entry.values[name]) if name in entry.values else "" for name in names]
                yield [*before, format_seconds(entry.start_us), format_seconds(entry.end_us), *said, entry.id, *held]


def read_table(path: Path) -> Document:
    """Read the rows as lanes of the recordings that they name."""
    text = read_text(path)
    table = read_cells(text, text.partition("\n")[0], path)
    entries: dict[tuple[str, str, str], dict[LaneSubject, list[InterchangeEntry]]] = {}
    _, columns = next(table, (1, []))
    columns = [name.strip() for name in columns]
    missing = [name for name in _REQUIRED_COLUMNS if name not in columns]
    if missing or not {"label", "text"} & set(columns):
        raise damaged_file_error(path, f"it has no column “{missing[0] if missing else 'label'}”")
    if len(set(columns)) != len(columns):
        raise damaged_file_error(path, "two of its columns have the same name")
    for number, (line, cells) in enumerate(table, start=1):
        check_entries(path, number)
        if cells:
            place, key, entry = _entry(name_cells(columns, cells, path, line), path, line)
            entries.setdefault(place, {}).setdefault(key, []).append(entry)
    return Document(
        tuple(
            RecordingPart(name or path.stem, build_lanes(lanes), (MediaLink(media),) if media else (), 0, row_id)
            for (name, row_id, media), lanes in entries.items()
        )
    )


def _entry(row: Mapping[str, str], path: Path, line: int) -> tuple[tuple[str, str, str], LaneSubject, InterchangeEntry]:
    start = _time(row["start_s"], path, line)
    end = _time(row["end_s"], path, line) if row.get("end_s", "").strip() else start
    if end < start:
        raise damaged_file_error(path, "the end is before the start", line)
    kind = row.get("kind", "").strip() or "segment"
    if kind not in ("segment", "utterance"):
        raise damaged_file_error(path, f"the kind is “{kind}”, not segment or utterance", line)
    text = row.get("text", "") if kind == "utterance" or "label" not in row else row["label"]
    values: dict[str, Json] = {
        name.removeprefix(VALUE_PREFIX): cell for name, cell in row.items() if name not in COLUMNS and cell
    }
    annotator, participant, scheme, track = (row.get(name, "").strip() for name in LANE_FACTS[1:])
    place = row.get("recording", ""), row.get("recording_id", "").strip(), row.get("media", "")
    found = InterchangeEntry(start, end, text, values, row.get("id", "").strip())
    return place, (f"{kind}s", annotator, participant, scheme, track), found


def _time(text: str, path: Path, line: int) -> int:
    found = parse_seconds(text)
    if found is None:
        raise damaged_file_error(path, f"“{text.strip()[:40]}” is no time in seconds", line)
    return found


TABLE = Format(
    "csv",
    "Table (.csv)",
    (".csv",),
    _recognises,
    read_table,
    _write,
    (
        "Recordings without any segment or utterance do not appear.",
        "Offsets of media are left out.",
        *FORM_LOSSES,
    ),
    holds_several=True,
)
"""A plain table for spreadsheets, R and pandas."""
