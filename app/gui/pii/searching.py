"""Has the texts of a study searched for personal information, so that whoever asks for hits next need not wait."""

from PySide6.QtCore import QObject, Signal

from app.core.jobs import Work
from app.core.pii import search as pii_search
from app.core.pii.finder import unsettled
from app.gui.context import Context
from project.queries.free_texts import free_texts


class Searching(QObject):
    """Texts are searched by the worker, and what the study knows is held against them in a thread.

    Signals:
        ready: all texts are searched as they were when this was asked for last.
        told (str): what is done right now.
        stopped: the search failed or was cancelled.
    """

    ready = Signal()
    told = Signal(str)
    stopped = Signal()

    def __init__(self, context: Context, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._turn = 0
        self._asked: Work | None = None
        context.jobs.stopped.connect(self._stopped)
        context.jobs.progressed.connect(self._progressed)

    @property
    def needed(self) -> bool:
        """Whether there are texts that were not searched yet."""
        session = self._context.studio.session
        return session is not None and pii_search.prepare(session) is not None

    def begin(self) -> None:
        """Search what is new; `ready` follows later."""
        session = self._context.studio.session
        if session is None or self._asked is not None:
            return
        self._turn += 1
        work = self._context.jobs.of(pii_search.KIND, "") or pii_search.prepare(session)
        if work is not None:
            self._asked = work
            self.told.emit("Looking for personal information…")
            if self._context.jobs.of(pii_search.KIND, "") is work:
                self._context.jobs.after(work, lambda _result: self._searched())
            else:
                self._context.jobs.start(work, lambda _result: self._searched())
            return
        turn = self._turn
        settle = unsettled(session, [one.text for one in free_texts(session.study)])

        def keep(kept: object) -> None:
            if callable(kept) and turn == self._turn:
                kept()
                self.ready.emit()

        self._context.background.run(lambda _progress: settle(), keep)

    def _searched(self) -> None:
        self._asked = None
        self.begin()

    def _stopped(self, work: Work) -> None:
        if work is self._asked:
            self._asked = None
            self.stopped.emit()

    def _progressed(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._asked:
            self.told.emit(f"{text}: {done} of {total} texts…")
