"""Runs short work in threads.

Offers a pool, reads through a second session of the study, and modal tasks behind a progress line.
"""

import logging
import threading
import time
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QRunnable, Qt, QThreadPool, QTimer, Signal
from PySide6.QtWidgets import QApplication, QVBoxLayout

from models.connection.network_sandbox import refuse_network
from project.errors import Cancelled
from project.progress import Progress
from project.session.session import Session
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.progress_bars import ProgressLine
from widgets.text_labels import PlainLabel

Result = TypeVar("Result")
_SHOW_DELAY_MS = 100
_DIALOG_WIDTH = 440
_PROGRESS_INTERVAL_S = 0.05


class ModalTask(QObject):
    """Runs one piece of work at a time; the caller gets its result as from a synchronous call.

    Signals:
        started: a piece of work was begun.
        finished: the work is over.
    """

    started = Signal()
    finished = Signal()
    _done = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.busy = False
        self.quiet = False
        """Whether nothing is shown of it, because the window is closed while jobs go on."""

    def run(self, work: Callable[[Progress], Result], text: str, *, stoppable: bool = False) -> Result:
        """Call `work` in a thread and return what it returns, or raise what it raises; windows are painted meanwhile.

        It returns when the work is over, whatever else happens: the program does not end before.

        Args:
            work: is told by its progress when it is not wanted any more.
            text: says what goes on.
            stoppable: whether somebody may stop it, because then it leaves nothing behind.
        """
        results: list[Result] = []
        errors: list[BaseException] = []
        saying = _Saying(text, stoppable, quiet=self.quiet)

        def do() -> None:
            try:
                results.append(work(saying.telling))
            except BaseException as error:
                errors.append(error)
            finally:
                self._done.emit()

        self.busy = True
        self.started.emit()
        loop, thread = QEventLoop(), threading.Thread(target=do, name=text)
        self._done.connect(loop.quit, Qt.ConnectionType.QueuedConnection)
        try:
            thread.start()
            while not (results or errors):
                # Where the program was told to end, the loop does not wait any more; the work goes on all the same.
                loop.exec()
                QCoreApplication.processEvents()
                thread.join(0.005)
            thread.join()
        finally:
            saying.close_dialog()
            self.busy = False
        self.finished.emit()
        if errors:
            raise errors[0]
        return results[0]


class _ThreadProgress(QObject):
    """Brings from the thread how far the work is, and tells it when it is not wanted any more.

    Signals:
        progressed (int, int, str): done, total, text.
    """

    progressed = Signal(int, int, str)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._stop = threading.Event()
        self._told = 0.0

    def stop(self) -> None:
        self._stop.set()

    def progress(self, done: int, total: int, text: str = "") -> None:
        now = time.monotonic()
        if now - self._told > _PROGRESS_INTERVAL_S:
            self._told = now
            self.progressed.emit(done, total, text)

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled


