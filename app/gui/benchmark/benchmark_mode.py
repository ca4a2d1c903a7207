"""Fills the tabs Items and Results of the benchmark page.

The figures of the chosen set's runs are computed in a thread.
"""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from app.gui.benchmark.answer_room import HumanRunController
from app.gui.benchmark.benchmark_labels import (
    CHANCE,
    PUBLISHED,
    answer_text,
    chance_rows,
    figure_rows,
    judge_label,
    published_rows,
    task_options,
)
from app.gui.benchmark.benchmark_page import ALL, TABS, BenchmarkPage
from app.gui.benchmark.benchmark_runs import BenchmarkRunController
from app.gui.benchmark.item_sets import ItemSetBuilder, ItemSetPresenter
from app.gui.pages.context import Context
from app.gui.study.background import PendingTask, in_turn
from benchmark.items.sampling import INCLUDE_LABELS
from benchmark.metrics.published_figures import published_scores_for
from benchmark.results.item_results import ItemResult
from benchmark.runs.people_runs import unanswered_item_ids
from benchmark.runs.run_figures import RunFigures, RunRead, compute_figures, read_runs
from project.entities.frozen_items import FrozenItem
from project.entities.judgments import JudgmentStatus
from project.errors import UserError
from project.progress import Progress
from project.queries.recording_rows import all_recordings
from project.session.session import Session
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.table.record_table import TableRow

_log = logging.getLogger(__name__)
Known = tuple[RunRead, RunFigures]


