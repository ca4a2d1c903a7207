"""Says how far who works here is with the chosen set, and leads them into the room in which they answer."""

from PySide6.QtCore import QObject, QTimer

from app.core.benchmark import people
from app.core.benchmark.people import Way
from app.gui.benchmark.answering import Answering
from app.gui.benchmark.showing import Showing
from app.gui.benchmark.words import standing_words
from app.gui.context import Context
from project.errors import UserError
from project.item_sets import Shown
from project.judging import RAW
from widgets.benchmark.page import BenchmarkPage

_SOON_MS = 250
"""What somebody made is looked up in the whole study: not with every key."""


class People(QObject):
    """What is chosen for judges holds for people too."""

    def __init__(self, context: Context, page: BenchmarkPage, shown: Showing) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self.answering = Answering(context, self)
        page.run.answer_requested.connect(self.open)
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._show)
        page.run.changed.connect(self._soon.start)
        page.acts["answer"] = self.open
        page.tabs.currentChanged.connect(lambda _at: self._soon.start())
        shown.renewed.connect(self._soon.start)
        self.answering.ended.connect(shown.renew)

    def open(self) -> None:
        """Let who works here answer what is left."""
        one = self._shown.current()
        if one is not None:
            self.answering.begin(one, self.way())

    def way(self) -> Way:
        """Return how they would be asked."""
        tab = self._page.run
        chosen = tab.chosen_shown()
        condition = next(iter(tab.conditions.chosen()), RAW)
        shown = Shown(chosen) if chosen else Shown.BOTH
        return Way(shown, tab.chosen_variant(), condition, tab.seed.value(), tab.own.isChecked())

    def _show(self) -> None:
        one, session, tab = self._shown.current(), self._shown.session, self._page.run
        if session is None or one is None or not tab.isVisible():
            return
        if session.annotator() is None or session.study.read_only:
            tab.standing.setText("")
            return
        try:
            tab.standing.setText(standing_words(people.queue(session, one, self.way())))
        except UserError as error:
            tab.standing.setText(str(error))
