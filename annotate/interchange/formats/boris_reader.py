"""Reads BORIS projects: an observation as a recording, the behaviors of one subject and category as a lane."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from annotate.interchange.bounded_files import (
    check_entries,
    damaged_file_error,
)
from annotate.interchange.document import (
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    ValueSet,
    parse_seconds,
)
from annotate.interchange.formats.boris_fields import (
    BEHAVIORS,
    OBSERVATION_TIER,
    BorisMetadata,
    BorisRecordingBuilder,
    Code,
    Ethogram,
    LaneKey,
    PlayerFile,
    QueuePart,
    comment_value,
    parse_comment,
    parse_modifiers,
    queue_files,
    queue_parts,
    read_metadata,
    tier_of_behavior,
)
from annotate.interchange.tier_texts import OBSERVATION
from project.entities.study_records import Json

SINGLE_SELECTION, MULTIPLE_SELECTION = 0, 1
"""Types of a set of modifiers."""
_ANNOTATOR_VARIABLES = ("annotator", "observer", "coder", "rater")
OBSERVATION_FACTS = ("date", "description")
"""Values of an observation beside its independent variables."""
_COLOUR = re.compile("#[0-9a-fA-F]{6}")
_KEY_OF_VALUE = re.compile(r" *\([^()]\)$")
"""Ends a value of a modifier in the ethogram: the key that chooses it."""


@dataclass(frozen=True, slots=True)
class _Behavior:
    code: str
    state: bool
    category: str
    definition: str
    key: str
    colour: str
    sets: tuple[tuple[str, bool], ...]
    values: tuple[tuple[str, ...], ...]


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
        self._behaviors = _read_behaviors(found)
        self._with_states = {known.category for known in self._behaviors.values() if known.state}
        self._by_tier: dict[str, list[_Behavior]] = {}
        for behavior in self._behaviors.values():
            self._by_tier.setdefault(self._tier_of(behavior), []).append(behavior)
        self._variables = _read_variables(found)
        self._used: set[str] = set()
        self._remarks: Counter[str] = Counter()
        self._unread: Counter[str] = Counter()
        self._entries = 0

    def build_document(self) -> Document:
        parts: dict[tuple[str, str], BorisRecordingBuilder] = {}
        for name, observation in self._found["observations"].items():
            if not isinstance(observation, dict):
                raise damaged_file_error(self._path, f"observation “{name[:40]}” is no object")
            self._observation(parts, name, observation)
        built = [recording for part in parts.values() for recording in part.build(self._describe)]
        if unused := self._build_unused_lanes(built):
            first = built[0] if built else RecordingPart(self._path.stem, ())
            built[:1] = [replace(first, lanes=(*first.lanes, *unused))]
        return Document(tuple(built), tuple(f"{what}: {count}." for what, count in self._remarks.items()), self._unread)

    def _build_unused_lanes(self, parts: Iterable[RecordingPart]) -> list[InterchangeLane]:
        """Return an empty lane for each category of the ethogram that no event is of, so that its codes come in too."""
        used = {lane.tier for part in parts for lane in part.lanes}
        foreign = (known for known in self._behaviors.values() if known.code not in self._marks.behaviors)
        categories = dict.fromkeys(self._tier_of(known) for known in foreign)
        keys = [LaneKey("segments", "", "", "", "", category) for category in categories]
        lanes = [self._describe(key).build_lane(key.category or BEHAVIORS, (), key) for key in keys]
        return [lane for lane in lanes if lane.tier not in used]

    def _add_variables(self, part: BorisRecordingBuilder, name: str, annotator: str, found: Mapping[str, Any]) -> None:
        """Add what is known of an observation as a whole; of a project of ours, what was so in the study."""
        variables = {str(variable): _text(value) for variable, value in _items(found.get("independent_variables"))}
        facts = {fact: _text(found.get(fact)) for fact in OBSERVATION_FACTS}
        place = self._marks.observations.get(name)
        if place is None:
            known = {v: t for v, t in variables.items() if t.strip() and v.casefold() not in _ANNOTATOR_VARIABLES}
            if known or facts["description"].strip():
                held: dict[str, Json] = {OBSERVATION: name, **{v: t for v, t in facts.items() if t.strip()}, **known}
                sets = {variable: self._variables.get(variable, ValueSet()) for variable in held}
                part.about.append(
                    InterchangeLane(
                        OBSERVATION_TIER,
                        (InterchangeEntry(0, 0, OBSERVATION_TIER, held),),
                        annotator=annotator,
                        tier=OBSERVATION_TIER,
                        value_sets=sets,
                        about_recording=True,
                    )
                )
            return
        lanes: dict[Code, dict[str, Json]] = {}
        known = {**facts, OBSERVATION: place.observation} if place.observation else {}
        for variable, text in {**known, **variables}.items():
            stands = self._marks.variables.get(variable)
            if stands is not None and text.strip():
                lanes.setdefault(replace(stands, fields=()), {})[stands.fields[0]] = text
        for stands, values in lanes.items():
            entry = InterchangeEntry(0, 0, stands.text, values)
            about = ("segments", annotator, "", stands.scheme, stands.track)
            part.about.append(InterchangeLane(OBSERVATION_TIER, (entry,), *about, about_recording=True))

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
        self._add_variables(part, name, annotator, observation)
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
            self._unread[f"a start of “{open_state.code[:40]}”{who} {where} without an end: end it in BORIS"] += 1
        yield from sorted(made, key=lambda event: event.start_us)

    def _entry(self, event: "_Event", annotator: str, shift_us: int) -> tuple[LaneKey, InterchangeEntry]:
        start, end = event.start_us + shift_us, event.end_us + shift_us
        known = self._behaviors.get(event.code)
        ours = self._marks.behaviors.get(event.code)
        values: dict[str, Json] = parse_modifiers(event.modifiers, known.sets if known else ())
        if ours is None:
            values |= comment_value(event.comment, event.comment_at_end)
            lane = LaneKey("segments", annotator, event.subject, "", "", self._tier_of(known))
            return lane, InterchangeEntry(start, end, event.code, values)
        who = self._marks.subjects.get(event.subject, event.subject)
        if ours.kind == "utterances":
            return LaneKey("utterances", "", who, "", "", ""), InterchangeEntry(start, end, event.comment, values)
        values |= parse_comment(event.comment, ours.fields)
        return LaneKey("segments", annotator, who, ours.scheme, ours.track, ""), InterchangeEntry(
            start, end, ours.text, values
        )

    def _describe(self, key: LaneKey) -> Ethogram:
        if key.kind == "utterances":
            return Ethogram()
        if key.scheme or key.track:
            stands = self._marks.behaviors.values()
            return Ethogram(tuple(s.text for s in stands if (s.scheme, s.track) == (key.scheme, key.track)))
        behaviors = self._by_tier.get(key.category, [])
        sets: dict[str, ValueSet] = {}
        for behavior in behaviors:
            for (name, several), values in zip(behavior.sets, behavior.values, strict=True):
                known = sets.get(name, ValueSet())
                sets[name] = ValueSet(
                    tuple(dict.fromkeys((*known.values, *values))),
                    known.several or several,
                    (*known.labels, behavior.code),
                )
        return Ethogram(
            tuple(behavior.code for behavior in behaviors),
            {behavior.code: behavior.definition for behavior in behaviors if behavior.definition},
            {behavior.code: behavior.key for behavior in behaviors if behavior.key},
            {behavior.code: behavior.colour for behavior in behaviors if behavior.colour},
            sets,
            bool(behaviors) and not any(behavior.state for behavior in behaviors),
        )

    def _tier_of(self, known: _Behavior | None) -> str:
        """Return the tier of a behavior; one that is not in the ethogram is a point without a category."""
        category, point = (known.category, not known.state) if known is not None else ("", True)
        return tier_of_behavior(category, point, self._with_states)


def _read_behaviors(found: Mapping[str, Any]) -> dict[str, _Behavior]:
    made = {}
    known = _dicts(found.get("behavioral_categories_config"))
    categories = {_text(category.get("name")): _text(category.get("color")) for category in known}
    for behavior in _dicts(found.get("behaviors_conf")):
        modifiers = _dicts(behavior.get("modifiers"))
        sets = tuple(
            (str(modifier.get("name") or "") or f"modifier {place + 1}", modifier.get("type") == MULTIPLE_SELECTION)
            for place, modifier in enumerate(modifiers)
        )
        values = tuple(
            tuple(_KEY_OF_VALUE.sub("", _text(value)) for value in listed if _text(value).strip())
            if isinstance(listed := modifier.get("values"), list)
            else ()
            for modifier in modifiers
        )
        code, key = str(behavior.get("code", "")), _text(behavior.get("key"))
        category = str(behavior.get("category") or "")
        made[code] = _Behavior(
            code,
            str(behavior.get("type", "")).casefold().startswith("state"),
            category,
            _text(behavior.get("description")).strip(),
            key.upper() if len(key) == 1 and key.isalnum() else "",
            next(filter(_COLOUR.fullmatch, (_text(behavior.get("color")), categories.get(category, ""))), ""),
            sets,
            values,
        )
    return made


def _read_variables(found: Mapping[str, Any]) -> dict[str, ValueSet]:
    """Return what each independent variable can be: one of a set, or any text."""
    made = {}
    for variable in _dicts(found.get("independent_variables")):
        values = [value.strip() for value in _text(variable.get("possible values")).split(",") if value.strip()]
        chosen = _text(variable.get("type")) == FROM_SET
        made[_text(variable.get("label"))] = ValueSet(tuple(values) if chosen else ())
    return made


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
FROM_SET = "value from set"
"""Type of an independent variable that is one of several values."""
