"""Which item set the page is about, what it is, and whether the study has changed since."""

from PySide6.QtCore import QObject, QTimer, Signal

from app.core.benchmark.sets.standing import changed_since
from app.core.session import Session
from app.gui.benchmark.words import changed_words, left_out_rows, set_facts, set_name
from app.gui.context import Context
from app.gui.second_look import look
from benchmark.suite.registry import SUITE
from project.errors import UserError
from project.item_sets import FrozenItem, ItemSet
from project.queries.item_sets import all_sets, items_of
from project.types import Changes
from resources.translation import tr
from widgets.benchmark.page import BenchmarkPage

RUNS = frozenset({"benchmark_run", "benchmark_answer", "judgment"})
_SETS = frozenset({"item_set", "item"})
_SOON_MS = 700
"""Answers come in by the hundred while judges are asked."""
_COMPARING = tr("Comparing with the study…")
_EDITED = tr("The study was edited since this was looked up. Choose the page again to compare.")


class Showing(QObject):
    """Works while the page is in sight; what changed meanwhile is read when it comes back.

    Signals:
        renewed: another set is chosen, or the sets were read again.
        answered: runs began, or answers came.
    """

    renewed = Signal()
    answered = Signal()

    def __init__(self, context: Context, page: BenchmarkPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._stale, self._answers = True, False
        self._unsure, self._comparing, self._again = True, False, False
        self._asked = 0
        self._of = context.studio.session
        self.sets: list[ItemSet] = []
        self.items: list[FrozenItem] = []
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._tell)
        page.set_chosen.connect(lambda _key: self._show())
        page.visible_changed.connect(self._look)
        page.tabs.currentChanged.connect(lambda _at: self._compare())
        studio = context.studio
        studio.session_changed.connect(self._forget)
        studio.bridge.changed.connect(self._apply)

    @property
    def session(self) -> Session | None:
        """The study that is open."""
        return self._context.studio.session

    @property
    def visible(self) -> bool:
        """Whether the page is in sight."""
        return self._page.isVisible()

    def current(self) -> ItemSet | None:
        """Return the chosen set."""
        key = self._page.current_set()
        return next((one for one in self.sets if one.id == key), None)

    def renew(self) -> None:
        """Read the sets again, now or when the page comes into sight."""
        self._stale = True
        if self.visible:
            self._reload()

    def _look(self, visible: bool) -> None:
        if not visible or self._of is not self.session:
            # The page comes into sight before it is told of another study.
            return
        if self._stale:
            self._reload()
        else:
            if self._answers:
                self._tell()
            self._compare()

    def _fill(self) -> None:
        # First, so that the page comes back whatever becomes of the reading; it is painted after both.
        self._page.setUpdatesEnabled(True)
        if self._stale and self.visible:
            self._reload()

    def _reload(self) -> None:
        self._stale = False
        session = self.session
        self._page.set_writable(self._context.studio.writable)
        try:
            self.sets = [] if session is None else [one for one in all_sets(session.study) if one.task in SUITE]
        except UserError as error:
            self._context.studio.failed.emit(error)
            self.sets = []
        self._page.set_sets({one.id: set_name(one) for one in self.sets})
        self._show()

    def _show(self) -> None:
        one, session = self.current(), self.session
        try:
            self.items = items_of(session.study, one.id) if one is not None and session is not None else []
        except UserError as error:
            self._context.studio.failed.emit(error)
            self.items = []
        if one is not None:
            self._page.set.show_set(set_facts(one, self.items), left_out_rows(one))
        self._unsure, self._answers = True, False
        self._compare()
        self.renewed.emit()

    def _compare(self) -> None:
        """Look up whether the study has changed since, where that is looked at; one set at a time."""
        one, session = self.current(), self.session
        if not self._unsure or one is None or session is None or not self._page.set.isVisible():
            return
        self._page.set.show_changed(_COMPARING, differs=False)
        self._again = self._comparing
        if self._comparing:
            return
        self._unsure, self._comparing = False, True
        self._asked += 1
        number, total = self._asked, len(self.items)
        look(
            *(self._context.background, session, lambda second, _progress: changed_since(second, one).count),
            lambda count: self._end(number, changed_words(count, total), differs=bool(count)),
            lambda error: self._end(number, str(error), differs=True),
        )

    def _end(self, number: int, text: str, *, differs: bool) -> None:
        """Say what was found, unless it is of another study, of another set, or of before an edit."""
        if number != self._asked:
            return
        self._comparing = False
        if self._again:
            self._again = False
            self._compare()
        elif not self._unsure:
            self._page.set.show_changed(text, differs=differs)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        tables = {*changes.tables}
        if tables & _SETS:
            self.renew()
        elif tables - RUNS:
            self._unsure = True
            if tables & {"annotator", "judge", "property", "run"}:
                self.renew()
            elif self.current() is not None:
                self._page.set.show_changed(_EDITED, differs=False)
        if tables & RUNS:
            self._answers = True
            if self.visible and not self._soon.isActive():
                self._soon.start()

    def _tell(self) -> None:
        if self.visible:
            self._answers = False
            self.answered.emit()

    def _forget(self) -> None:
        self._soon.stop()
        self._asked += 1
        self._comparing = self._again = False
        self.sets, self.items = [], []
        self._stale, self._of = True, self.session
        # The window shows the study first, and lives on before the page is filled: until then it shows nothing.
        self._page.setUpdatesEnabled(False)
        QTimer.singleShot(0, self, self._fill)
