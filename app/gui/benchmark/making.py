"""Draws item sets as the form says, in a thread, and stores them."""

from contextlib import suppress

from PySide6.QtCore import QObject

from app.core.benchmark.sets.making import drawn, free_name, store_set
from app.core.benchmark.sets.wishes import Wishes
from app.core.session import Session
from app.gui.benchmark.offered import offered
from app.gui.context import Context
from app.gui.second_look import look
from benchmark.suite.registry import entry_of
from project.errors import UserError
from project.item_sets import FrozenItem, ItemSet
from resources.translation import tr
from widgets.benchmark.new_set import NewSet
from widgets.benchmark.page import BenchmarkPage

_DRAWING = tr("Drawing the items…")
Drawn = tuple[ItemSet, list[FrozenItem]]


class Making(QObject):
    """One set at a time. Nothing is written where nothing can be drawn; the form says why."""

    def __init__(self, context: Context, page: BenchmarkPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._asked = 0
        page.form.made.connect(self._make)
        page.form.left.connect(self._stop)
        page.form.shown.connect(self._offer)
        context.studio.leaving.connect(self._stop)

    def _offer(self) -> None:
        """Offer what the study has now; a study that cannot be read offers nothing."""
        with suppress(UserError):
            self._page.form.rules.set_offered(offered(self._context.studio.session))

    def _make(self, wanted: NewSet) -> None:
        session = self._context.studio.session
        if session is None:
            return
        try:
            free_name(session, wanted.name, wanted.task)
        except UserError as error:
            self._say(error)
            return
        self._asked += 1
        number = self._asked
        self._page.form.set_under_way(True)
        self._page.form.say(_DRAWING)

        def then(found: Drawn) -> None:
            if number == self._asked:
                self._store(session, wanted, found)

        def failed(error: Exception) -> None:
            if number == self._asked:
                self._stop()
                self._say(error)

        look(self._context.background, session, lambda second, _progress: _draw(second, wanted), then, failed)

    def _store(self, session: Session, wanted: NewSet, found: Drawn) -> None:
        self._stop()
        try:
            made, changes = store_set(session, *found, wanted.name)
        except UserError as error:
            self._say(error)
            return
        self._page.choose_set(made.id)
        self._page.show_tabs()
        if changes:
            self._context.studio.publish(changes)
            self._context.studio.told.emit(tr("The item set “{name}” is drawn and frozen.").format(name=made.name))

    def _stop(self) -> None:
        """Want no set any more: nothing is written."""
        self._asked += 1
        self._page.form.set_under_way(False)
        self._page.form.say("")

    def _say(self, error: Exception) -> None:
        told = (
            f"{error.message} {error.hint}"
            if isinstance(error, UserError)
            else tr("It could not be drawn: {error}").format(error=error)
        )
        self._page.form.say(told.strip())


def _draw(session: Session, wanted: NewSet) -> Drawn:
    rules, usual = wanted.rules, Wishes()
    wishes = Wishes(
        wanted.include,
        wanted.stratify,
        rules.scheme,
        rules.track,
        {label: float(weight) for label, weight in rules.shares.items()},
        rules.negatives or usual.negatives,
        rules.methods,
        rules.willing,
    )
    return drawn(session, entry_of(wanted.task), wanted.seed, wanted.draws, wanted.size, wishes)
