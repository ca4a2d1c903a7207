"""The records of a study as frozen dataclasses. Times are integer microseconds on the recording's own axis.

The recording's axis starts where its main medium's container starts: a picture stream that begins 1.7 s after the sound
has its first frame at 1_700_000.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import IntEnum, StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

from project.entities.transcript import Words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None
else:
    # `project.codec` reads annotations when the program runs, and cannot read a recursive alias.
    Json = Any


# A face track whose best hit scores less is doubtful.
DOUBTFUL_SCORE = 0.35


class Verdict(StrEnum):
    """What a segment says about the agent's behaviour (SHREC, section 3)."""

    ERROR = "error"
    COMPETENCE = "competence"
    NONE = "none"


class Channel(StrEnum):
    """Where the evidence of a segment is."""

    VERBAL = "verbal"
    NONVERBAL = "nonverbal"
    BOTH = "both"


class MediumRole(StrEnum):
    """What a media file is to its recording."""

    MAIN = "main"
    CAMERA = "camera"
    MICROPHONE = "microphone"
    CHAPTER = "chapter"


class ParticipantRole(StrEnum):
    """Who a participant is in the interaction; a character of an episode, whoever plays it."""

    USER = "user"
    ROBOT = "robot"
    BYSTANDER = "bystander"
    CHARACTER = "character"


class ConsentUse(StrEnum):
    """What a participant may consent to; denied until given."""

    ANNOTATE = "annotate"
    RELEASE = "release"
    MODELS = "models"


class VariableKind(StrEnum):
    """What the values of a variable of participants are."""

    NUMBER = "number"
    CHOICE = "choice"
    """One of a few words, such as a group or a condition."""
    TEXT = "text"


class Origin(IntEnum):
    """How the box of a face in one frame came about."""

    DETECTED = 0
    TRACKED = 1
    INTERPOLATED = 2
    DRAWN = 3


@dataclass(frozen=True, slots=True)
class VideoFacts:
    """What probing found out about the picture stream of a file.

    Attributes:
        codec: FFmpeg's name, such as `h264`.
        width: of the picture as it is shown, in pixels, after rotation.
        height: of the picture as it is shown, in pixels, after rotation.
        rotation: clockwise degrees that were applied: 0, 90, 180 or 270.
        frame_rate: average, in frames a second.
        variable_rate: whether the gaps between frames differ.
        frames: number of frames.
        start_us: time of the first frame on the recording's axis.
        duration_us: from the first frame to the end of the last.
        pixel_format: FFmpeg's name, such as `yuv420p10le`.
        bit_depth: bits a component.
    """

    codec: str
    width: int
    height: int
    rotation: int
    frame_rate: float
    variable_rate: bool
    frames: int
    start_us: int
    duration_us: int
    pixel_format: str
    bit_depth: int


@dataclass(frozen=True, slots=True)
class AudioFacts:
    """What probing found out about the sound of a file.

    Attributes:
        codec: FFmpeg's name, such as `aac`.
        sample_rate: in samples a second.
        channels: how many.
        start_us: time of the first sample on the recording's axis.
        duration_us: from the first sample to the end of the last.
        track: which of the file's sound tracks is used everywhere, from 1.
        tracks: how many the file has.
    """

    codec: str
    sample_rate: int
    channels: int
    start_us: int
    duration_us: int
    track: int = 1
    tracks: int = 1


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """What probing found out about a file; either stream may be missing, not both.

    `missing_us` is how much the file lacks at its end of what it declares, at least: it was cut off or is damaged.
    """

    container: str
    duration_us: int
    size_bytes: int
    video: VideoFacts | None
    audio: AudioFacts | None
    missing_us: int = 0


@dataclass(frozen=True, slots=True)
class Collection:
    """A sub-study with the agent's own context, such as "wellness coach robot"."""

    id: str
    name: str
    agent_context: str = ""


@dataclass(frozen=True, slots=True)
class Recording:
    """One interaction; `number` is what people call it in the study, from 1."""

    id: str
    collection_id: str
    number: int
    name: str
    duration_us: int


