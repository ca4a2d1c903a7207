"""Writes a data set of questions in a thread."""

import logging
import threading
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.core.questions.dataset.exporting import note
from app.core.questions.dataset.writing import Exported, Ready, write
from app.gui.context import Context
from app.gui.stoppable import Stoppable
from project.errors import Cancelled
from project.progress import Progress
from resources.translation import tr

_log = logging.getLogger(__name__)


class SetWriting(QObject):
    """One set at a time; what is stopped leaves nothing.

    Signals:
        written (Exported, Path): it is in its place, and noted in the study.
        progressed (int, int, str): how far it is, of how many, and what is done.
        stopped (str): it was not written, and why.
    """

    written = Signal(object, object)
    progressed = Signal(int, int, str)
    stopped = Signal(str)

    def __init__(self, context: Context, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._stop: threading.Event | None = None
        context.studio.leaving.connect(self.cancel)

    @property
    def busy(self) -> bool:
        """Whether something is written."""
        return self._stop is not None

    def start(self, ready: Ready, folder: Path) -> None:
        """Write a set to a new folder."""
        stop = self._stop = threading.Event()
        session = self._context.studio.session

        def then(made: Exported | None) -> None:
            if self._stop is stop:
                self._stop = None
            if made is None or session is None or session is not self._context.studio.session:
                self.stopped.emit(tr("Cancelled. Nothing was written."))
                return
            self._context.studio.publish(note(session, made, folder))
            self.written.emit(made, folder)

        def failed(error: Exception) -> None:
            self._stop = None
            _log.warning("The data set was not written", exc_info=error)
            self.stopped.emit(str(error))

        def work(progress: Progress) -> Exported | None:
            try:
                return write(ready, folder, Stoppable(progress, stop))
            except Cancelled:
                return None

        self._context.background.run(work, then, failed, self.progressed.emit)

    def cancel(self) -> None:
        """Stop; what is in its place already stays."""
        if self._stop is not None:
            self._stop.set()
