"""The document that every interchange format reads into and writes from: lanes of entries, without a scheme.

It also has what several formats need: comments as text, rows without overlap, names.
"""

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from annotate.interchange.bounded_files import load_json
from project.entities.study_records import Json, Recording
from project.errors import UserError
from project.schemes.scheme import TierConstraint

COMMENTS = "comments"
"""The name under which a segment's comments stand among its values."""
_AUTHOR_SEPARATOR = ": "
_AUTHORED_COMMENT = re.compile(r"((?:[^\\]|\\.)*?): (.+)", re.DOTALL)
"""A name, in which a backslash keeps what follows it from ending the name, and what that person said."""


def format_comments(said: Sequence[tuple[str, str]]) -> str:
    """Return comments, each by somebody: `Ada: too long`, or a JSON list of such texts where there are several."""
    texts = [f"{_escape_author(who)}{_AUTHOR_SEPARATOR}{text}" for who, text in said]
    return texts[0] if len(texts) == 1 and not texts[0].startswith("[") else json.dumps(texts, ensure_ascii=False)


def parse_comments(value: Json) -> list[str]:
    """Return the texts of comments in what a file says: a list, a JSON list, or one text; empty ones are left out."""
    found = value
    if isinstance(value, str) and value.startswith("["):
        try:
            found = load_json(value)
        except (ValueError, RecursionError):
            found = value
    items = found if isinstance(found, list) else [value]
    return [item for item in items if isinstance(item, str) and item.strip()]


def split_comment_author(text: str) -> tuple[str, str]:
    """Return the name before a comment and the comment; the name is "" where there is none."""
    found = _AUTHORED_COMMENT.fullmatch(text)
    return ("", text) if found is None else (re.sub(r"\\(.)", r"\1", found[1], flags=re.DOTALL), found[2])


def _escape_author(who: str) -> str:
    return who.replace("\\", "\\\\").replace(_AUTHOR_SEPARATOR, f"\\{_AUTHOR_SEPARATOR}")


@dataclass(frozen=True, slots=True)
class InterchangeEntry:
    """One annotation: a span, or a point where both times are equal.

    Attributes:
        end_us: on the recording's axis, not before the start.
        text: what the annotation says, as the format has it: a label, a modifier string, words.
        values: everything else that the format knows about it, by name: form fields, modifiers, comments.
        id: of the segment or utterance, in files that we wrote; "" or whatever the file has otherwise. Only a UUID is
            taken for one of ours.
    """

    start_us: int
    end_us: int
    text: str
    values: Mapping[str, Json] = field(default_factory=dict)
    id: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """Start and end."""
        return self.start_us, self.end_us


@dataclass(frozen=True, slots=True)
class ValueSet:
    """What a file says about the values of one name.

    Attributes:
        values: that can be chosen, in order; none where any text is allowed.
        several: whether several can be chosen at once.
        labels: the texts of the entries that have the value; none for all.
    """

    values: tuple[str, ...] = ()
    several: bool = False
    labels: tuple[str, ...] = ()


LANE_FACTS = ("kind", "annotator", "participant", "scheme", "track")
LaneSubject = tuple[str, str, str, str, str]
"""The `LANE_FACTS` of a lane."""