@dataclass(frozen=True, slots=True)
class Medium:
    """One file of a recording.

    Attributes:
        path: relative to the study's folder, with forward slashes; absolute only where no relative path exists.
        fingerprint: of the content, so that a moved file is found again.
        offset_us: where the file's own zero lies on the recording's axis.
        position: order among the recording's files of the same role (chapters), from 0.
    """

    id: str
    recording_id: str
    role: MediumRole
    position: int
    offset_us: int
    path: str
    fingerprint: str
    facts: MediaFacts

    @property
    def sound_track(self) -> int:
        """Which of the file's sound tracks is used, from 1; 0 where it has no sound."""
        return self.facts.audio.track if self.facts.audio else 0


@dataclass(frozen=True, slots=True)
class Participant:
    """A person or agent under a pseudonym, the same one in every recording of the study."""

    id: str
    pseudonym: str
    role: ParticipantRole
    note: str = ""


@dataclass(frozen=True, slots=True)
class ParticipantVariable:
    """What is known of a participant, such as their age, group or condition; all of one name have one kind.

    Attributes:
        value: as it was typed; a number as digits.
    """

    participant_id: str
    name: str
    kind: VariableKind
    value: str


@dataclass(frozen=True, slots=True)
class Annotator:
    """Who made a judgement; `kind` is `person`, `model`, or `adjudicated` for a lane made from several people's."""

    id: str
    name: str
    kind: str = "person"


POINT_CONTEXT_US = 1_000_000
"""How much is shown before and after a point, to people and to judges."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A span or a point of one recording with a label; what was filled in about it are its `FieldValue` rows.

    A point ends where it starts. In the SHREC scheme the label is the verdict, a `Verdict`.
    """

    id: str
    recording_id: str
    annotator_id: str
    label: str
    start_us: int
    end_us: int
    scheme: str = "shrec"
    track: str = "segments"

    @property
    def is_point(self) -> bool:
        """Whether it is a moment without length."""
        return self.start_us == self.end_us

    def shown_span(self, duration_us: int) -> tuple[int, int]:
        """Return what is played and shown of it, in a recording of this length: a point has some time around it."""
        if not self.is_point:
            return self.start_us, self.end_us
        return max(0, self.start_us - POINT_CONTEXT_US), min(duration_us, self.end_us + POINT_CONTEXT_US)


def point_in_span(start_us: int, end_us: int, duration_us: int) -> int:
    """Return the point of which `Segment.shown_span` gives this span, in a recording of this length."""
    if end_us < duration_us:
        return max(start_us, end_us - POINT_CONTEXT_US)
    return min(end_us, start_us + POINT_CONTEXT_US) if start_us else (start_us + end_us) // 2


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One field of a segment's form, under the scheme and version it was filled in with."""

    segment_id: str
    scheme: str
    version: int
    field: str
    value: Json


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one participant says in one go.

    Attributes:
        participant_id: None while nobody knows who speaks.
        words: with their times, where somebody measured them.
        checked: False for what a model heard, or a file brought, and nobody looked at.
        suggested: the speaker is a guess of the program.
    """

    id: str
    recording_id: str
    start_us: int
    end_us: int
    text: str
    participant_id: str | None = None
    words: Words = ()
    checked: bool = True
    suggested: bool = False


class WorkPurpose(StrEnum):
    """Why a recording is given to an annotator."""

    WORK = "work"
    TRAINING = "training"


@dataclass(frozen=True, slots=True)
class Assignment:
    """One recording for one annotator, as the study's owner planned it."""

    recording_id: str
    annotator_id: str
    purpose: WorkPurpose = WorkPurpose.WORK


class ReviewDecision(StrEnum):
    """What a reviewer says about somebody else's segment (SHREC, appendix H)."""

    AGREE = "agree"
    DISAGREE = "disagree"


MAX_NOTE_CHARS = 2_000
"""The most characters that the note of a review has."""


