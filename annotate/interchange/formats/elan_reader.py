"""Reads ELAN's annotation files (EAF) of versions 2.7 to 3.0.

Source: the description of the format (The Language Archive, EAF 3.0, 2017).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from annotate.interchange.bounded_files import damaged_file_error, parse_xml
from annotate.interchange.document import (
    LANE_FACTS,
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    ValueSet,
    unique_name,
)
from annotate.interchange.tier_texts import looks_like_speech
from project.entities.study_records import Json
from project.schemes.scheme import TierConstraint

RECORDING_PROPERTY = "greenroom"
"""Name of the property with a JSON object about the recording: its `id`, `name` and `duration_us`."""
TIER_PROPERTY_PREFIX = "greenroom tier "
"""Begins the name of a property about one tier, which ends in the tier's id.

Its JSON object names the `lane`, and either the lane's `kind`, `annotator`, `participant`, `scheme` and `track`, or the
`field` whose values the tier holds.
"""
SEGMENT_ID_PREFIX = "g"
"""Begins the id of an annotation that is one of our segments or utterances; the rest is its own id."""
MICROSECONDS_MARK = "."
"""Stands in the id of a time slot before the microseconds that its milliseconds leave out."""


class TimeSlots(NamedTuple):
    """The time slots between which an annotation lies."""

    start: str
    end: str


def interpolate_slots(slots: Mapping[str, int | None], tiers: Iterable[Sequence[TimeSlots]]) -> dict[str, int | None]:
    """Return slot -> milliseconds, with those filled in that lie between known ones.

    The annotations of a tier from one known time to the next share the time between evenly; their order is that of the
    slots that they share, else that of the slots in the file. What no tier tells is shared evenly between the known
    neighbours in the order of time; what has none stays None. Slots are in the order of the file, which is that of time
    (EAF 3.0, section 2.2), with None where the time is not given. The annotations of a tier stand after those of the
    tier that it cuts up.
    """
    found = dict(slots)
    if None not in found.values():
        return found
    places = {name: place for place, name in enumerate(found)}
    for annotations in tiers:
        run: list[TimeSlots] = []
        for annotation in _in_slot_order(annotations, places):
            if found.get(annotation.start) is not None:
                run = []
            run.append(annotation)
            if found.get(annotation.end) is not None:
                _interpolate_run(found, run)
                run = []
    _in_order(found)
    return found


def _in_slot_order(annotations: Sequence[TimeSlots], places: Mapping[str, int]) -> Iterator[TimeSlots]:
    """Yield annotations so that each follows the one that ends at the slot where it begins."""
    by_start: dict[str, list[TimeSlots]] = {}
    for annotation in annotations:
        by_start.setdefault(annotation.start, []).append(annotation)
    ends = {annotation.end for annotation in annotations}
    firsts = [annotation for annotation in annotations if annotation.start not in ends]
    for first in sorted(firsts, key=lambda annotation: places.get(annotation.start, -1)):
        yield first
        end = first.end
        while following := by_start.get(end):
            annotation = following.pop()
            yield annotation
            end = annotation.end


def _interpolate_run(found: dict[str, int | None], run: Sequence[TimeSlots]) -> None:
    start, end = found.get(run[0].start), found.get(run[-1].end)
    if len(run) < 2 or start is None or end is None or end < start:
        return
    for place, aligned in enumerate(run):
        if found.get(aligned.start) is None:
            found[aligned.start] = start + (end - start) * place // len(run)
        if found.get(aligned.end) is None:
            found[aligned.end] = start + (end - start) * (place + 1) // len(run)


def _in_order(found: dict[str, int | None]) -> None:
    names = list(found)
    before: int | None = None
    waiting: list[str] = []
    for name in names:
        value = found[name]
        if value is None:
            waiting.append(name)
            continue
        if before is not None and waiting and value >= before:
            for place, text in enumerate(waiting, start=1):
                found[text] = before + (value - before) * place // (len(waiting) + 1)
        before, waiting = value, []


_MAX_DIGITS = 12
_SPAN = attrgetter("start_us", "end_us")
_TIER_OF_NEW_FILES = "default"
"""ELAN gives this tier to every new file; while it is empty, it stands for nothing."""
_TIMELESS = "an annotation without times that make sense"
_TWO_TIMES = "an annotation at a time slot that has two times"
_OWNERLESS = "an annotation about one that is not there or has no times"
_SECOND_VALUE = "a second annotation of its tier about the same one"
_IGNORED_ELEMENTS = {
    "LINKED_FILE_DESCRIPTOR": "linked files other than media",
    "REF_LINK_SET": "sets of links",
    "LEXICON_REF": "links to a lexicon",
}


def eaf_constraint(constraint: TierConstraint) -> str:
    """Return the name of a constraint in EAF, such as `Included_In`."""
    return constraint.value.title().replace(" ", "_")


_CONSTRAINTS = {eaf_constraint(constraint): constraint for constraint in TierConstraint}
_END_ELEMENTS = frozenset(
    ("ANNOTATION_VALUE", "ALIGNABLE_ANNOTATION", "REF_ANNOTATION", "PROPERTY", "CV_ENTRY", "CVE_VALUE")
)
_START_ELEMENTS = frozenset(
    (
        "TIME_SLOT",
        "ALIGNABLE_ANNOTATION",
        "REF_ANNOTATION",
        "TIER",
        "MEDIA_DESCRIPTOR",
        "PROPERTY",
        "LINGUISTIC_TYPE",
        "CONTROLLED_VOCABULARY",
        "CV_ENTRY",
        "CV_ENTRY_ML",
        "CVE_VALUE",
        *_IGNORED_ELEMENTS,
    )
)


@dataclass(slots=True, eq=False)
class _EafAnnotation:
    """An annotation: between slots, or (`slots` is None) about another one and after a previous one, by their ids."""

    id: str
    slots: TimeSlots | None = None
    parent: str = ""
    previous: str = ""
    text: str = ""
    span: tuple[int, int] | None = None
    values: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class _ElanTier:
    id: str
    annotator: str
    participant: str
    parent: str
    type: str
    annotations: list[_EafAnnotation] = field(default_factory=list)


def read_eaf(path: Path) -> Document:
    """Return the tiers of a file as lanes.

    Every annotation has a span: between its slots, or its even share of that of the annotation that it is about. A tier
    that says one thing about each annotation of another (symbolic association) becomes values of that one's entries,
    unless other tiers hang on it, or that one is speech, which has no values.
    """
    found = _EafContent()
    parse_xml(path, found.start, found.end, _START_ELEMENTS, _END_ELEMENTS)
    if not found.is_eaf:
        raise damaged_file_error(path, "it is no ELAN file")
    return _ElanReader(found, path).build_document()


class _EafContent:
    """The unparsed content of an EAF file."""

    def __init__(self) -> None:
        self.is_eaf = False
        self.slots: dict[str, int | None] = {}
        self.tiers: list[_ElanTier] = []
        self.media: list[tuple[str, int]] = []
        self.properties: dict[str, str] = {}
        self.types: dict[str, tuple[str, str]] = {}
        self.vocabularies: dict[str, dict[str, str]] = {}
        self.dropped: Counter[str] = Counter()
        self.doubtful_slots: set[str] = set()
        self._vocabulary = ""
        self._property = ""
        self._annotation: _EafAnnotation | None = None
        self._first_value = False
        self._definition = ""

    def start(self, name: str, a: dict[str, str]) -> None:
        match name:
            case "TIME_SLOT":
                slot, time = a.get("TIME_SLOT_ID", ""), _number(a.get("TIME_VALUE", ""))
                if self.slots.setdefault(slot, time) != time:
                    self.doubtful_slots.add(slot)
            case "ALIGNABLE_ANNOTATION":
                ends = TimeSlots(a.get("TIME_SLOT_REF1", ""), a.get("TIME_SLOT_REF2", ""))
                self._annotation = _EafAnnotation(a.get("ANNOTATION_ID", ""), ends)
            case "REF_ANNOTATION":
                links = a.get("ANNOTATION_REF", ""), a.get("PREVIOUS_ANNOTATION", "")
                self._annotation = _EafAnnotation(a.get("ANNOTATION_ID", ""), None, *links)
            case "TIER":
                who = a.get("ANNOTATOR", ""), a.get("PARTICIPANT", "")
                self.tiers.append(
                    _ElanTier(a.get("TIER_ID", ""), *who, a.get("PARENT_REF", ""), a.get("LINGUISTIC_TYPE_REF", ""))
                )
            case "ANNOTATION_DOCUMENT":
                self.is_eaf = True
            case "MEDIA_DESCRIPTOR":
                path = a.get("RELATIVE_MEDIA_URL") or a.get("MEDIA_URL", "")
                self.media.append((path, _number(a.get("TIME_ORIGIN", "")) or 0))
            case "PROPERTY":
                self._property = a.get("NAME", "")
            case "LINGUISTIC_TYPE":
                about = a.get("CONSTRAINTS", ""), a.get("CONTROLLED_VOCABULARY_REF", "")
                self.types[a.get("LINGUISTIC_TYPE_ID", "")] = about
            case "CONTROLLED_VOCABULARY":
                self._vocabulary = a.get("CV_ID", "")
                self.vocabularies[self._vocabulary] = {}
            case "CV_ENTRY_ML":
                self._first_value = True
            case "CV_ENTRY" | "CVE_VALUE":
                self._definition = a.get("DESCRIPTION", "")
            case _ if name in _IGNORED_ELEMENTS:
                self.dropped[_IGNORED_ELEMENTS[name]] += 1

    def end(self, name: str, text: str) -> None:
        match name:
            case "ANNOTATION_VALUE":
                if self._annotation is not None:
                    self._annotation.text = text
            case "ALIGNABLE_ANNOTATION" | "REF_ANNOTATION":
                if self._annotation is not None and self.tiers:
                    self.tiers[-1].annotations.append(self._annotation)
                self._annotation = None
            case "PROPERTY":
                self.properties[self._property] = text
            case "CV_ENTRY":
                self.vocabularies[self._vocabulary][text] = self._definition
            case "CVE_VALUE":
                if self._first_value:
                    self.vocabularies[self._vocabulary][text] = self._definition
                self._first_value = False


class _ElanReader:
    """Makes a document of the content of a file."""

    def __init__(self, found: _EafContent, path: Path) -> None:
        self._found = found
        self._path = path
        self._about = _object(found.properties.get(RECORDING_PROPERTY, ""))
        self._tiers = {tier.id: tier for tier in found.tiers}
        self._marks = {
            tier.id: _object(found.properties.get(TIER_PROPERTY_PREFIX + tier.id, "")) for tier in found.tiers
        }
        origin = found.media[0][1] if found.media and not self._about else 0
        self._shift_us = origin * 1000
        self._hung_on = {tier.parent for tier in found.tiers}
        self._by_id: dict[tuple[str, str], _EafAnnotation] = {}
        self._symbolic = [tier for tier in found.tiers if any(a.slots is None for a in tier.annotations)]
        for tier in found.tiers if self._symbolic else ():
            for annotation in tier.annotations:
                self._by_id.setdefault((tier.id, annotation.id), annotation)
                self._by_id.setdefault(("", annotation.id), annotation)
        self._unread: Counter[str] = Counter()
        self._value_sets: dict[str, dict[str, ValueSet]] = {}

    def build_document(self) -> Document:
        self._time_aligned()
        self._share_time()
        lanes: dict[str, InterchangeLane] = {}
        taken: set[str] = set()
        for tier in self._found.tiers:
            if self._is_value(tier):
                self._add_values(tier)
        for tier in self._found.tiers:
            if not self._is_value(tier) and (tier.annotations or tier.id != _TIER_OF_NEW_FILES):
                self._add_lane(lanes, taken, tier)
        part = RecordingPart(
            _text(self._about, "name") or self._path.stem,
            tuple(lanes.values()),
            tuple(MediaLink(path, self._shift_us - origin * 1000) for path, origin in self._found.media),
            _positive_int(self._about, "duration_us"),
            _text(self._about, "id"),
            not self._about,
        )
        remarks = tuple(f"{count} {what} are left out." for what, count in self._found.dropped.items())
        return Document((part,), remarks, self._unread)

    def _time_aligned(self) -> None:
        """Find the spans of the annotations that lie between slots, on the axis of the first medium."""
        tiers = [[a.slots for a in tier.annotations if a.slots is not None] for tier in self._parents_first()]
        times = {
            name: value * 1000 + self._shift_us + _slot_microseconds(name)
            for name, value in interpolate_slots(self._found.slots, tiers).items()
            if value is not None
        }
        doubtful = self._found.doubtful_slots
        for tier in self._found.tiers:
            for annotation in tier.annotations:
                if annotation.slots is None:
                    continue
                first, last = annotation.slots
                start, end = times.get(first), times.get(last)
                if doubtful and (first in doubtful or last in doubtful):
                    self._unread[_TWO_TIMES] += 1
                elif start is None or end is None or end < start:
                    self._unread[_TIMELESS] += 1
                else:
                    annotation.span = start, end

    def _parents_first(self) -> list[_ElanTier]:
        below: dict[str, list[_ElanTier]] = {}
        for tier in self._found.tiers:
            below.setdefault(tier.parent if tier.parent in self._tiers else "", []).append(tier)
        ordered = below.pop("", [])
        for tier in ordered:
            ordered += below.pop(tier.id, [])
        return ordered

    def _share_time(self) -> None:
        """Give every annotation that is about another one its share of that one's span, down to any depth."""
        about: dict[_EafAnnotation, dict[int, list[_EafAnnotation]]] = {}
        for number, tier in enumerate(self._symbolic):
            for annotation in tier.annotations:
                if annotation.slots is None and (owner := self._owner(tier, annotation)) is not None:
                    about.setdefault(owner, {}).setdefault(number, []).append(annotation)
        timed = [owner for owner in about if owner.span is not None]
        for owner in timed:
            assert owner.span is not None
            start, end = owner.span
            for parts in about.pop(owner, {}).values():
                for place, part in enumerate(_in_link_order(parts)):
                    first = start + (end - start) * place // len(parts)
                    part.span = first, start + (end - start) * (place + 1) // len(parts)
                timed += [part for part in parts if part in about]
        for tier in self._symbolic:
            for annotation in tier.annotations:
                if annotation.slots is None and annotation.span is None:
                    self._unread[_OWNERLESS] += 1

    def _owner(self, tier: _ElanTier, annotation: _EafAnnotation) -> _EafAnnotation | None:
        """Return the annotation of the tier above, or of any where there is none, that an annotation is about."""
        return self._by_id.get((tier.parent if tier.parent in self._tiers else "", annotation.parent))

    def _is_value(self, tier: _ElanTier) -> bool:
        """Tell whether a tier says one thing about each annotation of another, and nothing hangs on it."""
        mark = self._marks[tier.id]
        if self._constraint(tier) is not TierConstraint.SYMBOLIC_ASSOCIATION or tier.id in self._hung_on:
            return False
        ours = "field" in mark
        if tier.parent not in self._tiers or (mark and not ours):
            return False
        return all(a.slots is None for a in tier.annotations) and (ours or not self._is_speech(tier.parent))

    def _is_speech(self, tier_id: str) -> bool:
        tier = self._tiers[tier_id]
        return not self._vocabulary(tier) and looks_like_speech([annotation.text for annotation in tier.annotations])

    def _constraint(self, tier: _ElanTier) -> TierConstraint | None:
        return _CONSTRAINTS.get(self._found.types.get(tier.type, ("", ""))[0])

    def _vocabulary(self, tier: _ElanTier) -> dict[str, str]:
        """Return the texts that the annotations of a tier can have, and what each means."""
        return self._found.vocabularies.get(self._found.types.get(tier.type, ("", ""))[1], {})

    def _add_values(self, tier: _ElanTier) -> None:
        name = _text(self._marks[tier.id], "field") or tier.id
        if vocabulary := self._vocabulary(tier):
            self._value_sets.setdefault(tier.parent, {})[name] = ValueSet((*vocabulary,))
        for annotation in tier.annotations:
            owner = self._owner(tier, annotation)
            if owner is None or annotation.span is None:
                continue
            if name in owner.values:
                self._unread[_SECOND_VALUE] += 1
            else:
                owner.values[name] = annotation.text

    def _add_lane(self, lanes: dict[str, InterchangeLane], taken: set[str], tier: _ElanTier) -> None:
        mark = {} if "field" in self._marks[tier.id] else self._marks[tier.id]
        entries = sorted(
            (
                InterchangeEntry(*a.span, a.text, a.values, a.id.removeprefix(SEGMENT_ID_PREFIX))
                for a in tier.annotations
                if a.span is not None
            ),
            key=_SPAN,
        )
        name = _text(mark, "lane") or unique_name(tier.id, taken)
        before = lanes.get(name)
        vocabulary = self._vocabulary(tier)
        kind, annotator, participant, scheme, track = (_text(mark, fact) for fact in LANE_FACTS)
        whose = annotator or tier.annotator.strip(), participant or tier.participant.strip()
        held = (*(() if before is None else before.entries), *entries)
        lanes[name] = InterchangeLane(
            name,
            held,
            kind or "segments",
            *whose,
            scheme,
            track,
            tuple(vocabulary),
            tier="" if mark else tier.id,
            parent=self._lane_name(tier.parent),
            definitions={text: meaning for text, meaning in vocabulary.items() if meaning.strip()},
            value_sets={**(before.value_sets if before else {}), **self._value_sets.get(tier.id, {})},
            constraint=self._constraint(tier) or TierConstraint.INCLUDED_IN,
        )

    def _lane_name(self, tier_id: str) -> str:
        return _text(self._marks.get(tier_id, {}), "lane") or (tier_id if tier_id in self._tiers else "")


