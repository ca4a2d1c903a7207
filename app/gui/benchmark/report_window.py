"""The window of the report: the papers' tables with this study's rows, plots, items, and everything as files."""

from pathlib import Path
from threading import Event

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from app.core.benchmark.report.document import ItemList, Report, Table
from app.core.benchmark.report.making import Gathered, Wish, report_of
from app.core.benchmark.report.writing import PAGE, write_report
from app.core.session import Session
from app.gui.agreement.taking import Taking
from app.gui.benchmark import report_rows
from app.gui.benchmark.report_computing import MATTERS, Found, put_together
from app.gui.benchmark.report_pictures import painted
from app.gui.context import Context
from app.gui.figures_computing import FiguresComputing
from app.gui.second_look import Read
from app.gui.stoppable import Stoppable
from project.errors import UserError
from project.queries.item_sets import all_sets
from resources.translation import tr, trn
from widgets import theme
from widgets.benchmark.figures_table import FiguresTable
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.plots.wall import PlotWall
from widgets.rows_table import RowsTable
from widgets.status_line import StatusLine

_EVERY_SET = tr("All sets")
_NOTHING = tr("Nothing")
_FILE = tr("An earlier report…")
_WORKING = tr("Figures are being worked out.")
_MOST_NAMES = 1000


def make(context: Context) -> QWidget:
    """Return the window."""
    return ReportWindow(context)


