"""Fields of BORIS projects: our own metadata object, modifiers, comments, and lanes of the files that players show.

BORIS keeps the metadata object when it saves.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, NamedTuple

from annotate.interchange.document import (
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    ValueSet,
    lane_name,
    unique_name,
)
from annotate.interchange.value_text import to_text
from project.codec import load
from project.entities.study_records import Json
from project.errors import UserError

KEY = "greenroom"
_MAX_FIELDS = 200
"""Values in the comment of an event that are told apart."""
_FAR_US = 10**18
_MAX_QUEUE = 1000
"""Files of a player that are read; an entry behind the last one counts as one behind its end."""
BORIS_LOSSES = (
    "BORIS counts milliseconds: finer times are cut off.",
    "Ids are not kept: what comes back is recognised by who, when and which label or words.",
)
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
    """Which recording an observation is about, who made it, and the observation of BORIS that it came from."""

    recording: str
    name: str
    annotator: str
    observation: str = ""


@dataclass(frozen=True, slots=True)
class BorisMetadata:
    """Observation -> what it is about, code -> what it stands for, subject -> participant, and of each variable too."""

    observations: Mapping[str, ObservationSource] = field(default_factory=dict)
    behaviors: Mapping[str, Code] = field(default_factory=dict)
    subjects: Mapping[str, str] = field(default_factory=dict)
    variables: Mapping[str, Code] = field(default_factory=dict)


def read_metadata(project: Mapping[str, Any]) -> BorisMetadata:
    """Return the metadata of a project; empty where the project is not one of ours, or the metadata is damaged."""
    try:
        return load(BorisMetadata, project.get(KEY), KEY)
    except UserError:
        return BorisMetadata()


NO_SUBJECT = "No focal subject"
BEHAVIORS = "Behaviors"
"""What the tier of the behaviors without a category is called."""
POINTS = " (points)"
"""Ends the name of the tier for the points of a category that has states too."""


def tier_of_behavior(category: str, point: bool, with_states: Collection[str]) -> str:
    """Return what the tier of a behavior is called, "" for those without a category; points beside states have one."""
    return f"{category or BEHAVIORS}{POINTS}" if point and category in with_states else category


OBSERVATION_TIER = "Observation"
"""The tier of what is known of an observation as a whole."""


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
        if self.kind == "utterances" or self.scheme or self.track:
            return lane_name(*self[:-1])
        words = (self.annotator, self.participant or NO_SUBJECT, self.category)
        return " ".join(word for word in words if word)


@dataclass(frozen=True, slots=True)
class Ethogram:
    """The codes of a lane: what each means, its key, colour and modifiers; with `points`, all are points."""

    codes: tuple[str, ...] = ()
    definitions: Mapping[str, str] = field(default_factory=dict)
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    modifiers: Mapping[str, ValueSet] = field(default_factory=dict)
    points: bool = False

    def build_lane(self, name: str, entries: Iterable[InterchangeEntry], key: LaneKey) -> InterchangeLane:
        """Return a lane with these codes."""
        own = key.kind == "utterances" or bool(key.scheme or key.track)
        return InterchangeLane(
            name,
            tuple(entries),
            *key[:-1],
            self.codes,
            tier="" if own else key.category or BEHAVIORS,
            definitions=self.definitions,
            shortcuts=self.shortcuts,
            colours=self.colours,
            value_sets=self.modifiers,
            declares_points=self.points,
        )


def _unknown(_key: LaneKey) -> Ethogram:
    return Ethogram()


class PlayerFile(NamedTuple):
    """A file in the queue of a player; `duration_us` is 0 where it is not known."""

    path: str
    start_us: int
    duration_us: int

    @property
    def end_us(self) -> int:
        """Where the file ends on the clock of the observation; far away where its length is not known."""
        return self.start_us + (self.duration_us or _FAR_US)


def queue_files(files: Iterable[tuple[str, int]], start_us: int) -> list[PlayerFile]:
    """Return the files (path, duration) that a player plays one after the other, from a time on.

    The first file whose length is not known is the last: nobody can say when the others begin.
    """
    found: list[PlayerFile] = []
    for path, duration_us in files:
        found.append(PlayerFile(path, start_us, duration_us))
        if duration_us <= 0 or len(found) == _MAX_QUEUE:
            break
        start_us += duration_us
    return found


@dataclass(slots=True)
class QueuePart:
    """The part of an observation in which the first player shows one file; times are those of that file.

    Attributes:
        media: the file, and those that other players show beside it.
        duration_us: of the file; 0 where it is not known.
        start_us: where the file begins on the clock of the observation.
        bounds_us: from where to where entries belong here, on that clock.
    """

    media: tuple[MediaLink, ...] = ()
    duration_us: int = 0
    start_us: int = 0
    bounds_us: tuple[int, int] = (-_FAR_US, _FAR_US)
    lanes: dict[LaneKey, list[InterchangeEntry]] = field(default_factory=dict)

    def add(self, lane: LaneKey, entry: InterchangeEntry) -> None:
        """Add what of an entry lies within the bounds."""
        first, last = self.bounds_us
        start, end = max(entry.start_us, first) - self.start_us, min(entry.end_us, last) - self.start_us
        self.lanes.setdefault(lane, []).append(replace(entry, start_us=start, end_us=end))


def queue_parts(players: Sequence[Sequence[PlayerFile]]) -> list[QueuePart]:
    """Return the parts of an observation, one for each file of its first player; one where nothing is played."""
    queue = players[0] if players else ()
    beside = [file for player in players[1:] for file in player]
    if not queue:
        return [QueuePart(tuple(MediaLink(file.path, file.start_us) for file in beside))]
    starts = [-_FAR_US, *(file.start_us for file in queue[1:]), _FAR_US]
    parts = []
    for file, bounds in zip(queue, pairwise(starts), strict=True):
        shown = (other for other in beside if other.start_us < bounds[1] and other.end_us > bounds[0])
        links = (MediaLink(other.path, other.start_us - file.start_us) for other in (file, *shown))
        parts.append(QueuePart(tuple(links), file.duration_us, file.start_us, bounds))
    return parts


def _first_us(part: QueuePart) -> int:
    return part.bounds_us[0]


@dataclass(slots=True)
class BorisRecordingBuilder:
    """What is known of one recording, or of one observation of BORIS, so far.

    Attributes:
        id: of the recording, where we wrote the file.
        about: lanes about all of it.
    """

    name: str
    id: str
    parts: list[QueuePart]
    on_media_time: bool
    about: list[InterchangeLane] = field(default_factory=list)

    def add(self, lane: LaneKey, entry: InterchangeEntry) -> int:
        """Add an entry on the clock of the observation to each part that it belongs to; returns to how many."""
        first = bisect_right(self.parts, entry.start_us, key=_first_us) - 1
        last = max(first + 1, bisect_left(self.parts, entry.end_us, key=_first_us))
        for part in self.parts[first:last]:
            part.add(lane, entry)
        return last - first

    def build(self, ethogram: Callable[[LaneKey], Ethogram] = _unknown) -> Iterator[RecordingPart]:
        """Yield the recording, or each part of the observation; `ethogram` gives the codes that a lane could have.

        Of several parts, only those are there in which something is marked.
        """
        for part in [part for part in self.parts if part.lanes] or self.parts[:1]:
            name = self.name if len(self.parts) == 1 else f"{self.name} ({part.media[0].file_name})"
            taken: set[str] = set()
            lanes = [
                ethogram(key).build_lane(unique_name(key.title, taken), entries, key)
                for key, entries in part.lanes.items()
            ]
            about = [replace(lane, name=unique_name(lane.name, taken)) for lane in self.about]
            yield RecordingPart(name, (*lanes, *about), part.media, part.duration_us, self.id, self.on_media_time)


NONE = "None"
"""The value that BORIS writes where nothing was chosen for a modifier."""
SEPARATOR = "|"
_MODIFIER_VALUE = re.compile(r"[^|,()\s](?:[^|,()\t\n\r\v\f]{0,38}[^|,()\s])?")
_MAX_MODIFIER_VALUES = 50
_CONTINUATION = "\n  "
TrackKey = tuple[str, str, str]
COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Modifier:
    """A set of modifiers: its name, its values, whether several can be chosen, and for which codes (none for all)."""

    name: str
    values: tuple[str, ...]
    multiple: bool
    codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class BorisValueLayout:
    """Where the values of a track's entries go."""

    modifiers: tuple[Modifier, ...]
    in_comment: tuple[str, ...]

    def of_code(self, code: str) -> "BorisValueLayout":
        """Return where the values of one code's entries go."""
        return replace(self, modifiers=tuple(m for m in self.modifiers if not m.codes or code in m.codes))


