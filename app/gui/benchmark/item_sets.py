"""Draws item sets in a thread, presents the chosen one, and checks whether the study has changed since it was drawn."""

from contextlib import suppress

from PySide6.QtCore import QObject, QTimer, Signal

from app.gui.benchmark.benchmark_labels import (
    changed_text,
    condition_name,
    item_set_facts,
    item_set_name,
    left_out_rows,
    negatives_name,
)
from app.gui.benchmark.benchmark_page import BenchmarkPage
from app.gui.benchmark.item_set_form import ItemSetChoices, NewSet, SamplingTrack
from app.gui.pages.context import Context
from app.gui.study.background import in_turn
from benchmark.items.sampling import NEGATIVES, TRUTHS, SamplingOptions
from benchmark.prompts.judge_prompt import PromptSubject
from benchmark.prompts.segment_prompts import label_choices
from benchmark.sets.frozen_sets import draw_set, find_changed_items, require_free_name, store_set
from benchmark.sets.item_sources import rendering_methods
from benchmark.tasks.benchmark_task import SUITE
from project.entities.frozen_items import FrozenItem, ItemSet
from project.entities.study_records import Changes
from project.errors import UserError
from project.queries.item_set_rows import all_sets, items_of
from project.schemes.scheme import Scheme, Track
from project.session.session import Session
from resources.translation import tr


def available_options(session: Session | None) -> ItemSetChoices:
    """Return it; nothing where no study is open."""
    if session is None:
        return ItemSetChoices()
    lanes = [_describe_lane(scheme, track) for scheme in session.schemes for track in scheme.tracks]
    methods = {key: condition_name(key) for key in rendering_methods(session)}
    negatives = {key: _capitalize_first(negatives_name(key)) for key in NEGATIVES}
    return ItemSetChoices(lanes, methods, negatives, {key: _capitalize_first(name) for key, name in TRUTHS.items()})


def _capitalize_first(text: str) -> str:
    return text[:1].upper() + text[1:]


def _describe_lane(scheme: Scheme, track: Track) -> SamplingTrack:
    name = scheme.name if len(scheme.tracks) == 1 else f"{scheme.name}: {track.name}"
    labels = {label_choice.key: label_choice.name for label_choice in label_choices(PromptSubject(scheme, track.key))}
    return SamplingTrack(scheme.key, track.key, name, labels)


_DRAWING = tr("Drawing the items…")
Drawn = tuple[ItemSet, list[FrozenItem]]


class ItemSetBuilder(QObject):
    """One set at a time. Nothing is written where nothing can be drawn; the form says why."""

    def __init__(self, context: Context, page: BenchmarkPage) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._asked = 0
        page.form.submitted.connect(self._start_draw)
        page.form.cancelled.connect(self._discard_draw)
        page.form.shown.connect(self._update_options)
        context.studio.leaving.connect(self._discard_draw)

    def _update_options(self) -> None:
        """Offer what the study has now; a study that cannot be read offers nothing."""
        with suppress(UserError):
            self._page.form.rules.set_options(available_options(self._context.studio.session))

    def _start_draw(self, wanted: NewSet) -> None:
        session = self._context.studio.session
        if session is None:
            return
        try:
            require_free_name(session, wanted.name, wanted.task)
        except UserError as error:
            self._show_error(error)
            return
        self._asked += 1
        number = self._asked
        self._page.form.set_busy(True)
        self._page.form.show_note(_DRAWING)

        def then(found: Drawn) -> None:
            if number == self._asked:
                self._store(session, wanted, found)

        def failed(error: Exception) -> None:
            if number == self._asked:
                self._discard_draw()
                self._show_error(error)

        self._context.background.read(session, lambda second, _progress: _draw_items(second, wanted), then, failed)

    def _store(self, session: Session, wanted: NewSet, found: Drawn) -> None:
        self._discard_draw()
        try:
            made, changes = store_set(session, *found, wanted.name)
        except UserError as error:
            self._show_error(error)
            return
        self._page.choose_set(made.id)
        self._page.show_tabs()
        if changes:
            self._context.studio.publish(changes)
            self._context.studio.message.emit(tr("The item set “{name}” is drawn and frozen.").format(name=made.name))

    def _discard_draw(self) -> None:
        """Drop the draw that is under way; nothing is written."""
        self._asked += 1
        self._page.form.set_busy(False)
        self._page.form.show_note("")

    def _show_error(self, error: Exception) -> None:
        told = (
            f"{error.message} {error.hint}"
            if isinstance(error, UserError)
            else tr("It could not be drawn: {error}").format(error=error)
        )
        self._page.form.show_note(told.strip())


def _draw_items(session: Session, wanted: NewSet) -> Drawn:
    rules, usual = wanted.rules, SamplingOptions()
    wishes = SamplingOptions(
        wanted.include,
        wanted.stratify,
        rules.scheme,
        rules.track,
        {label: float(weight) for label, weight in rules.shares.items()},
        rules.negatives or usual.negatives,
        rules.methods,
        rules.willing,
        rules.truth or usual.truth,
    )
    return draw_set(session, SUITE.make(wanted.task), wanted.seed, wanted.draws, wanted.size, wishes)


