"""Reads BORIS projects, plain or gzipped, and writes format 7.0.

Reading turns an observation into a recording, and the behaviors of one subject and category into a lane. Writing makes
an observation for each recording and annotator, because BORIS compares coders by observation.
"""

import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.interchange.bounded_files import (
    HEAD_BYTES,
    MAX_FILE_BYTES,
    check_entries,
    damaged_file_error,
    decode_text,
    parse_json,
    read_bytes,
    too_large_error,
)
from annotate.interchange.document import (
    FORM_LOSSES,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    parse_seconds,
    split_into_rows,
    unique_name,
)
from annotate.interchange.formats.boris_fields import (
    BORIS_LOSSES,
    KEY,
    SPEECH,
    BorisMetadata,
    BorisRecordingBuilder,
    BorisValueLayout,
    Code,
    LaneKey,
    ObservationSource,
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
    read_metadata,
    track_key,
)
from project.codec import dump
from project.entities.study_records import Json
from project.timebase import utc_now

_SINGLE_SELECTION, _MULTIPLE_SELECTION = 0, 1
"""Types of a set of modifiers."""
_ANNOTATOR_VARIABLES = ("annotator", "observer", "coder", "rater")


@dataclass(frozen=True, slots=True)
class _Behavior:
    state: bool
    category: str
    sets: tuple[tuple[str, bool], ...]


def read_project(found: object, path: Path) -> Document:
    """Return a project's observations.

    A state's start and end are paired in order, for each subject, behavior and set of modifiers, as BORIS does. What
    cannot be paired or has no time is left out with a remark.
    """
    if not isinstance(found, dict) or not isinstance(found.get("observations"), dict):
        raise damaged_file_error(path, "it is no BORIS project")
    return _BorisProjectReader(found, path).build_document()


class _BorisProjectReader:
    def __init__(self, found: Mapping[str, Any], path: Path) -> None:
        self._found = found
        self._path = path
        self._marks: BorisMetadata = read_metadata(found)
        self._behaviors = self._ethogram()
        self._remarks: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._entries = 0

    def build_document(self) -> Document:
        parts: dict[tuple[str, str], BorisRecordingBuilder] = {}
        for name, observation in self._found["observations"].items():
            if not isinstance(observation, dict):
                raise damaged_file_error(self._path, f"observation “{name[:40]}” is no object")
            self._observation(parts, name, observation)
        built = (recording for part in parts.values() for recording in part.build(self._vocabulary))
        return Document(tuple(built), tuple(f"{what}: {count}." for what, count in self._remarks.items()), self._unread)

    def _ethogram(self) -> dict[str, _Behavior]:
        made = {}
        for behavior in _dicts(self._found.get("behaviors_conf")):
            sets = tuple(
                (
                    str(modifier.get("name") or "") or f"modifier {place + 1}",
                    modifier.get("type") == _MULTIPLE_SELECTION,
                )
                for place, modifier in enumerate(_dicts(behavior.get("modifiers")))
            )
            state = str(behavior.get("type", "")).casefold().startswith("state")
            made[str(behavior.get("code", ""))] = _Behavior(state, str(behavior.get("category") or ""), sets)
        return made

    def _observation(
        self, parts: dict[tuple[str, str], BorisRecordingBuilder], name: str, observation: Mapping[str, Any]
    ) -> None:
        place = self._marks.observations.get(name)
        players = _players(observation)
        offset_us = parse_seconds(observation.get("time offset")) or 0
        if place is None:
            key, annotator = (name, name), _annotator(observation)
            shift_us = -offset_us if any(players) else 0
            played = queue_parts(players)
        else:
            key, annotator = (place.recording or place.name, place.name), place.annotator
            shift_us = 0
            media = tuple(MediaLink(file.path, file.start_us + offset_us) for player in players for file in player)
            played = [QueuePart(media, players[0][0].duration_us if any(players[:1]) else 0)]
        part = parts.get(key)
        if part is None:
            row_id = place.recording if place else ""
            part = parts[key] = BorisRecordingBuilder(place.name if place else name, row_id, played, place is None)
        for event in self._events(observation, name):
            lane, entry = self._entry(event, annotator, shift_us)
            self._entries += part.add(lane, entry)
            check_entries(self._path, self._entries)

    def _events(self, observation: Mapping[str, Any], name: str) -> Iterator["_Event"]:
        where = f"of observation “{name}”"
        events = observation.get("events", [])
        if not isinstance(events, list):
            raise damaged_file_error(self._path, f"the events of observation “{name[:40]}” are no list")
        read: list[_Event] = []
        for row in events:
            if not isinstance(row, list) or len(row) < 3:
                raise damaged_file_error(
                    self._path, f"an event of observation “{name[:40]}” has fewer than three cells"
                )
            at = parse_seconds(row[0])
            if at is None:
                self._unread[f"an event {where} without a time"] += 1
                continue
            cells = [_text(cell) for cell in (*row[1:5], "", "")[:4]]
            read.append(_Event(at, at, *cells))
        read.sort(key=lambda event: event.start_us)
        open_states: dict[tuple[str, str, str], _Event] = {}
        made: list[_Event] = []
        for event in read:
            known = self._behaviors.get(event.code)
            if known is None:
                self._remarks[
                    f"Events “{event.code[:40]}” {where} are not in the ethogram, and are read as points"
                ] += 1
            if known is None or not known.state:
                made.append(event)
                continue
            key = event.subject, event.code, event.modifiers
            started = open_states.pop(key, None)
            if started is None:
                open_states[key] = event
            else:
                started.end_us, started.comment_at_end = event.start_us, event.comment
                made.append(started)
        for open_state in open_states.values():
            who = f" of {open_state.subject[:40]}" if open_state.subject else ""
            self._unread[f"a start of “{open_state.code[:40]}”{who} {where} without an end"] += 1
        yield from sorted(made, key=lambda event: event.start_us)

    def _entry(self, event: "_Event", annotator: str, shift_us: int) -> tuple[LaneKey, InterchangeEntry]:
        start, end = event.start_us + shift_us, event.end_us + shift_us
        known = self._behaviors.get(event.code)
        ours = self._marks.behaviors.get(event.code)
        values: dict[str, Json] = parse_modifiers(event.modifiers, known.sets if known else ())
        if ours is None:
            values |= comment_value(event.comment, event.comment_at_end)
            category = known.category if known else ""
            lane = LaneKey("segments", annotator, event.subject, "", "", category)
            return lane, InterchangeEntry(start, end, event.code, values)
        who = self._marks.subjects.get(event.subject, event.subject)
        if ours.kind == "utterances":
            return LaneKey("utterances", "", who, "", "", ""), InterchangeEntry(start, end, event.comment, values)
        values |= parse_comment(event.comment, ours.fields)
        return LaneKey("segments", annotator, who, ours.scheme, ours.track, ""), InterchangeEntry(
            start, end, ours.text, values
        )

    def _vocabulary(self, key: LaneKey) -> tuple[str, ...]:
        if key.kind == "utterances":
            return ()
        if key.scheme or key.track:
            stands = self._marks.behaviors.values()
            return tuple(stand.text for stand in stands if (stand.scheme, stand.track) == (key.scheme, key.track))
        return tuple(code for code, behavior in self._behaviors.items() if behavior.category == key.category)


