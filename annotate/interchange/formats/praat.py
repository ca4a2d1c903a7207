"""Reads Praat's TextGrids in the long and short text form, in UTF-8 or UTF-16, and writes the long one in UTF-8.

As in Praat, only free-standing numbers, quoted texts and `<exists>` count, and what follows `ooTextFile` does not.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote

from annotate.interchange.bounded_files import damaged_file_error, read_text
from annotate.interchange.document import (
    FORM_LOSSES,
    SPEECH,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    LaneSubject,
    RecordingPart,
    build_lanes,
    format_seconds,
    split_into_rows,
    unique_name,
)
from annotate.interchange.value_text import to_text
from project.entities.study_records import Json

_NAME_SEPARATOR = " | "
_ROW = re.compile(r"(.*?)(?: #(\d{1,4}))?", re.DOTALL)
_TRACK = re.compile(r"([^.|]+)\.([^.|]+)")


@dataclass(frozen=True, slots=True)
class TierName:
    """What a tier's name says; `row` counts from 1, `field` is "" for the tier of the entries themselves."""

    kind: str
    annotator: str = ""
    participant: str = ""
    scheme: str = ""
    track: str = ""
    field: str = ""
    row: int = 1


def format_tier_name(lane: InterchangeLane, row: int = 1, field: str = "") -> str:
    """Return the name of a lane's tier; a lane without a scheme keeps its own name."""
    if lane.is_speech:
        parts = [SPEECH, *([_escape(lane.participant)] if lane.participant else [])]
    elif lane.scheme and lane.track and lane.annotator:
        parts = [_escape(lane.annotator), f"{_escape(lane.scheme)}.{_escape(lane.track)}"]
    else:
        parts = [_escape(lane.name)]
    name = _NAME_SEPARATOR.join([*parts, *([_escape(field)] if field else [])])
    return f"{name} #{row}" if row > 1 else name


def parse_tier_name(name: str) -> TierName | None:
    """Return what a name says, or None where we did not write it."""
    found = _ROW.fullmatch(name)
    assert found is not None
    row = int(found[2] or 1)
    first, *rest = found[1].split(_NAME_SEPARATOR)
    track = _TRACK.fullmatch(rest[0]) if rest else None
    if track is not None and len(rest) <= 2:
        field = unquote(rest[1]) if len(rest) == 2 else ""
        return TierName("segments", unquote(first), "", unquote(track[1]), unquote(track[2]), field, row)
    if first == SPEECH and len(rest) <= 1:
        return TierName("utterances", participant=unquote(rest[0]) if rest else "", row=row)
    return None


def _escape(text: str) -> str:
    return "".join(f"%{ord(c):02X}" if c in "|.#%\n\r" else c for c in text)


_TOKEN = re.compile(
    r'"([^"]*(?:""[^"]*)*)"|(<exists>|<absent>)|(?<!\S)([-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)(?!\S)|(?:^|(?<=\s))![^\n]*'
)
_MAX_SECONDS = 10_000_000


@dataclass(frozen=True, slots=True)
class _PraatTier:
    name: str
    entries: tuple[InterchangeEntry, ...]


class _PraatTokens:
    """The texts and numbers of a file, one after the other."""

    def __init__(self, text: str, path: Path) -> None:
        self._found = _TOKEN.finditer(text)
        self._text = text
        self._path = path
        self._at = 0

    def read_quoted(self) -> str:
        """Return the next token, which must be a quoted text."""
        found = self._next()
        if found[1] is None:
            raise self.error_here("a text in quotes is missing")
        return found[1].replace('""', '"')

    def read_number(self) -> float:
        """Return the next token, which must be a number."""
        found = self._next()
        if found[3] is None:
            raise self.error_here("a number is missing")
        return float(found[3])

    def read_time(self) -> int:
        """Return the next token, seconds, as microseconds."""
        seconds = self.read_number()
        if not -_MAX_SECONDS < seconds < _MAX_SECONDS:
            raise self.error_here("a time is out of range")
        return round(seconds * 1_000_000)

    def read_count(self) -> int:
        """Return the next token, a whole number."""
        found = self.read_number()
        # Every item takes some characters, so a larger number is a lie that would only cost time.
        if not found.is_integer() or not 0 <= found <= len(self._text):
            raise self.error_here("a count makes no sense")
        return int(found)

    def read_flag(self) -> bool:
        """Return the next token, which must be `<exists>` or `<absent>`."""
        found = self._next()
        if found[2] is None:
            raise self.error_here("“<exists>” is missing")
        return found[2] == "<exists>"

    def error_here(self, why: str) -> Exception:
        """Return the error for what stands at the last token."""
        return damaged_file_error(self._path, why, self._text.count("\n", 0, self._at) + 1)

    def _next(self) -> re.Match[str]:
        for found in self._found:
            self._at = found.start()
            if not found[0].startswith("!"):
                return found
        raise damaged_file_error(self._path, "it ends too early")


def read_textgrid(path: Path) -> Document:
    """Return the tiers of a TextGrid as lanes; empty intervals are pauses and left out."""
    tokens = _PraatTokens(read_text(path), path)
    if tokens.read_quoted().split()[:1] != ["ooTextFile"] or tokens.read_quoted() != "TextGrid":
        raise damaged_file_error(path, "it is no TextGrid in text form")
    start = tokens.read_time()
    duration = tokens.read_time() - start
    tiers = [_tier(tokens) for _ in range(tokens.read_count())] if tokens.read_flag() else []
    return Document((RecordingPart(path.stem, tuple(_lanes(tiers)), (), max(0, duration)),))


