"""A widget over a recording's time axis that zooms, pans and follows the playhead: the base of the timeline."""

from __future__ import annotations

from enum import StrEnum

from PySide6.QtCore import QEvent, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QNativeGestureEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QPinchGesture, QWidget

from widgets import theme
from widgets.timeline.scene import Clock, TimelineHost
from widgets.timeline.timeline_layout import Viewport, header_width, ruler_height
from widgets.timeline.timeline_painter import TimelineImageCache

_ZOOM_STEP = 1.25


class TimeArea(QAbstractScrollArea):
    """Zoom at the mouse with Control and the wheel or a pinch; pan with the wheel and the scroll bars.

    Signals:
        view_changed(int start_us, int end_us): another part of the recording is shown.
        edges_changed: the times begin or end at another pixel, because of the widget's size or a scroll bar.
    """

    view_changed = Signal(object, object)
    edges_changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._view = Viewport()
        self._playhead_us = 0
        self._content = TimelineImageCache()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.viewport().setMouseTracking(True)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().grabGesture(Qt.GestureType.PinchGesture)
        self.horizontalScrollBar().valueChanged.connect(self._scrolled_to)
        self.verticalScrollBar().valueChanged.connect(self.content_changed)
        theme.notifier.changed.connect(self._lay_out)

    def content_height(self) -> int:
        """Return how high everything under the ruler is, in pixels."""
        return 0

    def visible_range(self) -> tuple[int, int]:
        """Return the times at the left and the right edge."""
        return round(self._view.start_us), min(round(self._view.end_us), self._view.duration_us)

    def show_span(self, start_us: int, end_us: int) -> None:
        """Zoom so that a span fills the view."""
        self.set_view(self._view.showing(start_us, end_us))

    def zoom_to_fit(self) -> None:
        """Show the whole recording."""
        self.set_view(self._view.showing(0, self._view.duration_us))

    def zoom(self, factor: float, x: float | None = None) -> None:
        """Zoom in (`factor` over 1) or out at a pixel of the viewport, by default at the playhead or the middle."""
        if x is None:
            playhead = self._view.time_to_x(self._playhead_us)
            x = (playhead if 0 <= playhead <= self._view.width else self._view.width / 2) + header_width()
        self.set_view(self._view.zoomed(factor, x - header_width()))

    def zoom_in(self) -> None:
        """Zoom in by one step."""
        self.zoom(_ZOOM_STEP**2)

    def zoom_out(self) -> None:
        """Zoom out by one step."""
        self.zoom(_ZOOM_STEP**-2)

    def pan(self, pixels: float) -> None:
        """Move the view to the right."""
        self.set_view(self._view.panned(pixels))

    def ensure_visible(self, time_us: int) -> None:
        """Move the view by as little as shows a time with some room around it."""
        x, width = self._view.time_to_x(time_us), self._view.width
        if not 0 <= x <= width:
            self.set_view(self._view.panned(x - width * (0.1 if x > width else 0.9)))

    @property
    def view(self) -> Viewport:
        """The part of the recording that is shown."""
        return self._view

    def scroll_y(self) -> int:
        """Return by how much the lanes are scrolled up."""
        return self.verticalScrollBar().value()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._lay_out()

    def minimumSizeHint(self) -> QSize:
        return QSize(header_width() + 108, ruler_height() + 60)

    def _lay_out(self) -> None:
        """Fit the times into the room there is, at the size of text there is."""
        self.updateGeometry()
        self.set_view(self._view.resized(self.viewport().width() - header_width()))
        self.update_scroll_bars()
        self.content_changed()
        self.edges_changed.emit()

    def edges(self) -> tuple[int, int]:
        """Return at which pixels of the widget its times begin and end; a scroll bar stands beside them."""
        area = self.viewport().geometry()
        return area.x() + header_width(), area.x() + area.width()

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta, modifiers = event.angleDelta(), event.modifiers()
        steps = (delta.y() or delta.x()) / 120
        x = event.position().x()
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            self.zoom(_ZOOM_STEP**steps, max(x, header_width()))
        elif (
            x < header_width() or modifiers & Qt.KeyboardModifier.ShiftModifier
        ) and self.verticalScrollBar().maximum():
            self.verticalScrollBar().setValue(self.scroll_y() - round(steps * 48))
        else:
            exact = event.pixelDelta()
            self.pan(-(exact.x() or exact.y()) if not exact.isNull() else -steps * self._view.width / 12)
        event.accept()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent) and event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
            self.zoom(1 + event.value(), event.position().x())
            return True
        if event.type() == QEvent.Type.Gesture:
            pinch = event.gesture(Qt.GestureType.PinchGesture)  # type: ignore[attr-defined]
            if isinstance(pinch, QPinchGesture):
                self.zoom(pinch.scaleFactor(), self.viewport().mapFromGlobal(pinch.centerPoint()).x())
                return True
        return super().viewportEvent(event)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        pass

    def set_view(self, view: Viewport) -> None:
        """Show another part."""
        if view == self._view:
            return
        self._view = view
        self.update_scroll_bars()
        self.content_changed()
        self.view_changed.emit(*self.visible_range())

    def update_scroll_bars(self) -> None:
        """Fit the scroll bars to the zoom and the lanes."""
        bar, view = self.horizontalScrollBar(), self._view
        bar.blockSignals(True)
        bar.setRange(0, max(0, round(view.duration_us / view.us_per_px) - view.width))
        bar.setPageStep(view.width)
        bar.setSingleStep(max(1, view.width // 12))
        bar.setValue(round(view.start_us / view.us_per_px))
        bar.blockSignals(False)
        room = self.viewport().height() - ruler_height()
        self.verticalScrollBar().setRange(0, max(0, self.content_height() - room))
        self.verticalScrollBar().setPageStep(max(1, room))
        self.verticalScrollBar().setSingleStep(16)

    def _scrolled_to(self, value: int) -> None:
        self.set_view(self._view.panned(value - self._view.start_us / self._view.us_per_px))

    def content_changed(self) -> None:
        """Draw everything again."""
        self._content.invalidate()
        self.viewport().update()

    def redraw_area(self, area: QRect) -> None:
        """Draw an area of the viewport again."""
        seen = area & self.viewport().rect()
        if not seen.isEmpty():
            self._content.invalidate(seen)
            self.viewport().update(seen)


_TICK_MS = 16


class FollowMode(StrEnum):
    """How the view keeps up with the playhead while playing."""

    OFF = "off"
    PAGE = "page"
    SMOOTH = "smooth"


class PlayheadFollower:
    """Reads the clock sixty times a second while it plays.

    Attributes:
        clock: what to read.
        follow: how the view keeps up.
    """

    def __init__(self, view: TimelineHost) -> None:
        self._view = view
        self.clock: Clock | None = None
        self.follow = FollowMode.PAGE
        self._ticker = QTimer(view.viewport(), interval=_TICK_MS)
        self._ticker.setTimerType(Qt.TimerType.PreciseTimer)
        self._ticker.timeout.connect(self._tick)

    @property
    def is_active(self) -> bool:
        """Whether the clock is being read."""
        return self._ticker.isActive()

    def set_running(self, playing: bool) -> None:
        """Start or stop reading the clock."""
        if playing and self.clock is not None:
            self._ticker.start()
        else:
            self._ticker.stop()

    def _tick(self) -> None:
        # A player that has been told to play may still wait for its first frame: its clock stands until then.
        if self.clock is None or not self.clock.playing:
            return
        now = self.clock.now_us()
        self._view.set_playhead(now)
        if not self._view.pointer.idle:
            return
        window = self._view.view
        x = window.time_to_x(now)
        if self.follow is FollowMode.SMOOTH:
            self._view.pan(x - window.width / 2)
        elif self.follow is FollowMode.PAGE and not 0 <= x <= window.width * 0.95:
            self._view.pan(x - window.width * (0.05 if self.clock.rate >= 0 else 0.9))
