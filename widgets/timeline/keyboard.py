"""The timeline without a mouse: going from segment to segment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent

from project.types import Segment
from widgets.timeline.bars import kind_of
from widgets.timeline.lane import LaneKind, lane_of
from widgets.timeline.layout import RULER

if TYPE_CHECKING:
    from widgets.timeline.view import TimelineView


class Keyboard:
    """What keys do while the timeline has the focus; frames and seconds are stepped by the window's shortcuts."""

    def __init__(self, view: TimelineView) -> None:
        self._view = view

    def intercept(self, event: QKeyEvent) -> bool:
        """Handle what must be caught before shortcuts and the focus chain see it; return whether it was."""
        if event.type() == QEvent.Type.ShortcutOverride:
            if event.key() == Qt.Key.Key_Escape and not self._view.pointer.idle:
                event.accept()
                return True
        elif event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Tab: 1, Qt.Key.Key_Backtab: -1}.get(Qt.Key(event.key()))
            return step is not None and self._tab(step)
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
            self.step(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp):
            self._across(1 if key == Qt.Key.Key_PageDown else -1, event.modifiers())
        elif key in (Qt.Key.Key_Comma, Qt.Key.Key_Period) and kind_of(self._last_selected()) is not LaneKind.SEGMENTS:
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

    def step(self, step: int) -> None:
        """Select the next (1) or previous (-1) segment in time, starting with those in sight."""
        last = self._last_selected()
        self._go_to(self._first_visible(step) if last is None else self._view.model.neighbour(last, step))

    def _across(self, step: int, modifiers: Qt.KeyboardModifier) -> None:
        """Go to the nearest in the next lane; with Shift, hand the selected utterances to its speaker."""
        last = self._last_selected()
        if last is None:
            self.step(step)
        elif modifiers & Qt.KeyboardModifier.ShiftModifier:
            self._view.request_assign(step)
        else:
            self._go_to(self._view.model.beside(last, step))

    def _tab(self, step: int) -> bool:
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
        band = next((b for b in view.bands if b.lane.key == lane_of(segment)), None)
        if band is None:
            return
        top, height = band.top, band.bottom - band.top
        if not band.folded:
            track = view.model.track(band.lane.key)
            top, height = band.row_top(min(int(track.rows[track.index(segment)]), band.rows - 1)), band.row_height
        bar = view.verticalScrollBar()
        lowest = round(top + height) - (view.viewport().height() - RULER)
        bar.setValue(min(max(bar.value(), lowest), round(top)))

    def _last_selected(self) -> Segment | None:
        chosen = self._view.model.selected
        return self._view.model.segment(chosen[-1]) if chosen else None

    def _first_visible(self, step: int) -> Segment | None:
        start, end = self._view.visible_range()
        return self._view.model.first_touching(start, end, step) or self._view.model.neighbour(None, step)