RUN_TABLES = frozenset({"benchmark_run", "benchmark_answer", "judgment"})
_SET_TABLES = frozenset({"item_set", "item"})
_REFRESH_DELAY_MS = 700
"""Answers come in by the hundred while judges are asked."""
_COMPARING = tr("Comparing with the study…")
_EDITED = tr("The study was edited since this was looked up. Choose the page again to compare.")


class ItemSetPresenter(QObject):
    """Works while the page is in sight; what changed meanwhile is read when it comes back.

    Signals:
        changed: another set is chosen, or the sets were read again.
        answers_changed: runs began, or answers came.
    """

    changed = Signal()
    answers_changed = Signal()

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
        self._soon = QTimer(self, singleShot=True, interval=_REFRESH_DELAY_MS)
        self._soon.timeout.connect(self._emit_answers_changed)
        page.set_chosen.connect(lambda _key: self._show())
        page.visible_changed.connect(self._on_visible)
        page.tabs.currentChanged.connect(lambda _at: self._compare())
        studio = context.studio
        studio.session_changed.connect(self._forget)
        studio.bridge.changed.connect(self._apply)

    @property
    def session(self) -> Session | None:
        """The study that is open."""
        return self._context.studio.session

    @property
    def is_visible(self) -> bool:
        """Whether the page is in sight."""
        return self._page.isVisible()

    def current(self) -> ItemSet | None:
        """Return the chosen set."""
        key = self._page.current_set()
        return next((item_set for item_set in self.sets if item_set.id == key), None)

    def refresh(self) -> None:
        """Read the sets again, now or when the page comes into sight."""
        self._stale = True
        if self.is_visible:
            self._reload()

    def _on_visible(self, visible: bool) -> None:
        if not visible or self._of is not self.session:
            # The page comes into sight before it is told of another study.
            return
        if self._stale:
            self._fill_in_turn()
        else:
            if self._answers:
                self._emit_answers_changed()
            self._compare()

    def _fill(self) -> None:
        # First, so that the page comes back whatever becomes of the reading; it is painted after both.
        self._page.setUpdatesEnabled(True)
        if self._stale and self.is_visible:
            self._reload()

    def _reload(self) -> None:
        self._stale = False
        session = self.session
        self._page.set_writable(self._context.studio.writable)
        try:
            self.sets = (
                [] if session is None else [item_set for item_set in all_sets(session.study) if item_set.task in SUITE]
            )
        except UserError as error:
            self._context.studio.failed.emit(error)
            self.sets = []
        self._page.set_item_sets({item_set.id: item_set_name(item_set) for item_set in self.sets})
        self._show()

    def _show(self) -> None:
        item_set, session = self.current(), self.session
        try:
            self.items = items_of(session.study, item_set.id) if item_set is not None and session is not None else []
        except UserError as error:
            self._context.studio.failed.emit(error)
            self.items = []
        if item_set is not None:
            self._page.set.show_set(item_set_facts(item_set, self.items), left_out_rows(item_set))
        self._unsure, self._answers = True, False
        self._compare()
        self.changed.emit()

    def _compare(self) -> None:
        """Look up whether the study has changed since, where that is looked at; one set at a time."""
        item_set, session = self.current(), self.session
        if not self._unsure or item_set is None or session is None or not self._page.set.isVisible():
            return
        self._page.set.show_changed(_COMPARING, differs=False)
        self._again = self._comparing
        if self._comparing:
            return
        self._unsure, self._comparing = False, True
        self._asked += 1
        number, total = self._asked, len(self.items)
        self._context.background.read(
            session,
            lambda second, _progress: len(find_changed_items(second, item_set)),
            lambda count: self._show_comparison(number, changed_text(count, total), differs=bool(count)),
            lambda error: self._show_comparison(number, str(error), differs=True),
        )

    def _show_comparison(self, number: int, text: str, *, differs: bool) -> None:
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
        if tables & _SET_TABLES:
            self.refresh()
        elif tables - RUN_TABLES:
            self._unsure = True
            if tables & {"annotator", "judge", "property", "run"}:
                self.refresh()
            elif self.current() is not None:
                self._page.set.show_changed(_EDITED, differs=False)
        if tables & RUN_TABLES:
            self._answers = True
            if self.is_visible and not self._soon.isActive():
                self._soon.start()

    def _emit_answers_changed(self) -> None:
        if self.is_visible:
            self._answers = False
            self.answers_changed.emit()

    def _forget(self) -> None:
        self._soon.stop()
        self._asked += 1
        self._comparing = self._again = False
        self.sets, self.items = [], []
        self._stale, self._of = True, self.session
        self._fill_in_turn()

    def _fill_in_turn(self) -> None:
        # The window shows the study first, and lives on before the page is filled: until then it shows nothing.
        self._page.setUpdatesEnabled(False)
        in_turn(self, self._fill)
