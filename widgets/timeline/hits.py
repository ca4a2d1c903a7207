"""What lies under the mouse."""

from dataclasses import dataclass
from enum import StrEnum

from project.types import Segment
from widgets.timeline.lane import LaneKind
from widgets.timeline.layout import HEADER, RULER, Band
from widgets.timeline.model import TimelineModel
from widgets.timeline.stacking import MAX_ROWS
from widgets.timeline.verdicts import VerdictBar
from widgets.timeline.viewport import Viewport

EDGE_PX = 6
_SLACK_PX = 4


class Part(StrEnum):
    """Which part of the timeline."""

    NOWHERE = "nowhere"
    HEADER = "header"
    RULER = "ruler"
    LANE = "lane"
    BODY = "body"
    START = "start"
    END = "end"
    VERDICT = "verdict"


@dataclass(frozen=True, slots=True)
class Hit:
    """A point of the timeline.

    Attributes:
        part: which part it is; `BODY`, `START` and `END` are of a segment.
        time_us: at that point, inside the recording.
        band: the lane there.
        segment: the segment there.
        verdict: what a judge says there, where the part is `VERDICT`.
    """

    part: Part
    time_us: int
    band: Band | None = None
    segment: Segment | None = None
    verdict: VerdictBar | None = None


def hit(model: TimelineModel, bands: tuple[Band, ...], view: Viewport, x: float, y: float) -> Hit:
    """Return what lies at a point; `y` counts from the top of the ruler as if the lanes were not scrolled."""
    time = view.clamp(view.x_to_time(x - HEADER))
    if y < RULER:
        return Hit(Part.RULER if x >= HEADER else Part.NOWHERE, time)
    band = next((b for b in bands if b.top <= y - RULER < b.bottom), None)
    if band is None:
        return Hit(Part.NOWHERE, time)
    if x < HEADER:
        return Hit(Part.HEADER, time, band)
    if band.lane.draws_bars and not band.folded:
        row = band.row_at(y - RULER)
        found = None if row is None else _segment_at(model, band, view, x - HEADER, row)
        if band.lane.kind is LaneKind.VERDICTS and isinstance(found, VerdictBar):
            return Hit(Part.VERDICT, time, band, verdict=found)
        if found is not None:
            return Hit(_part(found, view, x - HEADER), time, band, found)
    return Hit(Part.LANE, time, band)


def _segment_at(model: TimelineModel, band: Band, view: Viewport, x: float, row: int) -> Segment | None:
    track = model.track(band.lane.key)
    near = track.touching(view.x_to_time(x - _SLACK_PX), view.x_to_time(x + _SLACK_PX))
    near = near[track.rows[near] == row]
    if not len(near):
        return None
    time = view.x_to_time(x)
    inside = near[(track.starts[near] <= time) & (track.ends[near] > time)]
    if row == MAX_ROWS and len(inside):
        return track.items[int(inside[-1])]
    return track.items[int((inside if len(inside) else near)[0])]


def _part(segment: Segment, view: Viewport, x: float) -> Part:
    left, right = view.time_to_x(segment.start_us), view.time_to_x(segment.end_us)
    grip = min(EDGE_PX, (right - left) / 4)
    if x <= left + grip and x - left <= right - x:
        return Part.START
    return Part.END if x >= right - grip else Part.BODY
