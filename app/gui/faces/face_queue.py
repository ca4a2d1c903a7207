"""The review queue of the mode Faces.

Lists the places that need a look, shows them as a lane, and steps between them.
"""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip

from anonymize.faces.face_review import REASON_TEXTS
from anonymize.masking.mask_coverage import CertaintySpan, Cover
from app.gui.timeline.timeline_presenter import TimelineFeed
from project.schemes.scheme import Pattern
from project.text_format import pluralize
from project.timebase import FrameTimes, format_time
from resources.translation import tr
from widgets.labels import LabelLook, Sign
from widgets.text_labels import plain_tip
from widgets.timeline.lanes import Lane, LaneKind
from widgets.timeline.timeline_view import TimelineView

CERTAINTY = "certainty"
_COVER_ORDER = (Cover.COVERED, Cover.UNCERTAIN, Cover.UNCOVERED)
_CERTAINTY_LANE = Lane(
    CERTAINTY,
    tr("Coverage"),
    LaneKind.SPANS,
    looks=(
        LabelLook(Cover.COVERED, tr("Covered"), "competence", Pattern.SOLID, Sign.TICK),
        LabelLook(Cover.UNCERTAIN, tr("Uncertain"), "uncertain", Pattern.DOTS, Sign.RING),
        LabelLook(Cover.UNCOVERED, tr("Uncovered"), "error", Pattern.HATCH, Sign.CROSS),
    ),
)


class ReviewSpans(QObject):
    """Knows the spans of the recording that is shown, and at which of the waiting ones the person is.

    Signals:
        go_requested (int): time of a frame to look at.
        place_entered (str): the track or region that the place is about, on going to it; "" for none.
        changed: other places wait, or the person is at another one.
    """

    go_requested = Signal(object)
    place_entered = Signal(str)
    changed = Signal()

    def __init__(self, timeline: TimelineView, feed: TimelineFeed, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._timeline = timeline
        self._feed = feed
        self._shown = False
        self._times: FrameTimes | None = None
        self.spans: list[CertaintySpan] = []
        self.waiting: list[CertaintySpan] = []
        self.current: CertaintySpan | None = None
        timeline.viewport().installEventFilter(self)

    def set_spans(
        self, times: FrameTimes | None, spans: Sequence[CertaintySpan], waiting: Sequence[CertaintySpan]
    ) -> None:
        """Take other spans; who was at a place that is still there stays at it."""
        self._times, self.spans, self.waiting = times, list(spans), list(waiting)
        if self.current not in self.waiting:
            self.current = None
        self._update_band()
        self.changed.emit()

    def set_band_visible(self, shown: bool) -> None:
        """Show the band on the timeline, or not."""
        self._shown = shown
        self._update_band()

    def step(self, step: int) -> None:
        """Go to the next place of the queue (1), or to the one before (-1)."""
        if not self.waiting:
            return
        if self.current in self.waiting:
            at = (self.waiting.index(self.current) + step) % len(self.waiting)
        else:
            at = 0 if step > 0 else len(self.waiting) - 1
        self._go_to(self.waiting[at])

    def leave_current(self) -> None:
        """Go on from a place that was dealt with: to the one after it, before the queue is worked out again."""
        if self.current not in self.waiting:
            return
        at = self.waiting.index(self.current)
        self.waiting.remove(self.current)
        self.current = None
        if self.waiting:
            self._go_to(self.waiting[min(at, len(self.waiting) - 1)])
        else:
            self.changed.emit()

    def note_playhead(self, time_us: int) -> None:
        """Note where the playhead is: the waiting place under it is the one that is looked at."""
        here = self.span_at(time_us)
        found = here if here is not None and here.state is not Cover.COVERED else None
        if found is not None and found != self.current and found in self.waiting:
            self.current = found
            self.changed.emit()

    def span_at(self, time_us: int) -> CertaintySpan | None:
        """Return the span that a time lies in."""
        if not self.spans:
            return None
        starts = np.fromiter((span.start_us for span in self.spans), np.int64, len(self.spans))
        return self.spans[max(0, int(np.searchsorted(starts, time_us, side="right")) - 1)]

    def remaining_text(self) -> str:
        """Say how many places are left."""
        if not self.waiting:
            return tr("Nothing left to look at")
        bare = sum(certainty_span.state is Cover.UNCOVERED for certainty_span in self.waiting)
        kind = tr("uncertain place") if not bare else tr("uncovered place") if bare == len(self.waiting) else "place"
        more = tr(", {bare} uncovered").format(bare=bare) if 0 < bare < len(self.waiting) else ""
        return tr("{count} left{more}").format(count=pluralize(len(self.waiting), kind), more=more)

    def reason_text(self) -> str:
        """Say why the place that is looked at needs it."""
        return "" if self.current is None else REASON_TEXTS[self.current.reason]

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Explain the band under the mouse."""
        if event.type() != QEvent.Type.ToolTip or not isinstance(event, QHelpEvent) or not self._shown:
            return False
        hit = self._timeline.hit(event.pos().toPointF())
        if hit.band is None or hit.band.lane.key != CERTAINTY:
            QToolTip.hideText()
            return False
        span = self.span_at(hit.time_us)
        if span is None:
            return False
        words = f"{span.state.value.capitalize()}: {REASON_TEXTS[span.reason]}"
        when = tr("{start_us} to {end_us}").format(start_us=format_time(span.start_us), end_us=format_time(span.end_us))
        QToolTip.showText(event.globalPos(), plain_tip(f"{words}\n{when}"), self._timeline.viewport())
        return True

    def _go_to(self, place: CertaintySpan) -> None:
        self.current = place
        if self._times is not None:
            self.go_requested.emit(self._times.time_of(place.frame))
        self.place_entered.emit(place.track_id or "")
        self.changed.emit()

    def _update_band(self) -> None:
        self._feed.set_certainty(_CERTAINTY_LANE if self._shown and self.spans else None)
        if self._shown:
            kinds = [_COVER_ORDER.index(span.state) for span in self.spans]
            self._timeline.set_spans(CERTAINTY, [(span.start_us, span.end_us) for span in self.spans], kinds)
