"""Reads the event tables that BORIS exports, aggregated or tabular, and writes aggregated ones.

An aggregated table has a row for each state or point, a tabular one for each start or stop. Written tables have columns
of ours beside those of BORIS.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from annotate.interchange.bounded_files import check_entries, damaged_file_error, name_cells, read_cells, read_text
from annotate.interchange.document import (
    FORM_LOSSES,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    parse_seconds,
)
from annotate.interchange.formats.boris_fields import (
    BORIS_LOSSES,
    NO_SUBJECT,
    SEPARATOR,
    SPEECH,
    BorisRecordingBuilder,
    BorisValueLayout,
    LaneKey,
    PlayerFile,
    QueuePart,
    TrackKey,
    comment_value,
    format_comment,
    format_modifiers,
    parse_comment,
    parse_modifiers,
    plan_value_layouts,
    queue_files,
    queue_parts,
    tier_of_behavior,
    track_key,
)
from annotate.interchange.formats.boris_project import plan_observations, to_boris_seconds
from annotate.interchange.formats.boris_reader import MAX_PLAYERS
from project.entities.study_records import Json
from project.text_format import write_csv

MULTIPLE_SUFFIX = "[]"
"""Ends the name of a set of modifiers of which several can be chosen, in the column `modifier names`."""
_ROWS_BEFORE_HEADER = 60
_MODIFIER = re.compile(r"modifiers?(?: ?#? ?(\d{1,4}))?")
_PLAYER = re.compile(r"player #\d+: ?")
Row = Mapping[str, str]


@dataclass(slots=True)
class _BorisSpan:
    """A row of the aggregated form, or two of the tabular one."""

    row: Row
    start_us: int
    end_us: int
    comment: str
    comment_at_end: str = ""


def find_header(rows: list[list[str]]) -> int:
    """Return which row names the columns, -1 where none does."""
    for place, cells in enumerate(rows[:_ROWS_BEFORE_HEADER]):
        named = {cell.strip().casefold() for cell in cells}
        tabular = "time" in named and bool(named & {"behavior type", "status"})
        if "behavior" in named and (named >= {"start (s)", "stop (s)"} or tabular):
            return place
    return -1


class _BorisTableReader:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts: dict[tuple[str, str], BorisRecordingBuilder] = {}
        self._players: dict[tuple[str, str], list[list[PlayerFile]]] = {}
        self._unread: Counter[str] = Counter()
        self._with_states: set[str] = set()
        self._entries = 0

    def build_document(self, text: str) -> Document:
        rows, before = self._rows(text)
        tabular = "start (s)" not in rows[0] if rows else False
        spans = [*(self._pair_events(rows, before) if tabular else self._spans(rows))]
        self._with_states = {_category(span.row) for span in spans if span.end_us > span.start_us}
        for span in spans:
            self._add(span, before)
        parts = tuple(recording for part in self._parts.values() for recording in part.build())
        return Document(parts, unread=self._unread)

    def _rows(self, text: str) -> tuple[list[dict[str, str]], dict[str, str]]:
        """Return the rows by the names of their columns, and what older tables say before those."""
        first = next((line for line in text.splitlines() if "behavior" in line.casefold()), text[:1000])
        rows = [*read_cells(text, first, self._path)]
        lines, read = [line for line, _ in rows], [cells for _, cells in rows]
        header = find_header(read)
        if header < 0:
            raise damaged_file_error(self._path, "it has none of the columns that BORIS writes")
        columns = [name.strip().casefold() for name in read[header]]
        if len(set(columns) - {""}) != len([name for name in columns if name]):
            raise damaged_file_error(self._path, "two of its columns have the same name", lines[header])
        named = [name_cells(columns, cells, self._path, line) for line, cells in rows[header + 1 :] if any(cells)]
        before = {cells[0].strip().casefold(): cells[1].strip() for cells in read[:header] if len(cells) > 1}
        return named, before

    def _spans(self, rows: list[dict[str, str]]) -> Iterator[_BorisSpan]:
        for row in rows:
            start, end = parse_seconds(row["start (s)"]), parse_seconds(row["stop (s)"])
            point = row.get("behavior type", "").strip().casefold().startswith("point")
            if start is not None and end is None and point:
                end = start
            if start is None or end is None or end < start:
                self._unread["a row without a start and a stop that make sense"] += 1
            else:
                comment = row.get("comment start", "") or row.get("comment", "")
                yield _BorisSpan(row, start, end, comment, row.get("comment stop", ""))

    def _pair_events(self, rows: list[dict[str, str]], before: Row) -> Iterator[_BorisSpan]:
        begun: dict[tuple[str, ...], _BorisSpan] = {}
        lost: list[_BorisSpan] = []
        made: list[_BorisSpan] = []
        for row in rows:
            at = parse_seconds(row["time"])
            if at is None:
                self._unread["a row without a time"] += 1
                continue
            status = (row.get("behavior type") or row.get("status") or "").strip().casefold()
            key = _observation(row, before), row.get("subject", ""), row["behavior"], *_modifiers(row)
            if status == "stop":
                span = begun.pop(key, None)
                if span is None:
                    self._unread[f"a stop of “{row['behavior'][:40]}” without a start"] += 1
                else:
                    span.end_us, span.comment_at_end = at, row.get("comment", "")
                continue
            span = _BorisSpan(row, at, at, row.get("comment", ""))
            if status == "start":
                if key in begun:
                    lost.append(begun[key])
                begun[key] = span
            made.append(span)
        lost += begun.values()
        for span in lost:
            self._unread[f"a start of “{span.row['behavior'][:40]}” without a stop"] += 1
        skipped = {id(span) for span in lost}
        yield from (span for span in made if id(span) not in skipped)

    def _add(self, span: _BorisSpan, before: Row) -> None:
        row = span.row
        name = row.get("recording") or _observation(row, before) or self._path.stem
        ours = "recording" in row
        key = row.get("recording id", "") or name, name
        players = _players(row, before)
        if key not in self._parts:
            links = tuple(MediaLink(file.path) for player in players for file in player)
            played = [QueuePart(links, sum(_durations(row)[0]))] if ours else queue_parts(players)
            self._parts[key] = BorisRecordingBuilder(name, row.get("recording id", ""), played, not ours)
            self._players[key] = players
        if players and players != self._players[key]:
            # Older tables name the file of each row and the length of all together.
            self._unread["a row of a further file, of which nobody knows when it begins"] += 1
            return
        shift = 0 if ours or not any(players) else parse_seconds(row.get("time offset (s)")) or 0
        lane, text, values = _lane(row, span, self._with_states)
        entry = InterchangeEntry(span.start_us - shift, span.end_us - shift, text, values)
        self._entries += self._parts[key].add(lane, entry)
        check_entries(self._path, self._entries)


def _lane(row: Row, span: _BorisSpan, with_states: Collection[str]) -> tuple[LaneKey, str, dict[str, Json]]:
    """Return lane, text and values of a row; `with_states` are the categories that have states."""
    subject = row.get("subject", "").strip()
    subject = "" if subject.casefold() == NO_SUBJECT.casefold() else subject
    annotator = next((row[name].strip() for name in ("annotator", "observer", "coder") if row.get(name)), "")
    names = [
        (text.removesuffix(MULTIPLE_SUFFIX), text.endswith(MULTIPLE_SUFFIX))
        for text in _split(row.get("modifier names", ""))
    ]
    values = parse_modifiers(SEPARATOR.join(_modifiers(row)), names)
    if "kind" in row and row["kind"] == "utterance":
        return LaneKey("utterances", "", subject, "", "", ""), span.comment, {}
    if "scheme" in row or "comment names" in row:
        values |= parse_comment(span.comment, _split(row.get("comment names", "")))
        lane = LaneKey("segments", annotator, subject, row.get("scheme", ""), row.get("track", ""), "")
        return lane, row["behavior"], values
    values |= comment_value(span.comment, span.comment_at_end)
    tier = tier_of_behavior(_category(row), span.start_us == span.end_us, with_states)
    return LaneKey("segments", annotator, subject, "", "", tier), row["behavior"], values


def _category(row: Row) -> str:
    category = row.get("behavioral category", "").strip()
    return "" if category.casefold() == "not defined" else category


def _observation(row: Row, before: Row) -> str:
    return (row.get("observation id") or before.get("observation id") or "").strip()


def _modifiers(row: Row) -> tuple[str, ...]:
    """Return the cells of the modifiers, in order; older tables have one column with all of them."""
    found = [(int(match[1] or 0), cell) for name, cell in row.items() if (match := _MODIFIER.fullmatch(name))]
    return tuple(cell for _, cell in sorted(found, key=lambda pair: pair[0]))


def _players(row: Row, before: Row) -> list[list[PlayerFile]]:
    """Return the files of each player, the first player's first."""
    names = (row.get(name, "") for name in ("source", "media file path", "media file"))
    source = next(filter(None, names), "") or before.get("media file(s)", "")
    if source.strip().casefold() in ("", "na", "n/a", "live"):
        return []
    lengths = _durations(row)
    players = []
    for number, player in enumerate(source.split("|")[:MAX_PLAYERS]):
        paths = [path for path in _PLAYER.sub("", player, count=1).split(";") if path]
        known = lengths[number] if number < len(lengths) else []
        players.append(queue_files(zip(paths, [*known, *([0] * len(paths))], strict=False), 0))
    return players


