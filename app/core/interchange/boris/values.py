"""Form values as BORIS has them: modifiers for what is chosen from a list, lines of the comment for the rest."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.core.interchange.document import Document, Lane
from app.core.interchange.value_text import to_text
from project.types import Json

NONE = "None"
"""What BORIS writes for a modifier of which nothing was chosen."""
SEPARATOR = "|"
_ITEM = re.compile(r"[^|,()\s](?:[^|,()\t\n\r\v\f]{0,38}[^|,()\s])?")
_MOST = 50
_MORE = "\n  "
TrackKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Modifier:
    """A set of modifiers: its name, the values it has, and whether several can be chosen."""

    name: str
    values: tuple[str, ...]
    several: bool


@dataclass(frozen=True, slots=True)
class Held:
    """Where the values of a track's entries go."""

    modifiers: tuple[Modifier, ...]
    in_comment: tuple[str, ...]


def track_of(lane: Lane) -> TrackKey:
    """Return what tells the lanes of one track from others: kind, scheme and track."""
    return lane.kind, lane.scheme, lane.track


def places(document: Document) -> dict[TrackKey, Held]:
    """Say for each track of a document which values become modifiers: short texts of which there are few."""
    found: dict[TrackKey, dict[str, list[Json]]] = {}
    for part in document.recordings:
        for lane in part.lanes:
            fields = found.setdefault(track_of(lane), {})
            for entry in lane.entries:
                for name, value in entry.values.items():
                    fields.setdefault(name, []).append(value)
    made: dict[TrackKey, Held] = {}
    for key, fields in found.items():
        sets = {name: modifier(name, values) for name, values in fields.items()}
        made[key] = Held(
            tuple(one for one in sets.values() if one is not None),
            tuple(name for name, one in sets.items() if one is None),
        )
    return made


def modifier(name: str, values: Sequence[Json]) -> Modifier | None:
    """Return the set of modifiers that holds all these values, or None where BORIS has none for them."""
    several = all(isinstance(value, list) for value in values)
    items: dict[str, None] = {}
    for value in values:
        chosen = value if isinstance(value, list) else [value]
        if isinstance(value, list) is not several or not chosen or len(set(map(str, chosen))) != len(chosen):
            return None
        for item in chosen:
            if not isinstance(item, str) or item == NONE or _ITEM.fullmatch(item) is None:
                return None
            items[item] = None
    return Modifier(name, tuple(items), several) if len(items) <= _MOST and SEPARATOR not in name else None


def modifier_text(held: Held, values: Mapping[str, Json]) -> str:
    """Return the modifiers of an event as BORIS has them: sets divided by `|`, several of one set by `,`."""
    return SEPARATOR.join(_chosen(values.get(one.name)) for one in held.modifiers)


def comment_text(held: Held, values: Mapping[str, Json]) -> str:
    """Return the other values as lines `name: text`; lines that go on are indented, items of a list repeat the name."""
    return "\n".join(
        f"{name}: {_lines(item)}" for name in held.in_comment if name in values for item in _repeated(values[name])
    )


def modifier_values(text: str, sets: Sequence[tuple[str, bool]]) -> dict[str, Json]:
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


def comment_values(text: str, names: Iterable[str]) -> dict[str, Json]:
    """Read a comment that `comment_text` wrote; what stands before those is the value `comment`."""
    known = sorted(names, key=len, reverse=True)
    found: dict[str, list[list[str]]] = {}
    last = ""
    for line in text.split("\n") if text else []:
        name = next((one for one in known if line.startswith(f"{one}: ")), None)
        if name is not None:
            found.setdefault(name, []).append([line[len(name) + 2 :]])
            last = name
        elif last and line.startswith(_MORE[1:]):
            found[last][-1].append(line[len(_MORE) - 1 :])
        elif last == "":
            found["comment"] = [[line]]
            last = "comment"
        else:
            found[last][-1].append(line)
    texts = {name: ["\n".join(lines) for lines in items] for name, items in found.items()}
    return {name: items[0] if len(items) == 1 else [*items] for name, items in texts.items()}


def _chosen(value: Json) -> str:
    if value is None:
        return NONE
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)


def _lines(item: Json) -> str:
    return to_text(item).replace("\n", _MORE)


def _repeated(value: Json) -> list[Json]:
    several = isinstance(value, list) and value and all(isinstance(item, str) for item in value)
    return value if isinstance(value, list) and several else [value]
