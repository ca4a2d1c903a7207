"""Reads what an annotation file of ELAN (EAF) says, element by element, and fills in the times of slots without any.

Source: the description of the format (The Language Archive, EAF 3.0, 2017).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

from annotate.interchange.bounded_files import End, Start
from project.entities.study_records import Json


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
_IGNORED_ELEMENTS = {
    "LINKED_FILE_DESCRIPTOR": "linked files other than media",
    "REF_LINK_SET": "sets of links",
    "LEXICON_REF": "links to a lexicon",
}


@dataclass(slots=True, eq=False)
class EafAnnotation:
    """An annotation: between slots, or (`slots` is None) about another one and after a previous one, by their ids."""

    id: str
    slots: TimeSlots | None = None
    parent: str = ""
    previous: str = ""
    text: str = ""
    span: tuple[int, int] | None = None
    values: dict[str, Json] = field(default_factory=dict)


@dataclass(slots=True)
class ElanTier:
    """A tier; its type is the id of a linguistic type."""

    id: str
    annotator: str
    participant: str
    parent: str
    type: str
    annotations: list[EafAnnotation] = field(default_factory=list)


class EafContent:
    """The unparsed content of an EAF file."""

    def __init__(self) -> None:
        self.slots: dict[str, int | None] = {}
        self.tiers: list[ElanTier] = []
        self.media: list[tuple[str, int]] = []
        self.properties: dict[str, str] = {}
        self.types: dict[str, tuple[str, str]] = {}
        self.vocabularies: dict[str, dict[str, str]] = {}
        self.dropped: Counter[str] = Counter()
        self.doubtful_slots: set[str] = set()
        self._vocabulary = ""
        self._property = ""
        self._annotation: EafAnnotation | None = None
        self._first_value = False
        self._definition = ""

    def start_handlers(self) -> dict[str, Start]:
        """Return what takes in the start of each element."""
        return {
            "TIME_SLOT": self._start_slot,
            "ALIGNABLE_ANNOTATION": self._start_aligned,
            "REF_ANNOTATION": self._start_reference,
            "TIER": self._start_tier,
            "MEDIA_DESCRIPTOR": self._start_medium,
            "PROPERTY": self._start_property,
            "LINGUISTIC_TYPE": self._start_type,
            "CONTROLLED_VOCABULARY": self._start_vocabulary,
            "CV_ENTRY_ML": self._start_entry,
            "CV_ENTRY": self._start_value,
            "CVE_VALUE": self._start_value,
            **{name: partial(self._drop, what) for name, what in _IGNORED_ELEMENTS.items()},
        }

    def end_handlers(self) -> dict[str, End]:
        """Return what takes in the end of each element."""
        return {
            "ANNOTATION_VALUE": self._end_text,
            "ALIGNABLE_ANNOTATION": self._end_annotation,
            "REF_ANNOTATION": self._end_annotation,
            "PROPERTY": self._end_property,
            "CV_ENTRY": self._end_entry,
            "CVE_VALUE": self._end_value,
        }

    def _start_slot(self, a: dict[str, str]) -> None:
        slot, time = a.get("TIME_SLOT_ID", ""), _number(a.get("TIME_VALUE", ""))
        if self.slots.setdefault(slot, time) != time:
            self.doubtful_slots.add(slot)

    def _start_aligned(self, a: dict[str, str]) -> None:
        ends = TimeSlots(a.get("TIME_SLOT_REF1", ""), a.get("TIME_SLOT_REF2", ""))
        self._annotation = EafAnnotation(a.get("ANNOTATION_ID", ""), ends)

    def _start_reference(self, a: dict[str, str]) -> None:
        links = a.get("ANNOTATION_REF", ""), a.get("PREVIOUS_ANNOTATION", "")
        self._annotation = EafAnnotation(a.get("ANNOTATION_ID", ""), None, *links)

    def _start_tier(self, a: dict[str, str]) -> None:
        who = a.get("ANNOTATOR", ""), a.get("PARTICIPANT", "")
        depends = a.get("PARENT_REF", ""), a.get("LINGUISTIC_TYPE_REF", "")
        self.tiers.append(ElanTier(a.get("TIER_ID", ""), *who, *depends))

    def _start_medium(self, a: dict[str, str]) -> None:
        path = a.get("RELATIVE_MEDIA_URL") or a.get("MEDIA_URL", "")
        self.media.append((path, _number(a.get("TIME_ORIGIN", "")) or 0))

    def _start_property(self, a: dict[str, str]) -> None:
        self._property = a.get("NAME", "")

    def _start_type(self, a: dict[str, str]) -> None:
        about = a.get("CONSTRAINTS", ""), a.get("CONTROLLED_VOCABULARY_REF", "")
        self.types[a.get("LINGUISTIC_TYPE_ID", "")] = about

    def _start_vocabulary(self, a: dict[str, str]) -> None:
        self._vocabulary = a.get("CV_ID", "")
        self.vocabularies[self._vocabulary] = {}

    def _start_entry(self, _a: dict[str, str]) -> None:
        self._first_value = True

    def _start_value(self, a: dict[str, str]) -> None:
        self._definition = a.get("DESCRIPTION", "")

    def _drop(self, what: str, _a: dict[str, str]) -> None:
        self.dropped[what] += 1

    def _end_text(self, text: str) -> None:
        if self._annotation is not None:
            self._annotation.text = text

    def _end_annotation(self, _text: str) -> None:
        if self._annotation is not None and self.tiers:
            self.tiers[-1].annotations.append(self._annotation)
        self._annotation = None

    def _end_property(self, text: str) -> None:
        self.properties[self._property] = text

    def _end_entry(self, text: str) -> None:
        self.vocabularies[self._vocabulary][text] = self._definition

    def _end_value(self, text: str) -> None:
        if self._first_value:
            self.vocabularies[self._vocabulary][text] = self._definition
        self._first_value = False


def _number(text: str) -> int | None:
    try:
        return int(text) if len(text) <= _MAX_DIGITS else None
    except ValueError:
        return None
