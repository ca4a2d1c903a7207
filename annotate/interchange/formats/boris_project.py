"""The format of BORIS projects, plain or gzipped, and the writer of its version 7.0.

Writing makes an observation for each recording and annotator, because BORIS compares coders by observation.
"""

import gzip
import io
import json
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from annotate.interchange.bounded_files import (
    HEAD_BYTES,
    MAX_FILE_BYTES,
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
    RecordingPart,
    ValueSet,
    split_into_rows,
    unique_name,
)
from annotate.interchange.formats.boris_fields import (
    BEHAVIORS,
    BORIS_LOSSES,
    KEY,
    POINTS,
    SPEECH,
    BorisMetadata,
    BorisValueLayout,
    Code,
    ObservationSource,
    TrackKey,
    format_comment,
    format_modifiers,
    plan_value_layouts,
    track_key,
)
from annotate.interchange.formats.boris_reader import (
    FROM_SET,
    MAX_PLAYERS,
    MULTIPLE_SELECTION,
    OBSERVATION_FACTS,
    SINGLE_SELECTION,
    read_project,
)
from annotate.interchange.tier_texts import OBSERVATION
from annotate.interchange.value_text import to_text
from project.codec import dump
from project.timebase import utc_now

_STATE_EVENT, _POINT_EVENT = "State event", "Point event"
_NO_FRAME = "NA"
_SHORTCUT_KEYS = "abcdefghijklmnopqrstuvwxyz0123456789"


def to_boris_seconds(time_us: int) -> float:
    """Return a time as BORIS counts it: whole milliseconds, in seconds."""
    return time_us // 1000 / 1000


def plan_observations(document: Document) -> list[tuple[str, RecordingPart, str, list[InterchangeLane]]]:
    """Return the observations of each recording: id, recording, annotator, and lanes.

    What is said belongs to no annotator and is an observation of its own, as is a recording without anything. Where an
    import made one recording of several observations, the first has all events, the others what is known of them.
    """
    taken: set[str] = set()
    found = []
    for part in document.recordings:
        by: dict[str, list[InterchangeLane]] = {}
        for lane in part.lanes:
            by.setdefault(lane.annotator, []).append(lane)
        for annotator, lanes in (by or {"": []}).items():
            whole = [replace(lane, entries=(e,)) for lane in lanes if lane.about_recording for e in lane.entries]
            lanes = [*whole[:1], *(lane for lane in lanes if not lane.about_recording)]
            for held in (lanes, *([lane] for lane in whole[1:])):
                name = _source_observation(held) or (f"{part.name} [{annotator}]" if annotator else part.name)
                found.append((unique_name(" ".join(name.split()) or "Recording", taken), part, annotator, held))
    return found


def _source_observation(lanes: Sequence[InterchangeLane]) -> str:
    """Return the observation that the lanes of an observation came from, "" for none."""
    about = lanes[0].entries[0].values.get(OBSERVATION) if lanes and lanes[0].about_recording else None
    return about if isinstance(about, str) else ""