def track_key(lane: InterchangeLane) -> TrackKey:
    """Return what tells the lanes of one track from others: kind, scheme and track."""
    return lane.kind, lane.scheme, lane.track


def plan_value_layouts(document: Document) -> dict[TrackKey, BorisValueLayout]:
    """Say for each track of a document which values become modifiers: short texts of which there are few."""
    found: dict[TrackKey, dict[str, list[Json]]] = {}
    declared: dict[tuple[TrackKey, str], ValueSet] = {}
    for part in document.recordings:
        for lane in part.lanes:
            fields = found.setdefault(track_key(lane), {})
            for name, known in lane.value_sets.items():
                declared[track_key(lane), name] = known
                fields.setdefault(name, [])
            for entry in lane.entries:
                for name, value in entry.values.items():
                    fields.setdefault(name, []).append(value)
    made: dict[TrackKey, BorisValueLayout] = {}
    for key, fields in found.items():
        sets = {name: infer_modifier(name, values, declared.get((key, name))) for name, values in fields.items()}
        made[key] = BorisValueLayout(
            tuple(modifier for modifier in sets.values() if modifier is not None),
            tuple(name for name, modifier in sets.items() if modifier is None),
        )
    return made


def infer_modifier(name: str, values: Sequence[Json], known: ValueSet | None = None) -> Modifier | None:
    """Return the set of modifiers that holds all these values, or None where BORIS has none for them.

    `known` is what the values can be, where that is known.
    """
    if name == COMMENT:
        return None
    several = known.several if known is not None else all(isinstance(value, list) for value in values)
    items = dict.fromkeys(known.values if known is not None else ())
    if any(_MODIFIER_VALUE.fullmatch(item) is None for item in items):
        return None
    for value in values:
        chosen = value if isinstance(value, list) else [value]
        if isinstance(value, list) is not several or not chosen or len(set(map(str, chosen))) != len(chosen):
            return None
        for item in chosen:
            if not isinstance(item, str) or item == NONE or _MODIFIER_VALUE.fullmatch(item) is None:
                return None
            items[item] = None
    codes = known.labels if known is not None else ()
    fits = len(items) <= _MAX_MODIFIER_VALUES and SEPARATOR not in name
    return Modifier(name, tuple(items), several, codes) if fits else None


