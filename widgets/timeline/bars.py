"""Which kind of bar something on the timeline is."""

from project.types import Segment
from widgets.timeline.lane import LaneKind
from widgets.timeline.nodes import is_node
from widgets.timeline.spoken import is_spoken


def kind_of(bar: Segment | None) -> LaneKind:
    """Return which kind of lane a bar belongs in."""
    if is_spoken(bar):
        return LaneKind.UTTERANCES
    return LaneKind.NODES if is_node(bar) else LaneKind.SEGMENTS