class ReportWindow(QWidget):
    """Nothing here changes the study."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._found: Gathered | None = None
        self._report: Report | None = None
        self._fresh = False
        self._earlier = ""
        self._writing: Event | None = None
        self.setWindowTitle(tr("Benchmark report"))
        self.setAccessibleName(tr("Benchmark report"))
        self.setAutoFillBackground(True)
        self.resize(1180, 800)
        self.setMinimumWidth(520)
        self.computing = FiguresComputing(context, self._work, MATTERS, self)
        self._taking = Taking(context, self._tell)
        self.sets, self.against, self.chosen = QComboBox(), QComboBox(), QComboBox()
        self.run, self.part = QComboBox(), QComboBox()
        for box in (self.chosen, self.run, self.part):
            box.setEnabled(False)
        self.figures = FiguresTable(tr("Figures"))
        self.note = PlainLabel(wordWrap=True)
        self.drawn = PlotWall(tr("Plots of the benchmark"))
        self.items = RowsTable(tr("Items of a run"), report_rows.ITEM_COLUMNS)
        self._hints = [EmptyHint(table, "") for table in (self.figures, self.items)]
        self._say_why_empty(working=False)
        self._lay_out()
        self._join()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        self.refresh_button = QPushButton(tr("Re&fresh"))
        self.refresh_button.setToolTip(tr("Compute the figures of the study as it is now"))
        head = _row(
            (tr("&Items of"), self.sets, tr("Which frozen sets are reported on")),
            (tr("Compare &with"), self.against, tr("An earlier report, to see what changed beyond noise")),
        )
        head.addStretch(1)
        head.addWidget(self.refresh_button)
        column.addLayout(head)
        self.note.setProperty("quiet", True)
        self.tabs = QTabWidget(documentMode=True)
        first = _row((tr("T&able"), self.chosen, tr("A table of the report")))
        first.addStretch(1)
        self.tabs.addTab(_page(first, self.note, self.figures), tr("&Tables"))
        self.tabs.addTab(self.drawn, tr("&Plots"))
        second = _row(
            (tr("&Run"), self.run, tr("Whose answers")),
            (tr("P&art"), self.part, tr("All items, or those that share a trait")),
        )
        second.addStretch(1)
        self.items.setToolTip(tr("Choose an item to see its moment in the player"))
        self.tabs.addTab(_page(second, None, self.items), tr("It&ems"))
        column.addWidget(self.tabs, 1)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        self.status = StatusLine(tr("State of the report"), tr("Report"))
        self.private = QCheckBox(tr("With pri&vate texts"))
        self.private.setToolTip(
            tr("Also options, words, answers and reasons as they are: then the report must not be passed on")
        )
        self.write = QPushButton(tr("&Write report…"))
        self.write.setToolTip(tr("Write a folder: HTML, Markdown, LaTeX and CSV tables, plots as SVG and PNG, items"))
        self.write.setProperty("primary", True)
        self.write.setEnabled(False)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.private)
        foot.addWidget(close_button(self))
        foot.addWidget(self.write)
        column.addLayout(foot)

    def _join(self) -> None:
        self.sets.activated.connect(lambda _at: self.computing.start())
        self.against.activated.connect(self._choose_earlier)
        self.private.toggled.connect(lambda _on: self.computing.start())
        self.refresh_button.clicked.connect(self.computing.start)
        self.computing.found.connect(self._show)
        self.computing.working.connect(self._show_working)
        self.computing.progressed.connect(self.status.show_progress)
        self.computing.refused.connect(self._refuse)
        self.status.cancel_requested.connect(self._cancel)
        self.computing.outdated.connect(self._show_outdated)
        self.chosen.currentIndexChanged.connect(lambda _at: self._show_table())
        self.figures.followed.connect(self._follow)
        self.run.currentIndexChanged.connect(lambda _at: self._offer_parts())
        self.part.currentIndexChanged.connect(lambda _at: self._show_items())
        self.items.row_chosen.connect(lambda key, time: self._context.look_at(key.split()[0], time))
        self.drawn.asked.connect(self._taking.plot)
        self.write.clicked.connect(self.write_all)
        self.against.addItems([_NOTHING, _FILE])

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous() and not self._fresh:
            self._offer_sets()
            self.computing.start()

    def write_all(self) -> None:
        """Ask for a folder and write the report into a new one inside it."""
        session, found = self._context.studio.session, self._found
        if session is None or found is None:
            return
        parent = self._context.questions.folder(tr("Folder for the report"))
        if parent is None:
            return
        folder = _free(parent, tr("{stem} benchmark report").format(stem=session.study.path.stem))
        self._show_working(True)
        stop = Event()
        self._writing = stop

        def then(files: list[str]) -> None:
            self._writing = None
            self._show_working(False)
            private = tr(" It is private: do not pass it on.") if found.texts else ""
            self._tell(
                tr("Wrote {count} to {name}. Open {page} in a browser.{private}").format(
                    count=trn("{count} file", "{count} files", len(files)), name=folder.name, page=PAGE, private=private
                )
            )

        self._context.background.run(
            lambda progress: write_report(report_of(found, painted(found.material)), folder, Stoppable(progress, stop)),
            then,
            self._failed,
            self.status.show_progress,
        )

    def _cancel(self) -> None:
        if self._writing is None:
            self.computing.cancel()
            return
        self._writing.set()
        self._writing = None
        self._show_working(False)
        self._tell(tr("Cancelled: no report was written."))

    def _work(self, session: Session) -> Read[object]:
        wish, answering = self._wish(), not session.study.read_only
        return lambda second, progress: put_together(second, wish, progress, answering)

    def _wish(self) -> Wish:
        key = self.sets.currentData()
        return Wish((key,) if key else (), self._earlier, self.private.isChecked())

    def _choose_earlier(self, at: int) -> None:
        if self.against.itemText(at) == _FILE:
            folder = self._context.questions.folder(tr("Folder of an earlier report"))
            if folder is None:
                self.against.setCurrentIndex(max(0, self.against.findData(self._earlier)))
                return
            self.against.insertItem(1, folder.name, str(folder))
            self.against.setCurrentIndex(1)
        self._earlier = self.against.currentData() or ""
        self.computing.start()

    def _offer_sets(self) -> None:
        session = self._context.studio.session
        chosen = self.sets.currentData()
        self.sets.clear()
        self.sets.addItem(_EVERY_SET, "")
        for one in all_sets(session.study) if session is not None else ():
            self.sets.addItem(one.name, one.id)
        self.sets.setCurrentIndex(max(0, self.sets.findData(chosen)))

    def _show(self, computed: Found) -> None:
        found = computed.gathered
        self._found, self._fresh = found, True
        self._report = computed.report
        self.write.setEnabled(True)
        _offer(self.chosen, [(one.title, one.key) for one in self._tables()])
        _offer(self.run, [(f"{one.task}, {one.judge}", one.key) for one in found.lists])
        self.drawn.set_plots(computed.plots)
        self._show_table()
        self._offer_parts()
        items, runs = (
            trn("{count} item", "{count} items", len(found.items)),
            trn("{count} run", "{count} runs", len(found.material.asked)),
        )
        self._tell(tr("{runs} over {items}. Click a number to see its items.").format(runs=runs, items=items))

    def _tables(self) -> list[Table]:
        return [table for section in self._report.sections for table in section.tables] if self._report else []

    def _show_table(self) -> None:
        one = next((table for table in self._tables() if table.key == self.chosen.currentData()), None)
        self.note.setText(one.note if one is not None else "")
        if one is None:
            self.figures.show_lines("", (), ())
        else:
            self.figures.show_lines(one.corner, report_rows.columns_of(one), report_rows.lines_of(one))

    def _follow(self, place: str) -> None:
        """Show the items of a number."""
        key, _, part = place.partition(" ")
        self.run.setCurrentIndex(self.run.findData(key))
        self.part.setCurrentIndex(max(0, self.part.findData(part)))
        self.tabs.setCurrentIndex(2)

    def _list(self) -> ItemList | None:
        lists = self._found.lists if self._found is not None else ()
        return next((one for one in lists if one.key == self.run.currentData()), None)

    def _offer_parts(self) -> None:
        one = self._list()
        parts = [(f"{each.title} ({len(each.numbers):,})", each.key) for each in one.parts] if one is not None else []
        _offer(
            self.part,
            [(tr("All ({lines:,})").format(lines=len(one.lines)) if one is not None else tr("All"), ""), *parts],
        )
        self._show_items()

    def _show_items(self) -> None:
        one = self._list()
        self.items.show_rows(report_rows.item_rows(one, self.part.currentData() or "") if one is not None else ())

    def _say_why_empty(self, *, working: bool) -> None:
        figures = tr("Figures stand here once judges were asked about a set, in the mode Benchmark.")
        plots = tr("Plots stand here once judges were asked about a set, in the mode Benchmark.")
        for hint in self._hints:
            hint.setText(_WORKING if working else figures)
        self.drawn.set_hint(_WORKING if working else plots)

    def _show_working(self, working: bool) -> None:
        self.write.setEnabled(not working and self._found is not None)
        self._say_why_empty(working=working)
        if working:
            self.status.show_progress(0, 0, tr("Reading the study"))
        else:
            self.status.rest()

    def _show_outdated(self) -> None:
        self._fresh = False
        if self.isVisible() and self._found is not None:
            self._tell(tr("Out of date: the study has changed. Refresh computes the figures again."))

    def _refuse(self, why: str) -> None:
        self._tell(why)

    def _failed(self, error: Exception) -> None:
        self._writing = None
        self._show_working(False)
        self._tell(
            str(error)
            if isinstance(error, UserError)
            else tr("The report could not be written: {error}").format(error=error)
        )

    def _tell(self, text: str) -> None:
        self.status.tell(text)


def _row(*named: tuple[str, QComboBox, str]) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(theme.GRID)
    for name, box, tip in named:
        label = PlainLabel(name)
        label.setBuddy(box)
        box.setToolTip(plain_tip(tip))
        box.setAccessibleName(tip)
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        box.setMinimumContentsLength(12)
        row.addWidget(label)
        row.addWidget(box)
    return row


def _page(head: QHBoxLayout, note: QLabel | None, below: QWidget) -> QWidget:
    page = QWidget()
    column = QVBoxLayout(page)
    column.setContentsMargins(0, theme.GRID, 0, 0)
    column.setSpacing(theme.GRID)
    column.addLayout(head)
    if note is not None:
        column.addWidget(note)
    column.addWidget(below, 1)
    return page


def _offer(box: QComboBox, entries: list[tuple[str, str]]) -> None:
    """Offer other entries; the chosen one stays where it is still there."""
    chosen = box.currentData()
    blocked = box.blockSignals(True)
    box.clear()
    for name, key in entries:
        box.addItem(name, key)
    box.setCurrentIndex(max(0, box.findData(chosen)) if entries else -1)
    box.setEnabled(bool(entries))
    box.blockSignals(blocked)


def _free(parent: Path, name: str) -> Path:
    """Return a folder that is not there yet: a number is added where it is."""
    places = (parent / (name if not number else f"{name} {number + 1}") for number in range(_MOST_NAMES))
    return next((one for one in places if not one.exists()), parent / name)