@dataclass(frozen=True, slots=True)
class InterchangeLane:
    """A tier, a behaviour, a column: entries of one kind by one annotator.

    Attributes:
        name: as the file has it; no two lanes of a recording have the same.
        kind: `segments`, or `utterances` for what is said.
        annotator: who made it; "" where the file does not say.
        participant: whom it is about, or who speaks; "" where the file does not say.
        scheme: key of the scheme, in files that we wrote; "" otherwise.
        track: key of the scheme's track, in files that we wrote; "" otherwise.
        vocabulary: the texts that entries may have, in order, where the file lists them.
        tier: what the file calls it, without who made it or whom it is about; "" where that is the name.
        parent: name of the lane whose entries its own lie within; "" for none.
        definitions: text of the vocabulary -> what it means.
        shortcuts: text of the vocabulary -> the key that codes it.
        colours: text of the vocabulary -> `#rrggbb`.
        value_sets: name of a value -> what it can be, where the file says so.
        about_recording: whether its entries are about the whole recording, and their times mean nothing.
        free_text: name under which the texts of its entries are values, in a lane without codes; "" otherwise.
        participant_value: name under which the participant is a value of its entries; "" where it is none.
        constraint: how its entries lie within those of the parent.
        declares_points: whether the file says that its entries are points, also where there are none.
    """

    name: str
    entries: tuple[InterchangeEntry, ...]
    kind: str = "segments"
    annotator: str = ""
    participant: str = ""
    scheme: str = ""
    track: str = ""
    vocabulary: tuple[str, ...] = ()
    tier: str = ""
    parent: str = ""
    definitions: Mapping[str, str] = field(default_factory=dict)
    shortcuts: Mapping[str, str] = field(default_factory=dict)
    colours: Mapping[str, str] = field(default_factory=dict)
    value_sets: Mapping[str, ValueSet] = field(default_factory=dict)
    about_recording: bool = False
    free_text: str = ""
    participant_value: str = ""
    constraint: TierConstraint = TierConstraint.INCLUDED_IN
    declares_points: bool = False

    def with_codes(self) -> "InterchangeLane":
        """Return it for a format of codes: free texts are values, and the name of these is the code."""
        if not self.free_text:
            return self
        coded = (
            replace(entry, text=self.free_text, values={**entry.values, self.free_text: entry.text})
            for entry in self.entries
        )
        return replace(self, entries=tuple(coded))

    @property
    def subject(self) -> LaneSubject:
        """What it is about, by `LANE_FACTS`."""
        return self.kind, self.annotator, self.participant, self.scheme, self.track

    @property
    def holds_points(self) -> bool:
        """Whether all of its entries are points; without any, what the file says."""
        if not self.entries:
            return self.declares_points
        return all(entry.start_us == entry.end_us for entry in self.entries)

    @property
    def is_speech(self) -> bool:
        """Whether its entries are what is said."""
        return self.kind == "utterances"


@dataclass(frozen=True, slots=True)
class MediaLink:
    """A media file as the file names it: never opened or resolved by a reader.

    Attributes:
        path: as it stands there.
        offset_us: where it begins on the axis of the part.
    """

    path: str
    offset_us: int = 0

    @property
    def file_name(self) -> str:
        """The last part of the path, which may be a URL or of any system."""
        return PurePosixPath(unquote(self.path).replace("\\", "/")).name

    @property
    def match_key(self) -> str:
        """The name by which files are matched: in any case, and whatever way accents are written."""
        return unicodedata.normalize("NFC", self.file_name).casefold()


@dataclass(frozen=True, slots=True)
class RecordingPart:
    """What a document says about one recording.

    Attributes:
        duration_us: 0 where the format does not say.
        id: of the recording, in files that we wrote; "" otherwise.
        on_media_time: whether the axis is the time of the first medium, not the recording's axis; an import moves the
            entries to the recording's axis through a medium that both have.
    """

    name: str
    lanes: tuple[InterchangeLane, ...]
    media: tuple[MediaLink, ...] = ()
    duration_us: int = 0
    id: str = ""
    on_media_time: bool = False