def _durations(row: Row) -> list[list[int]]:
    """Return how long the files of each player are."""
    text = row.get("media duration (s)", "") or row.get("total length", "")
    return [[max(0, parse_seconds(part) or 0) for part in player.split(";")] for player in text.split("|")]


def _split(text: str) -> list[str]:
    return text.split(SEPARATOR) if text else []


_OBSERVATION_COLUMNS = (
    "Observation id",
    "Observation date",
    "Description",
    "Observation type",
    "Source",
    "Time offset (s)",
    "Coding duration",
    "Media duration (s)",
    "FPS (frame/s)",
)
_GREENROOM_COLUMNS = (
    "Annotator",
    "Recording",
    "Recording id",
    "Kind",
    "Scheme",
    "Track",
    "Modifier names",
    "Comment names",
)
_BEHAVIOR_COLUMNS = ("Subject", "Observation duration by subject by observation", "Behavior", "Behavioral category")
_TIME_COLUMNS = (
    "Behavior type",
    "Start (s)",
    "Stop (s)",
    "Duration (s)",
    "Media file name",
    "Image index start",
    "Image index stop",
    "Image file path start",
    "Image file path stop",
    "Comment start",
    "Comment stop",
)
_NOT_AVAILABLE = "NA"


def _recognises(head: bytes) -> bool:
    """Tell whether BORIS's columns are named in the first lines."""
    text = head.replace(b"\0", b"").decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if "behavior" in line.casefold()]
    rows = [[cell.strip(' "') for cell in line.split(sign)] for line in lines[:60] for sign in ",;\t"]
    return any(find_header([row]) == 0 for row in rows)


