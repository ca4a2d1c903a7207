"""Short work that needs no model, in threads: thumbnails, waveforms, reading files that are added."""

import logging
import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QRunnable, Qt, QThreadPool, Signal

from models.connection.network_filter import refuse_network
from project.errors import Cancelled
from project.progress import Progress

_log = logging.getLogger(__name__)

Work = Callable[[Progress], Any]
Then = Callable[[Any], None]
Failed = Callable[[Exception], None]


class Background(QObject):
    """Runs functions in a small pool and hands the results back in the window's thread."""

    _ended = Signal(int, object, object)
    _told = Signal(int, int, int, str)

    def __init__(self, parent: QObject | None = None, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._stop = threading.Event()
        self._next = 0
        self._waiting: dict[int, tuple[Then, Failed, Callable[[int, int, str], None] | None]] = {}
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._told.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Work,
        then: Then,
        failed: Failed | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> None:
        """Call `work(progress)` in a thread, then `then(result)` or `failed(error)` in the window's thread."""
        self._next += 1
        self._waiting[self._next] = (then, failed or _log_it, progress)
        self._pool.start(_Task(self, self._next, work))

    def run_confined(
        self,
        work: Work,
        then: Then,
        failed: Failed | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> None:
        """Do what `run` does, in a thread without a network: FFmpeg reads a stranger's file there."""
        self.run(lambda told: _without_network(work, told), then, failed, progress)

    def forget(self) -> None:
        """Drop everything that was asked for, such as when another study is opened; running work is told to stop."""
        self._waiting.clear()
        self._pool.clear()
        self._stop.set()
        self._stop = threading.Event()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.forget()
        self._stop.set()
        self._pool.waitForDone()

    def _deliver(self, number: int, result: object, error: Exception | None) -> None:
        then, failed, _ = self._waiting.pop(number, (None, None, None))
        if error is not None and failed is not None and not isinstance(error, Cancelled):
            failed(error)
        elif error is None and then is not None:
            then(result)

    def _tell(self, number: int, done: int, total: int, text: str) -> None:
        progress = self._waiting.get(number, (None, None, None))[2]
        if progress is not None:
            progress(done, total, text)


def _without_network(work: Work, progress: Progress) -> Any:
    """Work in a thread of its own, because a thread that lost the network never has it again."""
    result: list[Any] = []
    raised: list[Exception] = []

    def confined() -> None:
        try:
            refuse_network(local_sockets=False)
            result.append(work(progress))
        except Exception as error:
            raised.append(error)

    thread = threading.Thread(target=confined, name="media")
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
    return result[0]


class _Task(QRunnable):
    def __init__(self, owner: Background, number: int, work: Work) -> None:
        super().__init__()
        self._owner = owner
        self._number = number
        self._work = work
        self._stop = owner._stop

    def run(self) -> None:
        if self._stop.is_set():
            return
        try:
            result, error = self._work(self), None
        except Exception as problem:
            result, error = None, problem
        self._owner._ended.emit(self._number, result, error)

    def progress(self, done: int, total: int, text: str = "") -> None:
        self._owner._told.emit(self._number, done, total, text)

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled


def _log_it(error: Exception) -> None:
    _log.warning("Work in the background failed: %s", error)