class _BorisProjectWriter:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._held = plan_value_layouts(document)
        self._tiers = {lane.tier for part in document.recordings for lane in part.lanes if lane.tier}
        self._codes: dict[tuple[TrackKey, str], str] = {}
        self._stands: dict[str, Code] = {}
        self._behaviors: list[dict[str, Any]] = []
        self._categories: dict[str, None] = {}
        self._keys: set[str] = set()
        self._subjects: dict[str, str] = {}
        self._rows: dict[tuple[str, int], str] = {}
        self._variables: dict[str, Code] = {}
        self._variable_values: dict[str, tuple[str, ...]] = {}

    def build_project(self) -> dict[str, Any]:
        about: dict[str, ObservationSource] = {}
        observations: dict[str, Any] = {}
        for name, part, annotator, lanes in plan_observations(self._document):
            about[name] = ObservationSource(part.id, part.name, annotator, _source_observation(lanes))
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
                "0": _variable("annotator", "Who made the observation", ()),
                **{
                    str(place): _variable(name, "", values)
                    for place, (name, values) in enumerate(self._variable_values.items(), start=1)
                },
            },
            "coding_map": {},
            "behaviors_coding_map": [],
            "converters": {},
            KEY: dump(BorisMetadata(about, self._stands, self._subjects, self._variables)),
        }

    def _observation(self, part: RecordingPart, annotator: str, lanes: Iterable[InterchangeLane]) -> dict[str, Any]:
        media = part.media[:MAX_PLAYERS]
        first = media[0].offset_us if media else 0
        names = list(dict.fromkeys(link.path for link in media))
        facts, variables = self._describe_observation(lane for lane in lanes if lane.about_recording)
        events = [event for lane in lanes if not lane.about_recording for event in self._events(lane, bool(media))]
        return {
            "file": {str(n): [media[n - 1].path] if n <= len(media) else [] for n in range(1, MAX_PLAYERS + 1)},
            "type": "MEDIA" if media else "LIVE",
            "date": facts.get("date") or utc_now()[:19],
            "description": facts.get("description", ""),
            "time offset": first / 1_000_000,
            "events": sorted(events, key=lambda event: event[0]),
            "observation time interval": [0, 0],
            "independent_variables": {"annotator": annotator, **variables},
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

    def _describe_observation(self, lanes: Iterable[InterchangeLane]) -> tuple[dict[str, str], dict[str, str]]:
        """Return the facts and the independent variables of an observation, from lanes about all of it."""
        facts: dict[str, str] = {}
        variables: dict[str, str] = {}
        for lane in lanes:
            [entry] = lane.entries
            for name, value in entry.values.items():
                stands = Code(lane.kind, lane.scheme, lane.track, entry.text, (name,))
                label = name
                while name not in (*OBSERVATION_FACTS, OBSERVATION) and self._variables.get(label, stands) != stands:
                    label = unique_name(label, set(self._variables))
                self._variables[label] = stands
                if name in OBSERVATION_FACTS:
                    facts[name] = to_text(value)
                elif name != OBSERVATION:
                    variables[label] = to_text(value)
                    known = lane.value_sets.get(name, ValueSet())
                    self._variable_values[label] = () if known.several else known.values
        return facts, variables

    def _events(self, lane: InterchangeLane, media: bool) -> Iterable[list[Any]]:
        key = track_key(lane)
        held = self._held[key]
        for text in dict.fromkeys((*lane.vocabulary, *(entry.text for entry in lane.entries))):
            self._code(lane, text, held)
        by_code: dict[str, list[InterchangeEntry]] = {}
        for entry in lane.entries:
            by_code.setdefault(self._code(lane, entry.text, held), []).append(entry)
        # BORIS tells a start from an end by counting, so what overlaps needs a subject of its own.
        for code, entries in by_code.items():
            for number, row in enumerate(split_into_rows(entries), start=1):
                subject = self._subject(lane.participant, number)
                for entry in row:
                    modifiers = "" if lane.is_speech else format_modifiers(held.of_code(entry.text), entry.values)
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

    def _code(self, lane: InterchangeLane, text: str, held: BorisValueLayout) -> str:
        key = kind, scheme, track = track_key(lane)
        said = "" if kind == "utterances" else text
        if (key, said) in self._codes:
            return self._codes[key, said]
        plain = " ".join(said.replace("|", "/").replace(",", ";").split()) or SPEECH
        category = "" if kind == "utterances" else lane.tier or ".".join(key for key in (scheme, track) if key)
        code = plain if plain not in self._stands else unique_name(f"{plain} {category}".strip(), set(self._stands))
        self._codes[key, said] = code
        self._stands[code] = Code(kind, scheme, track, said, held.in_comment)
        if lane.holds_points and category.removesuffix(POINTS) in self._tiers:
            category = category.removesuffix(POINTS)
        category = "" if category == BEHAVIORS else category
        if category:
            self._categories[category] = None
        self._behaviors.append(
            {
                "type": _POINT_EVENT if lane.holds_points else _STATE_EVENT,
                "key": self._take_key(lane.shortcuts.get(said, "").lower()),
                "code": code,
                "description": lane.definitions.get(said, ""),
                "color": lane.colours.get(said, ""),
                "category": category,
                "modifiers": {
                    str(place): {
                        "name": modifier.name,
                        "description": "",
                        "type": MULTIPLE_SELECTION if modifier.multiple else SINGLE_SELECTION,
                        "ask at stop": False,
                        "values": [*modifier.values],
                    }
                    for place, modifier in enumerate(held.of_code(said).modifiers)
                },
                "excluded": "",
                "coding map": "",
            }
        )
        return code

    def _take_key(self, wanted: str) -> str:
        """Return a key for a behavior, or the next free one where another behavior has it; "" where none is left."""
        key = next((key for key in (wanted, *_SHORTCUT_KEYS) if key and key not in self._keys), "")
        self._keys.add(key)
        return key


def _variable(name: str, description: str, values: tuple[str, ...]) -> dict[str, str]:
    return {
        "label": name,
        "description": description,
        "type": FROM_SET if values else "text",
        "default value": "",
        "possible values": ",".join(values),
    }


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
    text = json.dumps(_BorisProjectWriter(document.with_codes()).build_project(), ensure_ascii=True, indent=1)
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