def _tier(tokens: _PraatTokens) -> _PraatTier:
    kind, name = tokens.read_quoted(), tokens.read_quoted()
    tokens.read_time()
    tokens.read_time()
    if kind not in ("IntervalTier", "TextTier"):
        raise tokens.error_here(f"“{kind}” is no kind of tier")
    entries: list[InterchangeEntry] = []
    for _ in range(tokens.read_count()):
        start = tokens.read_time()
        end = tokens.read_time() if kind == "IntervalTier" else start
        text = tokens.read_quoted()
        if end < start:
            raise tokens.error_here("an interval ends before it starts")
        if text.strip() or kind == "TextTier":
            entries.append(InterchangeEntry(start, end, text))
    return _PraatTier(name, tuple(entries))


def _lanes(tiers: list[_PraatTier]) -> Iterator[InterchangeLane]:
    values: dict[TierName, dict[tuple[int, int], dict[str, Json]]] = {}
    ours: dict[TierName, list[InterchangeEntry]] = {}
    others: list[_PraatTier] = []
    for tier in tiers:
        said = parse_tier_name(tier.name)
        if said is None:
            others.append(tier)
        elif said.field:
            for entry in tier.entries:
                beside = values.setdefault(replace(said, field=""), {})
                beside.setdefault(entry.span, {})[said.field] = entry.text
        else:
            ours.setdefault(said, []).extend(tier.entries)
    lanes: dict[LaneSubject, list[InterchangeEntry]] = {}
    for said, entries in ours.items():
        held = values.pop(said, {})
        about = (said.kind, said.annotator, said.participant, said.scheme, said.track)
        lanes.setdefault(about, []).extend(replace(entry, values=held.get(entry.span, {})) for entry in entries)
    built = build_lanes(lanes)
    yield from built
    taken = {lane.name for lane in built}
    for tier in others:
        yield InterchangeLane(unique_name(tier.name or "Tier", taken), tier.entries)


Interval = tuple[int, int, str]


def format_textgrid(document: Document) -> str:
    """Return one recording as a TextGrid whose tiers have neither gap nor overlap."""
    part = document.with_people_as_values().only_recording("A TextGrid")
    tiers: list[tuple[str, Sequence[Interval]]] = []
    of_points: set[str] = set()
    for lane in part.lanes:
        for number, row in enumerate(split_into_rows(lane.entries), start=1):
            texts = [(entry.start_us, entry.end_us, entry.text) for entry in row]
            named: list[tuple[str, Sequence[Interval]]] = [(format_tier_name(lane, number), texts)]
            for field in dict.fromkeys(name for entry in row for name in entry.values):
                named.append((format_tier_name(lane, number, field), list(_values(row, field))))
            tiers += named
            of_points |= {name for name, _ in named if lane.holds_points}
    last = max([part.duration_us, *(end for _, intervals in tiers for _, end, _ in intervals)])
    lines = [
        'File type = "ooTextFile"',
        'Object class = "TextGrid"',
        "",
        "xmin = 0",
        f"xmax = {_format_seconds(last)}",
        "tiers? <exists>",
        f"size = {len(tiers)}",
        "item []:",
    ]
    for place, (name, intervals) in enumerate(tiers, start=1):
        if name in of_points:
            lines += _point_tier(place, name, intervals, last)
            continue
        filled = list(_fill_gaps(intervals, last))
        lines += [
            f"    item [{place}]:",
            '        class = "IntervalTier"',
            f"        name = {_quoted(name)}",
            "        xmin = 0",
            f"        xmax = {_format_seconds(last)}",
            f"        intervals: size = {len(filled)}",
        ]
        for number, (start, end, text) in enumerate(filled, start=1):
            lines += [
                f"        intervals [{number}]:",
                f"            xmin = {_format_seconds(start)}",
                f"            xmax = {_format_seconds(end)}",
                f"            text = {_quoted(text)}",
            ]
    return "\n".join(lines) + "\n"


def _point_tier(place: int, name: str, points: Sequence[Interval], last: int) -> Iterator[str]:
    yield f"    item [{place}]:"
    yield '        class = "TextTier"'
    yield f"        name = {_quoted(name)}"
    yield "        xmin = 0"
    yield f"        xmax = {_format_seconds(last)}"
    yield f"        points: size = {len(points)}"
    for number, (time_us, _, text) in enumerate(points, start=1):
        yield f"        points [{number}]:"
        yield f"            number = {_format_seconds(time_us)}"
        yield f"            mark = {_quoted(text)}"


def _values(row: Sequence[InterchangeEntry], field: str) -> Iterator[Interval]:
    for entry in row:
        if field in entry.values:
            yield entry.start_us, entry.end_us, to_text(entry.values[field])


def _fill_gaps(intervals: Sequence[Interval], last: int) -> Iterator[Interval]:
    before = 0
    for start, end, text in intervals:
        if start > before:
            yield before, start, ""
        if end > start:
            yield start, end, text
        before = max(before, end)
    if before < last:
        yield before, last, ""


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _format_seconds(time_us: int) -> str:
    return format_seconds(time_us).rstrip("0").rstrip(".")


def _recognises(head: bytes) -> bool:
    """Tell whether a TextGrid's header is among the first bytes."""
    plain = head.replace(b"\0", b"")[:400]
    return b"ooTextFile" in plain and b"TextGrid" in plain


def _write(document: Document, path: Path) -> None:
    path.write_text(format_textgrid(document), "utf-8", errors="replace", newline="\n")


TEXTGRID = Format(
    "textgrid",
    "Praat TextGrid",
    (".textgrid",),
    _recognises,
    read_textgrid,
    _write,
    (
        "The ids of segments are not kept: what comes back is recognised by who, when and which label.",
        "Empty utterances and empty values are left out, as an empty interval is a pause.",
        "Links to media are left out.",
        *FORM_LOSSES,
    ),
)
"""Praat. Each form field is a tier of its own beside the tier of the segments, with the same boundaries."""
