"""Reads the event logs that The Observer XT exports as text, a row for each start, stop and point.

Source: The Observer XT, reference manual (Noldus), "Export event logs"; columns can stand in any order.
"""

from collections import Counter, deque
from collections.abc import Iterator, Mapping
from pathlib import Path

from annotate.interchange.bounded_files import check_entries, damaged_file_error, name_cells, read_cells, read_text
from annotate.interchange.document import (
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    RecordingPart,
    parse_seconds,
)
from annotate.interchange.formats.boris_fields import BEHAVIORS, COMMENT, NO_SUBJECT
from project.entities.study_records import Json

_TIME, _DURATION, _TYPE, _BEHAVIOR = "time_relative_sf", "duration_sf", "event_type", "behavior"
_MODIFIER = "modifier_"
Row = Mapping[str, str]
LogKey = tuple[str, ...]


def _read(path: Path) -> Document:
    """Return a recording for each observation and a lane for each subject; modifiers and comments are values."""
    unread: Counter[str] = Counter()
    parts: dict[str, dict[str, list[InterchangeEntry]]] = {}
    for count, (row, start, end) in enumerate(_pair_rows(_read_rows(path), unread)):
        values: dict[str, Json] = {
            name.replace("_", " "): cell.strip() for name, cell in row.items() if name.startswith(_MODIFIER) and cell
        }
        if comment := row.get("comment", "").strip():
            values[COMMENT] = comment
        entry = InterchangeEntry(start, end, row[_BEHAVIOR].strip(), values)
        lanes = parts.setdefault(row.get("observation", "").strip() or path.stem, {})
        lanes.setdefault(row.get("subject", "").strip(), []).append(entry)
        check_entries(path, count)
    made = (
        RecordingPart(
            name,
            tuple(
                InterchangeLane(
                    who or NO_SUBJECT,
                    tuple(sorted(entries, key=lambda entry: entry.span)),
                    participant=who,
                    vocabulary=tuple(dict.fromkeys(entry.text for entry in entries)),
                    tier=BEHAVIORS,
                )
                for who, entries in lanes.items()
            ),
        )
        for name, lanes in parts.items()
    )
    return Document(tuple(made), unread=unread)


def _read_rows(path: Path) -> Iterator[Row]:
    text = read_text(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = ((line, cells) for line, cells in read_cells(text, first, path) if any(cells))
    columns = [cell.strip().casefold() for cell in next(rows, (0, [""]))[1]]
    if not {_TIME, _BEHAVIOR, _TYPE} <= {*columns}:
        raise damaged_file_error(path, f"it has no columns {_TIME}, {_BEHAVIOR} and {_TYPE}", 1)
    for line, cells in rows:
        yield name_cells(columns, cells, path, line)


def _pair_rows(rows: Iterator[Row], unread: Counter[str]) -> Iterator[tuple[Row, int, int]]:
    """Yield what begins with its start and end: by its duration where there is one, else by the stop that follows."""
    begun: dict[LogKey, deque[tuple[Row, int]]] = {}
    for row in rows:
        at, kind = parse_seconds(row[_TIME]), row[_TYPE].strip().casefold()
        if at is None or not row[_BEHAVIOR].strip():
            unread["a row without a time or a behavior"] += 1
            continue
        modifiers = (cell for name, cell in row.items() if name.startswith(_MODIFIER))
        key = (row.get("observation", ""), row.get("subject", ""), row[_BEHAVIOR], *modifiers)
        duration = parse_seconds(row.get(_DURATION, ""))
        if kind == "state stop":
            if open_states := begun.get(key):
                start, since = open_states.popleft()
                if at < since:
                    unread["a stop before its start"] += 1
                else:
                    yield start, since, at
        elif kind == "state start" and duration is None:
            begun.setdefault(key, deque()).append((row, at))
        else:
            yield row, at, at + (max(0, duration or 0) if kind == "state start" else 0)
    for open_states in begun.values():
        for row, _ in open_states:
            unread[f"a start of “{row[_BEHAVIOR][:40]}” without a stop: stop it in The Observer"] += 1


def _recognises(head: bytes) -> bool:
    lines = head.replace(b"\0", b"").decode("utf-8", "replace").casefold().splitlines()
    first = next((line for line in lines if line.strip()), "")
    return all(name in first for name in (_TIME, _BEHAVIOR, _TYPE))


OBSERVER = Format("observer", "The Observer XT, event log (.txt, .csv)", (".txt", ".csv"), _recognises, _read)
"""The Observer XT. States and points of a subject are a lane."""
