"""Reads EAF 2.7 to 3.0, and remembers what of ours is in it."""

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.core.interchange.document import Document, Entry, Lane, MediaLink, RecordingPart
from app.core.interchange.elan.marks import ABOUT, FINER, SEGMENT, TIER
from app.core.interchange.elan.times import Aligned, fill_in
from app.core.interchange.limits import MEGABYTE, damaged
from app.core.interchange.xml_reading import parse
from project.types import Json

LARGEST = 64 * MEGABYTE
_DIGITS = 12
_TIMELESS = "annotations without times that make sense"
_OF_NO_USE = {
    "LINKED_FILE_DESCRIPTOR": "linked files other than media",
    "REF_LINK_SET": "sets of links",
    "LEXICON_REF": "links to a lexicon",
}
_ENDS = frozenset(("ANNOTATION_VALUE", "ALIGNABLE_ANNOTATION", "REF_ANNOTATION", "PROPERTY", "CV_ENTRY", "CVE_VALUE"))
_STARTS = frozenset(
    (
        "TIME_SLOT",
        "ALIGNABLE_ANNOTATION",
        "REF_ANNOTATION",
        "TIER",
        "MEDIA_DESCRIPTOR",
        "PROPERTY",
        "LINGUISTIC_TYPE",
        "CONTROLLED_VOCABULARY",
        "CV_ENTRY_ML",
        *_OF_NO_USE,
    )
)


@dataclass(slots=True)
class _Annotation:
    id: str
    parent: str
    span: Aligned | None
    text: str = ""


@dataclass(slots=True)
class _Tier:
    id: str
    annotator: str
    participant: str
    parent: str
    type: str
    annotations: list[_Annotation] = field(default_factory=list)


def read_eaf(path: Path) -> Document:
    """Return the tiers of a file as lanes.

    A tier that says one thing about each annotation of another (symbolic association) becomes values of that one's
    entries. Where an annotation is cut up without times, its parts share its time evenly.

    Raises:
        UserError: the file cannot be read, is no EAF, is damaged, too large, or declares entities.
    """
    found = _Content()
    parse(path, LARGEST, found.start, found.end, _STARTS, _ENDS)
    if not found.is_eaf:
        raise damaged(path, "it is no ELAN file")
    return _Reader(found, path).document()


