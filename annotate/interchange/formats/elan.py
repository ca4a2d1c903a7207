"""Reads ELAN's annotation files (EAF) of versions 2.7 to 3.0 and writes 3.0.

Lanes and fields that EAF has no place for are kept in properties of the header, which ELAN preserves. The writer
follows the description of the format (The Language Archive, EAF 3.0, 2017).
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar
from xml.sax.saxutils import escape, quoteattr

from annotate.interchange.bounded_files import MEGABYTE, damaged_file_error, parse_xml
from annotate.interchange.document import (
    Document,
    InterchangeEntry,
    InterchangeLane,
    MediaLink,
    RecordingPart,
    split_into_rows,
    to_text,
    unique_name,
)
from project.entities.study_records import Json
from project.errors import UserError
from project.ids import is_id
from project.timebase import utc_now

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


@dataclass(frozen=True, slots=True)
class TimeSlots:
    """The time slots between which an annotation lies."""

    start: str
    end: str


def interpolate_slots(slots: Mapping[str, int | None], tiers: Iterable[Sequence[TimeSlots]]) -> dict[str, int | None]:
    """Return slot -> milliseconds, with those filled in that lie between known ones.

    The annotations of a tier from one known time to the next share the time between evenly. What no tier tells is
    shared evenly between the known neighbours in the order of time; what has none stays None.
    """
    found = dict(slots)
    for annotations in tiers:
        run: list[TimeSlots] = []
        for annotation in annotations:
            if found.get(annotation.start) is not None:
                run = []
            run.append(annotation)
            if found.get(annotation.end) is not None:
                _interpolate_run(found, run)
                run = []
    _in_order(found)
    return found


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


MAX_FILE_BYTES = 64 * MEGABYTE
_MAX_DIGITS = 12
_TIMELESS = "annotations without times that make sense"
_IGNORED_ELEMENTS = {
    "LINKED_FILE_DESCRIPTOR": "linked files other than media",
    "REF_LINK_SET": "sets of links",
    "LEXICON_REF": "links to a lexicon",
}
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
        "CV_ENTRY_ML",
        *_IGNORED_ELEMENTS,
    )
)


@dataclass(slots=True)
class _EafAnnotation:
    id: str
    parent: str
    span: TimeSlots | None
    text: str = ""


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

    A tier that says one thing about each annotation of another (symbolic association) becomes values of that one's
    entries. Where an annotation is cut up without times, its parts share its time evenly.

    Raises:
        UserError: the file cannot be read, is no EAF, is damaged, too large, or declares entities.
    """
    found = _EafContent()
    parse_xml(path, MAX_FILE_BYTES, found.start, found.end, _START_ELEMENTS, _END_ELEMENTS)
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
        self.vocabularies: dict[str, list[str]] = {}
        self.dropped: Counter[str] = Counter()
        self._vocabulary = ""
        self._property = ""
        self._annotation: _EafAnnotation | None = None
        self._first_value = False

    def start(self, name: str, a: dict[str, str]) -> None:
        match name:
            case "TIME_SLOT":
                self.slots[a.get("TIME_SLOT_ID", "")] = _number(a.get("TIME_VALUE", ""))
            case "ALIGNABLE_ANNOTATION":
                ends = TimeSlots(a.get("TIME_SLOT_REF1", ""), a.get("TIME_SLOT_REF2", ""))
                self._annotation = _EafAnnotation(a.get("ANNOTATION_ID", ""), "", ends)
            case "REF_ANNOTATION":
                self._annotation = _EafAnnotation(a.get("ANNOTATION_ID", ""), a.get("ANNOTATION_REF", ""), None)
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
                self.vocabularies[self._vocabulary] = []
            case "CV_ENTRY_ML":
                self._first_value = True
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
                self.vocabularies[self._vocabulary].append(text)
            case "CVE_VALUE":
                if self._first_value:
                    self.vocabularies[self._vocabulary].append(text)
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
        self._spans: dict[str, tuple[int, int]] = {}
        self._values: dict[str, dict[str, Json]] = {}

    def build_document(self) -> Document:
        self._time()
        self._associate()
        lanes: dict[str, InterchangeLane] = {}
        for tier in self._found.tiers:
            if not self._is_associated(tier):
                self._add(lanes, tier)
        remarks = [f"{count} {what} are left out." for what, count in self._found.dropped.items()]
        part = RecordingPart(
            _text(self._about, "name") or self._path.stem,
            tuple(lanes.values()),
            tuple(MediaLink(path, self._shift_us - origin * 1000) for path, origin in self._found.media),
            _positive_int(self._about, "duration_us"),
            _text(self._about, "id"),
        )
        return Document((part,), tuple(remarks))

    def _time(self) -> None:
        """Find the span of every annotation, on the recording's axis."""
        aligned = [[a.span for a in tier.annotations if a.span is not None] for tier in self._found.tiers]
        slots = interpolate_slots(self._found.slots, aligned)
        shift = self._shift_us
        times = {
            name: value * 1000 + shift + _slot_microseconds(name) for name, value in slots.items() if value is not None
        }
        for tier in self._found.tiers:
            for annotation in tier.annotations:
                if annotation.span is None:
                    continue
                start, end = times.get(annotation.span.start), times.get(annotation.span.end)
                if start is None or end is None or end < start:
                    self._found.dropped[_TIMELESS] += 1
                else:
                    self._spans[annotation.id] = start, end
        # A tier stands after its parent only in most files, so this is done until nothing more is found.
        waiting = [
            t for t in self._found.tiers if not self._is_associated(t) and any(not a.span for a in t.annotations)
        ]
        while waiting:
            left = [tier for tier in waiting if not self._share(tier)]
            if len(left) == len(waiting):
                self._found.dropped[_TIMELESS] += sum(len(t.annotations) for t in left)
                break
            waiting = left

    def _share(self, tier: _ElanTier) -> bool:
        """Give the annotations of a tier their parts of what they are about; tells whether that is known yet."""
        owners: dict[str, list[_EafAnnotation]] = {}
        for annotation in tier.annotations:
            if annotation.span is None:
                owners.setdefault(annotation.parent, []).append(annotation)
        if not any(owner in self._spans for owner in owners):
            return False
        for owner, parts in owners.items():
            if owner not in self._spans:
                self._found.dropped[_TIMELESS] += len(parts)
                continue
            start, end = self._spans[owner]
            for place, annotation in enumerate(parts):
                first = start + (end - start) * place // len(parts)
                self._spans[annotation.id] = first, start + (end - start) * (place + 1) // len(parts)
        return True

    def _is_associated(self, tier: _ElanTier) -> bool:
        constraint = self._found.types.get(tier.type, ("", ""))[0]
        return constraint == "Symbolic_Association" and tier.parent in self._tiers

    def _associate(self) -> None:
        for tier in self._found.tiers:
            if self._is_associated(tier):
                name = _text(self._marks[tier.id], "field") or tier.id
                for annotation in tier.annotations:
                    if self._is_associated(self._tiers[tier.parent]):
                        self._found.dropped["annotations about values of other annotations"] += 1
                    else:
                        self._values.setdefault(annotation.parent, {})[name] = annotation.text

    def _add(self, lanes: dict[str, InterchangeLane], tier: _ElanTier) -> None:
        mark = self._marks[tier.id]
        entries = tuple(
            InterchangeEntry(
                *self._spans[annotation.id],
                annotation.text,
                self._values.get(annotation.id, {}),
                annotation.id.removeprefix(SEGMENT_ID_PREFIX),
            )
            for annotation in tier.annotations
            if annotation.id in self._spans
        )
        name = _text(mark, "lane") or tier.id
        before = lanes.get(name)
        vocabulary = self._found.vocabularies.get(self._found.types.get(tier.type, ("", ""))[1], [])
        lanes[name] = InterchangeLane(
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
        return int(text) if len(text) <= _MAX_DIGITS else None
    except ValueError:
        return None


def _slot_microseconds(slot: str) -> int:
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


_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MIME_TYPES = {
    ".mp4": "video/mp4",
    ".mov": "video/quicktime",
    ".mpg": "video/mpeg",
    ".mpeg": "video/mpeg",
    ".wav": "audio/x-wav",
    ".mp3": "audio/mpeg",
    ".m4a": "audio/mp4",
}
_SEGMENTS, _SPEECH, _VALUES = "segments", "speech", "values"


def format_eaf(document: Document) -> str:
    """Return one recording as an EAF.

    Raises:
        UserError: the document has several recordings.
    """
    if len(document.recordings) != 1:
        raise UserError("An EAF is about one recording.", "Export one recording to each file.")
    return _ElanWriter(document.recordings[0]).build_text()


class _ElanWriter:
    def __init__(self, part: RecordingPart) -> None:
        self._part = part
        self._rows = [(lane, split_into_rows(lane.entries)) for lane in part.lanes]
        self._slots, self._ends = _slots(entry for _, rows in self._rows for row in rows for entry in row)
        self._tiers: list[str] = []
        self._properties: list[tuple[str, str]] = []
        self._vocabularies: dict[str, tuple[str, ...]] = {}
        self._types: dict[str, str] = {}
        self._taken: set[str] = set()
        self._ids: set[str] = set()
        self._annotations = 0

    def build_text(self) -> str:
        about: dict[str, Json] = {"id": self._part.id, "name": self._part.name, "duration_us": self._part.duration_us}
        self._properties.append((RECORDING_PROPERTY, _json(about)))
        for lane, rows in self._rows:
            self._lane(lane, rows)
        self._properties.append(("lastUsedAnnotationId", str(self._annotations)))
        lines = [
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<ANNOTATION_DOCUMENT AUTHOR="Greenroom" DATE="{utc_now()}" FORMAT="3.0" VERSION="3.0" '
            'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
            'xsi:noNamespaceSchemaLocation="http://www.mpi.nl/tools/elan/EAFv3.0.xsd">',
            '<HEADER MEDIA_FILE="" TIME_UNITS="milliseconds">',
            *self._media(),
            *(f"<PROPERTY NAME={_quoted(name)}>{_plain(value)}</PROPERTY>" for name, value in self._properties),
            "</HEADER>",
            "<TIME_ORDER>",
            *self._slots,
            "</TIME_ORDER>",
            *self._tiers,
            *self._types.values(),
            '<LANGUAGE LANG_DEF="http://cdb.iso.org/lg/CDB-00130975-001" LANG_ID="und" '
            'LANG_LABEL="undetermined (und)"/>',
            '<CONSTRAINT DESCRIPTION="1-1 association with a parent annotation" STEREOTYPE="Symbolic_Association"/>',
            *self._entries(),
            "</ANNOTATION_DOCUMENT>",
        ]
        return "\n".join(lines) + "\n"

    def _media(self) -> Iterator[str]:
        for link in self._part.media:
            kind = _MIME_TYPES.get(PurePosixPath(link.path).suffix.lower(), "unknown")
            path = link.path if link.path.startswith(("/", ".")) else f"./{link.path}"
            origin = f' TIME_ORIGIN="{-link.offset_us // 1000}"' if link.offset_us else ""
            yield (
                f"<MEDIA_DESCRIPTOR MEDIA_URL={_quoted(path)} MIME_TYPE={_quoted(kind)} "
                f"RELATIVE_MEDIA_URL={_quoted(path)}{origin}/>"
            )

    def _lane(self, lane: InterchangeLane, rows: list[list[InterchangeEntry]]) -> None:
        vocabulary = ""
        if lane.kind == "utterances":
            kind = self._type(_SPEECH)
        else:
            vocabulary = self._vocabulary(lane)
            kind = self._type(f"{_SEGMENTS} {vocabulary}".strip(), vocabulary)
        about: dict[str, Json] = {
            "lane": lane.name,
            "kind": lane.kind,
            "annotator": lane.annotator,
            "participant": lane.participant,
            "scheme": lane.scheme,
            "track": lane.track,
        }
        for number, row in enumerate(rows, start=1):
            tier = unique_name(lane.name if number == 1 else f"{lane.name}-{number}", self._taken)
            self._properties.append((f"{TIER_PROPERTY_PREFIX}{tier}", _json(about)))
            who = f" PARTICIPANT={_quoted(lane.participant)}" if lane.participant else ""
            self._tiers.append(
                f"<TIER ANNOTATOR={_quoted(lane.annotator)} LINGUISTIC_TYPE_REF={_quoted(kind)}{who} "
                f"TIER_ID={_quoted(tier)}>"
            )
            codes = {text: f"cve_{vocabulary}_{place}" for place, text in enumerate(lane.vocabulary)}
            ids = [self._aligned(entry, _code(codes, entry.text)) for entry in row]
            self._tiers.append("</TIER>")
            self._values(lane, tier, row, ids)

    def _aligned(self, entry: InterchangeEntry, code: str) -> str:
        found = (
            f"{SEGMENT_ID_PREFIX}{entry.id}"
            if is_id(entry.id) and f"{SEGMENT_ID_PREFIX}{entry.id}" not in self._ids
            else self._next()
        )
        self._ids.add(found)
        start, end = next(self._ends)
        self._tiers.append(
            f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="{found}"{code} TIME_SLOT_REF1="{start}" '
            f'TIME_SLOT_REF2="{end}"><ANNOTATION_VALUE>{_plain(entry.text)}</ANNOTATION_VALUE>'
            "</ALIGNABLE_ANNOTATION></ANNOTATION>"
        )
        return found

    def _values(self, lane: InterchangeLane, parent: str, row: list[InterchangeEntry], ids: list[str]) -> None:
        fields = dict.fromkeys(name for entry in row for name in entry.values)
        for name in fields:
            tier = unique_name(f"{parent} {name}", self._taken)
            self._properties.append((f"{TIER_PROPERTY_PREFIX}{tier}", _json({"lane": lane.name, "field": name})))
            self._tiers.append(
                f"<TIER ANNOTATOR={_quoted(lane.annotator)} LINGUISTIC_TYPE_REF={_quoted(self._type(_VALUES))} "
                f"PARENT_REF={_quoted(parent)} TIER_ID={_quoted(tier)}>"
            )
            for entry, owner in zip(row, ids, strict=True):
                if name in entry.values:
                    self._tiers.append(
                        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{self._next()}" ANNOTATION_REF="{owner}">'
                        f"<ANNOTATION_VALUE>{_plain(to_text(entry.values[name]))}</ANNOTATION_VALUE>"
                        "</REF_ANNOTATION></ANNOTATION>"
                    )
            self._tiers.append("</TIER>")

    def _next(self) -> str:
        self._annotations += 1
        return f"a{self._annotations}"

    def _vocabulary(self, lane: InterchangeLane) -> str:
        if not lane.vocabulary:
            return ""
        base = re.sub(r"[^\w.-]", "_", f"{lane.scheme}.{lane.track}", flags=re.ASCII)
        name, number = base, 2
        while self._vocabularies.get(name, lane.vocabulary) != lane.vocabulary:
            name, number = f"{base}-{number}", number + 1
        self._vocabularies[name] = lane.vocabulary
        return name

    def _type(self, name: str, vocabulary: str = "") -> str:
        values = name == _VALUES
        constraint = 'CONSTRAINTS="Symbolic_Association" ' if values else ""
        codes = f"CONTROLLED_VOCABULARY_REF={_quoted(vocabulary)} " if vocabulary else ""
        alignable = "false" if values else "true"
        self._types[name] = (
            f'<LINGUISTIC_TYPE {constraint}{codes}GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID={_quoted(name)} '
            f'TIME_ALIGNABLE="{alignable}"/>'
        )
        return name

    def _entries(self) -> Iterator[str]:
        for name, texts in self._vocabularies.items():
            yield f'<CONTROLLED_VOCABULARY CV_ID={_quoted(name)}><DESCRIPTION LANG_REF="und"/>'
            for place, text in enumerate(texts):
                yield (
                    f'<CV_ENTRY_ML CVE_ID="cve_{name}_{place}"><CVE_VALUE LANG_REF="und">{_plain(text)}</CVE_VALUE>'
                    "</CV_ENTRY_ML>"
                )
            yield "</CONTROLLED_VOCABULARY>"


def _slots(entries: Iterable[InterchangeEntry]) -> tuple[list[str], Iterator[tuple[str, str]]]:
    """Return the time slots, in the order of time, and for each entry the names of those that it lies between."""
    times = sorted((time, place) for place, time in enumerate(t for e in entries for t in (e.start_us, e.end_us)))
    lines, names = [], [""] * len(times)
    for number, (time, place) in enumerate(times, start=1):
        milliseconds, finer = divmod(time, 1000)
        names[place] = f"ts{number}" + (f"{MICROSECONDS_MARK}{finer:03}" if finer else "")
        lines.append(f'<TIME_SLOT TIME_SLOT_ID="{names[place]}" TIME_VALUE="{milliseconds}"/>')
    return lines, zip(names[::2], names[1::2], strict=True)


def _code(codes: Mapping[str, str], text: str) -> str:
    return f' CVE_REF="{codes[text]}"' if text in codes else ""


def _plain(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})


def _quoted(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True)


class Eaf:
    """ELAN. Each form field is a tier of its own under the tier of the segments."""

    key: ClassVar[str] = "eaf"
    name: ClassVar[str] = "ELAN (.eaf)"
    suffixes: ClassVar[tuple[str, ...]] = (".eaf",)
    holds_several: ClassVar[bool] = False
    lossless: ClassVar[bool] = False
    losses: ClassVar[tuple[str, ...]] = (
        "ELAN counts milliseconds: once it has saved the file, finer times are cut off.",
        "Of a form, only the newest value of each field is kept; reviews and older versions are left out.",
        "Comments come as one text each, without their time.",
        "Control characters in texts become a replacement character.",
    )

    def recognises(self, head: bytes) -> bool:
        """Tell whether the root of an EAF is among the first bytes."""
        return b"<ANNOTATION_DOCUMENT" in head.replace(b"\0", b"")

    def read(self, path: Path) -> Document:
        """Read a file; see `Format`."""
        return read_eaf(path)

    def write(self, document: Document, path: Path) -> None:
        """Write a file; see `Format`."""
        path.write_text(format_eaf(document), "utf-8", newline="\n")
