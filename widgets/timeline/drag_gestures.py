"""Computes what a drag on the timeline would do, with snapping. Nothing is changed before the drag ends."""

from dataclasses import dataclass, field
from typing import Literal, Protocol

from project.entities.study_records import Segment
from project.timebase import FrameTimes
from widgets.timeline.timeline_model import TimelineModel


@dataclass(frozen=True, slots=True)
class Snapper:
    """Draws times to the playhead, marks and edges of other segments nearby, and otherwise to the frames.

    Attributes:
        model: whose segments' edges attract; hidden ones (those being dragged) do not.
        frames: the recording's frames, where it has a picture.
        fixed: further times that attract.
        reach_us: how near is nearby.
    """

    model: TimelineModel
    frames: FrameTimes | None
    fixed: tuple[int, ...]
    reach_us: int

    def snap_target(self, time_us: int) -> int | None:
        """Return the nearest attracting time within reach."""
        near = [t for t in self.fixed if abs(t - time_us) <= self.reach_us]
        edge = self.model.nearest_edge(time_us, self.reach_us)
        if edge is not None:
            near.append(edge)
        return min(near, key=lambda t: abs(t - time_us), default=None)

    def on_frame(self, time_us: int) -> int:
        """Return the nearest frame boundary."""
        return time_us if self.frames is None else self.frames.snap(time_us)

    def frame_after(self, time_us: int) -> int:
        """Return the first frame boundary after a time."""
        if self.frames is None or not len(self.frames):
            return time_us + 1
        frame = self.frames.frame_at(time_us)
        following = self.frames.time_of(frame + 1)
        return following if following > time_us else max(self.frames.end_us, time_us + 1)

    def frame_before(self, time_us: int) -> int:
        """Return the last frame boundary before a time."""
        if self.frames is None or not len(self.frames):
            return time_us - 1
        return min(self.frames.time_of(self.frames.frame_at(time_us - 1)), time_us - 1)


Edge = Literal["start", "end"]
Placed = tuple[str, int, int]
"""A segment's id and where it would be: start and end in microseconds."""

MIN_SEGMENT_US = 1_000


class Gesture(Protocol):
    """A drag of segments or edges.

    Attributes:
        snap_us: the time an edge was drawn to, for the line that shows it.
    """

    snap_us: int | None

    @property
    def edge_us(self) -> int:
        """The edge that is moved; where a whole segment is, its start."""
        ...

    def drag(self, time_us: int, snapper: Snapper | None) -> None:
        """Follow the mouse; no snapping without a snapper."""
        ...

    def placements(self) -> list[Placed]:
        """Return where the segments would be; the id is empty for a new one."""
        ...


@dataclass(slots=True)
class Move:
    """Moving the selected segments together; the grabbed one snaps with either edge.

    Attributes:
        lane: where utterances are handed over another lane: its key; they keep their times there.
    """

    segments: list[Segment]
    grabbed: Segment
    anchor_us: int
    duration_us: int
    delta_us: int = 0
    snap_us: int | None = None
    lane: str = ""

    @property
    def edge_us(self) -> int:
        return self.grabbed.start_us + self.delta_us

    def drag(self, time_us: int, snapper: Snapper | None) -> None:
        delta, self.snap_us = time_us - self.anchor_us, None
        if self.lane:
            self.delta_us = 0
            return
        if snapper is not None:
            delta = self._snapped_delta(delta, snapper)
        lowest = -min(s.start_us for s in self.segments)
        highest = self.duration_us - max(s.end_us for s in self.segments)
        self.delta_us = max(lowest, min(delta, highest))
        if self.delta_us != delta:
            self.snap_us = None

    def _snapped_delta(self, delta: int, snapper: Snapper) -> int:
        shifts: list[tuple[int, int]] = []
        for edge in (self.grabbed.start_us, self.grabbed.end_us):
            target = snapper.snap_target(edge + delta)
            if target is not None:
                shifts.append((target - edge - delta, target))
        if shifts:
            shift, self.snap_us = min(shifts, key=lambda s: abs(s[0]))
            return delta + shift
        return snapper.on_frame(self.grabbed.start_us + delta) - self.grabbed.start_us

    def placements(self) -> list[Placed]:
        return [(s.id, s.start_us + self.delta_us, s.end_us + self.delta_us) for s in self.segments]


@dataclass(slots=True)
class Resize:
    """Dragging one edge of one segment; it never passes the other edge."""

    segment: Segment
    edge: Edge
    anchor_us: int
    duration_us: int
    time_us: int = field(init=False)
    snap_us: int | None = None

    def __post_init__(self) -> None:
        self.time_us = self.segment.start_us if self.edge == "start" else self.segment.end_us

    @property
    def edge_us(self) -> int:
        return self.time_us

    def drag(self, time_us: int, snapper: Snapper | None) -> None:
        at_first = self.segment.start_us if self.edge == "start" else self.segment.end_us
        time, self.snap_us = _snap(at_first + time_us - self.anchor_us, snapper)
        if self.edge == "start":
            last = self.segment.end_us
            self.time_us = max(0, min(time, last - MIN_SEGMENT_US if snapper is None else snapper.frame_before(last)))
        else:
            first = self.segment.start_us
            least = first + MIN_SEGMENT_US if snapper is None else snapper.frame_after(first)
            self.time_us = min(self.duration_us, max(time, least))
        if self.time_us != time:
            self.snap_us = None

    def placements(self) -> list[Placed]:
        if self.edge == "start":
            return [(self.segment.id, self.time_us, self.segment.end_us)]
        return [(self.segment.id, self.segment.start_us, self.time_us)]


@dataclass(slots=True)
class Create:
    """Drawing a new segment in a lane, in either direction, or placing a point where the mouse is."""

    lane: str
    anchor_us: int
    duration_us: int
    point: bool = False
    time_us: int = field(init=False)
    snap_us: int | None = None

    def __post_init__(self) -> None:
        self.time_us = self.anchor_us

    @property
    def edge_us(self) -> int:
        return self.time_us

    def drag(self, time_us: int, snapper: Snapper | None) -> None:
        time, self.snap_us = _snap(time_us, snapper)
        self.time_us = max(0, min(time, self.duration_us))

    def placements(self) -> list[Placed]:
        first = self.time_us if self.point else self.anchor_us
        return [("", min(first, self.time_us), max(first, self.time_us))]


def _snap(time_us: int, snapper: Snapper | None) -> tuple[int, int | None]:
    if snapper is None:
        return time_us, None
    target = snapper.snap_target(time_us)
    return (target, target) if target is not None else (snapper.on_frame(time_us), None)
