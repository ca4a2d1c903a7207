"""The document that every interchange format reads into and writes from: lanes of entries, without a scheme.

It also has the conversions that several formats need: comments and values as text, rows without overlap, names.
"""

import json
import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from project.entities.study_records import Json, Recording
from project.errors import UserError
from project.schemes.scheme import Field, FieldKind, Scheme

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
            found = json.loads(value)
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
    """

    name: str
    entries: tuple[InterchangeEntry, ...]
    kind: str = "segments"
    annotator: str = ""
    participant: str = ""
    scheme: str = ""
    track: str = ""
    vocabulary: tuple[str, ...] = ()

    @property
    def subject(self) -> LaneSubject:
        """What it is about, by `LANE_FACTS`."""
        return self.kind, self.annotator, self.participant, self.scheme, self.track

    @property
    def holds_points(self) -> bool:
        """Whether it has entries, and all of them are points."""
        return bool(self.entries) and all(entry.start_us == entry.end_us for entry in self.entries)

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
    """

    recordings: tuple[RecordingPart, ...]
    remarks: tuple[str, ...] = ()
    unread: Mapping[str, int] = field(default_factory=dict)
    rows: Mapping[str, tuple[dict[str, Json], ...]] = field(default_factory=dict)

    def only_recording(self, what: str) -> RecordingPart:
        """Return the one recording of a document, for a file (`what`) that holds no more."""
        if len(self.recordings) != 1:
            raise UserError(f"{what} covers one recording.", "Export one recording to each file.")
        return self.recordings[0]


@dataclass(frozen=True, slots=True)
class Format:
    """One file format. It touches no study, opens no file but the one it is given, and follows no link in it.

    Attributes:
        key: on the command line, such as `eaf`.
        name: for people, such as `ELAN (.eaf)`.
        suffixes: of file names, lower case, with the dot; the first one is what a new file gets.
        recognises: tells whether a file that begins with these bytes (64 KiB at most) looks like one of this format.
        write: writes a file to a temporary path that is there and empty; the caller renames it when it is whole.
        losses: what the format cannot hold, one line each; shown before an export and listed in the docs.
        holds_several: whether one file holds several recordings.
        lossless: whether it holds `Document.rows`, the study itself, and is imported without any mapping.
    """

    key: str
    name: str
    suffixes: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[Path], Document]
    write: Callable[[Document, Path], None]
    losses: tuple[str, ...]
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
    words = (SPEECH, participant) if kind == "utterances" else (annotator, f"{scheme}.{track}".strip("."))
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
    found, number = name, 2
    while found in taken:
        found, number = f"{name} ({number})", number + 1
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


_SEPARATOR = ";"


def to_text(value: Json) -> str:
    """Write a value: a text as it is, choices as `one; two`, a number in digits; anything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and all(_is_plain_item(item) for item in value):
        return f"{_SEPARATOR} ".join(str(item) for item in value)
    return json.dumps(value, ensure_ascii=False)


def to_value(scheme: Scheme, field: Field, value: Json, participant: Callable[[str], str]) -> Json:
    """Read what a file says about a field: a choice by its key or name, a number in digits, a participant by name.

    `participant` returns the id for a pseudonym or id.
    """
    match field.kind:
        case FieldKind.TEXT:
            value = value if isinstance(value, str) or value is None else to_text(value)
        case FieldKind.CHOICE:
            value = _choice(field, value)
        case FieldKind.CHOICES:
            value = [_choice(field, item) for item in _items(field, value)]
        case FieldKind.SCALE | FieldKind.SLIDER:
            value = _number(value)
        case FieldKind.PARTICIPANT:
            value = participant(value.strip()) if isinstance(value, str) and value.strip() else None
    return scheme.check_value(field.key, value)


def _is_plain_item(item: Json) -> bool:
    return isinstance(item, str) and bool(item) and _SEPARATOR not in item and item == item.strip() and item[0] != "["


def _items(field: Field, value: Json) -> list[Json]:
    if value is None or value == "":
        return []
    if isinstance(value, list):
        return value
    if not isinstance(value, str):
        return [value]
    text = value.strip()
    if text.startswith("["):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            found = None
        if isinstance(found, list):
            return found
    if _find(field, text) is not None:
        return [text]
    separator = next((sign for sign in (_SEPARATOR, "|", ",") if sign in text), _SEPARATOR)
    return [item.strip() for item in text.split(separator) if item.strip()]


def _choice(field: Field, value: Json) -> Json:
    if not isinstance(value, str):
        return value
    return _find(field, value.strip()) or value.strip()


def _find(field: Field, text: str) -> str | None:
    if any(choice.key == text for choice in field.choices):
        return text
    folded = text.casefold()
    fits = [c.key for c in field.choices if folded in (c.key.casefold(), c.name.casefold())]
    return fits[0] if len(fits) == 1 else None


def _number(value: Json) -> Json:
    if not isinstance(value, str):
        return value
    text = value.strip()
    if not text:
        return None
    try:
        number = float(text.replace(",", ".", 1))
        return int(number) if number.is_integer() else number
    except (ValueError, OverflowError):
        return value