@dataclass(frozen=True, slots=True)
class Document:
    """The content of one interchange file.

    Attributes:
        recordings: one or several (a BORIS project has many observations).
        remarks: one line for each other thing that is read in another way or left out, for the preview.
        unread: what an entry of the file is that is in no lane -> how many of them there are.
        rows: table -> rows as the study holds them, in the one format that is lossless; empty otherwise.
        name: of the file, without its ending; "" before it was read.
        source: key of the format.
    """

    recordings: tuple[RecordingPart, ...]
    remarks: tuple[str, ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, tuple[dict[str, Json], ...]] = field(default_factory=dict)
    name: str = ""
    source: str = ""

    def lanes_by_name(self) -> dict[str, list[InterchangeLane]]:
        """Return name -> the lanes of that name, over all recordings."""
        found: dict[str, list[InterchangeLane]] = {}
        for part in self.recordings:
            for lane in part.lanes:
                found.setdefault(lane.name, []).append(lane)
        return found

    def with_codes(self) -> "Document":
        """Return it for a format of codes."""
        parts = (replace(part, lanes=tuple(lane.with_codes() for lane in part.lanes)) for part in self.recordings)
        return replace(self, recordings=tuple(parts))

    def with_people_as_values(self) -> "Document":
        """Return it for a format whose tiers are about nobody: the lanes of a track about some are one."""
        return replace(self, recordings=tuple(replace(p, lanes=_join_people(p.lanes)) for p in self.recordings))

    def only_recording(self, what: str) -> RecordingPart:
        """Return the one recording of a document, for a file (`what`) that holds no more."""
        if len(self.recordings) != 1:
            raise UserError(f"{what} covers one recording.", "Export one recording to each file.")
        return self.recordings[0]


def join_documents(documents: Sequence[Document]) -> Document:
    """Return several documents as one, called as the first.

    Lanes of one name stay one only where annotator, participant, scheme and track are the same.
    """
    names: dict[tuple[str, LaneSubject], str] = {}
    taken: set[str] = set()
    parts, remarks, unread = [], [], Counter[str]()
    for document in documents:
        for part in document.recordings:
            here = {}
            for lane in part.lanes:
                if (lane.name, lane.subject) not in names:
                    whose = lane.name if lane.name not in taken else f"{lane.name} {lane.participant or lane.annotator}"
                    names[lane.name, lane.subject] = unique_name(whose.strip(), taken)
                here[lane.name] = names[lane.name, lane.subject]
            lanes = (replace(lane, name=here[lane.name], parent=here.get(lane.parent, "")) for lane in part.lanes)
            parts.append(replace(part, lanes=tuple(lanes)))
        remarks += [f"{document.name}: {remark}" for remark in document.remarks]
        unread.update(document.unread)
    first = documents[0]
    return Document(tuple(parts), tuple(remarks), unread, name=first.name, source=first.source)


def _join_people(lanes: Iterable[InterchangeLane]) -> tuple[InterchangeLane, ...]:
    joined: dict[LaneSubject | str, InterchangeLane] = {}
    for lane in lanes:
        if not lane.participant_value:
            joined[lane.name] = lane
            continue
        who: dict[str, Json] = {lane.participant_value: lane.participant} if lane.participant else {}
        entries = tuple(replace(entry, values={**entry.values, **who}) for entry in lane.entries)
        nobody = replace(lane, participant="", entries=entries)
        before = joined.get(nobody.subject)
        joined[nobody.subject] = nobody if before is None else replace(before, entries=(*before.entries, *entries))
    return tuple(joined.values())


def _refuse_to_write(_document: Document, _path: Path) -> None:
    raise UserError("This format is only read.", "Choose another one.")


@dataclass(frozen=True, slots=True)
class Format:
    """One file format. It touches no study, opens no file but the one it is given, and follows no link in it.

    Attributes:
        key: on the command line, such as `eaf`.
        name: for people, such as `ELAN (.eaf)`.
        suffixes: of file names, lower case, with the dot; the first one is what a new file gets.
        recognises: tells whether a file that begins with these bytes (64 KiB at most) looks like one of this format.
        write: writes a file to a temporary path that is there and empty; the caller renames it when it is whole. It
            raises where the format is only read.
        losses: what the format cannot hold, one line each; shown before an export and listed in the docs.
        holds_several: whether one file holds several recordings.
        lossless: whether it holds `Document.rows`, the study itself, and is imported without any mapping.
    """

    key: str
    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[Path], Document]
    write: Callable[[Document, Path], None] = _refuse_to_write
    losses: tuple[str, ...] = ()
    holds_several: bool = False
    lossless: bool = False


