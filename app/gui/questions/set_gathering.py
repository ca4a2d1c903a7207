"""Gathers a data set of questions in a thread, so that the window stays awake."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from app.core.commands.pii_numbers import Numbers, numbers_of, store_numbers
from app.core.pii import search as pii_search
from app.core.pii.finder import found_so_far
from app.core.pii.hits import hits
from app.core.questions.dataset.gathering import Gathering, gathering
from app.core.release.codes import release_key
from app.core.session import Session
from app.gui.context import Context
from app.gui.pii.searching import Searching
from app.gui.second_look import Look, look
from project.errors import UserError
from project.progress import Progress
from resources.translation import tr

_SEARCHING = tr("Looking for personal information")
_STOPPED = tr("Stopped. Look again to see what may leave.")


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
        self._looking: Look | None = None
        self._wanted = False
        self._searching = Searching(context, self)
        self._searching.ready.connect(self._begin)
        self._searching.stopped.connect(self._give_up)
        context.jobs.progressed.connect(self._show_search)
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
        self.progressed.emit(0, 0, _SEARCHING)
        self._searching.begin()

    def drop(self) -> None:
        """Want nothing any more."""
        self._wanted = False
        if self._looking is not None:
            self._looking.stop()

    def cancel(self) -> None:
        """Stop because the user says so."""
        search = self._context.jobs.of(pii_search.KIND, "")
        if search is not None:
            self._context.jobs.cancel(search)
        self._give_up()

    def _begin(self) -> None:
        """Number what is personal, which the study keeps, then scrub the texts; both in a thread."""
        session = self._context.studio.session
        if session is None or not self._wanted:
            return
        tell = found_so_far(session)

        def read(second: Session, _progress: Progress) -> Numbers:
            tell(second)
            return numbers_of(second, hits(second))

        def then(numbers: Numbers) -> None:
            try:
                release_key(session)
                store_numbers(session, numbers)
            except UserError as error:
                self._fail(error)
            else:
                self._gather(session)

        self.progressed.emit(0, 0, _SEARCHING)
        self._looking = look(self._context.background, session, read, then, self._fail)

    def _gather(self, session: Session) -> None:
        tell, everything = found_so_far(session), self._everything()

        def read(second: Session, progress: Progress) -> Gathering:
            tell(second)
            pieces = gathering(second, everything=everything)
            while True:
                try:
                    done, total = next(pieces)
                except StopIteration as ended:
                    found: Gathering = ended.value
                    return found
                progress.check_cancelled()
                progress.progress(done, total)

        def then(found: Gathering) -> None:
            self.drop()
            self.found.emit(found)

        def show(done: int, total: int, _text: str) -> None:
            self.progressed.emit(done, total, tr("Scrubbing texts"))

        self._looking = look(self._context.background, session, read, then, self._fail, show)

    def _fail(self, error: Exception) -> None:
        self.drop()
        self.stopped.emit(str(error))

    def _give_up(self) -> None:
        if self._wanted:
            self.drop()
            self.stopped.emit(_STOPPED)

    def _show_search(self, work: object, done: int, total: int, text: str) -> None:
        if self._wanted and getattr(work, "kind", "") == pii_search.KIND:
            self.progressed.emit(done, total, text)
