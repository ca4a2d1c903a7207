"""The import mapping: what each lane of a document becomes in the study, stored as JSON for the next file.

`guess_mapping` is exact for files that Greenroom wrote and a proposal for those of other tools.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from annotate.interchange.bounded_files import damaged_file_error, parse_json, read_text
from annotate.interchange.document import COMMENTS, Document, InterchangeLane
from project.codec import dump, load
from project.schemes.scheme import FieldKind, Scheme, Track
from project.session.session import Session
from project.text_format import escape_unprintable

VERSION = 1
_MAX_POINT_US = 3_600_000_000
COMMENT = "@comment"
"""Stands for a field: the value becomes a comment on the segment."""


class EntryTarget(StrEnum):
    """What the entries of a lane are made into."""

    SEGMENTS = "segments"
    UTTERANCES = "utterances"
    NOTHING = "nothing"


class OutsideRule(StrEnum):
    """What is done with an entry that reaches outside the recording."""

    CLAMP = "clamp"
    LEAVE_OUT = "leave out"


@dataclass(frozen=True, slots=True)
class LaneTarget:
    """What one lane becomes.

    Attributes:
        annotator: name of who made the segments.
        scheme: key of the segments' scheme.
        track: key of the segments' track.
        labels: text -> key of a label; "" leaves entries of that text out. It comes before keys and names that fit.
        otherwise: key of the label for texts that are no label; "" leaves those entries out.
        text_field: key of the field that takes the text, or "".
        fields: name of a value -> key of a field, `COMMENT`, or "" to leave it out.
        participant: pseudonym of who speaks, or "".
    """

    __pydantic_config__ = {"extra": "forbid"}

    becomes: EntryTarget
    annotator: str = ""
    scheme: str = ""
    track: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    otherwise: str = ""
    text_field: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    participant: str = ""


@dataclass(frozen=True, slots=True)
class ImportMapping:
    """How a document is read into a study.

    Attributes:
        lanes: name of a lane -> what it becomes, in every recording of the document that has it.
        outside: what is done with entries that reach outside the recording.
        point_us: how long a point becomes on a track that holds none; 0 leaves points out.
    """

    __pydantic_config__ = {"extra": "forbid"}

    lanes: Mapping[str, LaneTarget] = field(default_factory=dict)
    outside: OutsideRule = OutsideRule.CLAMP
    point_us: int = 100_000

    def __post_init__(self) -> None:
        if not 0 <= self.point_us <= _MAX_POINT_US:
            raise ValueError(f"point_us is not from 0 to {_MAX_POINT_US}")

    def to_json(self) -> str:
        """Write it as a mapping file."""
        content = {"greenroom_mapping": VERSION, **dump(self)}
        return json.dumps(content, ensure_ascii=False, indent=2) + "\n"


def load_mapping(path: Path) -> ImportMapping:
    """Read a mapping file."""
    found = parse_json(read_text(path), path)
    if not isinstance(found, dict) or found.pop("greenroom_mapping", None) != VERSION:
        raise damaged_file_error(path, f"it does not begin with “greenroom_mapping”: {VERSION}")
    return load(ImportMapping, found, f"The mapping {escape_unprintable(path.name)}")


_MIN_LABEL_SHARE = 0.5
"""Share of a lane's texts that must be labels of a track, for the lane to be proposed for it."""


def guess_mapping(session: Session, document: Document) -> ImportMapping:
    """Propose what the lanes become.

    A lane that names its scheme and track goes there. Otherwise the track is taken that knows most of the lane's texts
    as labels, by key or name; free text becomes utterances; what is neither is left out until somebody says what it is.
    """
    lanes: dict[str, list[InterchangeLane]] = {}
    for part in document.recordings:
        for lane in part.lanes:
            lanes.setdefault(lane.name, []).append(lane)
    found = {name: _guess_target(session, same) for name, same in lanes.items()}
    return ImportMapping(found)


def build_track_target(session: Session, lanes: Iterable[InterchangeLane], scheme: Scheme, track: Track) -> LaneTarget:
    """Return the target for lanes of one name on a track: fields by key or name, free text to the first text field."""
    same = list(lanes)
    only = track.labels[0].key if len(track.labels) == 1 else ""
    known = _keys(track)
    fields = scheme.fields_of(track.key)
    values = dict.fromkeys(name for lane in same for entry in lane.entries for name in entry.values)
    by_name = {field.name.casefold(): field.key for field in fields} | {
        field.key.casefold(): field.key for field in fields
    }
    held = {
        name: by_name.get(name.casefold(), COMMENT if name.casefold() in _COMMENT_FIELDS else "") for name in values
    }
    strange = not all(entry.text.strip().casefold() in known for lane in same for entry in lane.entries)
    taken = set(held.values())
    text_field = next((field.key for field in fields if field.kind is FieldKind.TEXT and field.key not in taken), "")
    return LaneTarget(
        EntryTarget.SEGMENTS,
        same[0].annotator or session.annotator_name,
        scheme.key,
        track.key,
        otherwise=only,
        text_field=text_field if strange and only else "",
        fields=held,
    )


_COMMENT_FIELDS = (COMMENTS, "comment")


def _guess_target(session: Session, same: list[InterchangeLane]) -> LaneTarget:
    first = same[0]
    if first.kind == "utterances":
        return LaneTarget(EntryTarget.UTTERANCES, participant=first.participant)
    for scheme in session.schemes:
        for track in scheme.tracks:
            if (scheme.key, track.key) == (first.scheme, first.track):
                return build_track_target(session, same, scheme, track)
    texts = {entry.text.strip().casefold() for lane in same for entry in lane.entries} or {
        text.strip().casefold() for text in first.vocabulary
    }
    best: tuple[float, Scheme, Track] | None = None
    for scheme in session.schemes:
        for track in scheme.tracks:
            share = len(texts & _keys(track)) / max(1, len(texts))
            if share >= _MIN_LABEL_SHARE and (best is None or share > best[0]):
                best = share, scheme, track
    if best is not None:
        return build_track_target(session, same, best[1], best[2])
    if not first.vocabulary and _looks_like_speech(same):
        return LaneTarget(EntryTarget.UTTERANCES, participant=first.participant)
    return LaneTarget(EntryTarget.NOTHING)


def _keys(track: Track) -> set[str]:
    return {text.casefold() for label in track.labels for text in (label.key, label.name)}


def _looks_like_speech(same: list[InterchangeLane]) -> bool:
    """Tell whether texts look like what somebody said: hardly any comes twice, and most have several words."""
    texts = [entry.text for lane in same for entry in lane.entries if entry.text.strip()]
    several = sum(len(text.split()) > 1 for text in texts)
    return bool(texts) and several * 2 > len(texts) and len(set(texts)) * 2 > len(texts)
