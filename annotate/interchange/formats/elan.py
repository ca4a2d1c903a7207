"""Writes ELAN's annotation files (EAF) of version 3.0.

Lanes and fields that EAF has no place for are kept in properties of the header, which ELAN preserves. Source: the
description of the format (The Language Archive, EAF 3.0, 2017).
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path, PurePosixPath
from xml.sax.saxutils import escape, quoteattr

from annotate.interchange.document import (
    FORM_LOSSES,
    LANE_FACTS,
    Document,
    Format,
    InterchangeEntry,
    InterchangeLane,
    RecordingPart,
    unique_name,
)
from annotate.interchange.formats.elan_reader import (
    RECORDING_PROPERTY,
    SEGMENT_ID_PREFIX,
    TIER_PROPERTY_PREFIX,
    eaf_constraint,
    read_eaf,
)
from annotate.interchange.formats.elan_tiers import SYMBOLIC, TierGroup, lay_out_slots, lay_out_tiers
from annotate.interchange.value_text import to_text
from project.entities.study_records import Json
from project.ids import is_id
from project.schemes.scheme import TierConstraint
from project.timebase import utc_now

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
_CONSTRAINTS = {
    TierConstraint.TIME_SUBDIVISION: "Time subdivision of parent annotation's time interval, no time gaps allowed "
    "within this interval",
    TierConstraint.SYMBOLIC_SUBDIVISION: "Symbolic subdivision of a parent annotation. Annotations referring to the "
    "same parent are ordered",
    TierConstraint.SYMBOLIC_ASSOCIATION: "1-1 association with a parent annotation",
    TierConstraint.INCLUDED_IN: "Time alignable annotations within the parent annotation's time interval, gaps are "
    "allowed",
}
"""Constraint -> how ELAN describes it."""


class _ElanWriter:
    def __init__(self, part: RecordingPart) -> None:
        self._part = part
        self._groups = lay_out_tiers(part.lanes)
        self._slots = lay_out_slots(self._groups)
        self._tiers: list[str] = []
        self._properties: list[tuple[str, str]] = []
        self._vocabularies: dict[str, tuple[str, ...]] = {}
        self._definitions: dict[tuple[str, str], str] = {}
        self._types: dict[str, str] = {}
        self._taken: set[str] = set()
        self._ids: set[str] = set()
        self._annotations = 0
        self._names = {
            group: [unique_name(_row_name(group.lane, number), self._taken) for number in range(1, len(group.rows) + 1)]
            for group in self._groups
        }
        self._ids_of = {group: [[self._id(entry) for entry in row] for row in group.rows] for group in self._groups}

    def build_text(self) -> str:
        about: dict[str, Json] = {"id": self._part.id, "name": self._part.name, "duration_us": self._part.duration_us}
        self._properties.append((RECORDING_PROPERTY, _json(about)))
        for group in self._groups:
            self._lane(group)
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
            *(
                f"<CONSTRAINT DESCRIPTION={_quoted(meaning)} STEREOTYPE={_quoted(eaf_constraint(constraint))}/>"
                for constraint, meaning in _CONSTRAINTS.items()
            ),
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

    def _lane(self, group: TierGroup) -> None:
        lane, constraint = group.lane, group.constraint if group.parent is not None else None
        vocabulary = ""
        if lane.is_speech:
            kind = self._type(_SPEECH)
        else:
            vocabulary = self._vocabulary(lane.tier or f"{lane.scheme}.{lane.track}", lane.vocabulary, lane.definitions)
            kind = self._type(" ".join(filter(None, (_SEGMENTS, constraint, vocabulary))), vocabulary, constraint)
        about: dict[str, Json] = {"lane": lane.name, **dict(zip(LANE_FACTS, lane.subject, strict=True))}
        codes = {text: f"cve_{vocabulary}_{place}" for place, text in enumerate(lane.vocabulary)}
        ends = group.ends or [[] for _ in group.rows]
        for tier, row, ids, slots in zip(self._names[group], group.rows, self._ids_of[group], ends, strict=True):
            self._properties.append((f"{TIER_PROPERTY_PREFIX}{tier}", _json(about)))
            who = f" PARENT_REF={_quoted(self._names[group.parent][0])}" if group.parent is not None else ""
            who += f" PARTICIPANT={_quoted(lane.participant)}" if lane.participant else ""
            self._tiers.append(
                f"<TIER ANNOTATOR={_quoted(lane.annotator)} LINGUISTIC_TYPE_REF={_quoted(kind)}{who} "
                f"TIER_ID={_quoted(tier)}>"
            )
            links = self._symbolic_links(group, ids) if group.is_symbolic else _aligned_links(slots)
            for entry, name, (element, link) in zip(row, ids, links, strict=True):
                self._tiers.append(
                    f'<ANNOTATION><{element} ANNOTATION_ID="{name}"{_code(codes, entry.text)} {link}>'
                    f"<ANNOTATION_VALUE>{_plain(entry.text)}</ANNOTATION_VALUE></{element}></ANNOTATION>"
                )
            self._tiers.append("</TIER>")
            self._values(lane, tier, row, ids)

    def _symbolic_links(self, group: TierGroup, ids: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield element and attributes of annotations without times: what each is about, and after which."""
        assert group.parent is not None
        [above] = self._ids_of[group.parent]
        for place, owner in enumerate(group.owners):
            follows = place > 0 and group.owners[place - 1] == owner
            previous = f' PREVIOUS_ANNOTATION="{ids[place - 1]}"' if follows else ""
            yield "REF_ANNOTATION", f'ANNOTATION_REF="{above[owner]}"{previous}'

    def _id(self, entry: InterchangeEntry) -> str:
        own = f"{SEGMENT_ID_PREFIX}{entry.id}"
        found = own if is_id(entry.id) and own not in self._ids else self._next()
        self._ids.add(found)
        return found

    def _values(self, lane: InterchangeLane, parent: str, row: list[InterchangeEntry], ids: list[str]) -> None:
        fields = dict.fromkeys((*lane.value_sets, *(name for entry in row for name in entry.values)))
        for name in fields:
            tier = unique_name(name if lane.tier else f"{parent} {name}", self._taken)
            known = lane.value_sets.get(name)
            choices = known.values if known is not None and not known.several else ()
            vocabulary = self._vocabulary(name, choices, {})
            kind = self._type(f"{_VALUES} {vocabulary}".strip(), vocabulary, TierConstraint.SYMBOLIC_ASSOCIATION)
            codes = {text: f"cve_{vocabulary}_{place}" for place, text in enumerate(choices)}
            self._properties.append((f"{TIER_PROPERTY_PREFIX}{tier}", _json({"lane": lane.name, "field": name})))
            self._tiers.append(
                f"<TIER ANNOTATOR={_quoted(lane.annotator)} LINGUISTIC_TYPE_REF={_quoted(kind)} "
                f"PARENT_REF={_quoted(parent)} TIER_ID={_quoted(tier)}>"
            )
            for entry, owner in zip(row, ids, strict=True):
                if name in entry.values:
                    text = to_text(entry.values[name])
                    self._tiers.append(
                        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="{self._next()}" ANNOTATION_REF="{owner}"'
                        f"{_code(codes, text)}>"
                        f"<ANNOTATION_VALUE>{_plain(text)}</ANNOTATION_VALUE>"
                        "</REF_ANNOTATION></ANNOTATION>"
                    )
            self._tiers.append("</TIER>")

    def _next(self) -> str:
        self._annotations += 1
        return f"a{self._annotations}"

    def _vocabulary(self, title: str, texts: tuple[str, ...], definitions: Mapping[str, str]) -> str:
        if not texts:
            return ""
        base = re.sub(r"[^\w.-]", "_", title, flags=re.ASCII)
        name, number = base, 2
        while self._vocabularies.get(name, texts) != texts:
            name, number = f"{base}-{number}", number + 1
        self._vocabularies[name] = texts
        self._definitions |= {(name, text): meaning for text, meaning in definitions.items()}
        return name

    def _type(self, name: str, vocabulary: str = "", constrained: TierConstraint | None = None) -> str:
        constraint = f'CONSTRAINTS="{eaf_constraint(constrained)}" ' if constrained is not None else ""
        codes = f"CONTROLLED_VOCABULARY_REF={_quoted(vocabulary)} " if vocabulary else ""
        alignable = "false" if constrained in SYMBOLIC else "true"
        self._types[name] = (
            f'<LINGUISTIC_TYPE {constraint}{codes}GRAPHIC_REFERENCES="false" LINGUISTIC_TYPE_ID={_quoted(name)} '
            f'TIME_ALIGNABLE="{alignable}"/>'
        )
        return name

    def _entries(self) -> Iterator[str]:
        for name, texts in self._vocabularies.items():
            yield f'<CONTROLLED_VOCABULARY CV_ID={_quoted(name)}><DESCRIPTION LANG_REF="und"/>'
            for place, text in enumerate(texts):
                meaning = self._definitions.get((name, text), "")
                about = f" DESCRIPTION={_quoted(meaning)}" if meaning else ""
                yield (
                    f'<CV_ENTRY_ML CVE_ID="cve_{name}_{place}"><CVE_VALUE{about} LANG_REF="und">{_plain(text)}'
                    "</CVE_VALUE></CV_ENTRY_ML>"
                )
            yield "</CONTROLLED_VOCABULARY>"


