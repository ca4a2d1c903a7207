"""Reads tables of events that INTERACT exports: onset, offset, and a column for each class.

Source: INTERACT user guide (Mangold International), "Format external data" and "Export events". Times are seconds, or
hours, minutes and seconds with milliseconds behind a point or frames behind a colon.
"""

import re
from collections import Counter
from collections.abc import Sequence
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
from annotate.interchange.formats.boris_fields import COMMENT
from project.entities.study_records import Json

_CLOCK = re.compile(r"(\d{1,6}):(\d\d):(\d\d)(?:([:.,])(\d{1,20}))?")
_ONSET, _OFFSET = re.compile(r"(start|onset)([ _-]?time)?"), re.compile(r"(end|offset)([ _-]?time)?")
_OTHER = re.compile(r"level|number|transition|entry|description|(duration|length)([ _-]?time)?|.*[ _-]frames?")
_GROUP = re.compile(r"(data[ _-]?)?(set|group)")
_MEMO = ("memo", "comment", "comments", "transcription", "transcript")
_FRAME_RATES = (25, 30, 50, 60)


def _read(path: Path) -> Document:
    """Return a lane for each class; set, group and memo of an event are values of its entries."""
    text = read_text(path)
    first = next((line for line in text.splitlines() if line.strip()), "")
    rows = [(line, cells) for line, cells in read_cells(text, first, path) if any(cells)]
    columns = [cell.strip() for cell in rows[0][1]] if rows else []
    onset, offset = (_find(columns, form) for form in (_ONSET, _OFFSET))
    if not onset or not offset or len({*columns}) != len(columns):
        raise damaged_file_error(path, "it has no columns for onset and offset, or two of the same name", 1)
    named = [name_cells(columns, cells, path, line) for line, cells in rows[1:]]
    rate = _guess_frame_rate([row[name] for row in named for name in (onset, offset)])
    unread: Counter[str] = Counter()
    lanes: dict[str, list[InterchangeEntry]] = {}
    for count, row in enumerate(named):
        start, end = _parse_time(row[onset], rate), _parse_time(row[offset], rate)
        codes = {name: row[name].strip() for name in columns if _is_class(name) and row[name].strip()}
        if not codes and not (row[onset].strip() and row[offset].strip()):
            continue
        if start is None or end is None or end < start or not codes:
            unread["an event without times that make sense, or without a code"] += 1
            continue
        values: dict[str, Json] = {name: row[name].strip() for name in columns if _GROUP.fullmatch(name.casefold())}
        memo = [row[name].strip() for name in columns if name.casefold() in _MEMO]
        held = {name: value for name, value in {**values, COMMENT: " ".join(filter(None, memo))}.items() if value}
        for name, code in codes.items():
            lanes.setdefault(name, []).append(InterchangeEntry(start, end, code, held))
        check_entries(path, count)
    made = tuple(InterchangeLane(name, tuple(entries)) for name, entries in lanes.items())
    frames = any(match and match[4] == ":" for row in named for match in [_CLOCK.fullmatch(row[onset].strip())])
    remarks = (f"Times count frames, which are read as {rate} a second.",) if frames else ()
    return Document((RecordingPart(path.stem, made),), remarks, unread)


def _find(columns: Sequence[str], form: re.Pattern[str]) -> str:
    return next((name for name in columns if form.fullmatch(name.casefold())), "")


def _is_class(name: str) -> bool:
    plain = name.casefold()
    others = (_ONSET, _OFFSET, _OTHER, _GROUP)
    return bool(plain) and plain not in _MEMO and not any(form.fullmatch(plain) for form in others)


def _guess_frame_rate(times: Sequence[str]) -> int:
    """Return the lowest usual frame rate that has all frames that times count."""
    clocks = (_CLOCK.fullmatch(time.strip()) for time in times)
    highest = max((int(match[5]) for match in clocks if match and match[4] == ":"), default=0)
    return next((rate for rate in _FRAME_RATES if highest < rate), highest + 1)


def _parse_time(text: str, rate: int) -> int | None:
    match = _CLOCK.fullmatch(text.strip())
    if match is None:
        return parse_seconds(text)
    hours, minutes, seconds = int(match[1]), int(match[2]), int(match[3])
    rest = match[5] or "0"
    fraction = int(rest) * 1_000_000 // rate if match[4] == ":" else int(rest[:6].ljust(6, "0"))
    return ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + fraction


def _recognises(head: bytes) -> bool:
    lines = head.replace(b"\0", b"").decode("utf-8", "replace").removeprefix("\ufeff").splitlines()
    first = next((line for line in lines if line.strip()), "")
    cells = [cell.strip(' "') for cell in re.split(r"[,;\t]", first)]
    return bool(_find(cells, _ONSET) and _find(cells, _OFFSET)) and any(map(_is_class, cells))


INTERACT = Format("interact", "INTERACT, events (.txt, .csv)", (".txt", ".csv"), _recognises, _read)
"""INTERACT. Each class is a lane."""