@dataclass(slots=True)
class _Event:
    """An event, or a state from its start to its end."""

    start_us: int
    end_us: int
    subject: str
    code: str
    modifiers: str
    comment: str
    comment_at_end: str = ""


def _players(observation: Mapping[str, Any]) -> list[list[PlayerFile]]:
    """Return the files of each player, the first player's first, on its clock."""
    files, info = observation.get("file"), observation.get("media_info")
    lengths, offsets = _get_item(info, "length"), _get_item(info, "offset")
    found = []
    for player, paths in sorted(_items(files), key=lambda item: (len(str(item[0])), str(item[0])))[:MAX_PLAYERS]:
        start_us = 0 if player == "1" else parse_seconds(_get_item(offsets, player)) or 0
        named = [_text(path) for path in paths] if isinstance(paths, list) else []
        found.append(queue_files(((path, parse_seconds(_get_item(lengths, path)) or 0) for path in named), start_us))
    return found


def _get_item(found: object, key: str) -> object:
    return found.get(key) if isinstance(found, dict) else None


def _annotator(observation: Mapping[str, Any]) -> str:
    variables = observation.get("independent_variables")
    named = {str(name).casefold(): _text(value).strip() for name, value in _items(variables)}
    return next((named[name] for name in _ANNOTATOR_VARIABLES if named.get(name)), "")


def _items(found: object) -> list[tuple[Any, Any]]:
    return list(found.items()) if isinstance(found, dict) else []


def _dicts(found: object) -> list[dict[str, Any]]:
    return [item for _, item in _items(found) if isinstance(item, dict)]


def _text(found: object) -> str:
    return "" if found is None or isinstance(found, dict | list) else str(found)


MAX_PLAYERS = 8
"""So many media BORIS plays side by side."""
_STATE_EVENT, _POINT_EVENT = "State event", "Point event"
_NO_FRAME = "NA"
_SHORTCUT_KEYS = "abcdefghijklmnopqrstuvwxyz0123456789"