def _row_name(lane: InterchangeLane, number: int) -> str:
    return lane.name if number == 1 else f"{lane.name}-{number}"


def _aligned_links(ends: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield element and attributes of annotations between time slots."""
    for start, end in ends:
        yield "ALIGNABLE_ANNOTATION", f'TIME_SLOT_REF1="{start}" TIME_SLOT_REF2="{end}"'


def _code(codes: Mapping[str, str], text: str) -> str:
    return f' CVE_REF="{codes[text]}"' if text in codes else ""


def _plain(text: str) -> str:
    return escape(_NOT_XML.sub("\ufffd", text), {"\r": "&#13;"})


def _quoted(text: str) -> str:
    return quoteattr(_NOT_XML.sub("\ufffd", text))


def _json(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True)


def _recognises(head: bytes) -> bool:
    """Tell whether the root of an EAF is among the first bytes."""
    return b"<ANNOTATION_DOCUMENT" in head.replace(b"\0", b"")


def _write(document: Document, path: Path) -> None:
    path.write_text(_ElanWriter(document.only_recording("An EAF")).build_text(), "utf-8", newline="\n")


EAF = Format(
    "eaf",
    "ELAN (.eaf)",
    (".eaf",),
    _recognises,
    read_eaf,
    _write,
    (
        "ELAN counts milliseconds: once it has saved the file, finer times are cut off.",
        "ELAN has no points: a point is an annotation of one millisecond.",
        *FORM_LOSSES,
        "Control characters in texts become a replacement character.",
    ),
)
"""ELAN. Each form field is a tier of its own under the tier of the segments."""