def _in_link_order(parts: Sequence[_EafAnnotation]) -> list[_EafAnnotation]:
    """Return the parts of one annotation so that each follows its previous one; without links, as they stand."""
    following: dict[str, list[_EafAnnotation]] = {}
    ids = {part.id for part in parts}
    for part in parts:
        following.setdefault(part.previous if part.previous in ids else "", []).append(part)
    ordered: list[_EafAnnotation] = []
    waiting = following.pop("", [])[::-1]
    while len(ordered) < len(parts):
        # Links that go round in a circle begin at any of them.
        waiting = waiting or following.pop(next(iter(following)))[::-1]
        part = waiting.pop()
        ordered.append(part)
        waiting += following.pop(part.id, [])[::-1]
    return ordered


def _number(text: str) -> int | None:
    try:
        return int(text) if len(text) <= _MAX_DIGITS else None
    except ValueError:
        return None


def _slot_microseconds(slot: str) -> int:
    if MICROSECONDS_MARK not in slot:
        return 0
    found = slot.partition(MICROSECONDS_MARK)[2]
    return int(found) if len(found) == 3 and found.isdecimal() and found.isascii() else 0


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(found: dict[str, Any], key: str) -> str:
    value = found.get(key, "")
    return value if isinstance(value, str) else ""


def _positive_int(found: dict[str, Any], key: str) -> int:
    value = found.get(key, 0)
    return value if isinstance(value, int) and value > 0 else 0