def to_boris_seconds(time_us: int) -> float:
    """Return a time as BORIS counts it: whole milliseconds, in seconds."""
    return time_us // 1000 / 1000


def plan_observations(document: Document) -> list[tuple[str, RecordingPart, str, list[InterchangeLane]]]:
    """Return the observations of each recording: id, recording, annotator, and lanes.

    What is said belongs to no annotator and is an observation of its own, as is a recording without anything.
    """
    taken: set[str] = set()
    found = []
    for part in document.recordings:
        by: dict[str, list[InterchangeLane]] = {}
        for lane in part.lanes:
            by.setdefault(lane.annotator, []).append(lane)
        for annotator, lanes in (by or {"": []}).items():
            name = " ".join(f"{part.name} [{annotator}]".split()) if annotator else " ".join(part.name.split())
            found.append((unique_name(name or "Recording", taken), part, annotator, lanes))
    return found


class _BorisProjectWriter:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._held = plan_value_layouts(document)
        self._codes: dict[tuple[TrackKey, str], str] = {}
        self._stands: dict[str, Code] = {}
        self._behaviors: list[dict[str, Any]] = []
        self._categories: dict[str, None] = {}
        self._subjects: dict[str, str] = {}
        self._rows: dict[tuple[str, int], str] = {}

    def build_project(self) -> dict[str, Any]:
        about: dict[str, ObservationSource] = {}
        observations: dict[str, Any] = {}
        for name, part, annotator, lanes in plan_observations(self._document):
            about[name] = ObservationSource(part.id, part.name, annotator)
            observations[name] = self._observation(part, annotator, lanes)
        subjects = {
            str(place): {
                "key": _SHORTCUT_KEYS[place] if place < len(_SHORTCUT_KEYS) else "",
                "name": name,
                "description": "",
            }
            for place, name in enumerate(name for name in self._subjects if name)
        }
        return {
            "time_format": "hh:mm:ss",
            "project_date": utc_now()[:19],
            "project_name": "Greenroom",
            "project_description": "",
            "project_format_version": "7.0",
            "subjects_conf": subjects,
            "behaviors_conf": {str(place): entry for place, entry in enumerate(self._behaviors)},
            "observations": observations,
            "behavioral_categories": list(self._categories),
            "behavioral_categories_config": {
                str(place): {"name": name, "color": ""} for place, name in enumerate(self._categories)
            },
            "independent_variables": {
                "0": {
                    "label": "annotator",
                    "description": "Who made the observation",
                    "type": "text",
                    "default value": "",
                    "possible values": "",
                }
            },
            "coding_map": {},
            "behaviors_coding_map": [],
            "converters": {},
            KEY: dump(BorisMetadata(about, self._stands, self._subjects)),
        }

    def _observation(self, part: RecordingPart, annotator: str, lanes: Iterable[InterchangeLane]) -> dict[str, Any]:
        media = part.media[:MAX_PLAYERS]
        first = media[0].offset_us if media else 0
        names = list(dict.fromkeys(link.path for link in media))
        events = [event for lane in lanes for event in self._events(lane, bool(media))]
        return {
            "file": {str(n): [media[n - 1].path] if n <= len(media) else [] for n in range(1, MAX_PLAYERS + 1)},
            "type": "MEDIA" if media else "LIVE",
            "date": utc_now()[:19],
            "description": "",
            "time offset": first / 1_000_000,
            "events": sorted(events, key=lambda event: event[0]),
            "observation time interval": [0, 0],
            "independent_variables": {"annotator": annotator},
            "visualize_spectrogram": False,
            "visualize_waveform": False,
            "close_behaviors_between_videos": False,
            "scan_sampling_time": 0,
            "start_from_current_time": False,
            "start_from_current_epoch_time": False,
            "media_info": {
                "length": dict.fromkeys(names, part.duration_us / 1000000),
                "fps": dict.fromkeys(names, 0),
                "hasVideo": dict.fromkeys(names, True),
                "hasAudio": dict.fromkeys(names, True),
                "offset": {str(n): (link.offset_us - first) / 1_000_000 for n, link in enumerate(media, start=1)},
                "display": dict.fromkeys(names, ""),
            },
        }

    def _events(self, lane: InterchangeLane, media: bool) -> Iterable[list[Any]]:
        key = track_key(lane)
        held = self._held[key]
        for text in dict.fromkeys((*lane.vocabulary, *(entry.text for entry in lane.entries))):
            self._code(key, text, held, points=lane.holds_points)
        by_code: dict[str, list[InterchangeEntry]] = {}
        for entry in lane.entries:
            code = self._code(key, entry.text, held, points=lane.holds_points)
            by_code.setdefault(code, []).append(entry)
        # BORIS tells a start from an end by counting, so what overlaps needs a subject of its own.
        for code, entries in by_code.items():
            for number, row in enumerate(split_into_rows(entries), start=1):
                subject = self._subject(lane.participant, number)
                for entry in row:
                    modifiers = "" if lane.is_speech else format_modifiers(held, entry.values)
                    comment = entry.text if lane.is_speech else format_comment(held, entry.values)
                    rest = [_NO_FRAME] if media else []
                    yield [to_boris_seconds(entry.start_us), subject, code, modifiers, comment, *rest]
                    if not lane.holds_points:
                        yield [to_boris_seconds(entry.end_us), subject, code, modifiers, "", *rest]

    def _subject(self, participant: str, number: int) -> str:
        if (participant, number) not in self._rows:
            plain = " ".join(participant.split())
            name = unique_name(plain if number == 1 else f"{plain} #{number}".strip(), set(self._subjects))
            self._subjects[name] = participant
            self._rows[participant, number] = name
        return self._rows[participant, number]

    def _code(self, key: TrackKey, text: str, held: BorisValueLayout, *, points: bool) -> str:
        kind, scheme, track = key
        said = "" if kind == "utterances" else text
        if (key, said) in self._codes:
            return self._codes[key, said]
        plain = " ".join(said.replace("|", "/").replace(",", ";").split()) or SPEECH
        category = "" if kind == "utterances" else ".".join(key for key in (scheme, track) if key)
        code = plain if plain not in self._stands else unique_name(f"{plain} {category}".strip(), set(self._stands))
        self._codes[key, said] = code
        self._stands[code] = Code(kind, scheme, track, said, held.in_comment)
        if category:
            self._categories[category] = None
        self._behaviors.append(
            {
                "type": _POINT_EVENT if points else _STATE_EVENT,
                "key": _SHORTCUT_KEYS[len(self._behaviors)] if len(self._behaviors) < len(_SHORTCUT_KEYS) else "",
                "code": code,
                "description": "",
                "color": "",
                "category": category,
                "modifiers": {
                    str(place): {
                        "name": modifier.name,
                        "description": "",
                        "type": _MULTIPLE_SELECTION if modifier.multiple else _SINGLE_SELECTION,
                        "ask at stop": False,
                        "values": [*modifier.values],
                    }
                    for place, modifier in enumerate(held.modifiers)
                },
                "excluded": "",
                "coding map": "",
            }
        )
        return code


