"""What time budgets and transitions are drawn as, and the figures that can be drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from annotate.statistics.time_budget import BudgetRow, TimeBudget
from annotate.statistics.transitions import TransitionMatrix, TransitionTable
from resources.translation import tr, trn
from widgets.labels import LabelLook, unknown_look
from widgets.plots.plot_data import BarPlot, Matrix, Plot, PlotNumberFormat, PlottedValue, Series

MAX_GROUPS = 60
"""More groups than this are not drawn: no page of bars that long is read."""
MAX_MATRICES = 24
Looks = Mapping[str, LabelLook]


@dataclass(frozen=True, slots=True)
class BudgetFigure:
    """A figure of the budget.

    Attributes:
        meaning: in one sentence.
        axis: what the bars measure.
        of_durations: whether it says nothing of points.
    """

    name: str
    meaning: str
    axis: str
    value: Callable[[BudgetRow], float | None]
    number: PlotNumberFormat = PlotNumberFormat.FIGURE
    of_durations: bool = False


BUDGET_FIGURES: Mapping[str, BudgetFigure] = {
    "count": BudgetFigure(
        tr("Count"),
        tr("Segments; one that crosses the bound of a phase counts on both sides"),
        tr("segments"),
        lambda row: row.count,
        PlotNumberFormat.COUNT,
    ),
    "rate": BudgetFigure(
        tr("Rate (/min)"), tr("Segments a minute of observed time"), tr("segments a minute"), lambda row: row.rate
    ),
    "total": BudgetFigure(
        tr("Total (s)"), tr("Sum of the durations"), tr("seconds"), lambda row: row.total_s, of_durations=True
    ),
    "mean": BudgetFigure(tr("Mean (s)"), tr("Mean duration"), tr("seconds"), lambda row: row.mean_s, of_durations=True),
    "sd": BudgetFigure(
        tr("SD (s)"), tr("Standard deviation of the durations"), tr("seconds"), lambda row: row.sd_s, of_durations=True
    ),
    "median": BudgetFigure(
        tr("Median (s)"), tr("Median duration"), tr("seconds"), lambda row: row.median_s, of_durations=True
    ),
    "share": BudgetFigure(
        tr("Share of time"),
        tr("Share of the observed time that is marked; time that is marked twice counts once"),
        tr("share of the observed time"),
        lambda row: row.share,
        of_durations=True,
    ),
    "latency": BudgetFigure(
        tr("Latency (s)"), tr("Observed time until the first one, on average"), tr("seconds"), lambda row: row.latency_s
    ),
}


def budget_figures(*, points: bool) -> Mapping[str, BudgetFigure]:
    """Return the figures that say something of a track of points, or of one of intervals."""
    return {key: figure for key, figure in BUDGET_FIGURES.items() if not (points and figure.of_durations)}


def group_text(group: Sequence[str]) -> str:
    """Return what a group is called."""
    return " · ".join(value or tr("nobody") for value in group) or tr("All")


def budget_plot(budget: TimeBudget, key: str, looks: Looks) -> Plot | None:
    """Return the bars of one figure: a bar for each group and label. None where there is nothing, or too much."""
    figure = BUDGET_FIGURES[key]
    groups = list(dict.fromkeys(row.group for row in budget.rows))
    if not groups or len(groups) > MAX_GROUPS or not any(row.count for row in budget.rows):
        return None
    observed = sum(next(row.observed_s for row in budget.rows if row.group == group) for group in groups)
    note = tr("{groups}, {minutes:,.1f} min observed; n: segments").format(
        groups=trn("{count} group", "{count} groups", len(groups)), minutes=observed / 60
    )
    series = tuple(
        Series(
            label.name,
            tuple(
                PlottedValue(figure.value(row), row.count, reason=tr("does not occur"))
                for row in budget.rows
                if row.label == label.key
            ),
            looks.get(label.key) or unknown_look(label.key),
        )
        for label in budget.labels
    )
    by = ", ".join(name.name.lower() for name in budget.keys)
    title = tr("{figure} by {groups}").format(figure=figure.name, groups=by) if by else figure.name
    return BarPlot(
        f"time_budget_{key}", title, note, tuple(map(group_text, groups)), series, figure.axis, figure.number
    )


def transition_plots(found: TransitionTable, *, proportions: bool) -> list[Plot]:
    """Return a heat map for each group that has transitions, the first `MAX_MATRICES` of them."""
    having = [matrix for matrix in found.matrices if matrix.total][:MAX_MATRICES]
    return [_matrix_plot(found, matrix, number, proportions) for number, matrix in enumerate(having, start=1)]


def _matrix_plot(found: TransitionTable, matrix: TransitionMatrix, number: int, proportions: bool) -> Matrix:
    names = tuple(label.name for label in found.labels)
    values: tuple[tuple[float | None, ...], ...] = matrix.proportions if proportions else matrix.counts
    count = trn("{count} transition", "{count} transitions", matrix.total)
    note = tr("{count}; shares of what follows the label of the row") if proportions else "{count}"
    return Matrix(
        f"transitions_{number}",
        group_text(matrix.group),
        note.format(count=count),
        names,
        names,
        values,
        down=tr("Label"),
        across=tr("Next label"),
        diagonal=True,
        number=PlotNumberFormat.FIGURE if proportions else PlotNumberFormat.COUNT,
    )