def format_modifiers(held: BorisValueLayout, values: Mapping[str, Json]) -> str:
    """Return the modifiers of an event as BORIS has them: sets divided by `|`, several of one set by `,`."""
    return SEPARATOR.join(_modifier_cell(values.get(modifier.name)) for modifier in held.modifiers)


def format_comment(held: BorisValueLayout, values: Mapping[str, Json]) -> str:
    """Return the other values as lines `name: text`; lines that go on are indented, items of a list repeat the name.

    The value `comment` stands before them as it is.
    """
    plain = to_text(values[COMMENT]) if COMMENT in held.in_comment and values.get(COMMENT) else ""
    lines = (
        f"{name}: {_lines(item)}"
        for name in held.in_comment
        if name in values and name != COMMENT
        for item in _split_list(values[name])
    )
    return "\n".join(filter(None, (plain, *lines)))


def parse_modifiers(text: str, sets: Sequence[tuple[str, bool]]) -> dict[str, Json]:
    """Read the modifiers of an event. `sets` has the name of each set, and whether several can be chosen."""
    found: dict[str, Json] = {}
    for place, chosen in enumerate(text.split(SEPARATOR) if text else []):
        name, several = sets[place] if place < len(sets) else (f"modifier {place + 1}", False)
        if chosen and chosen != NONE:
            found[name] = [item for item in chosen.split(",") if item] if several else chosen
    return found


def parse_comment(text: str, names: Iterable[str]) -> dict[str, Json]:
    """Read a comment that `format_comment` wrote; what stands before those is the value `comment`."""
    known = sorted([*names][:_MAX_FIELDS], key=len, reverse=True)
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
            found[COMMENT] = [[line]]
            last = COMMENT
        else:
            found[last][-1].append(line)
    texts = {name: ["\n".join(lines) for lines in items] for name, items in found.items()}
    return {name: items[0] if len(items) == 1 else [*items] for name, items in texts.items()}


def comment_value(*comments: str) -> dict[str, Json]:
    """Return the comments at the start and at the end of an event as the value `comment`, a list where both are."""
    texts: list[Json] = [text for text in comments if text]
    return {COMMENT: texts[0] if len(texts) == 1 else texts} if texts else {}


def _modifier_cell(value: Json) -> str:
    if value is None:
        return NONE
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _lines(item: Json) -> str:
    return to_text(item).replace("\n", _CONTINUATION)


def _split_list(value: Json) -> list[Json]:
    several = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    return value if isinstance(value, list) and several else [value]