class RunFiguresLoader(QObject):
    """Results and items show the same figures; they are computed once for both, and again only where answers came.

    Signals:
        changed: there are others.

    Attributes:
        found: of the runs that may be shown; of a run with new answers those of before, until these are computed.
        is_working: whether some are not computed yet.
        hidden: items whose truth must not be shown yet, because somebody still answers them.
        why_not: why there are none.
    """

    changed = Signal()

    def __init__(self, context: Context, page: BenchmarkPage, shown: ItemSetPresenter) -> None:
        super().__init__(page)
        self._context = context
        self._page = page
        self._shown = shown
        self._stale, self._busy = True, False
        self._asked = 0
        self._wanted: tuple[RunRead, ...] = ()
        self._sets: tuple[str, ...] = ()
        self._reading: PendingTask | None = None
        self._own = ""
        self._known: dict[str, Known] = {}
        self.found: list[RunFigures] = []
        self.hidden: frozenset[str] = frozenset()
        self.why_not = ""
        shown.changed.connect(self.refresh)
        shown.answers_changed.connect(self.refresh)
        context.studio.leaving.connect(self._forget)
        page.results.changed.connect(self.refresh)
        page.tabs.currentChanged.connect(lambda _at: self._load_if_visible())

    @property
    def is_working(self) -> bool:
        """Whether some are not read or computed yet."""
        return (self._stale and self._is_visible()) or (
            not self.why_not
            and (self._reading is not None or any(not self._is_known(run_read) for run_read in self._wanted))
        )

    def refresh(self) -> None:
        """Read them again, in a turn of its own or when somebody looks; until then every item is hidden."""
        self._stale = True
        self.hidden = frozenset(item.id for item in self._shown.items)
        in_turn(self, self._load_if_visible)

    def _is_visible(self) -> bool:
        return self._page.results.isVisible() or self._page.items.isVisible()

    def _load_if_visible(self) -> None:
        session = self._shown.session
        if not self._stale or not self._is_visible() or session is None:
            return
        self._stale = False
        self._read(session)

    def _read(self, session: Session) -> None:
        """Read in a thread what figures are computed from; what is known of the same sets stays until then."""
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        item_set, before = self._shown.current(), self._sets
        everything = self._page.results.everything.isChecked()
        chosen = [] if item_set is None else self._shown.sets if everything else [item_set]
        sets = tuple(chosen_set.id for chosen_set in chosen)
        self._sets, self.hidden, self.why_not = sets, frozenset(), ""
        if sets != before:
            self._wanted = ()
        if sets and self._read_hidden(session):
            self._reading = self._context.background.read(
                session,
                lambda second, _progress: read_runs(second, sets=sets),
                lambda read: self._on_read(session, read),
                self._on_read_failed,
            )
        self._publish_and_compute()

    def _read_hidden(self, session: Session) -> bool:
        """Find out what somebody must not see, here and now, so that nothing is shown before; whether that is known."""
        sets = [item_set for item_set in self._shown.sets if item_set.id in self._sets]
        try:
            self.hidden = frozenset().union(*(unanswered_item_ids(session, set_id) for set_id in sets))
        except UserError as error:
            self.hidden, self.why_not = frozenset(item.id for item in self._shown.items), str(error)
            self._wanted = ()
            return False
        who = session.annotator()
        self._own = who.id if who is not None else ""
        return True

    def _on_read(self, session: Session, read: list[RunRead]) -> None:
        """Show what was read; what is hidden is looked up again, because somebody may have begun to answer since."""
        self._reading = None
        if self._read_hidden(session):
            self._wanted = tuple(read)
        self._publish_and_compute()

    def _on_read_failed(self, error: Exception) -> None:
        self._reading, self._wanted = None, ()
        if not isinstance(error, UserError):
            _log.error("The answers could not be read", exc_info=error)
        self.why_not = str(error)
        self._publish_and_compute()

    def _publish_and_compute(self) -> None:
        """Show what is known, and compute what is not."""
        self.found = [
            replace(self._known[row.run.id][1], judge=row.judge) for row in self._wanted if self._is_shown(row)
        ]
        missing = [run_read for run_read in self._wanted if not self._is_known(run_read)]
        if missing and not self._busy and not self.why_not:
            self._compute(missing)
        self.changed.emit()

    def _is_shown(self, run_read: RunRead) -> bool:
        return run_read.run.id in self._known and not (self.hidden and run_read.run.annotator_id == self._own)

    def _is_known(self, run_read: RunRead) -> bool:
        known = self._known.get(run_read.run.id)
        return known is not None and known[0] == _without_names(run_read)

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
                self._read_hidden(session)
                self._publish_and_compute()

        def failed(error: Exception) -> None:
            if number == self._asked:
                _log.error("The figures could not be computed", exc_info=error)
                self._busy, self.why_not = False, tr("The figures could not be computed: {error}").format(error=error)
                self._publish_and_compute()

        self._context.background.run(lambda progress: self._compute_runs(reads, progress), then, failed)

    def _compute_runs(self, reads: Sequence[RunRead], progress: Progress) -> list[Known]:
        """Compute in a thread what is still looked at."""
        found = []
        for read in reads:
            progress.check_cancelled()
            if any(read.run.id == report_run.run.id for report_run in self._wanted):
                alone = _without_names(read)
                found.append((alone, compute_figures(alone, parts=False)))
        return found

    def _forget(self) -> None:
        """What was under way in threads is dropped with the study."""
        self._asked += 1
        self._busy = False
        if self._reading is not None:
            self._reading.stop()
            self._reading = None
        self._wanted, self._known, self._sets = (), {}, ()


def _without_names(run_read: RunRead) -> RunRead:
    """Return a run without what depends on which others are read with it."""
    return replace(run_read, judge="", names={})


RIGHT, WRONG, UNPARSED, REFUSED, DIFFER = "right", "wrong", "unparsed", "refused", "differ"
_FILTER_NAMES = {
    ALL: tr("All items"),
    RIGHT: tr("Right by"),
    WRONG: tr("Wrong by"),
    UNPARSED: tr("Unparsed from"),
    REFUSED: tr("Not known by"),
    DIFFER: tr("Where judges differ"),
}
_HIDDEN_CELL = "hidden"
_ITEMS_HIDDEN_NOTE = tr("What you have not answered yet is hidden, and not played, until you have.")
_COMPUTING = tr("Computing the figures…")
_MAX_ANSWER_CHARS = 60


