"""The timeline view: ruler, waveform and a lane for each annotator and track, described for screen readers too."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRect, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QWidget

from project.entities.study_records import POINT_CONTEXT_US, Segment
from project.timebase import FrameTimes, format_time
from resources.translation import tr
from widgets.accessibility import Role
from widgets.text_labels import semibold
from widgets.timeline import timeline_layout, timeline_painter
from widgets.timeline.drag_gestures import Gesture, Snapper
from widgets.timeline.lanes import (
    Lane,
    LaneKind,
    SpokenBar,
    VerdictBar,
    bar_kind,
    is_node,
    is_utterance,
    kind_name,
    lane_key_of,
    node_bar_tooltip,
    verdict_tooltip,
)
from widgets.timeline.point_painter import REACH_PX
from widgets.timeline.scene import Clock, PeakSource, Requests
from widgets.timeline.time_area import FollowMode, PlayheadFollower, TimeArea
from widgets.timeline.timeline_input import Keyboard, TimelineMouseHandler
from widgets.timeline.timeline_layout import Band, Viewport, header_width, lay_out_lanes, ruler_height
from widgets.timeline.timeline_model import TimelineModel

_NAMES = {LaneKind.SEGMENTS: "segment", LaneKind.UTTERANCES: "utterance", LaneKind.NODES: "node"}


def describe_selection(model: TimelineModel, selected: Sequence[Segment], editable: bool) -> str:
    """Return the selection in words, or what is there to select."""
    read_only = "" if editable else tr(" Read-only.")
    if len(selected) == 1:
        return f"{describe_segment(model, selected[0])}.{read_only}"
    if selected:
        first, last = min(s.start_us for s in selected), max(s.end_us for s in selected)
        span = tr("between {first} and {last}").format(first=format_time(first), last=format_time(last))
        kinds = Counter(bar_kind(segment) for segment in selected)
        chosen = [_count_text(kinds[kind], name) for kind, name in _NAMES.items()]
        return tr("{list} selected, {span}.{read_only}").format(
            list=tr(" and ").join(text for text in chosen if text), span=span, read_only=read_only
        )
    shown = [_count_text(model.count(kind), name) for kind, name in _NAMES.items()]
    count = tr(" and ").join(text for text in shown if text)
    if not count:
        return tr("No segments yet.{read_only}").format(read_only=read_only)
    return tr("{count}, none selected. Up and Down go from one to the next.{read_only}").format(
        count=count, read_only=read_only
    )


def utterance_tooltip(model: TimelineModel, spoken_bar: SpokenBar) -> str:
    """Return an utterance as rich text for a tooltip: who, when, the words, and what to look at."""
    lane = model.lane(lane_key_of(spoken_bar))
    span = tr("{start_us} to {end_us}").format(
        start_us=format_time(spoken_bar.start_us), end_us=format_time(spoken_bar.end_us)
    )
    parts = [
        f"<b>{escape(lane.title if lane else '')}</b> {span}",
        escape(spoken_bar.text) or tr("<i>no words yet</i>"),
    ]
    parts += [f"<i>{escape(note[0].upper() + note[1:])}</i>" for note in (spoken_bar.flag, spoken_bar.hint) if note]
    return semibold("<br>".join(parts))


def _count_text(count: int, what: str) -> str:
    return "" if not count else f"{count} {what}{'s' * (count != 1)}"


def describe_segment(model: TimelineModel, segment: Segment) -> str:
    """Return such as “Segment error 0:01:02.000 to 0:01:05.200, annotator A”; of others, what they say."""
    lane = model.lane(lane_key_of(segment))
    if is_utterance(segment):
        who = lane.title if lane else tr("Somebody")
        span = tr("{start_us} to {end_us}").format(
            start_us=format_time(segment.start_us), end_us=format_time(segment.end_us)
        )
        return tr("Utterance of {who} {span}: {words}").format(
            who=who, span=span, words=segment.text or tr("no words yet")
        )
    if is_node(segment):
        of = tr(" of {people}").format(people=segment.people) if segment.people else ""
        span = tr("{start_us} to {end_us}").format(
            start_us=format_time(segment.start_us), end_us=format_time(segment.end_us)
        )
        return tr("Node {kind}{of} {span}: {words}").format(
            kind=kind_name(segment.label).lower(), of=of, span=span, words=segment.text or tr("no words yet")
        )
    label = lane.look(segment.label).name.lower() if lane else segment.label
    whose = tr(", annotator {title}").format(title=lane.title) if lane else ""
    if segment.is_point:
        return tr("Point {label} at {at}{whose}").format(label=label, at=format_time(segment.start_us), whose=whose)
    return tr("Segment {label} {start_us} to {end_us}{whose}").format(
        label=label, start_us=format_time(segment.start_us), end_us=format_time(segment.end_us), whose=whose
    )


SNAP_PX = 8


class TimelineView(TimeArea):
    """Ruler, waveform and one lane an annotator and track; the mouse and the keyboard say what should change.

    The view never changes a segment: it emits what was asked for and shows what it is told. Times are integer
    microseconds and travel as `object`, because a Qt `int` ends after 35 minutes.

    Signals:
        seek_requested(int us): show this moment (the ruler was clicked or scrubbed).
        segments_moving(list[tuple[str, int, int]]): as `Requests.move` while the drag goes on, for those who show
            times; the id is empty for a segment that is being drawn. An empty list when the drag ends.
        selection_changed(list[str] ids): by the user; not by `set_selection`.
        clicked(str id): a segment, utterance or node was clicked and not dragged.
        view_changed(int start_us, int end_us): another part of the recording is shown.
        lane_folded(str lane_key, bool folded): by the user.
        utterance_assign_requested(list[str] ids, str lane_key): utterances were handed to another speaker's lane.
        menu_requested(QPoint global position, str id or "", int us): the context menu was asked for.
    """

    ROLE = Role.List

    seek_requested = Signal(object)
    segments_moving = Signal(object)
    selection_changed = Signal(object)
    clicked = Signal(str)
    lane_folded = Signal(str, bool)
    menu_requested = Signal(object, str, object)
    utterance_assign_requested = Signal(object, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.model = TimelineModel()
        self._bands: tuple[Band, ...] = ()
        self._frames: FrameTimes | None = None
        self._peaks: PeakSource | None = None
        self._marks: tuple[int | None, int | None] = (None, None)
        self._editable = True
        self._pointer = TimelineMouseHandler(self)
        self._keyboard = Keyboard(self)
        self._follower = PlayheadFollower(self)
        self.segment_requests, self.utterance_requests, self.node_requests = (Requests(self) for _ in range(3))
        self._requests = {
            LaneKind.SEGMENTS: self.segment_requests,
            LaneKind.UTTERANCES: self.utterance_requests,
            LaneKind.NODES: self.node_requests,
        }
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Timeline"))
        self._describe()

    # What is shown

    def set_recording(self, duration_us: int, frames: FrameTimes | None = None) -> None:
        """Show another recording, empty and whole; lanes stay."""
        self._pointer.cancel()
        self.set_playing(False)
        self._frames = frames
        self._marks = (None, None)
        self._playhead_us = 0
        self.model.set_segments(())
        self.model.clear_spans()
        self._view = Viewport(width=self._view.width, duration_us=max(0, duration_us))
        self._lanes_changed()
        self.zoom_to_fit()
        self._describe()

    def set_frames(self, frames: FrameTimes | None) -> None:
        """Give the frames that edges snap to, once they are known."""
        self._frames = frames
        self.content_changed()

    def set_lanes(self, lanes: Iterable[Lane]) -> None:
        """Show these lanes, from top to bottom."""
        self._pointer.cancel()
        self.model.set_lanes(lanes)
        self._lanes_changed()

    def set_lane_folded(self, key: str, folded: bool) -> None:
        """Reduce a lane to a thin summary, or show it in full again."""
        (self.model.folded.add if folded else self.model.folded.discard)(key)
        self._lanes_changed()

    def set_peaks(self, source: PeakSource | None) -> None:
        """Give the sound for lanes of the kind waveform; call again when more of it is known."""
        self._peaks = source
        self.content_changed()

    def set_spans(
        self, key: str, spans: Sequence[tuple[int, int]] | NDArray[np.int64], kinds: Sequence[int] = ()
    ) -> None:
        """Fill a lane of the kind spans with (start, end) pairs, such as where faces were found.

        In a lane with looks, `kinds` says which of them each span has.
        """
        self.model.set_spans(key, spans, kinds)
        self._redraw_lane(key)

    def set_verdicts(self, key: str, bars: Iterable[VerdictBar]) -> None:
        """Fill a lane of the kind verdicts: what one judge says about segments. A click on one selects its segment."""
        self.model.set_verdicts(key, bars)
        if lay_out_lanes(self.model) != self._bands:
            self._lanes_changed()
        self._redraw_lane(key)

    def update_verdicts(self, changed: Iterable[VerdictBar]) -> None:
        """Show verdicts that came or changed, in lanes that were filled before."""
        touched = self.model.update_verdicts(changed)
        if lay_out_lanes(self.model) != self._bands:
            self._lanes_changed()
        for band in self._bands:
            if band.lane.key in touched.spans:
                self._redraw_span(band, *touched.spans[band.lane.key])

    def set_segments(self, segments: Iterable[Segment]) -> None:
        """Show these segments instead of all others."""
        self._pointer.cancel()
        self.model.set_segments(segments)
        self._lanes_changed()
        self._describe()

    def update_segments(self, changed: Iterable[Segment] = (), removed: Iterable[str] = ()) -> None:
        """Show changed and new segments and forget removed ones."""
        before, count = self.model.selected, len(self.model)
        touched = self.model.update_segments(changed, removed)
        if self._pointer.is_affected(self.model):
            self._pointer.cancel()
        if touched is None or lay_out_lanes(self.model) != self._bands:
            self._lanes_changed()
        else:
            for band in self._bands:
                if band.lane.key in touched.spans:
                    self._redraw_span(band, *touched.spans[band.lane.key])
                    if len(self.model) != count or len(touched.spans) > 1:
                        self.redraw_area(QRect(0, self._top(band), header_width(), band.height))
        self._describe()
        if self.model.selected != before:
            self.selection_changed.emit(self.model.selected)

    def set_selection(self, segment_ids: Iterable[str]) -> None:
        """Select exactly these segments, without a signal."""
        self.model.select(segment_ids)
        self.content_changed()
        self._describe()

    def selection(self) -> list[str]:
        """Return the ids of the selected segments, in the order they were selected."""
        return self.model.selected

    def set_marks(self, in_us: int | None, out_us: int | None) -> None:
        """Show where the next segment starts and ends."""
        self._marks = (in_us, out_us)
        self.viewport().update()

    def set_editable(self, editable: bool) -> None:
        """Allow changes, or only looking."""
        self._editable = editable
        self._pointer.cancel()
        self._describe()
        self.viewport().update()

    # Time

    def set_clock(self, clock: Clock | None) -> None:
        """Give the clock that the playhead follows while playing."""
        self._follower.clock = clock

    def set_playing(self, playing: bool) -> None:
        """Start or stop following the clock."""
        self._follower.set_running(playing)

    def set_follow(self, follow: FollowMode) -> None:
        """Choose how the view keeps up with the playhead."""
        self._follower.follow = follow

    def set_playhead(self, time_us: int) -> None:
        """Show the playhead at a time; while not playing, the view moves only if it would be out of sight."""
        before, self._playhead_us = self._playhead_us, time_us
        for time in (before, time_us):
            x = header_width() + round(self._view.time_to_x(time))
            self.viewport().update(QRect(x - 8, 0, 17, self.viewport().height()))
        if not self._follower.is_active and self._pointer.idle:
            self.ensure_visible(time_us)

    @property
    def playhead_us(self) -> int:
        """Where the playhead is."""
        return self._playhead_us

    # Which part is shown

    def zoom_to_selection(self) -> None:
        """Show the selected segments, or the marked region, with a little room around them."""
        chosen = self._selected_segments()
        spans = [(s.start_us, s.end_us) for s in chosen]
        if not spans and self._marks[0] is not None and self._marks[1] is not None:
            spans = [(self._marks[0], self._marks[1])]
        if spans:
            start, end = min(s[0] for s in spans), max(s[1] for s in spans)
            room = POINT_CONTEXT_US if start == end else max(1000, (end - start) // 8)
            self.show_span(start - room, end + room)

    # What the window's actions ask for

    def request_delete(self) -> None:
        """Ask for what is selected to be deleted."""
        for kind, chosen in self._by_kind():
            self.requests(kind).delete.emit(chosen)

    def request_nudge(self, frames: int, edge: str = "both") -> None:
        """Ask for what is selected, or one edge of it, to move by frames."""
        for kind, chosen in self._by_kind():
            self.requests(kind).nudge.emit(chosen, frames, edge)

    def request_assign(self, step: int) -> None:
        """Ask for the selected utterances to go to the speaker whose lane is below (1) or above (-1)."""
        chosen = [segment for segment in self._editable_selection() if is_utterance(segment)]
        lanes = [lane.key for lane in self.model.lanes if lane.kind is LaneKind.UTTERANCES and self.can_edit(lane)]
        if chosen and lane_key_of(chosen[-1]) in lanes:
            to = lanes.index(lane_key_of(chosen[-1])) + step
            if 0 <= to < len(lanes):
                self.utterance_assign_requested.emit([spoken_bar.id for spoken_bar in chosen], lanes[to])

    def activate(self, segment: Segment) -> None:
        """Go to a segment and loop it, or edit an utterance or a node, on behalf of the user."""
        self.requests(bar_kind(segment)).activate.emit(segment.id)

    def select_next(self) -> None:
        """Select the segment after the selected one in time."""
        self._keyboard.select_neighbour(1)

    # For the parts of the view

    @property
    def bands(self) -> tuple[Band, ...]:
        """Where the lanes are."""
        return self._bands

    @property
    def frames(self) -> FrameTimes | None:
        """The recording's frames, where known."""
        return self._frames

    @property
    def peaks(self) -> PeakSource | None:
        """The sound, where there is some."""
        return self._peaks

    @property
    def marks(self) -> tuple[int | None, int | None]:
        """Where the next segment starts and ends."""
        return self._marks

    @property
    def gesture(self) -> Gesture | None:
        """The drag that goes on."""
        return self._pointer.gesture

    @property
    def pointer(self) -> TimelineMouseHandler:
        """What the mouse is doing."""
        return self._pointer

    def can_edit(self, lane: Lane | None) -> bool:
        """Return whether segments of a lane can be changed now."""
        return self._editable and lane is not None and lane.editable

    def requests(self, kind: LaneKind) -> Requests:
        """Return by which signals changes of bars of a kind are asked for."""
        return self._requests[kind]

    def hit(self, position: QPointF) -> timeline_layout.TimelineHit:
        """Return what lies under a point of the viewport."""
        y = position.y() if position.y() < ruler_height() else position.y() + self.scroll_y()
        return timeline_layout.hit_test(self.model, self._bands, self._view, position.x(), y)

    def snapper(self) -> Snapper:
        """Return what edges are drawn to now."""
        fixed = [self._playhead_us, 0, self._view.duration_us, *(m for m in self._marks if m is not None)]
        return Snapper(self.model, self._frames, tuple(fixed), round(SNAP_PX * self._view.us_per_px))

    def choose(self, segment_ids: Iterable[str]) -> None:
        """Select on behalf of the user."""
        before = self.model.selected
        self.set_selection(segment_ids)
        if self.model.selected != before:
            self.selection_changed.emit(self.model.selected)

    def fold(self, key: str) -> None:
        """Fold or unfold a lane on behalf of the user."""
        folded = key not in self.model.folded
        self.set_lane_folded(key, folded)
        self.lane_folded.emit(key, folded)

    def content_height(self) -> int:
        return self._bands[-1].bottom if self._bands else 0

    # Events

    def event(self, event: QEvent) -> bool:
        return (isinstance(event, QKeyEvent) and self._keyboard.intercept(event)) or super().event(event)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Leave:
            self._pointer.on_mouse_left()
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            self._tell(event)
            return True
        return super().viewportEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not self._keyboard.press(event):
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        area = self.viewport()
        painter = QPainter(area)
        self._content.draw(painter, event.rect(), self)
        timeline_painter.paint_overlay(painter, self)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pointer.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._pointer.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pointer.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._pointer.double_click(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        where = self.hit(QPointF(event.pos()))
        if where.segment is not None and not self.model.is_selected(where.segment.id):
            self.choose([where.segment.id])
        self.menu_requested.emit(event.globalPos(), where.segment.id if where.segment else "", where.time_us)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    # Inside

    def _lay_out(self) -> None:
        self._bands = lay_out_lanes(self.model)
        super()._lay_out()

    def _lanes_changed(self) -> None:
        self._bands = lay_out_lanes(self.model)
        self.update_scroll_bars()
        self.content_changed()

    def _redraw_lane(self, key: str) -> None:
        for band in self._bands:
            if band.lane.key == key:
                self.redraw_area(QRect(0, self._top(band), self.viewport().width(), band.height))

    def _redraw_span(self, band: Band, start_us: int, end_us: int) -> None:
        # A point is wider than its time, and its neighbours are drawn by how near it is.
        reach = 2 * REACH_PX if band.lane.points or band.lane.kind is LaneKind.VERDICTS else 2
        left = max(0, int(self._view.time_to_x(start_us)) - reach)
        right = min(self._view.width, int(self._view.time_to_x(end_us)) + reach + 1)
        if left < right:
            self.redraw_area(QRect(header_width() + left, self._top(band), right - left, band.height))

    def _top(self, band: Band) -> int:
        return band.top + ruler_height() - self.scroll_y()

    def _selected_segments(self) -> list[Segment]:
        return [s for i in self.model.selected if (s := self.model.segment(i)) is not None]

    def _editable_selection(self) -> list[Segment]:
        return [s for s in self._selected_segments() if self.can_edit(self.model.lane(lane_key_of(s)))]

    def _by_kind(self) -> Iterator[tuple[LaneKind, list[str]]]:
        chosen = self._editable_selection()
        for kind in self._requests:
            ids = [segment.id for segment in chosen if bar_kind(segment) is kind]
            if ids:
                yield kind, ids

    def _tell(self, event: QHelpEvent) -> None:
        """Show the whole text of the utterance or node, or what the judge says, under the mouse."""
        where = self.hit(QPointF(event.pos()))
        segment = where.segment
        if where.verdict is not None and where.band is not None:
            QToolTip.showText(event.globalPos(), verdict_tooltip(where.band.lane, where.verdict), self.viewport())
        elif is_utterance(segment):
            QToolTip.showText(event.globalPos(), utterance_tooltip(self.model, segment), self.viewport())
        elif is_node(segment):
            QToolTip.showText(event.globalPos(), node_bar_tooltip(segment), self.viewport())
        else:
            QToolTip.hideText()

    def _describe(self) -> None:
        self.setAccessibleDescription(describe_selection(self.model, self._selected_segments(), self._editable))
