"""What a screen reader says about the timeline."""

from collections.abc import Sequence

from project.timebase import format_time
from project.types import Segment
from widgets.timeline.lane import lane_of
from widgets.timeline.model import TimelineModel


def describe(model: TimelineModel, selected: Sequence[Segment], editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else " Read-only."
    if len(selected) == 1:
        return f"{describe_segment(model, selected[0])}.{read_only}"
    if selected:
        first, last = min(s.start_us for s in selected), max(s.end_us for s in selected)
        span = f"between {format_time(first)} and {format_time(last)}"
        return f"{len(selected)} segments selected, {span}.{read_only}"
    if not len(model):
        return f"No segments yet.{read_only}"
    count = "1 segment" if len(model) == 1 else f"{len(model)} segments"
    return f"{count}, none selected. Up and Down go from one to the next.{read_only}"


def describe_segment(model: TimelineModel, segment: Segment) -> str:
    """Return such as “Segment error 0:01:02.000 to 0:01:05.200, annotator A”."""
    lane = model.lane(lane_of(segment))
    label = lane.look(segment.label).name.lower() if lane else segment.label
    whose = f", annotator {lane.title}" if lane else ""
    return f"Segment {label} {format_time(segment.start_us)} to {format_time(segment.end_us)}{whose}"
