"""What every interchange format reads into and writes from: lanes of entries, without any scheme of ours.

A reader fills a `Document` and knows nothing of the study; `mapping` says which lane of it becomes what; `importing`
writes that as one step. An exporter is given a `Document` made by `exporting` and knows nothing of the study either.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from project.types import Json


def nothing() -> Mapping[str, Json]:
    """Return values of which there are none."""
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Entry:
    """One annotation: a span, or a point where both times are equal.

    Attributes:
        start_us: on the recording's axis.
        end_us: on the recording's axis, not before the start.
        text: what the annotation says, as the format has it: a label, a modifier string, words.
        values: everything else that the format knows about it, by name: form fields, modifiers, comments.
        id: of the segment or utterance, in files that we wrote; "" or whatever the file has otherwise. Only a UUID is
            taken for one of ours.
    """

    start_us: int
    end_us: int
    text: str
    values: Mapping[str, Json] = field(default_factory=nothing)
    id: str = ""


@dataclass(frozen=True, slots=True)
class Lane:
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
    entries: tuple[Entry, ...]
    kind: str = "segments"
    annotator: str = ""
    participant: str = ""
    scheme: str = ""
    track: str = ""
    vocabulary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MediaLink:
    """A media file as the file names it: never opened or resolved by a reader."""

    path: str
    offset_us: int = 0


@dataclass(frozen=True, slots=True)
class RecordingPart:
    """What a document says about one recording; `duration_us` is 0 where the format does not say."""

    name: str
    lanes: tuple[Lane, ...]
    media: tuple[MediaLink, ...] = ()
    duration_us: int = 0
    id: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """The content of one interchange file.

    Attributes:
        recordings: one or several (a BORIS project has many observations).
        remarks: one line for each thing that the file has and that was left out, for the preview.
        rows: table -> rows as the study holds them, in the one format that is lossless; empty otherwise.
    """

    recordings: tuple[RecordingPart, ...]
    remarks: tuple[str, ...] = ()
    rows: Mapping[str, tuple[dict[str, Json], ...]] = field(default_factory=lambda: MappingProxyType({}))