def _read(path: Path) -> Document:
    return _BorisTableReader(path).build_document(read_text(path))


def _write(document: Document, path: Path) -> None:
    """Write a file, divided by tabs where its name ends with `.tsv`."""
    document = document.with_codes()
    held = plan_value_layouts(document)
    most = max((len(layout.modifiers) for layout in held.values()), default=0)
    sets = [f"Modifier #{number}" for number in range(1, most + 1)]
    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
        rows = (row for observation in plan_observations(document) for row in _rows(*observation, held, most))
        write_csv(
            file,
            (*_OBSERVATION_COLUMNS, *_GREENROOM_COLUMNS, *_BEHAVIOR_COLUMNS, *sets, *_TIME_COLUMNS),
            rows,
            "\t" if path.suffix == ".tsv" else ",",
        )


BORIS_TABLE = Format(
    "boris-csv",
    "BORIS events (.csv)",
    (".csv", ".tsv"),
    _recognises,
    _read,
    _write,
    (
        *BORIS_LOSSES,
        "Recordings without any segment or utterance do not appear.",
        "Offsets of media are left out.",
        *FORM_LOSSES,
    ),
    holds_several=True,
)
"""A table of BORIS's events, for analyses that were written for those."""


def _rows(
    name: str,
    part: RecordingPart,
    annotator: str,
    lanes: list[InterchangeLane],
    held: dict[TrackKey, BorisValueLayout],
    most: int,
) -> Iterator[list[str]]:
    media = "|".join(f"player #{number}:{link.path}" for number, link in enumerate(part.media, start=1))
    length = f"{part.duration_us / 1_000_000:.6f}"
    about = [
        name,
        "",
        "",
        "Media file" if media else "Live observation",
        media or _NOT_AVAILABLE,
        str(part.media[0].offset_us / 1_000_000 if part.media else 0),
        length,
        length if media or part.duration_us else _NOT_AVAILABLE,
        _NOT_AVAILABLE,
    ]
    busy: dict[str, int] = {}
    for lane in lanes:
        busy[lane.participant] = busy.get(lane.participant, 0) + sum(e.end_us - e.start_us for e in lane.entries)
    for lane in lanes:
        here = held[track_key(lane)]
        speech = lane.is_speech
        sets = (f"{modifier.name}{MULTIPLE_SUFFIX if modifier.multiple else ''}" for modifier in here.modifiers)
        names = [SEPARATOR.join(sets), SEPARATOR.join(here.in_comment)]
        ours = [annotator, part.name, part.id, lane.kind.removesuffix("s"), lane.scheme, lane.track, *names]
        category = ".".join(text for text in (lane.scheme, lane.track) if text) or "Not defined"
        for entry in lane.entries:
            behavior = SPEECH if speech else entry.text
            what = [lane.participant, f"{busy[lane.participant] / 1_000_000:.3f}", behavior, category]
            chosen = format_modifiers(here, entry.values)
            cells = chosen.split(SEPARATOR) if chosen and not speech else []
            cells += [""] * (most - len(cells))
            yield [*about, *ours, *what, *cells, *_time_cells(entry, part, speech, here)]


def _time_cells(entry: InterchangeEntry, part: RecordingPart, speech: bool, held: BorisValueLayout) -> list[str]:
    start, end = to_boris_seconds(entry.start_us), to_boris_seconds(entry.end_us)
    media = part.media[0].path if part.media else _NOT_AVAILABLE
    comment = entry.text if speech else format_comment(held, entry.values)
    is_point = entry.start_us == entry.end_us
    times = [f"{start:.3f}", f"{end:.3f}", _NOT_AVAILABLE if is_point else f"{end - start:.3f}"]
    return [
        "POINT" if is_point else "STATE",
        *times,
        media,
        _NOT_AVAILABLE,
        _NOT_AVAILABLE,
        _NOT_AVAILABLE,
        _NOT_AVAILABLE,
        comment,
        "",
    ]