FORM_LOSSES = (
    "Only the latest value of each form field is kept; reviews and older versions are left out.",
    "Comments come as one text each, without their time.",
)
"""Losses of every format that holds the values of forms."""
SPEECH = "Speech"
POINT_LENGTH_US = 1_000
"""How long a point is in a format that knows none."""


def lane_name(kind: str, annotator: str, participant: str, scheme: str, track: str) -> str:
    """Return what a lane of Greenroom is called."""
    spoken = kind == "utterances"
    words = (SPEECH, participant) if spoken else (annotator, f"{scheme}.{track}".strip("."), participant)
    return " ".join(word for word in words if word)


def build_lanes(entries: Mapping[LaneSubject, Sequence[InterchangeEntry]]) -> tuple[InterchangeLane, ...]:
    """Return a lane for each subject, under names of Greenroom's."""
    taken: set[str] = set()
    return tuple(
        InterchangeLane(unique_name(lane_name(*subject) or "Segments", taken), tuple(held), *subject)
        for subject, held in entries.items()
    )


_MAX_NAME_CHARS = 80


def file_name(recording: Recording, width: int = 1) -> str:
    """Return the recording's number and name, without a suffix and with `_` for what a file system may refuse."""
    plain = "".join(c if c.isalnum() or c in " -_." else "_" for c in recording.name).strip(" .")[:_MAX_NAME_CHARS]
    return f"{recording.number:0{width}} {plain}".strip()


def split_into_rows(entries: Sequence[InterchangeEntry]) -> list[list[InterchangeEntry]]:
    """Return rows of entries, each by start and without overlap, as few as possible; at least one row.

    An entry goes to the first row that is free at its start. A point takes a millisecond.
    """
    rows: list[list[InterchangeEntry]] = [[]]
    ends: list[int] = [-1]
    for entry in sorted(entries, key=lambda entry: entry.span):
        row = next((i for i, end in enumerate(ends) if end <= entry.start_us), len(rows))
        if row == len(rows):
            rows.append([])
            ends.append(0)
        rows[row].append(entry)
        ends[row] = max(entry.end_us, entry.start_us + POINT_LENGTH_US)
    return rows


def unique_name(name: str, taken: set[str]) -> str:
    """Return a name that is not taken yet, with a number after it where it has to be, and take it."""
    found = name
    if name in taken:
        # A file can have a name a million times, so the numbers are not counted one by one.
        used, free = 1, 2
        while f"{name} ({free})" in taken:
            used, free = free, free * 2
        while free - used > 1:
            middle = (used + free) // 2
            used, free = (middle, free) if f"{name} ({middle})" in taken else (used, middle)
        found = f"{name} ({free})"
    taken.add(found)
    return found


_MAX_SECONDS = 2_147_483_647


def parse_seconds(value: object) -> int | None:
    """Return a number of seconds, or a text of one, in microseconds; None where it is no time of a recording."""
    try:
        found = float(value.strip().replace(",", ".") if isinstance(value, str) else value)  # type: ignore[arg-type]
    except (ValueError, OverflowError, TypeError):
        return None
    return round(found * 1_000_000) if -_MAX_SECONDS <= found <= _MAX_SECONDS else None


def format_seconds(time_us: int) -> str:
    """Return a time in seconds with six digits behind the point."""
    whole, rest = divmod(time_us, 1_000_000)
    return f"{whole}.{rest:06}"


def format_clock(time_us: int, point: str, hours: int) -> str:
    """Return a time of less than so many hours as `hh:mm:ss.mmm`, with this sign as the point."""
    seconds, milliseconds = divmod(time_us // 1000, 1000)
    if not 0 <= seconds < hours * 3600:
        raise UserError(f"This format supports less than {hours} hours.", "Choose another format.")
    return f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{point}{milliseconds:03}"
