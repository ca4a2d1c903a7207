"""The range slider under the picture: two handles for the start and the end of a segment."""

from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from project.timebase import FrameTimes, format_time
from resources.translation import tr
from widgets import theme
from widgets.accessibility import Role
from widgets.labels import LabelLook
from widgets.timeline.raster import Style, current_style

Handle = Literal["start", "end", "both"]

_TEXT_HEIGHT = 14
_MARGIN = 12
_TRACK_HEIGHT = 16
_HANDLE_WIDTH = 8
_SECOND_US = 1_000_000
_MIN_RANGE_US = 1_000
_DRAG_PX = 4
_STEP_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Down: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Up: 1}


class RangeSlider(QWidget):
    """A slider with two handles over a span of the recording; the part between them can be dragged too.

    Dragging beside the handles, or where there are none, draws a new range. A point, which is a range of no length, has
    one handle.

    With the keyboard: the arrows move the active handle by a frame, with Shift by a second, Page Up and Page Down
    by ten seconds, Home and End as far as it goes; Tab goes from the start's handle to the end's. Times are integer
    microseconds and travel as `object`, because a Qt `int` ends after 35 minutes.

    Signals:
        range_changing(int start_us, int end_us): a handle is being dragged.
        range_changed(int start_us, int end_us): a handle was let go, or moved with the keyboard.
        range_drawn(int start_us, int end_us): a new range was drawn.
        drag_ended: the mouse let go, or the drag was dropped; before `range_changed`.
    """

    ROLE = Role.Slider

    range_changing = Signal(object, object)
    range_changed = Signal(object, object)
    range_drawn = Signal(object, object)
    drag_ended = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._span = (0, 0)
        self._range: tuple[int, int] | None = None
        self._label: LabelLook | None = None
        self._frames: FrameTimes | None = None
        self._playhead_us = 0
        self._editable = True
        self._points = False
        self._active: Handle = "start"
        self._hovered: Handle | None = None
        self._dragged: Handle | None = None
        self._grip_us = 0
        self._before: tuple[int, int] | None = None
        self._look_before: LabelLook | None = None
        self._press_x: float | None = None
        self._drawn_us: tuple[int, int] | None = None
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Start and end"))
        theme.notifier.changed.connect(self.updateGeometry)
        theme.notifier.changed.connect(self.update)
        self._describe()

    def sizeHint(self) -> QSize:
        return QSize(400, 26 + theme.scaled(_TEXT_HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(96, self.sizeHint().height())

    def set_span(self, start_us: int, end_us: int) -> None:
        """Set the times at the left and the right end: the whole recording, or what the timeline shows."""
        self._span = (start_us, max(start_us, end_us))
        self.update()

    def set_frames(self, frames: FrameTimes | None) -> None:
        """Give the frames by which the handles move, once they are known."""
        self._frames = frames

    def set_range(self, start_us: int | None, end_us: int | None, label: LabelLook | None = None) -> None:
        """Show a range, in the colour of a label or, for marks, in the accent colour; None shows no handles."""
        self._end_drag()
        self._range = None if start_us is None or end_us is None else (start_us, max(start_us, end_us))
        self._label = label
        self._describe()
        self.update()

    def range(self) -> tuple[int, int] | None:
        """Return where the handles are, or None where there are none."""
        return self._range

    def set_playhead(self, time_us: int) -> None:
        """Show where the playhead is."""
        self._playhead_us = time_us
        self.update()

    def set_editable(self, editable: bool) -> None:
        """Allow the handles to be moved, or only looked at."""
        self._editable = editable
        self.cancel()
        self._describe()
        self.update()

    def set_points(self, points: bool) -> None:
        """Say that points are marked here rather than spans, for what stands there while there is no range."""
        self._points = points
        self.update()

    @property
    def _is_point(self) -> bool:
        return self._range is not None and self._range[0] == self._range[1]

    def cancel(self) -> None:
        """Drop a drag: the handles go back to where they were."""
        if self.dragging:
            self._range, self._label = self._before, self._look_before
            if self._range is not None:
                self.range_changing.emit(*self._range)
            self._end_drag()
            self._describe()
            self.update()

    @property
    def dragging(self) -> bool:
        """Whether the mouse drags a handle, or the part between them, or draws a range."""
        return self._dragged is not None or self._drawn_us is not None

    @property
    def edge_us(self) -> int:
        """The edge that is moved; where the part between them is, the start."""
        if self._drawn_us is not None:
            return self._drawn_us[1]
        start, end = self._range or (0, 0)
        return end if (self._dragged or self._active) == "end" else start

    def _end_drag(self) -> None:
        was_dragging, self._press_x = self.dragging, None
        self._dragged = self._drawn_us = None
        if was_dragging:
            self.drag_ended.emit()

    def time_to_x(self, time_us: float) -> float:
        """Return the pixel at which a time lies."""
        first, last = self._span
        return _MARGIN + (time_us - first) / max(1, last - first) * (self.width() - 2 * _MARGIN)

    def x_to_time(self, x: float) -> int:
        """Return the time at a pixel, inside the span."""
        first, last = self._span
        time = first + (x - _MARGIN) / max(1, self.width() - 2 * _MARGIN) * (last - first)
        return min(max(round(time), first), last)

    def handle_at(self, x: float) -> Handle | None:
        """Return which handle, or the part between them, lies at a pixel."""
        if self._range is None:
            return None
        left, right = (self.time_to_x(t) for t in self._range)
        reach = _HANDLE_WIDTH + 2
        if self._is_point:
            return "both" if abs(x - left) <= reach else None
        if left - reach <= x <= right + reach and min(abs(x - left), abs(x - right)) <= reach:
            # Handles that lie on each other are told apart by the side that is grabbed.
            nearer_start = abs(x - left) < abs(x - right) or (left == right and x < left)
            return "start" if nearer_start else "end"
        return "both" if left < x < right else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        handle = self.handle_at(event.position().x())
        if event.button() != Qt.MouseButton.LeftButton or not self._editable:
            return
        self._before, self._look_before = self._range, self._label
        if handle is None or self._range is None:
            self._press_x = event.position().x() if self._span[1] > self._span[0] else None
            return
        self._dragged = handle
        self._active = handle
        self._grip_us = self.x_to_time(event.position().x()) - (self._range[1] if handle == "end" else self._range[0])
        self.update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._press_x is not None:
            self._draw(event)
        elif self._dragged is None:
            self._hovered = self.handle_at(event.position().x()) if self._editable else None
            empty = Qt.CursorShape.CrossCursor if self._editable else Qt.CursorShape.ArrowCursor
            shapes = {"both": Qt.CursorShape.SizeAllCursor, None: empty}
            self.setCursor(shapes.get(self._hovered, Qt.CursorShape.SizeHorCursor))
        else:
            time = self.x_to_time(event.position().x()) - self._grip_us
            self._move_handle(self._dragged, self._snapped(time, event))
            if self._range is not None:
                self.range_changing.emit(*self._range)
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        drawn, dragged = self._drawn_us, self._dragged
        self._end_drag()
        if drawn is not None:
            self.range_drawn.emit(min(drawn), max(drawn))
        elif dragged is not None and self._range is not None and self._range != self._before:
            self.range_changed.emit(*self._range)
        self.update()

    def _draw(self, event: QMouseEvent) -> None:
        """Draw a new range from where the button was pressed, once the mouse is far enough from there."""
        assert self._press_x is not None
        far = abs(event.position().x() - self._press_x) >= _DRAG_PX
        if self._drawn_us is None and not far:
            return
        start, end = (self._snapped(self.x_to_time(x), event) for x in (self._press_x, event.position().x()))
        if self._points:
            start = end
        self._drawn_us, self._range, self._label = (start, end), (min(start, end), max(start, end)), None
        self._describe()
        self.range_changing.emit(*self._range)

    def _snapped(self, time_us: int, event: QMouseEvent) -> int:
        free = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        return time_us if free else self._snap_to_frame(time_us)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hovered = None
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._active = "start" if event.reason() is Qt.FocusReason.TabFocusReason else "end"
        super().focusInEvent(event)
        self._describe()
        self.update()

    def focusNextPrevChild(self, forwards: bool) -> bool:
        following: Handle = "end" if forwards else "start"
        if self._range is not None and not self._is_point and self.hasFocus() and self._active != following:
            self._active = following
            self._describe()
            self.update()
            return True
        return super().focusNextPrevChild(forwards)

    def event(self, event: QEvent) -> bool:
        # The window's own arrow keys step the picture; while the slider has the focus they are the slider's.
        if (
            event.type() == QEvent.Type.ShortcutOverride
            and isinstance(event, QKeyEvent)
            and (self._key_target(event) is not None or (event.key() == Qt.Key.Key_Escape and self.dragging))
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.dragging:
            self.cancel()
            return
        target = self._key_target(event)
        if target is None or self._range is None:
            super().keyPressEvent(event)
            return
        before = self._range
        self._move_handle("both" if self._is_point else self._active, target)
        if self._range != before:
            self.range_changing.emit(*self._range)
            self.range_changed.emit(*self._range)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        look = current_style(self.devicePixelRatioF())
        self._paint_track(painter, look)
        if self._range is not None:
            self._paint_range(painter, look)
        x = self.time_to_x(self._playhead_us)
        if self._span[0] <= self._playhead_us <= self._span[1] and self._span[1] > self._span[0]:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.fillRect(QRectF(round(x), _track_top(self) - 2, 1, _TRACK_HEIGHT + 4), look.colours.playhead)
        painter.end()

    def _key_target(self, event: QKeyEvent) -> int | None:
        """Where a key moves the active handle, or None where it moves none."""
        if self._range is None or not self._editable:
            return None
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        at = self._range[1] if self._active == "end" else self._range[0]
        key = Qt.Key(event.key())
        if key in _STEP_KEYS and modifiers == Qt.KeyboardModifier.ShiftModifier:
            return self._snap_to_frame(at + _STEP_KEYS[key] * _SECOND_US)
        if modifiers != Qt.KeyboardModifier.NoModifier:
            return None
        if key in _STEP_KEYS:
            return self._step_frames(at, _STEP_KEYS[key])
        if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
            return self._snap_to_frame(at + (10 if key == Qt.Key.Key_PageUp else -10) * _SECOND_US)
        if key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            return self._span[0] if key == Qt.Key.Key_Home else self._span[1]
        return None

    def _step_frames(self, time_us: int, frames: int) -> int:
        if self._frames is None or not len(self._frames):
            return time_us + frames * 40_000
        if frames < 0:
            return self._frames.time_of(self._frames.frame_at(time_us - 1))
        following = self._frames.step(time_us, 1)
        return following if following > time_us else self._frames.end_us

    def _snap_to_frame(self, time_us: int) -> int:
        return time_us if self._frames is None else self._frames.snap(time_us)

    def _move_handle(self, handle: Handle, time_us: int) -> None:
        if self._range is None:
            return
        start, end = self._range
        first, last = min(self._span[0], start), max(self._span[1], end)
        if handle == "both":
            start_now = min(max(time_us, first), last - (end - start))
            self._range = (start_now, start_now + end - start)
        elif handle == "start":
            self._range = (max(first, min(time_us, end - _MIN_RANGE_US)), end)
        else:
            self._range = (start, min(last, max(time_us, start + _MIN_RANGE_US)))
        self._describe()

    def _paint_track(self, painter: QPainter, look: Style) -> None:
        track = QRectF(_MARGIN, _track_top(self) + 5, self.width() - 2 * _MARGIN, _TRACK_HEIGHT - 10)
        painter.setPen(QPen(look.colours.border, 1))
        painter.setBrush(look.colours.field)
        painter.drawRoundedRect(track.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        painter.setFont(look.small_font)
        painter.setPen(look.colours.muted)
        if self._range is None and self._span[1] > self._span[0]:
            words = painter.fontMetrics()
            texts = [tr("Select a segment to see its start and end."), tr("Select a segment.")]
            if self._points:
                texts = [tr("Select a point to see its time."), tr("Select a point.")]
            elif self._editable:
                marking = tr("Drag here, or press I and O, to mark a start and an end; or select a segment.")
                texts = [marking, tr("Drag, or press I and O.")]
            text = next((text for text in texts if words.horizontalAdvance(text) <= self.width()), texts[-1])
            fitting = words.elidedText(text, Qt.TextElideMode.ElideRight, self.width())
            painter.drawText(
                QRectF(0, _track_top(self) + _TRACK_HEIGHT + 1, self.width(), theme.scaled(_TEXT_HEIGHT)),
                Qt.AlignmentFlag.AlignHCenter,
                fitting,
            )

    def _paint_range(self, painter: QPainter, look: Style) -> None:
        assert self._range is not None
        colours = look.colours
        edges = (float(_MARGIN), float(self.width() - _MARGIN))
        left, right = (min(max(self.time_to_x(t), edges[0]), edges[1]) for t in self._range)
        top = _track_top(self)
        ink = colours.accent if self._label is None else look.label_style(self._label).ink
        bar = QRectF(left, top + 2, max(1.0, right - left), _TRACK_HEIGHT - 4)
        painter.setPen(QPen(ink, 1))
        painter.setBrush(colours.selection if self._label is None else look.label_style(self._label).brush)
        painter.drawRect(bar.adjusted(0.5, 0.5, -0.5, -0.5))
        handles: tuple[tuple[str, float, int], ...] = (("start", left, self._range[0]), ("end", right, self._range[1]))
        if self._is_point:
            handles = (("point", left, self._range[0]),)
        for handle, x, time in handles:
            if self._span[0] <= time <= self._span[1]:
                self._paint_handle(painter, handle, x, look)
        self._paint_times(painter, left, right, look)

    def _paint_handle(self, painter: QPainter, handle: str, x: float, look: Style) -> None:
        colours = look.colours
        ink = colours.accent if self._label is None else look.label_style(self._label).ink
        outward = {"start": -_HANDLE_WIDTH, "end": 0.0, "point": -_HANDLE_WIDTH / 2}[handle]
        box = QRectF(x + outward, _track_top(self), _HANDLE_WIDTH, _TRACK_HEIGHT)
        lit = bool({self._hovered, self._dragged} & {handle, "both"})
        if self.hasFocus() and (handle == "point" or self._active in (handle, "both")):
            painter.setPen(QPen(colours.accent, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-2, -2, 2, 2), 4, 4)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(colours.text if lit else ink if self._editable else colours.disabled)
        painter.drawRoundedRect(box, 2.5, 2.5)
        painter.fillRect(QRectF(box.center().x() - 0.5, box.top() + 5, 1, _TRACK_HEIGHT - 10), colours.panel)

    def _paint_times(self, painter: QPainter, left: float, right: float, look: Style) -> None:
        """The two times under their handles, and the length between them; the length alone where they have no room."""
        assert self._range is not None
        start, end = self._range
        painter.setFont(look.small_font)
        metrics = painter.fontMetrics()
        if start == end:
            painter.setPen(look.colours.text)
            wide = metrics.horizontalAdvance(format_time(start))
            x = min(max(left - wide / 2, 2.0), self.width() - wide - 2.0)
            painter.drawText(QPointF(x, _track_top(self) + _TRACK_HEIGHT + theme.scaled(12)), format_time(start))
            return
        first, last = format_time(start), format_time(end)
        wide = metrics.horizontalAdvance("0:00:00.000") + 8
        length = f"{(end - start) / _SECOND_US:.3f} s"
        room = self.width()
        if room < 2 * wide + 4:
            painter.setPen(look.colours.text)
            below = QRectF(0, _track_top(self) + _TRACK_HEIGHT + 1, room, theme.scaled(_TEXT_HEIGHT))
            painter.drawText(below, Qt.AlignmentFlag.AlignCenter, length)
            return
        at_first = min(max(left - wide / 2, 2.0), room - 2 * wide - 2.0)
        at_last = max(min(right - wide / 2, room - wide - 2.0), at_first + wide)
        baseline = _track_top(self) + _TRACK_HEIGHT + theme.scaled(12)
        for x, text in ((at_first, first), (at_last, last)):
            painter.setPen(look.colours.text)
            painter.drawText(QPointF(x + (wide - metrics.horizontalAdvance(text)) / 2, baseline), text)
        painter.setPen(look.colours.muted)
        middle = metrics.horizontalAdvance(length)
        if at_last - at_first - wide > middle + 16:
            painter.drawText(QPointF((at_first + wide + at_last - middle) / 2, baseline), length)

    def _describe(self) -> None:
        if self._range is None:
            self.setAccessibleDescription(tr("No start and end yet."))
            return
        read_only = "" if self._editable else tr(" Read-only.")
        if self._is_point:
            name = tr("Point") if self._label is None else tr("{name} point").format(name=self._label.name)
            self.setAccessibleDescription(
                tr("{name} at {at}. The arrow keys move it.{read_only}").format(
                    name=name, at=format_time(self._range[0]), read_only=read_only
                )
            )
            return
        what = tr("Marks") if self._label is None else tr("{name} segment").format(name=self._label.name)
        active = {"start": "start", "end": "end", "both": tr("whole range")}[self._active]
        first, last = (format_time(t) for t in self._range)
        self.setAccessibleDescription(
            tr("{what} from {first} to {last}. The arrow keys move the {active}.{read_only}").format(
                what=what, first=first, last=last, active=active, read_only=read_only
            )
        )


def _track_top(slider: QWidget) -> float:
    return float(round((slider.height() - slider.sizeHint().height()) / 2 + 4))
