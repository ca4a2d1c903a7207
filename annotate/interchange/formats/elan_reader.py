"""Reads ELAN's annotation files (EAF) of versions 2.7 to 3.0.

Source: the description of the format (The Language Archive, EAF 3.0, 2017).
"""

from collections import Counter
from collections.abc import Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from annotate.interchange.bounded_files import damaged_file_error, load_json, parse_xml
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
from annotate.interchange.formats.elan_content import EafAnnotation, EafContent, ElanTier, interpolate_slots
from annotate.interchange.tier_texts import looks_like_speech
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


_SPAN = attrgetter("start_us", "end_us")
_MAX_DURATION_US = 10**15
_TIER_OF_NEW_FILES = "default"
"""ELAN gives this tier to every new file; while it is empty, it stands for nothing."""
_TIMELESS = "an annotation without times that make sense"
_TWO_TIMES = "an annotation at a time slot that has two times"
_OWNERLESS = "an annotation about one that is not there or has no times"
_SECOND_VALUE = "a second annotation of its tier about the same one"


def eaf_constraint(constraint: TierConstraint) -> str:
    """Return the name of a constraint in EAF, such as `Included_In`."""
    return constraint.value.title().replace(" ", "_")


_CONSTRAINTS = {eaf_constraint(constraint): constraint for constraint in TierConstraint}


def read_eaf(path: Path) -> Document:
    """Return the tiers of a file as lanes.

    Every annotation has a span: between its slots, or its even share of that of the annotation that it is about. A tier
    that says one thing about each annotation of another (symbolic association) becomes values of that one's entries,
    unless other tiers hang on it, or that one is speech, which has no values.
    """
    found = EafContent()
    if parse_xml(path, found.start_handlers(), found.end_handlers()) != "ANNOTATION_DOCUMENT":
        raise damaged_file_error(path, "it is no ELAN file")
    return _ElanReader(found, path).build_document()


class _ElanReader:
    """Makes a document of the content of a file."""

    def __init__(self, found: EafContent, path: Path) -> None:
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
        self._by_id: dict[tuple[str, str], EafAnnotation] = {}
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

    def _parents_first(self) -> list[ElanTier]:
        below: dict[str, list[ElanTier]] = {}
        for tier in self._found.tiers:
            below.setdefault(tier.parent if tier.parent in self._tiers else "", []).append(tier)
        ordered = below.pop("", [])
        for tier in ordered:
            ordered += below.pop(tier.id, [])
        return ordered

    def _share_time(self) -> None:
        """Give every annotation that is about another one its share of that one's span, down to any depth."""
        about: dict[EafAnnotation, dict[int, list[EafAnnotation]]] = {}
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

    def _owner(self, tier: ElanTier, annotation: EafAnnotation) -> EafAnnotation | None:
        """Return the annotation of the tier above, or of any where there is none, that an annotation is about."""
        return self._by_id.get((tier.parent if tier.parent in self._tiers else "", annotation.parent))

    def _is_value(self, tier: ElanTier) -> bool:
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

    def _constraint(self, tier: ElanTier) -> TierConstraint | None:
        return _CONSTRAINTS.get(self._found.types.get(tier.type, ("", ""))[0])

    def _vocabulary(self, tier: ElanTier) -> dict[str, str]:
        """Return the texts that the annotations of a tier can have, and what each means."""
        return self._found.vocabularies.get(self._found.types.get(tier.type, ("", ""))[1], {})

    def _add_values(self, tier: ElanTier) -> None:
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

    def _add_lane(self, lanes: dict[str, InterchangeLane], taken: set[str], tier: ElanTier) -> None:
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


def _in_link_order(parts: Sequence[EafAnnotation]) -> list[EafAnnotation]:
    """Return the parts of one annotation so that each follows its previous one; without links, as they stand."""
    if len(parts) == 1:
        return [*parts]
    following: dict[str, list[EafAnnotation]] = {}
    ids = {part.id for part in parts}
    for part in parts:
        following.setdefault(part.previous if part.previous in ids else "", []).append(part)
    ordered: list[EafAnnotation] = []
    waiting = following.pop("", [])[::-1]
    while len(ordered) < len(parts):
        # Links that go round in a circle begin at any of them.
        waiting = waiting or following.pop(next(iter(following)))[::-1]
        part = waiting.pop()
        ordered.append(part)
        waiting += following.pop(part.id, [])[::-1]
    return ordered


def _slot_microseconds(slot: str) -> int:
    if MICROSECONDS_MARK not in slot:
        return 0
    found = slot.partition(MICROSECONDS_MARK)[2]
    return int(found) if len(found) == 3 and found.isdecimal() and found.isascii() else 0


def _object(text: str) -> dict[str, Any]:
    try:
        found = load_json(text) if text else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _text(found: dict[str, Any], key: str) -> str:
    value = found.get(key, "")
    return value if isinstance(value, str) else ""


def _positive_int(found: dict[str, Any], key: str) -> int:
    value = found.get(key, 0)
    return value if isinstance(value, int) and 0 < value <= _MAX_DURATION_US else 0
