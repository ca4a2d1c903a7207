"""The report window: the papers' tables with this study's rows, plots, items, and export to files.

A number leads to the items behind it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QTabWidget, QWidget

from app.gui.benchmark.report_plots import render_plots, report_plots
from app.gui.pages.context import Context
from app.gui.pages.live import LiveState
from app.gui.pages.study_view import ComputedView
from app.gui.study.background import PendingTask, Read
from benchmark.report.benchmark_report import (
    PAGE_NAME,
    ReportInput,
    ReportOptions,
    build_report,
    gather_report_input,
    write_report,
)
from benchmark.report.report_document import (
    BenchmarkReport,
    ReportItemList,
    ReportRow,
    ReportTable,
    ResultOrigin,
    format_duration,
)
from benchmark.runs.people_runs import unanswered_item_ids
from project.errors import UserError
from project.progress import Progress
from project.queries.item_set_rows import all_sets
from project.session.session import Session
from project.text_tables import cell_hint, format_cell, format_sd
from project.timebase import format_time
from resources.translation import tr, trn
from widgets.empty_state import EmptyHint
from widgets.form.controls import check_box, push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import make_row, make_tab_page
from widgets.plots.plot_data import Plot
from widgets.plots.plot_view import PlotWall
from widgets.table.record_table import RecordColumn, RecordTable, TableRow, text_columns
from widgets.text_labels import PlainLabel

RELEVANT_TABLES = frozenset(
    {"item_set", "item", "benchmark_run", "benchmark_answer", "judgment", "recording", "hold_out"}
)
"""Tables that a report depends on."""


@dataclass(frozen=True, eq=False)
class ReportBundle:
    """Everything about one state of the study, and the report and its plots as they are shown."""

    report_input: ReportInput
    report: BenchmarkReport
    plots: tuple[Plot, ...]


def build_report_bundle(second: Session, wish: ReportOptions, progress: Progress, answering: bool) -> ReportBundle:
    """Read the study and put its report together.

    Args:
        second: a session of the study that nothing else uses.
        wish: what the report shall hold.
        progress: told how far it is.
        answering: whether the person at the window can answer items: what is right about those left to them is hidden.

    Raises:
        Cancelled: the user stopped it.
    """
    hidden = frozenset().union(
        *(unanswered_item_ids(second, item_set, answering=answering) for item_set in all_sets(second.study))
    )
    gathered = gather_report_input(second, wish, progress, hidden)
    plots = report_plots(gathered.runs).values()
    progress.check_cancelled()
    return ReportBundle(gathered, build_report(gathered, {}), tuple(plot for several in plots for plot in several))


@dataclass(frozen=True, slots=True)
class FigureCell:
    """One place of the table: what stands there, what is said under the mouse, and where it leads, "" for nowhere."""

    text: str
    tip: str = ""
    link: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One row; `aside` where it is no measurement of this study."""

    name: str
    figures: tuple[FigureCell, ...]
    tip: str = ""
    is_external: bool = False


def figure_columns(corner: str, titles: Sequence[str]) -> list[RecordColumn[FigureLine]]:
    """Return the columns of figures: names first, then the numbers."""

    def colour(line: FigureLine) -> str:
        return "muted" if line.is_external else "text"

    def numbers(title: str, place: int) -> RecordColumn[FigureLine]:
        return RecordColumn(
            title,
            lambda line: line.figures[place].text,
            number=True,
            colour=colour,
            bold=lambda line: line.figures[place].strong,
            tip=lambda line: line.figures[place].tip or line.figures[place].text,
        )

    names = RecordColumn[FigureLine](
        corner, lambda line: line.name, number=False, colour=colour, tip=lambda line: line.tip or line.name
    )
    return [names, *(numbers(title, place) for place, title in enumerate(titles))]


ITEM_COLUMNS = (
    tr("Item"),
    tr("Draw"),
    tr("Recording"),
    tr("Time"),
    tr("Outcome"),
    tr("Right answer"),
    tr("Answer"),
    tr("Took"),
    tr("What it is"),
)
_ORIGIN_MARKS = {
    ResultOrigin.PUBLISHED: tr(" (published)"),
    ResultOrigin.PERSON: tr(" (measured)"),
    ResultOrigin.BASELINE: tr(" (baseline)"),
}
_OUTCOME_ICONS = {"right": "circle-check", "wrong": "circle-x"}


