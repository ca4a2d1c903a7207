"""The geometry of the timeline.

Maps times to pixels, places lanes and rows, computes ruler ticks, and finds what lies under a point.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from project.entities.study_records import Segment
from project.timebase import format_time
from widgets import theme
from widgets.timeline.lanes import Lane, LaneKind, VerdictBar
from widgets.timeline.timeline_model import MAX_ROWS, TimelineModel

HEADER = 132
RULER = 28
FOLDED_HEIGHT = 20
_WAVEFORM_HEIGHT = 56
_SPANS_HEIGHT = 24
_VERDICT_HEIGHT = 12
_PAD = 4
_GAP = 2
_OVERFLOW_HEIGHT = 12


def header_width() -> int:
    """Return the width of the titles; a multiple of four, so that it is whole device pixels at 1.25, 1.5 and 1.75."""
    return 4 * theme.scaled(HEADER / 4)


def ruler_height() -> int:
    """Return the height of the ruler."""
    return theme.scaled(RULER)


@dataclass(frozen=True, slots=True)
class Band:
    """One lane's place.

    Attributes:
        lane: the lane.
        top: from the top of the first lane.
        height: of the whole lane.
        rows: sub-rows that are drawn.
        row_height: of each.
        overflows: whether a strip for what found no row lies under them.
        folded: only a summary is drawn.
    """

    lane: Lane
    top: int
    height: int
    rows: int = 1
    row_height: int = 0
    overflows: bool = False
    folded: bool = False

    @property
    def bottom(self) -> int:
        """First pixel below."""
        return self.top + self.height

    def row_top(self, row: int) -> int:
        """Top of a sub-row, from the top of the first lane; the overflow strip's for `MAX_ROWS`."""
        return self.top + _PAD + min(row, self.rows) * (self.row_height + _GAP)

    def row_at(self, y: float) -> int | None:
        """Return the sub-row at a height, or None between them; `MAX_ROWS` in the overflow strip."""
        row, rest = divmod(y - self.top - _PAD, self.row_height + _GAP)
        if 0 <= row < self.rows and rest <= self.row_height:
            return int(row)
        return MAX_ROWS if self.overflows and row == self.rows else None


def lay_out_lanes(model: TimelineModel) -> tuple[Band, ...]:
    """Return the place of every lane, from top to bottom."""
    bands: list[Band] = []
    top = 0
    for lane in model.lanes:
        band = _lay_out_lane(model, lane, top)
        bands.append(band)
        top = band.bottom
    return tuple(bands)


def _lay_out_lane(model: TimelineModel, lane: Lane, top: int) -> Band:
    if lane.key in model.folded:
        height = theme.scaled(FOLDED_HEIGHT)
        return Band(lane, top, height, 1, height - 2 * _PAD, folded=True)
    if lane.kind in (LaneKind.WAVEFORM, LaneKind.SPANS):
        height = theme.scaled(_WAVEFORM_HEIGHT if lane.kind is LaneKind.WAVEFORM else _SPANS_HEIGHT)
        return Band(lane, top, height, 1, height - 2 * _PAD)
    track = model.track(lane.key)
    rows = track.row_count
    if lane.kind is LaneKind.VERDICTS:
        height = (
            2 * _PAD
            + rows * (_VERDICT_HEIGHT + _GAP)
            - _GAP
            + (theme.scaled(_OVERFLOW_HEIGHT) if track.overflows else 0)
        )
        return Band(lane, top, height, rows, _VERDICT_HEIGHT, track.overflows)
    row_height = theme.scaled(24 if rows <= 2 else 20 if rows <= 4 else 14)
    height = 2 * _PAD + rows * (row_height + _GAP) - _GAP + (theme.scaled(_OVERFLOW_HEIGHT) if track.overflows else 0)
    return Band(lane, top, height, rows, row_height, track.overflows)


MIN_US_PER_PX = 100.0
"""Closest zoom: a frame at 30 frames a second is then 333 pixels wide."""


