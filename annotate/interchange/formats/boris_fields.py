"""Fields of BORIS projects: our own metadata object, modifiers, comments, and lanes built from events.

BORIS keeps the metadata object when it saves.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

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

KEY = "greenroom"
_MAX_FIELDS = 200
SPEECH = "speech"
"""Code of the state event that an utterance becomes."""


@dataclass(frozen=True, slots=True)
class Code:
    """What the code of a behavior stands for; `fields` are the values that its events have in their comments."""

    kind: str
    scheme: str
    track: str
    text: str
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ObservationSource:
    """Which recording an observation is about, and who made it."""

    recording: str
    name: str
    annotator: str


@dataclass(frozen=True, slots=True)
class BorisMetadata:
    """Observation -> what it is about, code -> what it stands for, subject -> participant."""

    observations: Mapping[str, ObservationSource]
    codes: Mapping[str, Code]
    subjects: Mapping[str, str]


def read_metadata(project: Mapping[str, Any]) -> BorisMetadata:
    """Return the metadata of a project; empty where the project is not one of ours, or the metadata is damaged."""
    found = _object(project.get(KEY))
    places = {
        name: ObservationSource(_text(entry, "recording"), _text(entry, "name"), _text(entry, "annotator"))
        for name, entry in _objects(found.get("observations"))
    }
    codes = {
        name: Code(
            "utterances" if entry.get("kind") == "utterances" else "segments",
            _text(entry, "scheme"),
            _text(entry, "track"),
            _text(entry, "text"),
            _texts(entry.get("fields")),
        )
        for name, entry in _objects(found.get("behaviors"))
    }
    subjects = {name: who for name, who in _object(found.get("subjects")).items() if isinstance(who, str)}
    return BorisMetadata(places, codes, subjects)


def metadata_to_json(marks: BorisMetadata) -> dict[str, Any]:
    """Return the object that a project keeps under `KEY`."""
    return {
        "observations": {
            name: {"recording": source.recording, "name": source.name, "annotator": source.annotator}
            for name, source in marks.observations.items()
        },
        "behaviors": {
            name: {
                "kind": code.kind,
                "scheme": code.scheme,
                "track": code.track,
                "text": code.text,
                "fields": [*code.fields],
            }
            for name, code in marks.codes.items()
        },
        "subjects": dict(marks.subjects),
    }


def _texts(found: Any) -> tuple[str, ...]:
    return tuple(text for text in found[:_MAX_FIELDS] if isinstance(text, str)) if isinstance(found, list) else ()


def _object(found: Any) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _objects(found: Any) -> list[tuple[str, dict[str, Any]]]:
    return [(name, value) for name, value in _object(found).items() if isinstance(value, dict)]


def _text(found: Mapping[str, Any], key: str) -> str:
    value = found.get(key, "")
    return value if isinstance(value, str) else ""


NO_SUBJECT = "No focal subject"


class LaneKey(NamedTuple):
    """What tells lanes apart: our scheme and track where Greenroom wrote them, BORIS's category elsewhere."""

    kind: str
    annotator: str
    participant: str
    scheme: str
    track: str
    category: str

    @property
    def title(self) -> str:
        """What the lane is called."""
        if self.kind == "utterances":
            words = ["Speech", self.participant]
        elif self.scheme or self.track:
            words = [self.annotator, f"{self.scheme}.{self.track}"]
        else:
            words = [self.annotator, self.participant or NO_SUBJECT, self.category]
        return " ".join(word for word in words if word)


def _unknown(_key: LaneKey) -> tuple[str, ...]:
    return ()


@dataclass(slots=True)
class BorisRecordingBuilder:
    """What is known of one recording so far."""

    name: str
    id: str
    media: tuple[MediaLink, ...]
    duration_us: int
    lanes: dict[LaneKey, list[InterchangeEntry]] = field(default_factory=dict)

    def build(self, vocabulary: Callable[[LaneKey], tuple[str, ...]] = _unknown) -> RecordingPart:
        """Return the recording; `vocabulary` gives the labels that a lane could have."""
        taken: set[str] = set()
        lanes = [
            InterchangeLane(unique_name(key.title, taken), tuple(entries), *key[:-1], vocabulary(key))
            for key, entries in self.lanes.items()
        ]
        return RecordingPart(self.name, tuple(lanes), self.media, self.duration_us, self.id)


NONE = "None"
"""The value that BORIS writes where nothing was chosen for a modifier."""
SEPARATOR = "|"
_MODIFIER_VALUE = re.compile(r"[^|,()\s](?:[^|,()\t\n\r\v\f]{0,38}[^|,()\s])?")
_MAX_MODIFIER_VALUES = 50
_CONTINUATION = "\n  "
TrackKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Modifier:
    """A set of modifiers: its name, the values it has, and whether several can be chosen."""

    name: str
    values: tuple[str, ...]
    multiple: bool


