"""The figures of the chosen set's runs: read and computed in a thread when somebody looks at them."""

import logging
from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from app.core.benchmark.people import open_for
from app.core.benchmark.results.figures import RunFigures, RunRead, computed, read_runs
from app.core.session import Session
from app.gui.benchmark.showing import Showing
from app.gui.context import Context
from app.gui.second_look import Look, look
from project.errors import UserError
from project.progress import Progress
from resources.translation import tr
from widgets.benchmark.page import BenchmarkPage

_log = logging.getLogger(__name__)
Known = tuple[RunRead, RunFigures]


class Figures(QObject):
    """Results and items show the same figures; they are computed once for both, and anew only where answers came.

    Signals:
        renewed: there are others.

    Attributes:
        found: of the runs that may be shown; of a run with new answers those of before, until these are computed.
        working: whether some are not computed yet.
        hidden: items of which somebody must not know yet what is right, because they still answer.
        why_not: why there are none.
    """

    renewed = Signal()

    def __init__(self, context: Context, page: BenchmarkPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._stale, self._busy = True, False
        self._asked = 0
        self._wanted: tuple[RunRead, ...] = ()
        self._sets: tuple[str, ...] = ()
        self._reading: Look | None = None
        self._own = ""
        self._known: dict[str, Known] = {}
        self.found: list[RunFigures] = []
        self.hidden: frozenset[str] = frozenset()
        self.why_not = ""
        shown.renewed.connect(self.renew)
        shown.answered.connect(self.renew)
        context.studio.leaving.connect(self._forget)
        page.results.changed.connect(self.renew)
        page.tabs.currentChanged.connect(lambda _at: self._look())

    @property
    def working(self) -> bool:
        """Whether some are not read or computed yet."""
        return not self.why_not and (self._reading is not None or any(not self._is_known(one) for one in self._wanted))

    def renew(self) -> None:
        """Read them again, now or when somebody looks."""
        self._stale = True
        self._look()

    def _look(self) -> None:
        session = self._shown.session
        wanted = self._page.results.isVisible() or self._page.items.isVisible()
        if not self._stale or not wanted or session is None:
            return
        self._stale = False
        self._read(session)

    def _read(self, session: Session) -> None:
        """Read in a thread what figures are computed from; what is known of the same sets stays until then."""
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        one, before = self._shown.current(), self._sets
        everything = self._page.results.everything.isChecked()
        chosen = [] if one is None else self._shown.sets if everything else [one]
        sets = tuple(each.id for each in chosen)
        self._sets, self.hidden, self.why_not = sets, frozenset(), ""
        if sets != before:
            self._wanted = ()
        if sets and self._hide(session):
            self._reading = look(
                *(self._context.background, session, lambda second, _progress: read_runs(second, sets=sets)),
                lambda read: self._take(session, read),
                self._refuse,
            )
        self._go_on()

    def _hide(self, session: Session) -> bool:
        """Find out what somebody must not see, here and now, so that nothing is shown before; whether that is known."""
        sets = [one for one in self._shown.sets if one.id in self._sets]
        try:
            self.hidden = frozenset().union(*(open_for(session, each) for each in sets))
        except UserError as error:
            self.hidden, self.why_not = frozenset(item.id for item in self._shown.items), str(error)
            self._wanted = ()
            return False
        who = session.annotator()
        self._own = who.id if who is not None else ""
        return True

    def _take(self, session: Session, read: list[RunRead]) -> None:
        """Show what was read; what is hidden is looked up again, because somebody may have begun to answer since."""
        self._reading = None
        if self._hide(session):
            self._wanted = tuple(read)
        self._go_on()

    def _refuse(self, error: Exception) -> None:
        self._reading, self._wanted = None, ()
        if not isinstance(error, UserError):
            _log.error("The answers could not be read", exc_info=error)
        self.why_not = str(error)
        self._go_on()

    def _go_on(self) -> None:
        """Show what is known, and compute what is not."""
        self.found = [replace(self._known[one.run.id][1], judge=one.judge) for one in self._wanted if self._shows(one)]
        missing = [one for one in self._wanted if not self._is_known(one)]
        if missing and not self._busy and not self.why_not:
            self._compute(missing)
        self.renewed.emit()

    def _shows(self, one: RunRead) -> bool:
        return one.run.id in self._known and not (self.hidden and one.run.annotator_id == self._own)

    def _is_known(self, one: RunRead) -> bool:
        known = self._known.get(one.run.id)
        return known is not None and known[0] == _alone(one)

    def _compute(self, reads: Sequence[RunRead]) -> None:
        """Compute one state at a time: what came meanwhile is computed after it."""
        self._busy = True
        self._asked += 1
        number = self._asked

        def then(found: list[Known]) -> None:
            session = self._shown.session
            if number == self._asked and session is not None:
                self._known |= {read.run.id: (read, figures) for read, figures in found}
                self._busy = False
                self._hide(session)
                self._go_on()

        def failed(error: Exception) -> None:
            if number == self._asked:
                _log.error("The figures could not be computed", exc_info=error)
                self._busy, self.why_not = False, tr("The figures could not be computed: {error}").format(error=error)
                self._go_on()

        self._context.background.run(lambda progress: self._work(reads, progress), then, failed)

    def _work(self, reads: Sequence[RunRead], progress: Progress) -> list[Known]:
        """Compute in a thread what is still looked at."""
        found = []
        for one in reads:
            progress.check_cancelled()
            if any(one.run.id == each.run.id for each in self._wanted):
                alone = _alone(one)
                found.append((alone, computed(alone, parts=False)))
        return found

    def _forget(self) -> None:
        """What was under way in threads is dropped with the study."""
        self._asked += 1
        self._busy = False
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        self._wanted, self._known, self._sets = (), {}, ()


def _alone(one: RunRead) -> RunRead:
    """Return a run without what depends on which others are read with it."""
    return replace(one, judge="", names={})
