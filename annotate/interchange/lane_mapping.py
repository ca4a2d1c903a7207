"""The import mapping: what each lane of a document becomes in the study, stored as JSON for the next file.

`guess_mapping` is exact for files that Greenroom wrote and a proposal for those of other tools.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from annotate.interchange.bounded_files import damaged_file_error, parse_json, read_text
from annotate.interchange.document import COMMENTS, Document, InterchangeLane
from annotate.interchange.tier_texts import NO_TEXT, code_key, is_free_text, looks_like_speech
from project.codec import dump, load
from project.errors import UserError
from project.queries.study_schemes import all_versions
from project.schemes.scheme import FieldKind, Scheme, Track
from project.schemes.scheme_file import shipped_names
from project.session.session import Session
from project.text_format import escape_unprintable

VERSION = 1
_MAX_POINT_US = 3_600_000_000
COMMENT = "@comment"
"""Stands for a field: the value becomes a comment on the segment."""


class EntryTarget(StrEnum):
    """What the entries of a lane are made into."""

    SEGMENTS = "segments"
    OWN_TRACK = "own track"
    """A track of its own, with its texts as labels; made where the study does not have it yet."""
    OWN_TEXT = "own text"
    """A track of its own with one label and its texts in a text field."""
    UTTERANCES = "utterances"
    NOTHING = "nothing"


class OutsideRule(StrEnum):
    """What is done with an entry that reaches outside the recording."""

    CLAMP = "clamp"
    LEAVE_OUT = "leave out"


OWN_TARGETS = (EntryTarget.OWN_TRACK, EntryTarget.OWN_TEXT)


class TargetChoice(StrEnum):
    """What a person can let a lane become, beside a track of the study."""

    NEW = "new"
    TEXT = "text"
    UTTERANCES = "utterances"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class LaneTarget:
    """What one lane becomes.

    Attributes:
        annotator: name of who made the segments.
        scheme: key of the segments' scheme; of one that is made, where it gets a track of its own.
        track: key of the segments' track.
        labels: text -> key of a label; "" leaves entries of that text out. It comes before keys and names that fit.
        otherwise: key of the label for texts that are no label; "" leaves those entries out.
        text_field: key of the field that takes the text, or "".
        fields: name of a value -> key of a field, `COMMENT`, or "" to leave it out.
        participant: pseudonym of who speaks, or of whom the segments are about; "" for nobody.
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


def guess_mapping(session: Session, document: Document) -> ImportMapping:
    """Propose what the lanes become; nothing is left out.

    A lane that names its scheme and track goes there, and one that a former import made a track of goes there too.
    Otherwise the track is taken that knows all texts of the lane as labels, by key or name; speech becomes utterances;
    everything else gets a track of its own, as `tier_schemes` makes it.
    """
    lanes, speech = document.lanes_by_name(), find_speech(document)
    alike = [name for name in speech if not lanes[name][0].is_speech]
    own = own_scheme_key(session, document)
    found: dict[str, LaneTarget] = {}
    for name, same in lanes.items():
        first = same[0]
        if first.is_speech:
            found[name] = LaneTarget(EntryTarget.UTTERANCES, participant=first.participant)
        elif name in speech and not _find_made_track(session, first, own):
            # Several tiers with speech and without a participant are called by who speaks.
            who = first.participant or (name if len(alike) > 1 else "")
            found[name] = LaneTarget(EntryTarget.UTTERANCES, participant=who)
        else:
            found[name] = _guess_segments(session, same, own)
    return ImportMapping(found)


def find_speech(document: Document) -> list[str]:
    """Return the names of the lanes that are speech: those that the file calls so, or that look like it."""
    lanes = document.lanes_by_name()
    alike = [name for name, same in lanes.items() if not same[0].is_speech and _is_speech_tier(name, lanes)]
    # Where it is known of some who speaks, the others are notes.
    alike = [name for name in alike if lanes[name][0].participant] or alike
    return [name for name, same in lanes.items() if same[0].is_speech or name in alike]


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
    taken = set(held.values())
    text_field = scheme.free_text_field(track.key)
    strange = not all(text.strip().casefold() in known for text in _distinct_texts(same))
    if text_field is None and strange and only:
        text_field = next((field for field in fields if field.kind is FieldKind.TEXT and field.key not in taken), None)
    return LaneTarget(
        EntryTarget.SEGMENTS,
        same[0].annotator or session.annotator_name,
        scheme.key,
        track.key,
        labels={"": NO_TEXT} if track.label(NO_TEXT) is not None else {},
        otherwise=only,
        text_field="" if text_field is None else text_field.key,
        fields=held,
        participant=same[0].participant,
    )


def build_own_target(
    session: Session, lanes: Sequence[InterchangeLane], own: str, free_text: bool | None = None
) -> LaneTarget:
    """Return the target for lanes of one name that get a track of their own, in the scheme of the key `own`.

    Where a former import made a track of a lane of that name, it is that track. Whether it is for free text is seen
    from the texts where nobody says it.
    """
    first = lanes[0]
    said = EntryTarget.OWN_TEXT if free_text else EntryTarget.OWN_TRACK
    return LaneTarget(
        guess_own_kind(lanes) if free_text is None else said,
        first.annotator or session.annotator_name,
        _find_made_track(session, first, own) or own,
        own_track_key(first),
        participant=first.participant,
    )