class _Content:
    """What is in a file, as it stands there."""

    def __init__(self) -> None:
        self.is_eaf = False
        self.slots: dict[str, int | None] = {}
        self.tiers: list[_Tier] = []
        self.media: list[tuple[str, int]] = []
        self.properties: dict[str, str] = {}
        self.types: dict[str, tuple[str, str]] = {}
        self.vocabularies: dict[str, list[str]] = {}
        self.dropped: Counter[str] = Counter()
        self._vocabulary = ""
        self._property = ""
        self._annotation: _Annotation | None = None
        self._first_value = False

    def start(self, name: str, a: dict[str, str]) -> None:
        match name:
            case "TIME_SLOT":
                self.slots[a.get("TIME_SLOT_ID", "")] = _number(a.get("TIME_VALUE", ""))
            case "ALIGNABLE_ANNOTATION":
                ends = Aligned(a.get("TIME_SLOT_REF1", ""), a.get("TIME_SLOT_REF2", ""))
                self._annotation = _Annotation(a.get("ANNOTATION_ID", ""), "", ends)
            case "REF_ANNOTATION":
                self._annotation = _Annotation(a.get("ANNOTATION_ID", ""), a.get("ANNOTATION_REF", ""), None)
            case "TIER":
                who = a.get("ANNOTATOR", ""), a.get("PARTICIPANT", "")
                self.tiers.append(
                    _Tier(a.get("TIER_ID", ""), *who, a.get("PARENT_REF", ""), a.get("LINGUISTIC_TYPE_REF", ""))
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
                self.vocabularies[self._vocabulary] = []
            case "CV_ENTRY_ML":
                self._first_value = True
            case _ if name in _OF_NO_USE:
                self.dropped[_OF_NO_USE[name]] += 1

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
                self.vocabularies[self._vocabulary].append(text)
            case "CVE_VALUE":
                if self._first_value:
                    self.vocabularies[self._vocabulary].append(text)
                self._first_value = False


class _Reader:
    """Makes a document of the content of a file."""

    def __init__(self, found: _Content, path: Path) -> None:
        self._found = found
        self._path = path
        self._about = _object(found.properties.get(ABOUT, ""))
        self._tiers = {tier.id: tier for tier in found.tiers}
        self._marks = {tier.id: _object(found.properties.get(TIER + tier.id, "")) for tier in found.tiers}
        origin = found.media[0][1] if found.media and not self._about else 0
        self._shift_us = origin * 1000
        self._spans: dict[str, tuple[int, int]] = {}
        self._values: dict[str, dict[str, Json]] = {}

    def document(self) -> Document:
        self._time()
        self._associate()
        lanes: dict[str, Lane] = {}
        for tier in self._found.tiers:
            if not self._associated(tier):
                self._add(lanes, tier)
        remarks = [f"{count} {what} are left out." for what, count in self._found.dropped.items()]
        part = RecordingPart(
            _text(self._about, "name") or self._path.stem,
            tuple(lanes.values()),
            tuple(MediaLink(path, self._shift_us - origin * 1000) for path, origin in self._found.media),
            _whole(self._about, "duration_us"),
            _text(self._about, "id"),
        )
        return Document((part,), tuple(remarks))

    def _time(self) -> None:
        """Find the span of every annotation, on the recording's axis."""
        aligned = [[a.span for a in tier.annotations if a.span is not None] for tier in self._found.tiers]
        slots = fill_in(self._found.slots, aligned)
        shift = self._shift_us
        times = {name: value * 1000 + shift + _finer(name) for name, value in slots.items() if value is not None}
        for tier in self._found.tiers:
            for one in tier.annotations:
                if one.span is None:
                    continue
                start, end = times.get(one.span.start), times.get(one.span.end)
                if start is None or end is None or end < start:
                    self._found.dropped[_TIMELESS] += 1
                else:
                    self._spans[one.id] = start, end
        # A tier stands after its parent only in most files, so this is done until nothing more is found.
        waiting = [t for t in self._found.tiers if not self._associated(t) and any(not a.span for a in t.annotations)]
        while waiting:
            left = [tier for tier in waiting if not self._share(tier)]
            if len(left) == len(waiting):
                self._found.dropped[_TIMELESS] += sum(len(t.annotations) for t in left)
                break
            waiting = left

    def _share(self, tier: _Tier) -> bool:
        """Give the annotations of a tier their parts of what they are about; tells whether that is known yet."""
        owners: dict[str, list[_Annotation]] = {}
        for one in tier.annotations:
            if one.span is None:
                owners.setdefault(one.parent, []).append(one)
        if not any(owner in self._spans for owner in owners):
            return False
        for owner, parts in owners.items():
            if owner not in self._spans:
                self._found.dropped[_TIMELESS] += len(parts)
                continue
            start, end = self._spans[owner]
            for place, one in enumerate(parts):
                first = start + (end - start) * place // len(parts)
                self._spans[one.id] = first, start + (end - start) * (place + 1) // len(parts)
        return True

    def _associated(self, tier: _Tier) -> bool:
        constraint = self._found.types.get(tier.type, ("", ""))[0]
        return constraint == "Symbolic_Association" and tier.parent in self._tiers

    def _associate(self) -> None:
        for tier in self._found.tiers:
            if self._associated(tier):
                name = _text(self._marks[tier.id], "field") or tier.id
                for one in tier.annotations:
                    if self._associated(self._tiers[tier.parent]):
                        self._found.dropped["annotations about values of other annotations"] += 1
                    else:
                        self._values.setdefault(one.parent, {})[name] = one.text

    def _add(self, lanes: dict[str, Lane], tier: _Tier) -> None:
        mark = self._marks[tier.id]
        entries = tuple(
            Entry(*self._spans[one.id], one.text, self._values.get(one.id, {}), one.id.removeprefix(SEGMENT))
            for one in tier.annotations
            if one.id in self._spans
        )
        name = _text(mark, "lane") or tier.id
        before = lanes.get(name)
        vocabulary = self._found.vocabularies.get(self._found.types.get(tier.type, ("", ""))[1], [])
        lanes[name] = Lane(
            name,
            entries if before is None else (*before.entries, *entries),
            _text(mark, "kind") or "segments",
            _text(mark, "annotator") or tier.annotator.strip(),
            _text(mark, "participant") or tier.participant.strip(),
            _text(mark, "scheme"),
            _text(mark, "track"),
            tuple(vocabulary),
        )


def _number(text: str) -> int | None:
    try:
        return int(text) if len(text) <= _DIGITS else None
    except ValueError:
        return None


def _finer(slot: str) -> int:
    found = slot.partition(FINER)[2]
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


def _whole(found: dict[str, Any], key: str) -> int:
    value = found.get(key, 0)
    return value if isinstance(value, int) and value > 0 else 0
