"""Lets one piece of work in a thread be stopped by itself."""

from threading import Event

from project.errors import Cancelled
from project.progress import Progress


class Stoppable:
    """A progress that is cancelled too when an event is set.

    Args:
        progress: told how far the work is.
        stop: set it to stop the work.
    """

    def __init__(self, progress: Progress, stop: Event) -> None:
        self._progress, self._stop = progress, stop

    def progress(self, done: int, total: int, text: str = "") -> None:
        """Tell how far the work is."""
        self._progress.progress(done, total, text)

    def check_cancelled(self) -> None:
        """Stop where either says so.

        Raises:
            Cancelled: the user stopped it.
        """
        if self._stop.is_set():
            raise Cancelled
        self._progress.check_cancelled()
