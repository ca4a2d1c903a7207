"""What an edge that is being dragged is drawn to."""

from dataclasses import dataclass

from project.timebase import FrameTimes
from widgets.timeline.model import TimelineModel


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

    def target(self, time_us: int) -> int | None:
        """Return the nearest attracting time within reach."""
        near = [t for t in self.fixed if abs(t - time_us) <= self.reach_us]
        edge = self.model.nearest_edge(time_us, self.reach_us)
        if edge is not None:
            near.append(edge)
        return min(near, key=lambda t: abs(t - time_us), default=None)

    def on_frame(self, time_us: int) -> int:
        """Return the nearest frame boundary."""
        return time_us if self.frames is None else self.frames.snap(time_us)

    def after(self, time_us: int) -> int:
        """Return the first frame boundary after a time."""
        if self.frames is None or not len(self.frames):
            return time_us + 1
        frame = self.frames.frame_at(time_us)
        following = self.frames.time_of(frame + 1)
        return following if following > time_us else max(self.frames.end_us, time_us + 1)

    def before(self, time_us: int) -> int:
        """Return the last frame boundary before a time."""
        if self.frames is None or not len(self.frames):
            return time_us - 1
        return min(self.frames.time_of(self.frames.frame_at(time_us - 1)), time_us - 1)
