"""Runs short work in threads, or in turns of the event loop.

Offers a pool, reads through a second session of the study, and modal tasks behind a progress line.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from PySide6.QtCore import QCoreApplication, QEventLoop, QObject, QRunnable, Qt, QThreadPool, QTimer, Signal
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from models.connection.network_sandbox import refuse_network
from project.errors import Cancelled
from project.progress import Progress
from project.session.session import Session
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.layouts import make_column
from widgets.progress_bars import ProgressLine
from widgets.text_labels import PlainLabel

_TURN_MS = 5
"""Long enough that timers due meanwhile run first; a timer of 0 ms may be handled in the same turn."""


class Turns(QObject):
    """Calls one thing in each turn of the event loop."""

    def __init__(self) -> None:
        super().__init__(QCoreApplication.instance())
        self.waiting: deque[tuple[QObject, Callable[[], object]]] = deque()
        self._timer = QTimer(self, singleShot=True, interval=_TURN_MS)
        self._timer.timeout.connect(self._take)

    def add(self, owner: QObject, do: Callable[[], object]) -> None:
        """Call something in a turn after those that were asked for before."""
        self.waiting.append((owner, do))
        if not self._timer.isActive():
            self._timer.start()

    def _take(self) -> None:
        owner, do = self.waiting.popleft()
        if self.waiting:
            self._timer.start()
        if isValid(owner):
            do()


@cache
def turns() -> Turns:
    """Return those of the program."""
    return Turns()


def in_turn(owner: QObject, do: Callable[[], object]) -> None:
    """Call something in a turn of the event loop of its own, before which the window is painted and hears keys.

    What was asked for first is called first; nothing of an owner that is gone by then.
    """
    turns().add(owner, do)


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
        self._stoppable = stoppable
        self.telling = _ThreadProgress(self)
        self._line = ProgressLine(text)
        self.setLayout(make_column(PlainLabel(text), self._line, margin=theme.GRID * 2))
        self._line.cancel.setVisible(stoppable)
        self._line.show_progress(0, 0, "")
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

Found = TypeVar("Found")
Work = Callable[[Progress], Found]
Read = Callable[[Session, Progress], Found]
Failed = Callable[[Exception], object]
Show = Callable[[int, int, str], object]


class PendingTask:
    """A task that runs in the background, or waits for a thread.

    Attributes:
        is_stopped: whether nothing more is wanted of it: it ends at its next check, and calls nothing back.
        is_cancelled: whether it ends at its next check, and then calls `failed` with `Cancelled`.
    """

    def __init__(self, then: Callable[[Any], object], failed: Failed, show: Show | None) -> None:
        self.is_stopped = self.is_cancelled = False
        self._then, self._failed, self._show = then, failed, show

    def stop(self) -> None:
        """End it at its next check, without a word."""
        self.is_stopped = True

    def cancel(self) -> None:
        """End it at its next check; `failed` is called once everything of it is cleared away."""
        self.is_cancelled = True

    def deliver(self, result: object, error: Exception | None) -> None:
        """Call back, in the window's thread."""
        if self.is_stopped or (isinstance(error, Cancelled) and not self.is_cancelled):
            return
        if error is None:
            self._then(result)
        else:
            self._failed(error)

    def show(self, done: int, total: int, text: str) -> None:
        """Say how far it is, in the window's thread."""
        if self._show is not None and not self.is_stopped:
            self._show(done, total, text)


class BackgroundPool(QObject):
    """Runs functions in a small pool and hands the results back in the window's thread."""

    _ended = Signal(object, object, object)
    _progressed = Signal(object, int, int, str)

    def __init__(self, parent: QObject | None = None, threads: int = 2) -> None:
        super().__init__(parent)
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(threads)
        self._tasks: set[PendingTask] = set()
        self._ended.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        self._progressed.connect(self._show, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether a task runs or waits for a thread."""
        return bool(self._tasks)

    def run(
        self,
        work: Work[Found],
        then: Callable[[Found], object],
        failed: Failed | None = None,
        show: Show | None = None,
    ) -> PendingTask:
        """Call `work(progress)` in a thread, then `then(result)` or `failed(error)` in the window's thread.

        Args:
            work: what is done.
            then: is given what was found.
            failed: is given why nothing was found.
            show: is told in the window's thread how far it is: done, total, text.
        """
        task = PendingTask(then, failed or _log_error, show)
        self._tasks.add(task)
        self._pool.start(_Task(self, task, work))
        return task

    def run_confined(
        self,
        work: Work[Found],
        then: Callable[[Found], object],
        failed: Failed | None = None,
        show: Show | None = None,
    ) -> PendingTask:
        """Do what `run` does, in a thread without a network: FFmpeg reads a stranger's file there."""
        return self.run(lambda told: _without_network(work, told), then, failed, show)

    def read(
        self,
        session: Session,
        read: Read[Found],
        then: Callable[[Found], object],
        failed: Failed | None = None,
        show: Show | None = None,
    ) -> PendingTask:
        """Do what `run` does, with a second, read-only session: the study as it is on disk, to the same viewer."""
        path, name = session.study.path, session.annotator_name

        def work(progress: Progress) -> Found:
            with Session.open(path, name, read_only=True) as second:
                return read(second, progress)

        return self.run(work, then, failed, show)

    def cancel_all(self) -> None:
        """Drop everything that was asked for, such as when another study is opened; running work is told to stop."""
        self._pool.clear()
        for task in self._tasks:
            task.stop()
        self._tasks.clear()

    def close(self) -> None:
        """Stop, and wait until no thread is left."""
        self.cancel_all()
        self._pool.waitForDone()

    def _show(self, task: PendingTask, done: int, total: int, text: str) -> None:
        task.show(done, total, text)

    def _deliver(self, task: PendingTask, result: object, error: Exception | None) -> None:
        self._tasks.discard(task)
        task.deliver(result, error)


def _without_network(work: Work[Found], progress: Progress) -> Found:
    """Work in a thread of its own, because a thread that lost the network never has it again."""
    result: list[Found] = []
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
    def __init__(self, owner: BackgroundPool, task: PendingTask, work: Work[Any]) -> None:
        super().__init__()
        self._owner = owner
        self._task = task
        self._work = work

    def run(self) -> None:
        result: object = None
        error: Exception | None = None
        try:
            if not self._task.is_stopped:
                result = self._work(self)
        except Exception as problem:
            error = problem
        # The pool may be gone by now, with what nobody waited for.
        if isValid(self._owner):
            self._owner._ended.emit(self._task, result, error)

    def progress(self, done: int, total: int, text: str = "") -> None:
        self._owner._progressed.emit(self._task, done, total, text)

    def check_cancelled(self) -> None:
        if self._task.is_stopped or self._task.is_cancelled:
            raise Cancelled


def _log_error(error: Exception) -> None:
    _log.warning("Work in the background failed: %s", error)
