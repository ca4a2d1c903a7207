"""Progress reporting and cancellation of long work, and the estimate of the remaining time."""

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from resources.translation import later

Made = TypeVar("Made")
MIN_ELAPSED_S = 2.0
"""Seconds before anybody can say how long something still takes."""
_SECONDS, _MINUTES = 90.0, 90.0
"""What takes longer is told in minutes, and in hours."""


class Progress(Protocol):
    """Given to every long function, on any floor."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Report `done` of `total` units (0 total: unknown)."""

    def check_cancelled(self) -> None:
        """Return quietly, or raise `project.errors.Cancelled` when the user stopped the work."""


class Silent:
    """Reports to nobody and is never cancelled."""

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Do nothing."""

    def check_cancelled(self) -> None:
        """Do nothing."""


class StageProgress:
    """Reports progress after each of a fixed number of stages, and stops there when the work is cancelled."""

    def __init__(self, progress: Progress, count: int, text: str) -> None:
        self._progress, self._count, self._text = progress, count, text
        self._done = 0

    def finish_stage(self, made: Made) -> Made:
        """Report a finished stage and return its result.

        Raises:
            Cancelled: the work is not wanted any more.
        """
        self._done += 1
        self._progress.progress(self._done, self._count, self._text)
        self._progress.check_cancelled()
        return made


class RemainingTimeEstimator:
    """Estimates the remaining time of work from its progress so far.

    What was done when it was first looked at, such as what a cache held, says nothing of how fast it goes. Work that
    falls back, or has another end and got no further, is another piece of work: it is looked at anew.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin; `clock` gives seconds from any moment on."""
        self._clock = clock
        self._total: int | None = None
        self._first = self._done = 0
        self._since = 0.0

    def estimate(self, done: int, total: int) -> float | None:
        """Record progress and return the estimated remaining seconds; None where they are unknown."""
        now = self._clock()
        if self._total is None or done < self._done or (total != self._total and done <= self._done):
            self._first, self._since = done, now
        self._done, self._total = done, total
        passed, came = now - self._since, done - self._first
        if passed < MIN_ELAPSED_S or came <= 0 or done >= total:
            return None
        return passed * (total - done) / came


def format_time_left(seconds: float | None, say: Callable[[str], str] = str) -> str:
    """Return how long something still takes, rounded as an estimate is; "" where nobody can say.

    Args:
        seconds: as `RemainingTimeEstimator.estimate` returns them.
        say: puts a text into the reader's language.
    """
    if seconds is None:
        return ""
    if seconds < _SECONDS:
        return say(later("about {value:.0f} s left")).format(value=max(1.0, seconds))
    if seconds < 60 * _MINUTES:
        return say(later("about {value:.0f} min left")).format(value=seconds / 60)
    return say(later("about {value:.1f} h left")).format(value=seconds / 3600)


class SubtaskProgress:
    """Reports the progress of a part of some work as progress of the whole.

    Args:
        whole: told how far all is.
        before: units of the whole that were done before this part.
        size: units of the whole that this part is.
        total: units of the whole.
        text: told in place of what the part says; "" for that.
    """

    def __init__(self, whole: Progress, before: int, size: int, total: int, text: str = "") -> None:
        self._whole, self._before, self._size, self._total, self._text = whole, before, size, total, text

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Tell `done` of the part's `total`, whose units may be others than those of the whole."""
        share = self._size * done // total if total else 0
        self._whole.progress(self._before + share, self._total, self._text or text)

    def check_cancelled(self) -> None:
        """Stop where the whole is stopped."""
        self._whole.check_cancelled()
