"""Previews from a worker process of their own: of many requests only the latest is answered."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.faces.hiding import discard
from app.core.jobs import Work
from app.core.rendering.preview import take_preview
from app.gui.job_center import Result
from app.gui.worker_runner import WORKER, WorkerRunner
from project.errors import UserError
from resources.translation import tr

_PAUSE_MS = 250
_GRACE_MS = 400

Prepare = Callable[[], Work]


class PreviewFeed(QObject):
    """Waits until nothing changes any more, stops what is out of date, then asks.

    Signals:
        working (str): a preview is being made; what it is at.
        ready (Preview): the one that was asked for last.
        failed (UserError): why there is none.
    """

    working = Signal(str)
    ready = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None, command: Sequence[str] = WORKER) -> None:
        super().__init__(parent)
        self._runner = WorkerRunner(self, command, _GRACE_MS)
        self._wanted: Prepare | None = None
        self._current: Work | None = None
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._start)
        self._runner.finished.connect(self._on_finished)
        self._runner.failed.connect(self._on_failed)
        self._runner.cancelled.connect(lambda work: discard(work.parameters))
        self._runner.progressed.connect(self._on_progress)
        self._runner.queue_changed.connect(self._start)

    def ask(self, prepare: Prepare) -> None:
        """Make a preview soon; `prepare` makes the job when its turn comes."""
        self._wanted = prepare
        self._stop()
        self.working.emit(tr("Drawing this frame…"))
        self._pause.start()

    def close(self) -> None:
        """Stop, and ask for nothing any more."""
        self._wanted = self._current = None
        self._pause.stop()
        self._runner.close()

    def _start(self) -> None:
        if self._wanted is None or self._pause.isActive() or self._runner.running is not None:
            return
        prepare, self._wanted = self._wanted, None
        try:
            self._current = prepare()
        except UserError as error:
            self.failed.emit(error)
            return
        self._runner.submit(self._current)

    def _stop(self) -> None:
        self._current = None
        if self._runner.running is not None:
            self._runner.cancel(self._runner.running)

    def _on_finished(self, work: Work, result: Result) -> None:
        try:
            # One that nobody waits for any more is taken too, so that its file goes.
            made = take_preview(result)
        except UserError as error:
            self._on_failed(work, error)
            return
        if work is self._current:
            self.ready.emit(made)

    def _on_failed(self, work: Work, error: UserError) -> None:
        discard(work.parameters)
        if work is self._current:
            self.failed.emit(error)

    def _on_progress(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._current:
            self.working.emit(f"{text}: {100 * done // total} %" if total else f"{text}…" if text else "")
