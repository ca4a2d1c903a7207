"""The horizontal bands of the timeline."""

from dataclasses import dataclass
from enum import StrEnum


class LaneKind(StrEnum):
    """What a lane shows."""

    WAVEFORM = "waveform"
    SEGMENTS = "segments"
    SPANS = "spans"


@dataclass(frozen=True, slots=True)
class Lane:
    """One band of the timeline.

    Attributes:
        key: of a lane of segments, the id of the annotator whose segments it shows; else any unique word.
        title: what stands at its left.
        kind: what it shows.
        editable: whether segments can be made, moved and resized in it.
    """

    key: str
    title: str
    kind: LaneKind = LaneKind.SEGMENTS
    editable: bool = False