class _Saying(OwnDialog):
    """Says what goes on, how far it is and how long it takes, once it lasts; keeps clicks and keys from all windows."""

    def __init__(self, text: str, stoppable: bool, *, quiet: bool) -> None:
        super().__init__(QApplication.activeWindow())
        self.setModal(True)
        self.setWindowFlag(Qt.WindowType.WindowCloseButtonHint, on=False)
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, on=False)
        self.setWindowTitle(text)
        self.setMinimumWidth(_DIALOG_WIDTH)
        self._text, self._stoppable = text, stoppable
        self.telling = _ThreadProgress(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(*(theme.GRID * 2,) * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(PlainLabel(text))
        self._line = ProgressLine(text)
        self._line.cancel.setVisible(stoppable)
        self._line.show_progress(0, 0, "")
        column.addWidget(self._line)
        self._line.cancel_requested.connect(self.reject)
        self.telling.progressed.connect(self._line.show_progress, Qt.ConnectionType.QueuedConnection)
        self._soon = QTimer(self, interval=_SHOW_DELAY_MS)
        self._soon.timeout.connect(self._show_if_free)
        if not quiet:
            self._soon.start()

    def reject(self) -> None:
        """Ask the work to stop, where it can, and stay until it has."""
        if self._stoppable:
            self.telling.stop()
            self._line.cancel.setEnabled(False)

    def close_dialog(self) -> None:
        """Go away."""
        self._soon.stop()
        self.hide()
        self.deleteLater()

    def _show_if_free(self) -> None:
        # A question about it, such as for a passphrase, stays in front.
        if QApplication.activeModalWidget() is None:
            self._soon.stop()
            self.show()


_log = logging.getLogger(__name__)

Work = Callable[[Progress], Any]
Then = Callable[[Any], None]
Failed = Callable[[Exception], None]


class BackgroundPool(QObject):
    """Runs functions in a small pool and hands the results back in the window's thread."""

    _ended = Signal(int, object, object)
    _progressed = Signal(int, int, int, str)

    def __init__(self, parent: QObject | None = None, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._stop = threading.Event()
        self._next = 0
        self._waiting: dict[int, tuple[Then, Failed, Callable[[int, int, str], None] | None]] = {}
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._report_progress, Qt.ConnectionType.QueuedConnection)

    def run(
        self,
        work: Work,
        then: Then,
        failed: Failed | None = None,
        progress: Callable[[int, int, str], None] | None = None,
    ) -> None:
        """Call `work(progress)` in a thread, then `then(result)` or `failed(error)` in the window's thread."""
        self._next += 1
        self._waiting[self._next] = (then, failed or _log_error, progress)
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

    def cancel_all(self) -> None:
        """Drop everything that was asked for, such as when another study is opened; running work is told to stop."""
        self._waiting.clear()
        self._pool.clear()
        self._stop.set()
        self._stop = threading.Event()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.cancel_all()
        self._stop.set()
        self._pool.waitForDone()

    def _deliver(self, number: int, result: object, error: Exception | None) -> None:
        then, failed, _ = self._waiting.pop(number, (None, None, None))
        if error is not None and failed is not None and not isinstance(error, Cancelled):
            failed(error)
        elif error is None and then is not None:
            then(result)

    def _report_progress(self, number: int, done: int, total: int, text: str) -> None:
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
    def __init__(self, owner: BackgroundPool, number: int, work: Work) -> None:
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
        self._owner._progressed.emit(self._number, done, total, text)

    def check_cancelled(self) -> None:
        if self._stop.is_set():
            raise Cancelled


def _log_error(error: Exception) -> None:
    _log.warning("Work in the background failed: %s", error)


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


Found = TypeVar("Found")
Read = Callable[[Session, Progress], Found]
Show = Callable[[int, int, str], None]


class PendingRead:
    """A read that runs in the background; once it is stopped, it calls nothing back.

    Attributes:
        unwanted: set once it is stopped.
    """

    def __init__(self) -> None:
        self.unwanted = Event()

    @property
    def is_stopped(self) -> bool:
        """Whether it was stopped."""
        return self.unwanted.is_set()

    def stop(self) -> None:
        """Stop it; it ends at its next check."""
        self.unwanted.set()


def read_in_background(
    background: BackgroundPool,
    session: Session,
    read: Read[Found],
    then: Callable[[Found], None],
    failed: Failed,
    show: Show | None = None,
) -> PendingRead:
    """Call `read(second, progress)` in a thread, then `then(result)` or `failed`; returns what stops it.

    The second session shows the study as it is on disk, to the same viewer.

    Args:
        background: runs the thread, and calls back in the window's thread.
        session: of the study that is open in the window.
        read: is given a read-only session that is closed after it.
        then: is given what was found.
        failed: is given why nothing was found.
        show: is told in the window's thread how far it is: done, total, text.
    """
    path, name, made = session.study.path, session.annotator_name, PendingRead()

    def found(result: Found) -> None:
        if not made.is_stopped:
            then(result)

    def fail(error: Exception) -> None:
        if not made.is_stopped:
            failed(error)

    def told(done: int, total: int, text: str) -> None:
        if show is not None and not made.is_stopped:
            show(done, total, text)

    background.run(
        lambda progress: _read_in_session(path, name, read, Stoppable(progress, made.unwanted)), found, fail, told
    )
    return made


def _read_in_session(path: Path, name: str, read: Read[Found], progress: Progress) -> Found:
    with Session.open(path, name, read_only=True) as second:
        return read(second, progress)