@dataclass(frozen=True, slots=True)
class Viewport:
    """A window onto the recording's axis.

    Attributes:
        start_us: time at the left edge.
        us_per_px: microseconds a logical pixel.
        width: logical pixels.
        duration_us: of the recording; the window never leaves it.
    """

    start_us: float = 0.0
    us_per_px: float = 1000.0
    width: int = 1
    duration_us: int = 0

    @property
    def end_us(self) -> float:
        """Time at the right edge."""
        return self.start_us + self.width * self.us_per_px

    @property
    def fit_us_per_px(self) -> float:
        """The zoom at which the whole recording is as wide as the window."""
        return max(MIN_US_PER_PX, self.duration_us / max(1, self.width))

    def time_to_x(self, time_us: float) -> float:
        """Return the pixel, counted from the left edge, at which a time lies."""
        return (time_us - self.start_us) / self.us_per_px

    def x_to_time(self, x: float) -> int:
        """Return the time at a pixel, not clamped to the recording."""
        return round(self.start_us + x * self.us_per_px)

    def clamp(self, time_us: int) -> int:
        """Return the nearest time inside the recording."""
        return min(max(time_us, 0), self.duration_us)

    def clamped(self) -> "Viewport":
        """Return this window brought back inside the recording and the zoom limits."""
        us_per_px = min(max(self.us_per_px, MIN_US_PER_PX), self.fit_us_per_px)
        last = max(0.0, self.duration_us - self.width * us_per_px)
        return replace(self, us_per_px=us_per_px, start_us=min(max(self.start_us, 0.0), last))

    def zoomed(self, factor: float, x: float) -> "Viewport":
        """Return a window that shows `factor` times less, with the time at pixel `x` staying there."""
        us_per_px = min(max(self.us_per_px / factor, MIN_US_PER_PX), self.fit_us_per_px)
        anchor = self.start_us + x * self.us_per_px
        return replace(self, us_per_px=us_per_px, start_us=anchor - x * us_per_px).clamped()

    def panned(self, pixels: float) -> "Viewport":
        """Return a window further right by `pixels`."""
        return replace(self, start_us=self.start_us + pixels * self.us_per_px).clamped()

    def showing(self, start_us: float, end_us: float) -> "Viewport":
        """Return the window whose edges are these two times."""
        return replace(self, start_us=start_us, us_per_px=max(1.0, end_us - start_us) / max(1, self.width)).clamped()

    def resized(self, width: int) -> "Viewport":
        """Return a window of another width with the same left edge; one that showed everything still does.

        A window that was not laid out yet keeps both edges.
        """
        if self.width <= 1:
            return replace(self, width=max(1, width)).showing(self.start_us, self.end_us)
        whole = self.us_per_px >= self.fit_us_per_px
        changed = replace(self, width=max(1, width))
        return replace(changed, us_per_px=changed.fit_us_per_px if whole else self.us_per_px).clamped()


EDGE_PX = 6
_SLACK_PX = 4
POINT_PX = 14
"""Width of the plate of a point."""


class TimelineHitPart(StrEnum):
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
class TimelineHit:
    """A point of the timeline.

    Attributes:
        part: which part it is; `BODY`, `START` and `END` are of a segment.
        time_us: at that point, inside the recording.
        band: the lane there.
        segment: the segment there.
        verdict: what a judge says there, where the part is `VERDICT`.
    """

    part: TimelineHitPart
    time_us: int
    band: Band | None = None
    segment: Segment | None = None
    verdict: VerdictBar | None = None