def column_headings(table: ReportTable) -> list[str]:
    """Return the headings of a table, with the group of each over it."""
    return [f"{column.group}\n{column.title}" if column.group else column.title for column in table.columns]


def figure_lines(table: ReportTable) -> list[FigureLine]:
    """Return the rows of a table."""
    return [_figure_line(table, row) for row in table.rows]


def item_rows(report_item_list: ReportItemList, part: str) -> list[TableRow]:
    """Return the items of a list, or of a part of it."""
    wanted = next((set(part_list.numbers) for part_list in report_item_list.parts if part_list.key == part), None)
    return [
        TableRow(
            f"{line.recording_id} {line.number}",
            (
                *(str(line.number), str(line.draw), str(line.recording)),
                *(
                    tr("{start_us} to {end_us}").format(
                        start_us=format_time(line.start_us), end_us=format_time(line.end_us)
                    ),
                    line.outcome,
                    line.labels.truth,
                    line.labels.answer,
                ),
                *(format_duration(line.ms), line.labels.traits),
            ),
            _OUTCOME_ICONS.get(line.outcome, ""),
            line.start_us,
        )
        for line in report_item_list.lines
        if wanted is None or line.number in wanted
    ]


def _figure_line(table: ReportTable, row: ReportRow) -> FigureLine:
    figures = []
    for cell, column in zip(row.cells, table.columns, strict=True):
        beside = format_sd(cell, column.number)
        text = format_cell(cell, column.number) + (f" ± {beside}" if beside else "")
        leads = tr(" Click to see the items.") if cell.target else ""
        figures.append(
            FigureCell(
                text,
                f"{cell_hint(cell)}.{leads}" if cell_hint(cell) else leads.strip(),
                cell.target,
                cell.best,
            )
        )
    aside = row.origin in (ResultOrigin.PUBLISHED, ResultOrigin.CHANCE)
    return FigureLine(row.name + _ORIGIN_MARKS.get(row.origin, ""), tuple(figures), row.source, aside)


_EVERY_SET = tr("All sets")
_NO_COMPARISON = tr("Nothing")
_CHOOSE_FILE = tr("An earlier report…")
_WORKING_TEXT = tr("Figures are being worked out.")
_MAX_NAME_TRIES = 1000


