"""Has the texts of a study searched for personal information, so that whoever asks for hits next need not wait."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.core.jobs import Work
from app.core.pii import search as pii_search
from app.core.pii.finder import found_so_far, settled
from app.core.session import Session
from app.gui.context import Context
from app.gui.second_look import look
from project.progress import Progress
from project.queries.free_texts import free_texts
from resources.translation import tr


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
        turn, tell = self._turn, found_so_far(session)
        self.told.emit(tr("Looking for personal information…"))
        running = self._context.jobs.of(pii_search.KIND, "")
        if running is not None:
            self._asked = running
            self._context.jobs.after(running, lambda _result: self._searched())
            return

        def read(second: Session, _progress: Progress) -> Work | Callable[[Session], None]:
            tell(second)
            return pii_search.prepare(second) or settled(second, [one.text for one in free_texts(second.study)])

        def then(found: Work | Callable[[Session], None]) -> None:
            if turn != self._turn or self._context.studio.session is not session:
                return
            if isinstance(found, Work):
                self._start(found)
            else:
                found(session)
                self.ready.emit()

        look(self._context.background, session, read, then, self._failed)

    def _start(self, work: Work) -> None:
        self._asked = work
        self._context.jobs.start(work, lambda _result: self._searched())

    def _failed(self, error: Exception) -> None:
        self.told.emit(str(error))
        self.stopped.emit()

    def _searched(self) -> None:
        self._asked = None
        self.begin()

    def _stopped(self, work: Work) -> None:
        if work is self._asked:
            self._asked = None
            self.stopped.emit()

    def _progressed(self, work: Work, done: int, total: int, text: str) -> None:
        if work is self._asked:
            self.told.emit(tr("{text}: {done} of {total} texts…").format(text=text, done=done, total=total))