@dataclass(frozen=True, slots=True)
class Review:
    """What one annotator says about a segment that another made; `at` is UTC, ISO 8601."""

    segment_id: str
    reviewer_id: str
    decision: ReviewDecision
    note: str
    at: str


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on a segment; it changes nothing about it."""

    id: str
    segment_id: str
    annotator_id: str
    text: str
    at: str
    resolved: bool = False


@dataclass(frozen=True, slots=True)
class FaceReview:
    """That somebody reviewed all faces of a recording, in a state of its masks; another state is not reviewed."""

    recording_id: str
    annotator_id: str
    state: str
    at: str


@dataclass(frozen=True, slots=True)
class SeenSpan:
    """That somebody looked at a stretch in which it was uncertain whether a face shows, and found all covered."""

    recording_id: str
    annotator_id: str
    start_us: int
    end_us: int
    at: str


MIN_REASON_WORDS = 3
"""The fewest words of the reason of a waiver, or of a policy under which raw footage leaves."""


@dataclass(frozen=True, slots=True)
class Waiver:
    """That a rule of the release does not hold for a recording, or for the study where `recording_id` is None."""

    id: str
    recording_id: str | None
    rule: str
    reason: str
    annotator_id: str
    at: str


@dataclass(frozen=True, slots=True)
class Run:
    """One run of a model or a renderer over a recording; never changed after it was stored.

    Attributes:
        kind: `faces`, `anonymize`, ...
        backend: which entry of the registry did it.
        parameters: everything needed to do it again.
        result: facts about the run as a whole: frames, seconds, output, faces left.
    """

    id: str
    recording_id: str
    kind: str
    backend: str
    parameters: Mapping[str, Json]
    result: Mapping[str, Json]
    finished_at: str
    program_version: str


@dataclass(frozen=True, slots=True, eq=False)
class FaceTrack:
    """The boxes of one face over a run of frames.

    Attributes:
        frames: (n,) int32, ascending frame indices of the medium.
        times_us: (n,) int64, time stamps of those frames.
        boxes: (n, 4) float32, x, y, width, height in pixels of the picture as it is shown; may reach outside it.
        scores: (n,) float32, the detector's confidence; that of the nearest detection where there was none.
        origins: (n,) uint8, values of `Origin`.
        participant_id: whose face it is, where somebody said so.
        dismissed: somebody said that it is not a face.
    """

    id: str
    frames: "NDArray[np.int32]"
    times_us: "NDArray[np.int64]"
    boxes: "NDArray[np.float32]"
    scores: "NDArray[np.float32]"
    origins: "NDArray[np.uint8]"
    participant_id: str | None = None
    dismissed: bool = False

    @property
    def is_doubtful(self) -> bool:
        """Whether the detector was never sure of it. It is hidden like any other until somebody dismisses it."""
        return float(self.scores.max(initial=0)) < DOUBTFUL_SCORE

    def box_at(self, time_us: int, tolerance_us: int = 0) -> "NDArray[np.float32] | None":
        """Return the (4,) box of the frame shown at `time_us`, or None where the track has no box.

        `tolerance_us` is how long after its last frame a track still counts (one frame's duration).
        """
        i = int(self.times_us.searchsorted(time_us, side="right")) - 1
        if i < 0:
            return None
        last = i == len(self.times_us) - 1
        if last and time_us > int(self.times_us[i]) + tolerance_us:
            return None
        box: NDArray[np.float32] = self.boxes[i]
        return box


@dataclass(frozen=True, slots=True)
class Changes:
    """Which rows an edit touched: table name to ids."""

    tables: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[str, str]]) -> "Changes":
        """Build from (table, id) pairs."""
        found: dict[str, set[str]] = {}
        for table, row in pairs:
            found.setdefault(table, set()).add(row)
        return cls(MappingProxyType({table: frozenset(rows) for table, rows in found.items()}))

    def ids(self, table: str) -> frozenset[str]:
        """Return the ids touched in `table`."""
        return self.tables.get(table, frozenset())

    def __iter__(self) -> Iterator[str]:
        return iter(self.tables)

    def __bool__(self) -> bool:
        return bool(self.tables)

    def __or__(self, other: "Changes") -> "Changes":
        both = {table: self.ids(table) | other.ids(table) for table in (*self.tables, *other.tables)}
        return Changes(MappingProxyType(both))
