"""Shows what runs came to, with chance and published rows, and leads to items and report."""

from PySide6.QtCore import QObject

from app.gui.benchmark.figures import Figures
from app.gui.benchmark.showing import Showing
from app.gui.benchmark.words import CHANCE, PUBLISHED, chance_rows, figure_rows, published_lines
from app.gui.context import Context
from benchmark.published import rows_for
from resources.translation import tr, trn
from widgets.benchmark.items_tab import ALL
from widgets.benchmark.page import TABS, BenchmarkPage

REPORT = "benchmark_report"
_COMPUTING = tr("Computing the figures…")
_HIDDEN = tr("Your own row is hidden until you have answered every item.")


class Results(QObject):
    """One table; a row of this study leads to its items."""

    def __init__(self, context: Context, page: BenchmarkPage, shown: Showing, figures: Figures) -> None:
        super().__init__(page)
        self._page = page
        self._shown = shown
        self._figures = figures
        figures.renewed.connect(self._show)
        page.results.row_chosen.connect(self._open_items)
        page.results.report_requested.connect(lambda: context.trigger(REPORT))

    def _show(self) -> None:
        one, tab, found = self._shown.current(), self._page.results, self._figures.found
        if one is None:
            tab.show_rows((), "")
            return
        everything = tab.everything.isChecked()
        rows = figure_rows(found, named=everything)
        if not everything:
            rows += chance_rows(found)
        if tab.published.isChecked():
            tasks = dict.fromkeys(each.item_set.task for each in found) if everything else (one.task,)
            rows += [row for task in tasks for row in published_lines(rows_for(task), task)]
        said = (
            [self._figures.why_not]
            if self._figures.why_not
            else [tr("{count} of this study.").format(count=trn("{count} run", "{count} runs", len(found)))]
        )
        if self._figures.working:
            said = [*(said if found else []), _COMPUTING]
        elif not found and not self._figures.why_not:
            said = [tr("No judge was asked yet: ask judges, or answer yourself, on the page Run.")]
        if self._figures.hidden:
            said.append(_HIDDEN)
        tab.show_rows(rows, " ".join(said))

    def _open_items(self, key: str) -> None:
        run_id = key.partition(" ")[0]
        if run_id in (PUBLISHED, CHANCE):
            return
        run = next((each for each in self._figures.found if each.run.id == run_id), None)
        if run is None:
            return
        self._page.choose_set(run.item_set.id)
        self._page.tabs.setCurrentIndex(TABS.index(tr("Items")))
        self._page.items.choose(ALL, run_id)