def guess_own_kind(lanes: Sequence[InterchangeLane]) -> EntryTarget:
    """Return whether lanes of one name get a track for labels or for free text."""
    if any(lane.vocabulary or lane.about_recording for lane in lanes):
        return EntryTarget.OWN_TRACK
    texts = [entry.text for lane in lanes for entry in lane.entries]
    return EntryTarget.OWN_TEXT if not texts or is_free_text(texts) else EntryTarget.OWN_TRACK


def choose_target(session: Session, document: Document, name: str, choice: str) -> LaneTarget:
    """Return the target that a person chose for a lane: a `TargetChoice`, or `SCHEME.TRACK`."""
    lanes = document.lanes_by_name()
    if name not in lanes:
        known = ", ".join(map(escape_unprintable, lanes))
        raise UserError(f"There is no tier “{escape_unprintable(name)}” in the file.", f"Choose one of {known}.")
    same, own = lanes[name], own_scheme_key(session, document)
    match choice:
        case TargetChoice.NEW | TargetChoice.TEXT:
            return build_own_target(session, same, own, choice == TargetChoice.TEXT)
        case TargetChoice.UTTERANCES:
            return LaneTarget(EntryTarget.UTTERANCES, participant=same[0].participant)
        case TargetChoice.OUT:
            return LaneTarget(EntryTarget.NOTHING)
    for scheme in session.schemes:
        for track in scheme.tracks:
            if f"{scheme.key}.{track.key}" == choice:
                return build_track_target(session, same, scheme, track)
    tracks = ", ".join(f"{scheme.key}.{track.key}" for scheme in session.schemes for track in scheme.tracks)
    raise UserError(
        f"“{escape_unprintable(choice)}” is nothing that a tier can become.",
        f"Choose one of {', '.join(TargetChoice)}, {tracks}.",
    )


def own_track_key(lane: InterchangeLane) -> str:
    """Return the key of the track that a lane gets of its own."""
    return code_key(lane.tier or lane.track or lane.name)


def shared_track_key(lane: InterchangeLane) -> str:
    """Return the key of the track for a tier in a code book: one for `gaze@A` and `gaze@B` of two participants."""
    key = own_track_key(lane)
    if lane.participant and key.endswith(lane.participant):
        key = key.removesuffix(lane.participant).rstrip("@_-. ") or key
    return key


def own_scheme_key(session: Session, document: Document) -> str:
    """Return the key of the scheme that the lanes of a document get.

    It is that of a former import of a file of that name, else that of one with tracks for the same tiers, else a free
    one.
    """
    base = re.sub(r"[^\w-]+", "-", document.name.casefold())[:_MAX_KEY_CHARS].strip("-_") or "import"
    key, number = base, 2
    taken = {*all_versions(session.study), *shipped_names()}
    while key in taken and not ((known := session.schemes.find(key)) is not None and known.source):
        key, number = f"{base}-{number}", number + 1
    if not session.schemes.is_in_use(key):
        tiers = {own_track_key(same[0]) for same in document.lanes_by_name().values()}
        alike = (scheme for scheme in session.schemes if scheme.source == document.source)
        return next((scheme.key for scheme in alike if tiers & {track.key for track in scheme.tracks}), key)
    return key


_COMMENT_FIELDS = (COMMENTS, "comment")
_MAX_KEY_CHARS = 40


def _guess_segments(session: Session, same: Sequence[InterchangeLane], own: str) -> LaneTarget:
    first = same[0]
    for scheme in session.schemes:
        for track in scheme.tracks:
            if (scheme.key, track.key) == (first.scheme, first.track):
                return build_track_target(session, same, scheme, track)
    if not _find_made_track(session, first, own):
        texts = {text.strip().casefold() for text in _distinct_texts(same)} or {
            text.strip().casefold() for text in first.vocabulary
        }
        own_key = shared_track_key(first)
        fitting = [
            (scheme, track)
            for scheme in session.schemes
            if not scheme.source
            for track in scheme.tracks
            if (texts and texts <= _keys(track))
            or (track.key == own_key and scheme.free_text_field(own_key) is not None)
        ]
        if fitting:
            return build_track_target(session, same, *min(fitting, key=lambda place: place[1].key != own_key))
    return build_own_target(session, same, own)


def _find_made_track(session: Session, lane: InterchangeLane, own: str) -> str:
    """Return the key of the scheme in use that an import made a track for such lanes in; "" for none."""
    made = sorted((scheme for scheme in session.schemes if scheme.source), key=lambda scheme: scheme.key != own)
    key = own_track_key(lane)
    return next((scheme.key for scheme in made if any(track.key == key for track in scheme.tracks)), "")


def _distinct_texts(lanes: Iterable[InterchangeLane]) -> set[str]:
    return {entry.text for lane in lanes for entry in lane.entries}


def _keys(track: Track) -> set[str]:
    return {text.casefold() for label in track.labels for text in (label.key, label.name)}


def _is_speech_tier(name: str, lanes: Mapping[str, Sequence[InterchangeLane]]) -> bool:
    """Tell whether a lane is speech: by its texts, and not within speech or with values that utterances cannot have."""
    passed: set[str] = set()
    above = name
    while above in lanes and above not in passed:
        if _looks_spoken(lanes[above]) is not (above == name):
            return False
        passed.add(above)
        above = lanes[above][0].parent
    return True


def _looks_spoken(same: Sequence[InterchangeLane]) -> bool:
    if any(lane.vocabulary or lane.about_recording for lane in same):
        return False
    entries = [entry for lane in same for entry in lane.entries]
    return not any(entry.values for entry in entries) and looks_like_speech([entry.text for entry in entries])
