"""Where playback is right now, though libVLC says so only two to four times a second."""

import time
from collections.abc import Callable

from project.timebase import SECOND

_LONGEST_SILENCE_S = 1.2


class PlayClock:
    """Interpolates observed positions with a monotonic clock; never runs backward while playing forward.

    `now_us()`, `playing` and `rate` are what the timeline asks for. A negative rate plays backward.
    """

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._rate = 1.0
        self._playing = False
        self._anchor_us = 0
        self._anchor_at = 0.0
        self._last_us = 0
        self._observed = False
        self._range = (0, 0)

    @property
    def playing(self) -> bool:
        """Whether time passes."""
        return self._playing

    @property
    def rate(self) -> float:
        """Recording time a second of real time."""
        return self._rate

    def set_range(self, start_us: int, end_us: int) -> None:
        """Set where time stops at both ends."""
        self._range = (start_us, end_us)

    def set(self, time_us: int) -> None:
        """Stand at a position."""
        self._playing = False
        self._last_us = self._anchor_us = self._clamp(time_us)

    def start(self, time_us: int, rate: float) -> None:
        """Run from a position; assumed to be right until the first observation."""
        self._rate = rate
        self._playing = True
        self._observed = False
        self._last_us = self._anchor_us = self._clamp(time_us)
        self._anchor_at = self._monotonic()

    def stop(self) -> int:
        """Stand still, and return where."""
        stopped = self.now_us()
        self.set(stopped)
        return self._last_us

    def observe(self, time_us: int, at: float) -> None:
        """Take in that the player was at `time_us` when the monotonic clock showed `at` seconds."""
        if self._playing and at >= self._anchor_at:
            self._anchor_us, self._anchor_at, self._observed = time_us, at, True

    def now_us(self) -> int:
        """Return the position on the recording's axis, in microseconds."""
        if not self._playing:
            return self._last_us
        passed = self._monotonic() - self._anchor_at
        if self._observed:
            passed = min(passed, _LONGEST_SILENCE_S)
        reached = self._clamp(self._anchor_us + round(passed * self._rate * SECOND))
        self._last_us = max(self._last_us, reached) if self._rate >= 0 else min(self._last_us, reached)
        return self._last_us

    def _clamp(self, time_us: int) -> int:
        start, end = self._range
        return min(max(time_us, start), max(start, end))