@dataclass(frozen=True, slots=True)
class BorisValueLayout:
    """Where the values of a track's entries go."""

    modifiers: tuple[Modifier, ...]
    in_comment: tuple[str, ...]


def track_key(lane: InterchangeLane) -> TrackKey:
    """Return what tells the lanes of one track from others: kind, scheme and track."""
    return lane.kind, lane.scheme, lane.track


def plan_value_layouts(document: Document) -> dict[TrackKey, BorisValueLayout]:
    """Say for each track of a document which values become modifiers: short texts of which there are few."""
    found: dict[TrackKey, dict[str, list[Json]]] = {}
    for part in document.recordings:
        for lane in part.lanes:
            fields = found.setdefault(track_key(lane), {})
            for entry in lane.entries:
                for name, value in entry.values.items():
                    fields.setdefault(name, []).append(value)
    made: dict[TrackKey, BorisValueLayout] = {}
    for key, fields in found.items():
        sets = {name: infer_modifier(name, values) for name, values in fields.items()}
        made[key] = BorisValueLayout(
            tuple(modifier for modifier in sets.values() if modifier is not None),
            tuple(name for name, modifier in sets.items() if modifier is None),
        )
    return made


def infer_modifier(name: str, values: Sequence[Json]) -> Modifier | None:
    """Return the set of modifiers that holds all these values, or None where BORIS has none for them."""
    several = all(isinstance(value, list) for value in values)
    items: dict[str, None] = {}
    for value in values:
        chosen = value if isinstance(value, list) else [value]
        if isinstance(value, list) is not several or not chosen or len(set(map(str, chosen))) != len(chosen):
            return None
        for item in chosen:
            if not isinstance(item, str) or item == NONE or _MODIFIER_VALUE.fullmatch(item) is None:
                return None
            items[item] = None
    return (
        Modifier(name, tuple(items), several) if len(items) <= _MAX_MODIFIER_VALUES and SEPARATOR not in name else None
    )


def format_modifiers(held: BorisValueLayout, values: Mapping[str, Json]) -> str:
    """Return the modifiers of an event as BORIS has them: sets divided by `|`, several of one set by `,`."""
    return SEPARATOR.join(_modifier_cell(values.get(modifier.name)) for modifier in held.modifiers)


def format_comment(held: BorisValueLayout, values: Mapping[str, Json]) -> str:
    """Return the other values as lines `name: text`; lines that go on are indented, items of a list repeat the name."""
    return "\n".join(
        f"{name}: {_lines(item)}" for name in held.in_comment if name in values for item in _split_list(values[name])
    )


def parse_modifiers(text: str, sets: Sequence[tuple[str, bool]]) -> dict[str, Json]:
    """Read the modifiers of an event.

    Args:
        text: as BORIS has it.
        sets: name of each set, and whether several can be chosen.
    """
    found: dict[str, Json] = {}
    for place, chosen in enumerate(text.split(SEPARATOR) if text else []):
        name, several = sets[place] if place < len(sets) else (f"modifier {place + 1}", False)
        if chosen and chosen != NONE:
            found[name] = [item for item in chosen.split(",") if item] if several else chosen
    return found


def parse_comment(text: str, names: Iterable[str]) -> dict[str, Json]:
    """Read a comment that `format_comment` wrote; what stands before those is the value `comment`."""
    known = sorted(names, key=len, reverse=True)
    found: dict[str, list[list[str]]] = {}
    last = ""
    for line in text.split("\n") if text else []:
        name = next((field_name for field_name in known if line.startswith(f"{field_name}: ")), None)
        if name is not None:
            found.setdefault(name, []).append([line[len(name) + 2 :]])
            last = name
        elif last and line.startswith(_CONTINUATION[1:]):
            found[last][-1].append(line[len(_CONTINUATION) - 1 :])
        elif last == "":
            found["comment"] = [[line]]
            last = "comment"
        else:
            found[last][-1].append(line)
    texts = {name: ["\n".join(lines) for lines in items] for name, items in found.items()}
    return {name: items[0] if len(items) == 1 else [*items] for name, items in texts.items()}


def _modifier_cell(value: Json) -> str:
    if value is None:
        return NONE
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _lines(item: Json) -> str:
    return to_text(item).replace("\n", _CONTINUATION)


def _split_list(value: Json) -> list[Json]:
    several = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    return value if isinstance(value, list) and several else [value]
