"""Timelines of 100 s on exactly 1000 pixels, 0.1 s a pixel, and what they ask for."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Signal
from pytestqt.qtbot import QtBot

from project.entities.study_records import Segment, Verdict
from project.timebase import FrameTimes
from widgets.timeline.lanes import Lane
from widgets.timeline.timeline_layout import HEADER, RULER
from widgets.timeline.timeline_view import TimelineView

DURATION = 100_000_000
Requests = dict[str, list[tuple[object, ...]]]
_KINDS = ("segment_requests", "utterance_requests", "node_requests")


def show_timeline(
    qtbot: QtBot, lanes: Sequence[Lane], bars: Sequence[Segment] = (), frames: FrameTimes | None = None
) -> TimelineView:
    """Show a timeline with lanes and what lies on them."""
    view = TimelineView()
    qtbot.addWidget(view)
    view.set_lanes(lanes)
    view.set_recording(DURATION, *([frames] if frames else []))
    view.resize(HEADER + 1000, 320)
    view.show()
    qtbot.waitExposed(view)
    view.set_segments(bars)
    return view


def record_requests(view: TimelineView) -> Requests:
    """Return what each signal of a timeline is emitted with from now on, by its name."""
    requests: Requests = {}
    for prefix, source in (("", view), *((f"{kind}.", getattr(view, kind)) for kind in _KINDS)):
        for name in [name for name in dir(type(source)) if isinstance(getattr(type(source), name), Signal)]:
            requests[prefix + name] = []
            getattr(source, name).connect(lambda *values, key=prefix + name: requests[key].append(values))
    return requests


def lane_point(view: TimelineView, second: float, lane: str) -> QPointF:
    """Return the middle of the first row of a lane at a time."""
    band = next(band for band in view.bands if band.lane.key == lane)
    top = RULER + band.row_top(0) - view.scroll_y()
    return QPointF(HEADER + view.view.time_to_x(second * 1e6), top + band.row_height / 2)


def span(name: str, start_s: float, end_s: float, verdict: Verdict = Verdict.ERROR, lane: str = "a") -> Segment:
    """Return a segment of somebody."""
    return Segment(name, "r", lane, verdict, round(start_s * 1e6), round(end_s * 1e6))