class Items(QObject):
    """Nothing here changes the study."""

    def __init__(
        self, context: Context, page: BenchmarkPage, shown: ItemSetPresenter, figures: RunFiguresLoader
    ) -> None:
        super().__init__(page)
        self._context = context
        self._tab = page.items
        self._shown = shown
        self._figures = figures
        figures.changed.connect(self._show)
        self._tab.changed.connect(self._show_items)
        self._tab.show_requested.connect(self._go_to_item)
        self._tab.play_requested.connect(self._play)

    def _current_runs(self) -> list[RunFigures]:
        item_set = self._shown.current()
        return [run for run in self._figures.found if item_set is not None and run.item_set.id == item_set.id]

    def _show(self) -> None:
        runs = {figures.run.id: judge_label(figures, named=False) for figures in self._current_runs()}
        self._tab.set_choices(_FILTER_NAMES, runs)
        self._show_items()

    def _show_items(self) -> None:
        session = self._shown.session
        if session is None:
            return
        which, run_id = self._tab.selected_filter()
        found = self._current_runs()
        by_run = {report_run.run.id: {item.response.item_id: item for item in report_run.items} for report_run in found}
        numbers = {
            recording.id: f"{recording.number} {recording.name}".strip() for recording in all_recordings(session.study)
        }
        hidden = self._figures.hidden
        kept = [item for item in self._shown.items if _matches_filter(item.id, which, run_id, by_run, hidden)]
        rows = [self._row(item, numbers.get(item.recording_id, NO), list(by_run.values()), hidden) for item in kept]
        columns = (tr("Item"), tr("Recording"), tr("From"), "Right", *(report_run.judge for report_run in found))
        count = trn("{count} item", "{count} items", len(rows))
        notes = [_COMPUTING] if self._figures.is_working else []
        notes.append(_ITEMS_HIDDEN_NOTE if hidden else tr("Double click: play the moment."))
        self._tab.show_items(columns, rows, count, " ".join(notes))

    def _row(
        self, frozen_item: FrozenItem, recording: str, runs: Sequence[Mapping[str, ItemResult]], hidden: frozenset[str]
    ) -> TableRow:
        place = f"{frozen_item.draw + 1}.{frozen_item.position + 1}"
        begun = format_time(frozen_item.start_us)
        if frozen_item.id in hidden:
            return TableRow(
                frozen_item.id,
                (place, recording, begun, _HIDDEN_CELL, *(_HIDDEN_CELL for _ in runs)),
                time_us=frozen_item.start_us,
            )
        truth = next(
            (run[frozen_item.id].response.truth for run in runs if frozen_item.id in run),
            frozen_item.content.get("truth", {}),
        )
        right = answer_text(truth) if isinstance(truth, Mapping) else ""  # type: ignore[arg-type]
        said = (_outcome_text(run.get(frozen_item.id)) for run in runs)
        return TableRow(frozen_item.id, (place, recording, begun, _shorten(right), *said), time_us=frozen_item.start_us)

    def _visible_item(self, item_id: str) -> FrozenItem | None:
        """Return an item whose moment may be seen and heard: what is said there may be the answer."""
        if item_id in self._figures.hidden:
            return None
        return next((item for item in self._shown.items if item.id == item_id), None)

    def _go_to_item(self, item_id: str) -> None:
        frozen_item = self._visible_item(item_id)
        if frozen_item is not None:
            self._context.look_at(frozen_item.recording_id, frozen_item.start_us)

    def _play(self, item_id: str) -> None:
        frozen_item, playback, player = self._visible_item(item_id), self._context.playback, self._context.player
        if frozen_item is None:
            return
        self._context.look_at(frozen_item.recording_id, frozen_item.start_us)
        playback.repeat(frozen_item.start_us, frozen_item.end_us)
        if player.path is not None and not player.playing:
            player.play()


NO = "gone"
"""What stands for a recording that is no longer part of the study."""