_GZIP_MAGIC = b"\x1f\x8b"


def _recognises(head: bytes) -> bool:
    """Tell whether the first bytes are of a JSON object with a key of BORIS's, packed or not."""
    if head.startswith(_GZIP_MAGIC):
        try:
            head = zlib.decompressobj(31).decompress(head, HEAD_BYTES)
        except zlib.error:
            return False
    plain = head.replace(b"\0", b"").removeprefix(b"\xef\xbb\xbf").lstrip(b"\xff\xfe \r\n\t")
    return plain.startswith(b"{") and any(
        key in plain for key in (b'"observations"', b'"behaviors_conf"', b'"subjects_conf"', b'"time_format"')
    )


def _read(path: Path) -> Document:
    content = read_bytes(path)
    if content.startswith(_GZIP_MAGIC):
        content = _decompress(content, path)
    return read_project(parse_json(decode_text(content, path), path), path)


def _write(document: Document, path: Path) -> None:
    """Write a file, packed where its name ends with `.gz`."""
    text = json.dumps(_BorisProjectWriter(document).build_project(), ensure_ascii=True, indent=1)
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        path.write_text(text, "utf-8")


def _decompress(content: bytes, path: Path) -> bytes:
    """Return what is packed, never more than `MAX_FILE_BYTES` bytes of it."""
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as packed:
            found = packed.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError, zlib.error):
        raise damaged_file_error(path, "what is packed in it cannot be read") from None
    if len(found) > MAX_FILE_BYTES:
        raise too_large_error(path, MAX_FILE_BYTES)
    return found


BORIS_PROJECT = Format(
    "boris",
    "BORIS project (.boris)",
    (".boris", ".boris.gz"),
    _recognises,
    _read,
    _write,
    (*BORIS_LOSSES, *FORM_LOSSES, "Of the media of a recording, the first eight are linked."),
    holds_several=True,
)
"""BORIS. Each annotator's work on a recording is an observation, so that BORIS can compare them."""
