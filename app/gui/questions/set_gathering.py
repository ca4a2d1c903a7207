"""Gathers a data set of questions a little at a time, so that the window stays awake."""

import time
from collections.abc import Callable, Generator

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.pii import search as pii_search
from app.core.questions.dataset.gathering import Gathering, gathering
from app.gui.context import Context
from app.gui.pii.searching import Searching
from project.errors import UserError

_SLICE_S = 0.02
_SEARCHING = "Looking for personal information"
_STOPPED = "Stopped. Look again to see what may leave."


class SetGathering(QObject):
    """One gathering at a time; what is no longer wanted is dropped.

    Signals:
        found (Gathering): what may leave.
        progressed (int, int, str): how far it is, of how many, and what is done.
        stopped (str): it was not gathered, and why.
    """

    found = Signal(object)
    progressed = Signal(int, int, str)
    stopped = Signal(str)

    def __init__(self, context: Context, everything: Callable[[], bool], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._everything = everything
        self._pieces: Generator[tuple[int, int], None, Gathering] | None = None
        self._wanted = False
        self._searching = Searching(context, self)
        self._searching.ready.connect(self._begin)
        self._searching.stopped.connect(self._give_up)
        context.jobs.progressed.connect(self._show_search)
        self._tick = QTimer(self, interval=0)
        self._tick.timeout.connect(self._step)
        context.studio.leaving.connect(self.drop)

    @property
    def busy(self) -> bool:
        """Whether something is gathered."""
        return self._wanted

    def start(self) -> None:
        """Gather the study as it is now; what was under way is dropped."""
        if self._context.studio.session is None:
            return
        self.drop()
        self._wanted = True
        if self._searching.needed:
            self.progressed.emit(0, 0, _SEARCHING)
            self._searching.begin()
        else:
            self._begin()

    def drop(self) -> None:
        """Want nothing any more."""
        self._wanted = False
        self._tick.stop()
        self._pieces = None

    def cancel(self) -> None:
        """Stop because the user says so."""
        search = self._context.jobs.of(pii_search.KIND, "")
        if self._pieces is None and search is not None:
            self._context.jobs.cancel(search)
        self._give_up()

    def _begin(self) -> None:
        session = self._context.studio.session
        if session is None or not self._wanted:
            return
        self._pieces = gathering(session, everything=self._everything())
        self._tick.start()

    def _step(self) -> None:
        if self._pieces is None:
            return
        until = time.monotonic() + _SLICE_S
        try:
            while True:
                done, total = next(self._pieces)
                if time.monotonic() > until:
                    break
        except StopIteration as ended:
            self.drop()
            self.found.emit(ended.value)
        except UserError as error:
            self.drop()
            self.stopped.emit(str(error))
        else:
            self.progressed.emit(done, total, "Scrubbing texts")

    def _give_up(self) -> None:
        if self._wanted:
            self.drop()
            self.stopped.emit(_STOPPED)

    def _show_search(self, work: object, done: int, total: int, text: str) -> None:
        if self._wanted and self._pieces is None and getattr(work, "kind", "") == pii_search.KIND:
            self.progressed.emit(done, total, text)
