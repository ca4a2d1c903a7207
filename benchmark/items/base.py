"""What items are drawn from, by which rule, and what was drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from project.schemes.scheme import Scheme
from project.types import Json


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing of a study that could become an item.

    Attributes:
        about: as `About.key`; "" for a stretch that nobody marked.
        collection_id: of its recording.
        start_us: of what is shown, on the recording's axis.
        end_us: of what is shown, on the recording's axis.
        made_from: checksum over it.
        content: what its item will freeze; see `project.item_sets.FrozenItem`.
    """

    about: str
    recording_id: str
    collection_id: str
    start_us: int
    end_us: int
    made_from: str
    content: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Pool:
    """Everything that the items of a task can be drawn from.

    Attributes:
        candidates: in any order: what is drawn does not depend on it.
        left_out: why something of the study is no candidate, as a clause -> how often.
        scheme: of the segments that the candidates are; None for anything else.
        track: of these segments.
        gaps: stretches that nobody marked, out of which negatives can be cut.
    """

    candidates: Sequence[Candidate]
    left_out: Mapping[str, int] = field(default_factory=dict)
    scheme: Scheme | None = None
    track: str = ""
    gaps: Sequence[Candidate] = ()


@dataclass(frozen=True, slots=True)
class Rule:
    """How a draw is made.

    Attributes:
        size: items at most; 0 for all there are.
        stratify: whether each collection gives the same number.
        more: what a task understands beside that, as JSON: `shares` of the classes, by label; `negatives`.
    """

    size: int
    stratify: bool = False
    more: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Drawn:
    """The items of one draw, in their order, and what was left out and why."""

    items: Sequence[Candidate]
    left_out: Mapping[str, int] = field(default_factory=dict)
