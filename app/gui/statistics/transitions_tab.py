"""The tab of transitions: which label follows which, as heat maps and as a table."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from annotate.statistics.statistics_tables import transition_rows
from annotate.statistics.study_observations import read_observations
from annotate.statistics.transitions import TransitionTable, count_transitions
from app.gui.pages.context import Context
from app.gui.statistics.counting_bar import grouping_name
from app.gui.statistics.counting_tab import CountingTab
from app.gui.statistics.statistics_plots import group_text, transition_plots
from app.gui.study.background import Read
from project.progress import Progress
from project.session.session import Session
from project.text_format import Cell
from resources.translation import tr, trn
from widgets.form.controls import check_box
from widgets.form.input_fields import ChoiceBox
from widgets.plots.plot_data import Plot
from widgets.table.record_table import RecordColumn

_PROPORTIONS, _COUNTS = "proportions", "counts"


@dataclass(frozen=True, slots=True)
class TransitionRow:
    """How often one label follows another one in a group."""

    key: str
    group: str
    first: str
    second: str
    count: int
    share: float | None


class TransitionsTab(CountingTab[TransitionTable]):
    """Which label follows which."""

    title = tr("Transitions")
    file_name = "transitions"

    def __init__(self, context: Context) -> None:
        shown = {
            _PROPORTIONS: (tr("Proportions"), tr("Shares of what follows the label of the row")),
            _COUNTS: (tr("Counts"), tr("How often the label of the column follows that of the row")),
        }
        self.without_repeats = check_box(
            tr("Without repeats"), tr("A label that comes several times in a row counts once")
        )
        super().__init__(context, ChoiceBox(tr("Draw"), tr("What the cells say"), shown), self.without_repeats)
        self.without_repeats.toggled.connect(lambda _: self.computing.schedule())

    def prepare(self) -> Read[TransitionTable]:
        query, ignores_repeats = self.bar.query(), self.without_repeats.isChecked()

        def read(second: Session, progress: Progress) -> TransitionTable:
            found = read_observations(second, query, split_participants=True)
            progress.check_cancelled()
            return count_transitions(found.keys, found.labels, found.observations, ignores_repeats=ignores_repeats)

        return read

    def summarize(self, found: TransitionTable) -> str:
        groups = trn("{count} group", "{count} groups", len(found.matrices))
        total = sum(matrix.total for matrix in found.matrices)
        return tr("{total:,} transitions in {groups}.").format(total=total, groups=groups)

    def plots(self, found: TransitionTable) -> tuple[Sequence[Plot], str]:
        plots = transition_plots(found, proportions=self.drawn.key() == _PROPORTIONS)
        return plots, "" if plots else tr("No label follows another one on this track yet.")

    def records(self, found: TransitionTable) -> tuple[Sequence[RecordColumn[Any]], Sequence[Any]]:
        names = ", ".join(grouping_name(key.key) for key in found.keys)
        group = RecordColumn[TransitionRow](names, lambda row: row.group, number=False, shrinks=True)
        rows = [
            TransitionRow(f"{matrix.group}{first.key}\n{second.key}", *(text, first.name, second.name), count, share)
            for matrix in found.matrices
            for text in (group_text(matrix.group),)
            for first, counts, shares in zip(found.labels, matrix.counts, matrix.proportions, strict=True)
            for second, count, share in zip(found.labels, counts, shares, strict=True)
            if count
        ]
        return [*((group,) if found.keys else ()), *_pair_columns()], rows

    def saved_table(self, found: TransitionTable) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
        return transition_rows(found)


def _pair_columns() -> list[RecordColumn[TransitionRow]]:
    return [
        RecordColumn(tr("Label"), lambda row: row.first, stretch=True, number=False),
        RecordColumn(tr("Next label"), lambda row: row.second, stretch=True, number=False),
        RecordColumn(tr("Count"), lambda row: f"{row.count:,}", number=True, sort=lambda row: row.count),
        RecordColumn(
            tr("Share"),
            lambda row: "" if row.share is None else f"{row.share:.3f}",
            title_tip=tr("Share of all labels that follow the first label"),
            number=True,
            sort=lambda row: row.share,
        ),
    ]
