"""Lists the items of a set with what each judge made of them, and plays their moments."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QObject

from app.core.benchmark.results.figures import RunFigures
from app.gui.benchmark.figures import Figures
from app.gui.benchmark.showing import Showing
from app.gui.benchmark.words import answer_words, with_own
from app.gui.context import Context
from benchmark.results.base import ItemResult
from project.item_sets import FrozenItem
from project.judging import JudgmentStatus
from project.queries.recordings import all_recordings
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.benchmark.items_tab import ALL
from widgets.benchmark.page import BenchmarkPage
from widgets.rows_table import Row

RIGHT, WRONG, UNPARSED, REFUSED, DIFFER = "right", "wrong", "unparsed", "refused", "differ"
_WHICH = {
    ALL: tr("All items"),
    RIGHT: tr("Right by"),
    WRONG: tr("Wrong by"),
    UNPARSED: tr("Unparsed from"),
    REFUSED: tr("Not known by"),
    DIFFER: tr("Where judges differ"),
}
_HIDDEN = "hidden"
_WHY_HIDDEN = tr("What you have not answered yet is hidden, and not played, until you have.")
_COMPUTING = tr("Computing the figures…")
_LONGEST = 60


class Items(QObject):
    """Nothing here changes the study."""

    def __init__(self, context: Context, page: BenchmarkPage, shown: Showing, figures: Figures) -> None:
        super().__init__(page)
        self._context = context
        self._tab = page.items
        self._shown = shown
        self._figures = figures
        figures.renewed.connect(self._show)
        self._tab.changed.connect(self._list)
        self._tab.show_requested.connect(self._look)
        self._tab.play_requested.connect(self._play)

    def _of_set(self) -> list[RunFigures]:
        one = self._shown.current()
        return [each for each in self._figures.found if one is not None and each.item_set.id == one.id]

    def _show(self) -> None:
        runs = {each.run.id: f"{each.judge}{with_own(each.run)} ({each.run.shown.value})" for each in self._of_set()}
        self._tab.set_choices(_WHICH, runs)
        self._list()

    def _list(self) -> None:
        session = self._shown.session
        if session is None:
            return
        which, run_id = self._tab.chosen()
        found = self._of_set()
        by_run = {each.run.id: {one.said.item_id: one for one in each.items} for each in found}
        numbers = {one.id: f"{one.number} {one.name}".strip() for one in all_recordings(session.study)}
        hidden = self._figures.hidden
        kept = [one for one in self._shown.items if _fits(one.id, which, run_id, by_run, hidden)]
        rows = [self._row(one, numbers.get(one.recording_id, NO), list(by_run.values()), hidden) for one in kept]
        columns = (tr("Item"), tr("Recording"), tr("From"), "Right", *(each.judge for each in found))
        count = trn("{count} item", "{count} items", len(rows))
        notes = [_COMPUTING] if self._figures.working else []
        notes.append(_WHY_HIDDEN if hidden else tr("Double click: play the moment."))
        self._tab.show_items(columns, rows, count, " ".join(notes))

    def _row(
        self, one: FrozenItem, recording: str, runs: Sequence[Mapping[str, ItemResult]], hidden: frozenset[str]
    ) -> Row:
        place = f"{one.draw + 1}.{one.position + 1}"
        begun = format_time(one.start_us)
        if one.id in hidden:
            return Row(one.id, (place, recording, begun, _HIDDEN, *(_HIDDEN for _ in runs)), time_us=one.start_us)
        truth = next((run[one.id].said.truth for run in runs if one.id in run), one.content.get("truth", {}))
        right = answer_words(truth) if isinstance(truth, Mapping) else ""  # type: ignore[arg-type]
        said = (_said(run.get(one.id)) for run in runs)
        return Row(one.id, (place, recording, begun, _short(right), *said), time_us=one.start_us)

    def _item(self, item_id: str) -> FrozenItem | None:
        """Return an item whose moment may be seen and heard: what is said there may be the answer."""
        if item_id in self._figures.hidden:
            return None
        return next((one for one in self._shown.items if one.id == item_id), None)

    def _look(self, item_id: str) -> None:
        one = self._item(item_id)
        if one is not None:
            self._context.look_at(one.recording_id, one.start_us)

    def _play(self, item_id: str) -> None:
        one, playback, player = self._item(item_id), self._context.playback, self._context.player
        if one is None:
            return
        self._context.look_at(one.recording_id, one.start_us)
        playback.repeat(one.start_us, one.end_us)
        if player.path is not None and not player.playing:
            player.play()


NO = "gone"
"""What stands for a recording that is no longer part of the study."""


def _fits(
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
            len({str(run[item_id].said.answers) for run in by_run.values() if item_id in run and run[item_id].counts})
            > 1
        )
    one = by_run.get(run_id, {}).get(item_id)
    if one is None:
        return False
    statuses = {*one.said.statuses.values()}
    if which == UNPARSED:
        return JudgmentStatus.UNPARSED in statuses
    if which == REFUSED:
        return JudgmentStatus.REFUSED in statuses
    return one.right is (which == RIGHT)


def _said(one: ItemResult | None) -> str:
    if one is None or not one.said.statuses:
        return ""
    statuses = {*one.said.statuses.values()}
    if JudgmentStatus.REFUSED in statuses:
        return tr("- not known")
    if JudgmentStatus.UNPARSED in statuses:
        return tr("? unparsed")
    mark = "" if one.right is None else "✓ " if one.right else "✗ "
    return f"{mark}{_short(answer_words(one.said.answers))}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
