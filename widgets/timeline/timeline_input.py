"""Mouse and keyboard input of the timeline. Nothing is changed before a drag ends."""

from __future__ import annotations

from enum import StrEnum

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent

from project.entities.study_records import Segment
from widgets.timeline.drag_gestures import Create, Edge, Gesture, Move, Placed, Resize
from widgets.timeline.lanes import LaneKind, bar_kind, is_utterance, lane_key_of
from widgets.timeline.scene import TimelineHost
from widgets.timeline.timeline_layout import TimelineHit, TimelineHitPart, header_width, ruler_height
from widgets.timeline.timeline_model import TimelineModel


class Keyboard:
    """What keys do while the timeline has the focus; frames and seconds are stepped by the window's shortcuts."""

    def __init__(self, view: TimelineHost) -> None:
        self._view = view

    def intercept(self, event: QKeyEvent) -> bool:
        """Handle what must be caught before shortcuts and the focus chain see it; return whether it was."""
        if event.type() == QEvent.Type.ShortcutOverride:
            if event.key() == Qt.Key.Key_Escape and not self._view.pointer.idle:
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()))
            return step is not None and self._step_visible(step)
        return False

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; return whether it meant something."""
        view, key = self._view, event.key()
        if key == Qt.Key.Key_Escape and not view.pointer.idle:
            view.pointer.cancel()
        elif key == Qt.Key.Key_Escape and view.model.selected:
            view.choose(())
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            view.request_delete()
        elif key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.select_neighbour(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._step_lane(1 if key == Qt.Key.Key_PageDown else -1, event.modifiers())
        elif key in (Qt.Key.Key_Comma, Qt.Key.Key_Period) and bar_kind(self._last_selected()) is not LaneKind.SEGMENTS:
            view.request_nudge(-1 if key == Qt.Key.Key_Comma else 1)
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self._go_to(view.model.neighbour(None, 1 if key == Qt.Key.Key_Home else -1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and view.model.selected:
            last = self._last_selected()
            assert last is not None
            view.activate(last)
        else:
            return False
        return True

    def select_neighbour(self, step: int) -> None:
        """Select the next (1) or previous (-1) segment in time, starting with those in sight."""
        last = self._last_selected()
        self._go_to(self._first_visible(step) if last is None else self._view.model.neighbour(last, step))

    def _step_lane(self, step: int, modifiers: Qt.KeyboardModifier) -> None:
        """Go to the nearest in the next lane; with Shift, hand the selected utterances to its speaker."""
        last = self._last_selected()
        if last is None:
            self.select_neighbour(step)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._view.request_assign(step)
        else:
            self._go_to(self._view.model.nearest_in_next_lane(last, step))

    def _step_visible(self, step: int) -> bool:
        """Go to the next segment in sight; past the last one, Tab leaves the timeline as anywhere else."""
        last = self._last_selected()
        following = self._first_visible(step) if last is None else self._view.model.neighbour(last, step)
        start, end = self._view.visible_range()
        if following is None or following.end_us < start or following.start_us > end:
            return False
        self._go_to(following)
        return True

    def _go_to(self, segment: Segment | None) -> None:
        if segment is None:
            return
        self._view.choose([segment.id])
        start, end = self._view.visible_range()
        if segment.end_us < start or segment.start_us > end:
            window = self._view.view
            middle = window.time_to_x((segment.start_us + segment.end_us) / 2)
            self._view.pan(middle - window.width / 2)
        self._scroll_to(segment)

    def _scroll_to(self, segment: Segment) -> None:
        view = self._view
        band = next((b for b in view.bands if b.lane.key == lane_key_of(segment)), None)
        if band is None:
            return
        top, height = band.top, band.bottom - band.top
        if not band.folded:
            track = view.model.track(band.lane.key)
            top, height = band.row_top(min(int(track.rows[track.index(segment)]), band.rows - 1)), band.row_height
        bar = view.verticalScrollBar()
        lowest = round(top + height) - (view.viewport().height() - ruler_height())
        bar.setValue(min(max(bar.value(), lowest), round(top)))

    def _last_selected(self) -> Segment | None:
        chosen = self._view.model.selected
        return self._view.model.segment(chosen[-1]) if chosen else None

    def _first_visible(self, step: int) -> Segment | None:
        start, end = self._view.visible_range()
        return self._view.model.first_touching(start, end, step) or self._view.model.neighbour(None, step)


_DRAG_PX = 4
_EDGE_PAN_PX = 24


class TimelineMouseMode(StrEnum):
    """What a pressed button is for."""

    IDLE = "idle"
    PRESSED = "pressed"
    SCRUB = "scrub"
    PAN = "pan"
    RUBBER = "rubber"
    DRAG = "drag"


class TimelineMouseHandler:
    """Turns mouse events on the view into selections, previews and, at release, one request.

    Attributes:
        gesture: the drag of segments that goes on, else None.
        hovered: id of the segment under the mouse, or "".
        position: where the mouse is, or None outside the view.
        rubber: the rubber band, in pixels of the viewport.
    """

    def __init__(self, view: TimelineHost) -> None:
        self._view = view
        self._mode = TimelineMouseMode.IDLE
        self._hit: TimelineHit | None = None
        self._press = QPointF()
        self._last = QPointF()
        self._extending = False
        self._before: list[str] = []
        self.gesture: Gesture | None = None
        self.hovered = ""
        self.position: QPointF | None = None
        self.rubber: QRectF | None = None

    @property
    def idle(self) -> bool:
        """Whether no button is held for anything."""
        return self._mode is TimelineMouseMode.IDLE

    def is_affected(self, model: TimelineModel) -> bool:
        """Return whether a segment that is being dragged is gone or has changed."""
        if isinstance(self.gesture, Move):
            return any(model.segment(s.id) != s for s in self.gesture.segments)
        return isinstance(self.gesture, Resize) and model.segment(self.gesture.segment.id) != self.gesture.segment

    def press(self, event: QMouseEvent) -> None:
        """Begin whatever the button and the place under it stand for."""
        if self._mode is not TimelineMouseMode.IDLE:
            return
        self._press = self._last = event.position()
        if event.button() == Qt.MouseButton.MiddleButton:
            self._mode = TimelineMouseMode.PAN
            self._view.viewport().setCursor(Qt.CursorShape.ClosedHandCursor)
            return
        if event.button() != Qt.MouseButton.LeftButton:
            return
        where = self._hit = self._view.hit(event.position())
        if where.part is TimelineHitPart.HEADER and where.band is not None:
            self._view.fold(where.band.lane.key)
        elif where.verdict is not None:
            self._view.choose([where.verdict.about])
        elif where.part is TimelineHitPart.RULER or (
            where.part is TimelineHitPart.LANE and where.band is not None and not where.band.lane.has_bars
        ):
            self._mode = TimelineMouseMode.SCRUB
            self._view.seek_requested.emit(where.time_us)
        elif where.part is not TimelineHitPart.NOWHERE or event.position().x() >= header_width():
            self._mode = TimelineMouseMode.PRESSED
            self._press_segment(where, event.modifiers())

    def move(self, event: QMouseEvent) -> None:
        """Go on with what was begun, or show what could be."""
        self.position = event.position()
        if self._mode is TimelineMouseMode.IDLE:
            self._hover()
        elif self._mode is TimelineMouseMode.PAN:
            self._view.pan(self._last.x() - event.position().x())
            bar = self._view.verticalScrollBar()
            bar.setValue(bar.value() + round(self._last.y() - event.position().y()))
        elif self._mode is TimelineMouseMode.SCRUB:
            self._view.seek_requested.emit(self._time_under_mouse())
        elif self._mode is TimelineMouseMode.RUBBER:
            self._stretch_rubber_band()
        else:
            moved = (event.position() - self._press).manhattanLength()
            if self._mode is TimelineMouseMode.PRESSED and moved >= _DRAG_PX:
                self._begin_drag(event.modifiers())
            if self._mode is TimelineMouseMode.DRAG:
                self._drag(event.modifiers())
        self._last = event.position()
        self._view.viewport().update()

    def release(self, event: QMouseEvent) -> None:
        """End it: a drag becomes one request."""
        if event.button() not in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            return
        mode, gesture, where = self._mode, self.gesture, self._hit
        extending = self._extending
        self._reset()
        if mode is TimelineMouseMode.DRAG and gesture is not None:
            self._request(gesture)
        elif mode is TimelineMouseMode.PRESSED and where is not None and not extending:
            self._view.choose([where.segment.id] if where.segment is not None else ())
            if where.segment is not None:
                self._view.clicked.emit(where.segment.id)
        self.position = event.position()
        self._hover()

    def double_click(self, event: QMouseEvent) -> None:
        """Activate a segment."""
        where = self._view.hit(event.position())
        about = where.segment if where.verdict is None else self._view.model.segment(where.verdict.about)
        if event.button() == Qt.MouseButton.LeftButton and about is not None:
            self._view.activate(about)
        else:
            self.press(event)

    def cancel(self) -> None:
        """Drop what was begun; nothing is asked for."""
        if self._mode is TimelineMouseMode.RUBBER:
            self._view.choose(self._before)
        if self._mode is not TimelineMouseMode.IDLE:
            self._reset()

    def on_mouse_left(self) -> None:
        """The mouse is outside."""
        self.position = None
        self.hovered = ""
        self._view.viewport().update()

    def _press_segment(self, where: TimelineHit, modifiers: Qt.KeyboardModifier) -> None:
        chosen = self._view.model.selected
        both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        self._extending = bool(modifiers & both)
        self._before = chosen if self._extending else []
        if where.segment is None:
            return
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            same = [i for i in chosen if i != where.segment.id]
            self._view.choose(same if len(same) < len(chosen) else [*chosen, where.segment.id])
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._view.choose([*chosen, *self._range_to(where)])
        elif where.segment.id not in chosen:
            self._view.choose([where.segment.id])

    def _range_to(self, where: TimelineHit) -> list[str]:
        """Ids from the segment selected last to the one under the mouse, in its lane."""
        segment, chosen = where.segment, self._view.model.selected
        assert segment is not None
        last = self._view.model.segment(chosen[-1]) if chosen else None
        if last is None or lane_key_of(last) != lane_key_of(segment):
            return [segment.id]
        track = self._view.model.track(lane_key_of(segment))
        first, final = sorted((track.index(last), track.index(segment)))
        return [s.id for s in track.items[first : final + 1]]

    def _begin_drag(self, modifiers: Qt.KeyboardModifier) -> None:
        where, view = self._hit, self._view
        if where is None:
            return
        lane = where.band.lane if where.band else None
        if where.segment is None:
            folded = where.band is not None and where.band.folded
            free = lane is not None and not lane.fixed and view.can_edit(lane)
            if modifiers & Qt.KeyboardModifier.ShiftModifier or folded or not free:
                self._mode = TimelineMouseMode.RUBBER
                self._stretch_rubber_band()
                return
            assert lane is not None
            snapper = None if modifiers & Qt.KeyboardModifier.AltModifier else view.snapper()
            begin = Create(lane.key, where.time_us, view.view.duration_us, point=lane.points)
            begin.drag(where.time_us, snapper)
            begin.anchor_us = begin.time_us
            self.gesture = begin
        elif lane is None or lane.fixed or not view.can_edit(lane):
            return
        elif where.part is TimelineHitPart.BODY:
            chosen = [s for i in view.model.selected if (s := view.model.segment(i)) is not None]
            kind = bar_kind(where.segment)
            lanes = {s.id: view.model.lane(lane_key_of(s)) for s in chosen}
            movable = [
                s
                for s in chosen
                if bar_kind(s) is kind and (to := lanes[s.id]) is not None and not to.fixed and view.can_edit(to)
            ]
            if where.segment not in movable:
                return
            self.gesture = Move(movable, where.segment, where.time_us, view.view.duration_us)
            view.model.hide(s.id for s in movable)
            view.content_changed()
        else:
            edge: Edge = "start" if where.part is TimelineHitPart.START else "end"
            self.gesture = Resize(where.segment, edge, where.time_us, view.view.duration_us)
            view.model.hide([where.segment.id])
            view.content_changed()
        self._mode = TimelineMouseMode.DRAG

    def _drag(self, modifiers: Qt.KeyboardModifier) -> None:
        if self.gesture is None or self.position is None:
            return
        beyond = min(0.0, self.position.x() - header_width()) + max(
            0.0, self.position.x() - header_width() - self._view.view.width
        )
        if beyond:
            self._view.pan(max(-_EDGE_PAN_PX, min(beyond, _EDGE_PAN_PX)))
        snapping = not modifiers & Qt.KeyboardModifier.AltModifier
        if isinstance(self.gesture, Move):
            self.gesture.lane = self._target_lane(self.gesture)
        self.gesture.drag(self._time_under_mouse(), self._view.snapper() if snapping else None)
        self._view.segments_moving.emit(self.gesture.placements())

    def _target_lane(self, move: Move) -> str:
        """Return the other lane over which dragged utterances are, or ""."""
        assert self.position is not None
        if not is_utterance(move.grabbed):
            return ""
        band = self._view.hit(self.position).band
        over = band is not None and band.lane.kind is LaneKind.UTTERANCES and self._view.can_edit(band.lane)
        return band.lane.key if band is not None and over and band.lane.key != lane_key_of(move.grabbed) else ""

    def _stretch_rubber_band(self) -> None:
        assert self.position is not None
        self.rubber = QRectF(self._press, self.position).normalized()
        view = self._view
        left, right = (view.view.x_to_time(x - header_width()) for x in (self.rubber.left(), self.rubber.right()))
        offset = view.scroll_y() - ruler_height()
        top, bottom = self.rubber.top() + offset, self.rubber.bottom() + offset
        found: list[str] = []
        for band in view.bands:
            if not band.lane.has_bars or band.folded or band.bottom <= top or band.top >= bottom:
                continue
            track = view.model.track(band.lane.key)
            tops = np.array([band.row_top(row) for row in range(band.rows + 1)])
            near = track.touching(left, right)
            at = tops[np.minimum(track.rows[near], band.rows)]
            near = near[(at < bottom) & (at + band.row_height > top)]
            found += [track.items[i].id for i in near.tolist()]
        view.choose([*self._before, *found])

    def _request(self, gesture: Gesture) -> None:
        if isinstance(gesture, Create):
            _, start, end = gesture.placements()[0]
            if end > start or gesture.point:
                lane = self._view.model.lane(gesture.lane)
                self._view.requests(lane.kind if lane is not None else LaneKind.SEGMENTS).create.emit(
                    gesture.lane, start, end
                )
            return
        if isinstance(gesture, Move) and gesture.lane:
            self._view.utterance_assign_requested.emit([segment.id for segment in gesture.segments], gesture.lane)
            return
        segment = self._view.model.segment
        moved: list[Placed] = []
        for segment_id, start, end in gesture.placements():
            before = segment(segment_id)
            if before is not None and (before.start_us, before.end_us) != (start, end):
                moved.append((segment_id, start, end))
        if moved:
            self._view.requests(bar_kind(segment(moved[0][0]))).move.emit(moved)

    def _reset(self) -> None:
        dragged = self.gesture is not None
        self._mode, self.gesture, self.rubber, self._hit = TimelineMouseMode.IDLE, None, None, None
        self._extending = False
        if dragged:
            self._view.model.hide(())
            self._view.content_changed()
            self._view.segments_moving.emit([])
        self._view.viewport().unsetCursor()
        self._view.viewport().update()

    def _hover(self) -> None:
        assert self.position is not None
        where = self._view.hit(self.position)
        self.hovered = where.segment.id if where.segment else ""
        editable = where.band is not None and not where.band.lane.fixed and self._view.can_edit(where.band.lane)
        shape = Qt.CursorShape.ArrowCursor
        if editable and where.part in (TimelineHitPart.START, TimelineHitPart.END):
            shape = Qt.CursorShape.SizeHorCursor
        elif editable and where.part is TimelineHitPart.LANE and where.band is not None and not where.band.folded:
            shape = Qt.CursorShape.CrossCursor
        elif where.part in (TimelineHitPart.HEADER, TimelineHitPart.VERDICT):
            shape = Qt.CursorShape.PointingHandCursor
        self._view.viewport().setCursor(shape)

    def _time_under_mouse(self) -> int:
        assert self.position is not None
        view = self._view.view
        x = min(max(self.position.x() - header_width(), 0.0), float(view.width))
        return view.clamp(view.x_to_time(x))
