"""Reads BORIS projects: each observation is a recording, each subject's behaviors of one category are a lane."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.core.interchange.boris.marks import Marks, read_marks
from app.core.interchange.boris.parts import LaneKey, Part
from app.core.interchange.boris.values import comment_values, modifier_values
from app.core.interchange.document import Document, Entry, MediaLink
from app.core.interchange.limits import damaged
from project.types import Json

COMMENT = "comment"
_LATEST_S = 2_147_483_647
_SEVERAL = 1
_ANNOTATOR = ("annotator", "observer", "coder", "rater")


@dataclass(frozen=True, slots=True)
class _Behavior:
    state: bool
    category: str
    sets: tuple[tuple[str, bool], ...]


def read_project(found: object, path: Path) -> Document:
    """Return a project's observations.

    A state's start and end are paired in order, for each subject, behavior and set of modifiers, as BORIS does. What
    cannot be paired or has no time is left out with a remark.

    Raises:
        UserError: it is no BORIS project, or is damaged.
    """
    if not isinstance(found, dict) or not isinstance(found.get("observations"), dict):
        raise damaged(path, "it is no BORIS project")
    return _Reader(found, path).document()


class _Reader:
    def __init__(self, found: Mapping[str, Any], path: Path) -> None:
        self._found = found
        self._path = path
        self._marks: Marks = read_marks(found)
        self._behaviors = self._ethogram()
        self._remarks: list[str] = []

    def document(self) -> Document:
        parts: dict[tuple[str, str], Part] = {}
        for name, observation in self._found["observations"].items():
            if not isinstance(observation, dict):
                raise damaged(self._path, f"observation “{name[:40]}” is no object")
            self._observation(parts, name, observation)
        return Document(tuple(one.finished(self._vocabulary) for one in parts.values()), tuple(self._remarks))

    def _ethogram(self) -> dict[str, _Behavior]:
        made = {}
        for one in _dicts(self._found.get("behaviors_conf")):
            sets = tuple(
                (str(each.get("name") or "") or f"modifier {place + 1}", each.get("type") == _SEVERAL)
                for place, each in enumerate(_dicts(one.get("modifiers")))
            )
            state = str(one.get("type", "")).casefold().startswith("state")
            made[str(one.get("code", ""))] = _Behavior(state, str(one.get("category") or ""), sets)
        return made

    def _observation(self, parts: dict[tuple[str, str], Part], name: str, observation: Mapping[str, Any]) -> None:
        place = self._marks.places.get(name)
        media, duration_us = _media(observation)
        offset_us = _microseconds(observation.get("time offset") or 0) or 0
        if place is None:
            key, annotator = (name, name), _annotator(observation)
            shift_us = -offset_us if media else 0
        else:
            key, annotator = (place.recording or place.name, place.name), place.annotator
            shift_us = 0
            media = tuple(MediaLink(link.path, link.offset_us + offset_us) for link in media)
        part = parts.get(key)
        if part is None:
            row_id = place.recording if place else ""
            part = parts[key] = Part(place.name if place else name, row_id, media, duration_us)
        left_out: Counter[str] = Counter()
        for event in self._events(observation, name, left_out):
            lane, entry = self._entry(event, annotator, shift_us)
            part.lanes.setdefault(lane, []).append(entry)
        self._remarks += [f"Observation “{name}”: {why}: {count}." for why, count in left_out.items()]

    def _events(self, observation: Mapping[str, Any], name: str, left_out: Counter[str]) -> Iterator["_Event"]:
        events = observation.get("events", [])
        if not isinstance(events, list):
            raise damaged(self._path, f"the events of observation “{name[:40]}” are no list")
        read: list[_Event] = []
        for row in events:
            if not isinstance(row, list) or len(row) < 3:
                raise damaged(self._path, f"an event of observation “{name[:40]}” has fewer than three cells")
            at = _microseconds(row[0])
            if at is None:
                left_out["events without a time are left out"] += 1
                continue
            cells = [_text(cell) for cell in (*row[1:5], "", "")[:4]]
            read.append(_Event(at, at, *cells))
        read.sort(key=lambda one: one.start_us)
        open_states: dict[tuple[str, str, str], _Event] = {}
        made: list[_Event] = []
        for one in read:
            known = self._behaviors.get(one.code)
            if known is None:
                left_out[f"events “{one.code[:40]}”, which are not in the ethogram, are read as points"] += 1
            if known is None or not known.state:
                made.append(one)
                continue
            key = one.subject, one.code, one.modifiers
            started = open_states.pop(key, None)
            if started is None:
                open_states[key] = one
            else:
                started.end_us, started.comment_at_end = one.start_us, one.comment
                made.append(started)
        for one in open_states.values():
            who = f" of {one.subject[:40]}" if one.subject else ""
            left_out[f"starts of “{one.code[:40]}”{who} without an end are left out"] += 1
        yield from sorted(made, key=lambda one: one.start_us)

    def _entry(self, event: "_Event", annotator: str, shift_us: int) -> tuple[LaneKey, Entry]:
        start, end = event.start_us + shift_us, event.end_us + shift_us
        known = self._behaviors.get(event.code)
        ours = self._marks.codes.get(event.code)
        values: dict[str, Json] = modifier_values(event.modifiers, known.sets if known else ())
        if ours is None:
            values |= said_about(event.comment, event.comment_at_end)
            category = known.category if known else ""
            lane = LaneKey("segments", annotator, event.subject, "", "", category)
            return lane, Entry(start, end, event.code, values)
        who = self._marks.subjects.get(event.subject, event.subject)
        if ours.kind == "utterances":
            return LaneKey("utterances", "", who, "", "", ""), Entry(start, end, event.comment, values)
        values |= comment_values(event.comment, ours.fields)
        return LaneKey("segments", annotator, who, ours.scheme, ours.track, ""), Entry(start, end, ours.text, values)

    def _vocabulary(self, key: LaneKey) -> tuple[str, ...]:
        if key.kind == "utterances":
            return ()
        if key.scheme or key.track:
            stands = self._marks.codes.values()
            return tuple(one.text for one in stands if (one.scheme, one.track) == (key.scheme, key.track))
        return tuple(code for code, one in self._behaviors.items() if one.category == key.category)


def said_about(*comments: str) -> dict[str, Json]:
    """Return the comments at the start and at the end of an event as the value `comment`, a list where both are."""
    texts: list[Json] = [text for text in comments if text]
    return {COMMENT: texts[0] if len(texts) == 1 else texts} if texts else {}


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


def _media(observation: Mapping[str, Any]) -> tuple[tuple[MediaLink, ...], int]:
    """Return the media, where each begins on the clock of the first player, and how long that one plays."""
    files, info = observation.get("file"), observation.get("media_info")
    lengths = info.get("length") if isinstance(info, dict) else None
    offsets = info.get("offset") if isinstance(info, dict) else None
    found = []
    whole = 0
    for player, paths in files.items() if isinstance(files, dict) else ():
        at = 0 if player == "1" else _microseconds(_of(offsets, player)) or 0
        for link in paths if isinstance(paths, list) else ():
            found.append(MediaLink(_text(link), at))
            at += max(0, _microseconds(_of(lengths, _text(link))) or 0)
        whole = at if player == "1" else whole
    return tuple(found), whole


def _of(found: object, key: str) -> object:
    return found.get(key) if isinstance(found, dict) else None


def _annotator(observation: Mapping[str, Any]) -> str:
    variables = observation.get("independent_variables")
    named = {str(name).casefold(): _text(value).strip() for name, value in _items(variables)}
    return next((named[name] for name in _ANNOTATOR if named.get(name)), "")


def _items(found: object) -> list[tuple[Any, Any]]:
    return list(found.items()) if isinstance(found, dict) else []


def _dicts(found: object) -> list[dict[str, Any]]:
    return [one for _, one in _items(found) if isinstance(one, dict)]


def _text(found: object) -> str:
    return "" if found is None or isinstance(found, dict | list) else str(found)


def _microseconds(value: object) -> int | None:
    """Return a number of seconds, or a text of one, in microseconds; None where it is none that BORIS allows."""
    try:
        found = float(value) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return round(found * 1_000_000) if -_LATEST_S <= found <= _LATEST_S else None
