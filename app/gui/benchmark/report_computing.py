"""A report of the benchmark and its plots, as a thread puts them together."""

from dataclasses import dataclass

from app.core.benchmark.people import open_for
from app.core.benchmark.report.document import Report
from app.core.benchmark.report.making import Gathered, Wish, gather, report_of
from app.core.session import Session
from app.gui.benchmark.report_plots import report_plots
from project.progress import Progress
from project.queries.item_sets import all_sets
from widgets.plots.scene import Plot

MATTERS = frozenset({"item_set", "item", "benchmark_run", "benchmark_answer", "judgment", "recording", "hold_out"})
"""Tables that a report depends on."""


@dataclass(frozen=True, eq=False)
class Found:
    """Everything about one state of the study, and the report and its plots as they are shown."""

    gathered: Gathered
    report: Report
    plots: tuple[Plot, ...]


def put_together(second: Session, wish: Wish, progress: Progress, answering: bool) -> Found:
    """Read the study and put its report together.

    Args:
        second: a look into the study that nobody else uses.
        wish: what the report shall hold.
        progress: told how far it is.
        answering: whether the person at the window can answer items: what is right about those left to them is hidden.

    Raises:
        UserError: there is nothing to report.
        Cancelled: the user stopped it.
    """
    hidden = frozenset().union(*(open_for(second, one, answering=answering) for one in all_sets(second.study)))
    gathered = gather(second, wish, progress, hidden)
    plots = report_plots(gathered.material).values()
    progress.check_cancelled()
    return Found(gathered, report_of(gathered, {}), tuple(plot for several in plots for plot in several))
