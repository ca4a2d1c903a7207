"""The horizontal bands of the timeline."""

from dataclasses import dataclass
from enum import StrEnum

from project.types import Segment
from widgets.label_looks import LabelLook, unknown_look


class LaneKind(StrEnum):
    """What a lane shows."""

    WAVEFORM = "waveform"
    SEGMENTS = "segments"
    UTTERANCES = "utterances"
    NODES = "nodes"
    SPANS = "spans"
    VERDICTS = "verdicts"


@dataclass(frozen=True, slots=True)
class Lane:
    """One band of the timeline.

    Attributes:
        key: of a lane of segments, what `lane_key` gives; else any unique word.
        title: what stands at its left.
        kind: what it shows.
        editable: whether segments, utterances or nodes can be made, moved and resized in it.
        looks: how the labels of its track look, in the scheme's order; any other label is drawn as unknown.
        subtitle: a second line under the title, such as the track's name.
        active: whether new segments go here.
        faded: its scheme is not in use.
        pale: what is in it is suggested by a model, and nobody's work.
    """

    key: str
    title: str
    kind: LaneKind = LaneKind.SEGMENTS
    editable: bool = False
    looks: tuple[LabelLook, ...] = ()
    subtitle: str = ""
    active: bool = False
    faded: bool = False
    pale: bool = False

    @property
    def has_bars(self) -> bool:
        """Whether it holds segments, utterances or nodes, which can be selected and dragged."""
        return self.kind in (LaneKind.SEGMENTS, LaneKind.UTTERANCES, LaneKind.NODES)

    @property
    def draws_bars(self) -> bool:
        """Whether it is drawn as bars; those of verdicts stand for segments and are no segments themselves."""
        return self.has_bars or self.kind is LaneKind.VERDICTS

    def look(self, label: str) -> LabelLook:
        """Return how a label looks here."""
        return next((look for look in self.looks if look.key == label), None) or unknown_look(label)


def lane_key(annotator_id: str, scheme: str = "shrec", track: str = "segments") -> str:
    """Return the key of the lane that shows one annotator's segments of one track."""
    return f"{annotator_id}/{scheme}/{track}"


def lane_of(segment: Segment) -> str:
    """Return the key of the lane that a segment is in."""
    return lane_key(segment.annotator_id, segment.scheme, segment.track)
