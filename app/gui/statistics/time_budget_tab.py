"""The tab of the time budget: one figure as bars, and all figures as a table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from annotate.statistics.statistics_tables import budget_table, data_rows
from annotate.statistics.study_observations import read_observations
from annotate.statistics.time_budget import BudgetRow, TimeBudget, compute_time_budget
from app.gui.pages.context import Context
from app.gui.statistics.counting_bar import grouping_name
from app.gui.statistics.counting_tab import CountingTab
from app.gui.statistics.statistics_plots import BUDGET_FIGURES, BudgetFigure, Looks, budget_figures, budget_plot
from app.gui.study.background import Read
from project.progress import Progress
from project.session.session import Session
from project.text_format import Cell
from resources.translation import tr, trn
from widgets.form.input_fields import ChoiceBox
from widgets.labels import label_looks
from widgets.plots.plot_data import Plot, PlotNumberFormat
from widgets.table.record_table import RecordColumn

_FIRST_FIGURE = "share"


@dataclass(frozen=True, slots=True)
class TimeBudgetResult:
    """A budget, how its labels look, and which figures say something of its track."""

    budget: TimeBudget
    looks: Looks
    figures: Mapping[str, BudgetFigure]

    @property
    def segments(self) -> int:
        """How many were counted."""
        return sum(row.count for row in self.budget.rows)


@dataclass(frozen=True, slots=True)
class _BudgetRecord:
    key: str
    row: BudgetRow


class TimeBudgetTab(CountingTab[TimeBudgetResult]):
    """How often, how long and in which share of the time each label was marked."""

    title = tr("Time budget")
    file_name = "time_budget"

    def __init__(self, context: Context) -> None:
        super().__init__(context, ChoiceBox(tr("Draw"), tr("The figure that is drawn above the table")))
        self._offer_figures(BUDGET_FIGURES)

    def prepare(self) -> Read[TimeBudgetResult]:
        query = self.bar.query()

        def read(second: Session, progress: Progress) -> TimeBudgetResult:
            found = read_observations(second, query)
            progress.check_cancelled()
            budget = compute_time_budget(found.keys, found.labels, found.observations)
            looks = {look.key: look for look in label_looks(found.track)}
            return TimeBudgetResult(budget, looks, budget_figures(points=found.track.holds_points))

        return read

    def _show(self, found: TimeBudgetResult) -> None:
        self._offer_figures(found.figures)
        super()._show(found)

    def _offer_figures(self, figures: Mapping[str, BudgetFigure]) -> None:
        named = {key: (figure.name, figure.meaning) for key, figure in figures.items()}
        self.drawn.offer(named, first=_FIRST_FIGURE)

    def summarize(self, found: TimeBudgetResult) -> str:
        groups = trn("{count} group", "{count} groups", len({row.group for row in found.budget.rows}))
        return tr("{segments:,} segments in {groups}.").format(segments=found.segments, groups=groups)

    def plots(self, found: TimeBudgetResult) -> tuple[Sequence[Plot], str]:
        plot = budget_plot(found.budget, self.drawn.key(), found.looks)
        if plot is not None:
            return [plot], ""
        if found.segments:
            return [], tr("There are too many groups to draw. The table below has them all.")
        return [], tr("Nothing is marked on this track yet.")

    def records(self, found: TimeBudgetResult) -> tuple[Sequence[RecordColumn[Any]], Sequence[Any]]:
        groups = [_group_column(grouping_name(key.key), place) for place, key in enumerate(found.budget.keys)]
        label = RecordColumn[_BudgetRecord](tr("Label"), lambda record: record.row.name, stretch=True, number=False)
        columns = [*groups, label, *map(_figure_column, found.figures.values()), _observed_column()]
        return columns, [_BudgetRecord("\n".join((*row.group, row.label)), row) for row in found.budget.rows]

    def saved_table(self, found: TimeBudgetResult) -> tuple[Sequence[str], Sequence[Sequence[Cell]]]:
        return data_rows(budget_table(found.budget))


def _group_column(name: str, place: int) -> RecordColumn[_BudgetRecord]:
    return RecordColumn(name, lambda record: record.row.group[place] or tr("nobody"), number=False, shrinks=True)


def _figure_column(figure: BudgetFigure) -> RecordColumn[_BudgetRecord]:
    digits = 0 if figure.number is PlotNumberFormat.COUNT else 3

    def text(record: _BudgetRecord) -> str:
        value = figure.value(record.row)
        return "\N{EN DASH}" if value is None else f"{value:,.{digits}f}"

    return RecordColumn(
        # The unit below the name: eight columns fit beside each other.
        figure.name.replace(" (", "\n(").replace(" of ", "\nof "),
        text,
        title_tip=f"{figure.meaning} ({figure.axis})",
        number=True,
        sort=lambda record: figure.value(record.row),
        colour=lambda record: "muted" if figure.value(record.row) is None else "text",
    )


def _observed_column() -> RecordColumn[_BudgetRecord]:
    return RecordColumn(
        tr("Observed"),
        lambda record: f"{record.row.observed_s / 60:,.1f} min",
        title_tip=tr("Time that annotators observed, on which rates and shares are based"),
        number=True,
        tip=lambda record: trn("{count} observation", "{count} observations", record.row.observations),
        sort=lambda record: record.row.observed_s,
    )