def hit_test(model: TimelineModel, bands: tuple[Band, ...], view: Viewport, x: float, y: float) -> TimelineHit:
    """Return what lies at a point; `y` counts from the top of the ruler as if the lanes were not scrolled."""
    time = view.clamp(view.x_to_time(x - header_width()))
    if y < ruler_height():
        return TimelineHit(TimelineHitPart.RULER if x >= header_width() else TimelineHitPart.NOWHERE, time)
    band = next((b for b in bands if b.top <= y - ruler_height() < b.bottom), None)
    if band is None:
        return TimelineHit(TimelineHitPart.NOWHERE, time)
    if x < header_width():
        return TimelineHit(TimelineHitPart.HEADER, time, band)
    if band.lane.draws_bars and not band.folded:
        row = band.row_at(y - ruler_height())
        found = None if row is None else _segment_at(model, band, view, x - header_width(), row)
        if band.lane.kind is LaneKind.VERDICTS and isinstance(found, VerdictBar):
            return TimelineHit(TimelineHitPart.VERDICT, time, band, verdict=found)
        if found is not None:
            return TimelineHit(_bar_part(found, view, x - header_width()), time, band, found)
    return TimelineHit(TimelineHitPart.LANE, time, band)


def _segment_at(model: TimelineModel, band: Band, view: Viewport, x: float, row: int) -> Segment | None:
    track = model.track(band.lane.key)
    reach = POINT_PX / 2 + 1 if band.lane.points else _SLACK_PX
    near = track.touching(view.x_to_time(x - reach), view.x_to_time(x + reach))
    near = near[track.rows[near] == row]
    if not len(near):
        return None
    time = view.x_to_time(x)
    if band.lane.points:
        return track.items[int(near[np.argmin(np.abs(track.starts[near] - time))])]
    inside = near[(track.starts[near] <= time) & (track.ends[near] > time)]
    if row == MAX_ROWS and len(inside):
        return track.items[int(inside[-1])]
    return track.items[int((inside if len(inside) else near)[0])]


def _bar_part(segment: Segment, view: Viewport, x: float) -> TimelineHitPart:
    if segment.is_point:
        return TimelineHitPart.BODY
    left, right = view.time_to_x(segment.start_us), view.time_to_x(segment.end_us)
    grip = min(EDGE_PX, (right - left) / 4)
    if x <= left + grip and x - left <= right - x:
        return TimelineHitPart.START
    return TimelineHitPart.END if x >= right - grip else TimelineHitPart.BODY


_MS, _S = 1_000, 1_000_000
_TICK_STEPS = (
    (_MS, 5), (2 * _MS, 4), (5 * _MS, 5), (10 * _MS, 5), (20 * _MS, 4), (50 * _MS, 5),
    (100 * _MS, 5), (200 * _MS, 4), (500 * _MS, 5),
    (_S, 5), (2 * _S, 4), (5 * _S, 5), (10 * _S, 5), (15 * _S, 3), (30 * _S, 6),
    (60 * _S, 6), (120 * _S, 4), (300 * _S, 5), (600 * _S, 5), (900 * _S, 3), (1800 * _S, 6),
    (3600 * _S, 6), (7200 * _S, 4), (21600 * _S, 6),
)  # fmt: skip
"""Distances between labels, and into how many parts the small ticks cut them."""
LABEL_PX = 96


@dataclass(frozen=True, slots=True)
class RulerTicks:
    """Times of the ticks in a view: of those with a label, and of the small ones."""

    labelled: tuple[int, ...]
    small: tuple[int, ...]
    step_us: int


def ruler_ticks(view: Viewport, start_us: float, end_us: float) -> RulerTicks:
    """Return the ticks from one time to another at the view's zoom."""
    step, parts = next((s for s in _TICK_STEPS if s[0] >= theme.scaled(LABEL_PX) * view.us_per_px), _TICK_STEPS[-1])
    part = step // parts
    end = min(end_us, view.duration_us)
    first = max(0, int(start_us) // step)
    labelled = tuple(range(first * step, int(end) + 1, step))
    small = tuple(t for t in range(first * step, int(end) + 1, part) if t % step)
    return RulerTicks(labelled, small, step)


def tick_label(time_us: int, step_us: int) -> str:
    """Write a tick's time: h:mm:ss, with milliseconds only where ticks are closer than a second."""
    text = format_time(time_us)
    return text if step_us < _S else text[:-4]