class ReportTab(ComputedView[ReportBundle]):
    """Nothing here changes the study."""

    title = tr("Benchmark report")
    tables = RELEVANT_TABLES
    preferred_size = (1180, 800)

    def __init__(self, context: Context) -> None:
        super().__init__(context, self._report_reader)
        self._found: ReportInput | None = None
        self._report: BenchmarkReport | None = None
        self._earlier = ""
        self._writing: PendingTask | None = None
        self.setMinimumWidth(520)
        self.sets = ChoiceBox(tr("Which frozen sets are reported on"))
        self.against = ChoiceBox(tr("An earlier report, to see what changed beyond noise"))
        self.chosen = ChoiceBox(tr("A table of the report"))
        self.run, self.part = ChoiceBox(tr("Whose answers")), ChoiceBox(tr("All items, or those that share a trait"))
        for box in (self.chosen, self.run, self.part):
            box.setEnabled(False)
        self.figures: RecordTable[FigureLine] = RecordTable(tr("Figures"), (), key=lambda line: str(id(line)))
        self.figures.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectItems)
        self.note = PlainLabel(wordWrap=True, look="quiet")
        self.drawn = PlotWall(tr("Plots of the benchmark"))
        self.items = RecordTable(tr("Items of a run"), text_columns(ITEM_COLUMNS))
        self._hints = [EmptyHint(table, "") for table in (self.figures, self.items)]
        self._show_empty_hints(working=False)
        self._lay_out()
        self._connect_signals()

    def _lay_out(self) -> None:
        self.refresh_button = push_button(
            tr("Re&fresh"), tr("Compute the figures of the study as it is now"), self.computing.start
        )
        compared = _name_boxes((tr("&Items of"), self.sets), (tr("Compare &with"), self.against))
        head = make_row(*compared, None, self.refresh_button)
        self.tabs = QTabWidget(documentMode=True)
        first = make_row(*_name_boxes((tr("T&able"), self.chosen)), None)
        self.tabs.addTab(make_tab_page(first, self.note, self.figures, 1), tr("&Tables"))
        self.tabs.addTab(self.drawn, tr("&Plots"))
        second = make_row(*_name_boxes((tr("&Run"), self.run), (tr("P&art"), self.part)), None)
        self.items.setToolTip(tr("Choose an item to see its moment in the player"))
        self.tabs.addTab(make_tab_page(second, self.items, 1), tr("It&ems"))
        self.private = check_box(
            tr("With pri&vate texts"),
            tr("Also options, words, answers and reasons as they are: then the report must not be passed on"),
        )
        self.write = push_button(
            tr("&Write report…"),
            tr("Write a folder: HTML, Markdown, LaTeX and CSV tables, plots as SVG and PNG, items"),
            self.write_all,
            look="primary",
            enabled=False,
        )
        self.lay_out(head, self.tabs, 1, foot=(self.private, self.write))

    def _connect_signals(self) -> None:
        self.sets.activated.connect(lambda _at: self.computing.start())
        self.against.activated.connect(self._choose_earlier)
        self.private.toggled.connect(lambda _on: self.computing.start())
        self.computing.finished.connect(self._show)
        self.computing.changed.connect(self._show_state)
        self.computing.show_on(self.line, _summary)
        self.line.cancel_requested.connect(self._stop_writing)
        self.chosen.currentIndexChanged.connect(lambda _at: self._show_table())
        self.figures.clicked.connect(self._follow_figure)
        self.figures.activated.connect(self._follow_figure)
        self.run.currentIndexChanged.connect(lambda _at: self._fill_parts())
        self.part.currentIndexChanged.connect(lambda _at: self._show_items())
        self.items.chosen.connect(lambda row: self._context.look_at(row.key.split()[0], row.time_us))
        self.drawn.action_requested.connect(self.exporting.export_plot)
        self.against.addItems([_NO_COMPARISON, _CHOOSE_FILE])

    def reload(self, session: Session) -> None:
        sets = all_sets(session.study)
        self.sets.offer({"": _EVERY_SET, **{item_set.id: item_set.name for item_set in sets}})
        super().reload(session)

    def write_all(self) -> None:
        """Ask for a folder and write the report into a new one inside it."""
        session, found = self._context.studio.session, self._found
        if session is None or found is None:
            return
        parent = self._context.questions.folder(tr("Folder for the report"))
        if parent is None:
            return
        folder = _unused_folder(parent, tr("{stem} benchmark report").format(stem=session.study.path.stem))
        self.write.setEnabled(False)

        def then(files: list[str]) -> None:
            self._writing = None
            self.write.setEnabled(True)
            private = tr(" It is private: do not pass it on.") if found.include_texts else ""
            self.tell(
                tr("Wrote {count} to {name}. Open {page} in a browser.{private}").format(
                    count=trn("{count} file", "{count} files", len(files)),
                    name=folder.name,
                    page=PAGE_NAME,
                    private=private,
                )
            )

        self._writing = self._context.background.run(
            lambda progress: write_report(build_report(found, render_plots(found.runs)), folder, progress),
            then,
            self._on_write_failed,
            self.line.show_progress,
        )

    def _stop_writing(self) -> None:
        if self._writing is not None:
            self._writing.stop()
            self._writing = None
            self.write.setEnabled(True)
            self.tell(tr("Cancelled: no report was written."))

    def _report_reader(self) -> Read[ReportBundle]:
        wish, answering = self._report_options(), self._context.studio.writable
        return lambda second, progress: build_report_bundle(second, wish, progress, answering)

    def _report_options(self) -> ReportOptions:
        key = self.sets.currentData()
        return ReportOptions((key,) if key else (), self._earlier, self.private.isChecked())

    def _choose_earlier(self, at: int) -> None:
        if self.against.itemText(at) == _CHOOSE_FILE:
            folder = self._context.questions.folder(tr("Folder of an earlier report"))
            if folder is None:
                if not self.against.choose(self._earlier):
                    self.against.setCurrentIndex(0)
                return
            self.against.insertItem(1, folder.name, str(folder))
            self.against.setCurrentIndex(1)
        self._earlier = self.against.currentData() or ""
        self.computing.start()

    def _show(self, computed: ReportBundle) -> None:
        found = computed.report_input
        self._found = found
        self._report = computed.report
        self.chosen.offer({table.key: table.title for table in self._tables()})
        self.run.offer({report_item_list.key: report_item_list.title for report_item_list in found.lists})
        for box in (self.chosen, self.run, self.part):
            box.setEnabled(box is self.part or box.count() > 0)
        self.drawn.set_plots(computed.plots)
        self._show_table()
        self._fill_parts()

    def _tables(self) -> list[ReportTable]:
        return [table for section in self._report.sections for table in section.tables] if self._report else []

    def _show_table(self) -> None:
        report_table = next((table for table in self._tables() if table.key == self.chosen.currentData()), None)
        self.note.setText(report_table.note if report_table is not None else "")
        if report_table is None:
            self.figures.show_records(())
        else:
            self.figures.set_columns(figure_columns(report_table.corner, column_headings(report_table)))
            self.figures.show_records(figure_lines(report_table))

    def _follow_figure(self, index: QModelIndex) -> None:
        figures = self.figures.records()[index.row()].figures
        if index.column() and figures[index.column() - 1].link:
            self._show_linked_items(figures[index.column() - 1].link)

    def _show_linked_items(self, place: str) -> None:
        """Show the items of a number."""
        key, _, part = place.partition("#")
        self.run.choose(key)
        self.part.choose(part)
        self.tabs.setCurrentIndex(2)

    def _current_list(self) -> ReportItemList | None:
        lists = self._found.lists if self._found is not None else ()
        return next(
            (report_item_list for report_item_list in lists if report_item_list.key == self.run.currentData()), None
        )

    def _fill_parts(self) -> None:
        items = self._current_list()
        parts = {part.key: f"{part.title} ({len(part.numbers):,})" for part in items.parts} if items else {}
        every = tr("All ({lines:,})").format(lines=len(items.lines)) if items else tr("All")
        self.part.offer({"": every, **parts})
        self._show_items()

    def _show_items(self) -> None:
        report_item_list = self._current_list()
        self.items.show_records(
            item_rows(report_item_list, self.part.currentData() or "") if report_item_list is not None else ()
        )

    def _show_empty_hints(self, *, working: bool) -> None:
        figures = tr("Figures appear here once judges were asked about a set, in the mode Benchmark.")
        plots = tr("Plots appear here once judges were asked about a set, in the mode Benchmark.")
        for hint in self._hints:
            hint.setText(_WORKING_TEXT if working else figures)
        self.drawn.set_hint(_WORKING_TEXT if working else plots)

    def _show_state(self) -> None:
        working = self.computing.state is LiveState.WORKING
        self.write.setEnabled(not working and self._found is not None)
        self._show_empty_hints(working=working)

    def _on_write_failed(self, error: Exception) -> None:
        self._writing = None
        self.write.setEnabled(True)
        self.tell(
            str(error)
            if isinstance(error, UserError)
            else tr("The report could not be written: {error}").format(error=error)
        )


def _summary(computed: ReportBundle) -> str:
    found = computed.report_input
    items = trn("{count} item", "{count} items", len(found.items))
    runs = trn("{count} run", "{count} runs", len(found.runs.runs))
    return tr("{runs} over {items}. Click a number to see its items.").format(runs=runs, items=items)


def _name_boxes(*named: tuple[str, QComboBox]) -> list[QWidget]:
    parts: list[QWidget] = []
    for name, box in named:
        label = PlainLabel(name)
        label.setBuddy(box)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMinimumContentsLength(12)
        parts += [label, box]
    return parts


def _unused_folder(parent: Path, name: str) -> Path:
    """Return a folder that is not there yet: a number is added where it is."""
    places = (parent / (name if not number else f"{name} {number + 1}") for number in range(_MAX_NAME_TRIES))
    return next((place for place in places if not place.exists()), parent / name)
