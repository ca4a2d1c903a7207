"""Keeps the playhead with the clock, and the view with the playhead."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer

from widgets.protocols import Clock

if TYPE_CHECKING:
    from widgets.timeline.view import TimelineView

_TICK_MS = 16


class Follow(StrEnum):
    """How the view keeps up with the playhead while playing."""

    OFF = "off"
    PAGE = "page"
    SMOOTH = "smooth"


class Follower:
    """Reads the clock sixty times a second while it plays.

    Attributes:
        clock: what to read.
        follow: how the view keeps up.
    """

    def __init__(self, view: TimelineView) -> None:
        self._view = view
        self.clock: Clock | None = None
        self.follow = Follow.PAGE
        self._ticker = QTimer(view, interval=_TICK_MS)
        self._ticker.setTimerType(Qt.TimerType.PreciseTimer)
        self._ticker.timeout.connect(self._tick)

    @property
    def active(self) -> bool:
        """Whether the clock is being read."""
        return self._ticker.isActive()

    def run(self, playing: bool) -> None:
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
        if self.follow is Follow.SMOOTH:
            self._view.pan(x - window.width / 2)
        elif self.follow is Follow.PAGE and not 0 <= x <= window.width * 0.95:
            self._view.pan(x - window.width * (0.05 if self.clock.rate >= 0 else 0.9))
