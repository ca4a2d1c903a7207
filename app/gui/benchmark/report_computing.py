"""Puts a report together in a thread, from a second look into the study, so that the window stays awake."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from app.core.benchmark.people import open_for
from app.core.benchmark.report.document import Report
from app.core.benchmark.report.making import Gathered, Wish, gather, report_of
from app.core.session import Session
from app.gui.benchmark.report_plots import report_plots
from app.gui.context import Context
from app.gui.second_look import Look, look
from project.errors import UserError
from project.progress import Progress
from project.queries.item_sets import all_sets
from project.types import Changes
from resources.translation import tr
from widgets.plots.scene import Plot

_MATTERS = frozenset({"item_set", "item", "benchmark_run", "benchmark_answer", "judgment", "recording", "hold_out"})


@dataclass(frozen=True, eq=False)
class Found:
    """Everything about one state of the study, and the report and its plots as they are shown."""

    gathered: Gathered
    report: Report
    plots: tuple[Plot, ...]


class ReportComputing(QObject):
    """Computes one state of the study at a time; an answer that is no longer wanted is dropped.

    Signals:
        found (Found): everything.
        working (bool): whether it is computed.
        progressed (int, int, str): how far it is, of how many, and what is done.
        refused (str): why it cannot be.
        outdated: the study has changed since.
    """

    found = Signal(object)
    working = Signal(bool)
    progressed = Signal(int, int, str)
    refused = Signal(str)
    outdated = Signal()

    def __init__(self, context: Context, wish: Callable[[], Wish], parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._wish = wish
        self._asked = 0
        self._looking: Look | None = None
        context.studio.bridge.changed.connect(self._apply)
        context.studio.leaving.connect(self.stop)

    def start(self) -> None:
        """Look at the study as it is now."""
        session = self._context.studio.session
        if session is None:
            return
        self.stop()
        number, wish = self._asked, self._wish()
        answering = not session.study.read_only
        self.working.emit(True)

        def then(found: Found) -> None:
            if number == self._asked:
                self.found.emit(found)
                self._end(number)

        def failed(error: Exception) -> None:
            self._end(
                number,
                str(error) if isinstance(error, UserError) else tr("The report failed: {error}").format(error=error),
            )

        self._looking = look(
            *(self._context.background, session, lambda second, progress: _work(second, wish, progress, answering)),
            *(then, failed, self.progressed.emit),
        )

    def stop(self) -> None:
        """Want no answer any more."""
        self._asked += 1
        if self._looking is not None:
            self._looking.stop()
            self._looking = None

    def cancel(self) -> None:
        """Want no answer, as somebody said."""
        self.stop()
        self._end(self._asked, tr("Cancelled. Refresh computes the figures."))

    def _end(self, number: int, why: str = "") -> None:
        if number == self._asked:
            self.working.emit(False)
            if why:
                self.refused.emit(why)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _MATTERS & changes.tables.keys():
            self.outdated.emit()


def _work(second: Session, wish: Wish, progress: Progress, answering: bool) -> Found:
    hidden = frozenset().union(*(open_for(second, one, answering=answering) for one in all_sets(second.study)))
    gathered = gather(second, wish, progress, hidden)
    plots = report_plots(gathered.material).values()
    progress.check_cancelled()
    return Found(gathered, report_of(gathered, {}), tuple(plot for several in plots for plot in several))