def _matches_filter(
    item_id: str,
    which: str,
    run_id: str,
    by_run: Mapping[str, Mapping[str, ItemResult]],
    hidden: frozenset[str],
) -> bool:
    if which == ALL:
        return True
    if item_id in hidden:
        return False
    if which == DIFFER:
        return (
            len(
                {
                    str(run[item_id].response.answers)
                    for run in by_run.values()
                    if item_id in run and run[item_id].is_counted
                }
            )
            > 1
        )
    item_result = by_run.get(run_id, {}).get(item_id)
    if item_result is None:
        return False
    statuses = {*item_result.response.statuses.values()}
    if which == UNPARSED:
        return JudgmentStatus.UNPARSED in statuses
    if which == REFUSED:
        return JudgmentStatus.REFUSED in statuses
    return item_result.right is (which == RIGHT)


def _outcome_text(item_result: ItemResult | None) -> str:
    if item_result is None or not item_result.response.statuses:
        return ""
    statuses = {*item_result.response.statuses.values()}
    if JudgmentStatus.REFUSED in statuses:
        return tr("- not known")
    if JudgmentStatus.UNPARSED in statuses:
        return tr("? unparsed")
    mark = "" if item_result.right is None else "✓ " if item_result.right else "✗ "
    return f"{mark}{_shorten(answer_text(item_result.response.answers))}"


def _shorten(text: str) -> str:
    return text if len(text) <= _MAX_ANSWER_CHARS else f"{text[: _MAX_ANSWER_CHARS - 1]}…"


REPORT_WINDOW = "benchmark_report"
_RESULTS_HIDDEN_NOTE = tr("Your own row is hidden until you have answered every item.")


class Results(QObject):
    """One table; a row of this study leads to its items."""

    def __init__(
        self, context: Context, page: BenchmarkPage, shown: ItemSetPresenter, figures: RunFiguresLoader
    ) -> None:
        super().__init__(page)
        self._page = page
        self._shown = shown
        self._figures = figures
        figures.changed.connect(self._show)
        page.results.row_chosen.connect(self._open_items)
        page.results.report.clicked.connect(lambda: context.trigger(REPORT_WINDOW))

    def _show(self) -> None:
        item_set, tab, found = self._shown.current(), self._page.results, self._figures.found
        if item_set is None:
            tab.show_rows((), "")
            return
        everything = tab.everything.isChecked()
        rows = figure_rows(found, named=everything)
        if not everything:
            rows += chance_rows(found)
        if tab.published.isChecked():
            tasks = dict.fromkeys(report_run.item_set.task for report_run in found) if everything else (item_set.task,)
            rows += [row for task in tasks for row in published_rows(published_scores_for(task), task, found)]
        said = (
            [self._figures.why_not]
            if self._figures.why_not
            else [tr("{count} of this study.").format(count=trn("{count} run", "{count} runs", len(found)))]
        )
        if self._figures.is_working:
            said = [*(said if found else []), _COMPUTING]
        elif not found and not self._figures.why_not:
            said = [tr("No judge was asked yet: ask judges, or answer yourself, on the page Run.")]
        if self._figures.hidden:
            said.append(_RESULTS_HIDDEN_NOTE)
        tab.show_rows(rows, " ".join(said))

    def _open_items(self, key: str) -> None:
        run_id = key.partition(" ")[0]
        if run_id in (PUBLISHED, CHANCE):
            return
        run = next((report_run for report_run in self._figures.found if report_run.run.id == run_id), None)
        if run is None:
            return
        self._page.choose_set(run.item_set.id)
        self._page.tabs.setCurrentIndex(TABS.index(tr("Items")))
        self._page.items.select_filter(ALL, run_id)


def make_benchmark_page(context: Context) -> QWidget:
    """Return the page."""
    page = BenchmarkPage(context, task_options(), INCLUDE_LABELS)
    shown = ItemSetPresenter(context, page)
    ItemSetBuilder(context, page)
    BenchmarkRunController(context, page, shown)
    HumanRunController(context, page, shown)
    figures = RunFiguresLoader(context, page, shown)
    Results(context, page, shown, figures)
    Items(context, page, shown, figures)
    return page
