"""The window about agreement: what is compared, the figures, plots of them, and statistics of the study."""

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QTabWidget, QVBoxLayout, QWidget

from app.core.agreement.measuring import Question
from app.core.agreement.tables import tables_of
from app.core.csv_cells import as_csv
from app.gui.agreement import rows
from app.gui.agreement.computing import Computing, Found, State
from app.gui.agreement.everything import all_files
from app.gui.agreement.question import offer, question_of
from app.gui.agreement.splits import SplitsPage
from app.gui.agreement.taking import Taking
from app.gui.agreement.whole_files import write_folder
from app.gui.context import Context
from benchmark.agreement.published import published_for
from benchmark.agreement.report import Report
from project.errors import UserError
from resources.translation import tr, trn
from widgets import theme
from widgets.agreement.comparison_bar import ComparisonBar
from widgets.agreement.figures_view import FiguresView
from widgets.close_button import close_button
from widgets.plots.wall import PlotWall
from widgets.status_line import StatusLine


def make(context: Context) -> QWidget:
    """Return the window."""
    return AgreementWindow(context)


class AgreementWindow(QWidget):
    """Nothing here changes the study."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._found: Found | None = None
        self.setWindowTitle(tr("Agreement"))
        self.setAccessibleName(tr("Agreement"))
        self.setAutoFillBackground(True)
        self.resize(1120, 800)
        self.setMinimumWidth(480)
        self.bar = ComparisonBar()
        self.computing = Computing(context.studio, context.background, self._question, self)
        self._taking = Taking(context, self._tell)
        self.figures, self.form = FiguresView(tr("Figures of agreement")), FiguresView(tr("Figures of the form"))
        self.drawn, self.counted = PlotWall(tr("Plots of agreement")), PlotWall(tr("Plots of statistics"))
        self.splits = SplitsPage(context, self._taking)
        self._lay_out()
        self._join()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.bar)
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (self.figures, tr("&Figures")),
            (self.drawn, tr("&Plots")),
            (self.splits, tr("By &group")),
            (self.form, tr("F&orm")),
            (self.counted, tr("&Statistics")),
        ):
            self.tabs.addTab(page, name)
        column.addWidget(self.tabs, 1)
        foot = QHBoxLayout()
        foot.setSpacing(theme.GRID)
        self.status = StatusLine(tr("State of the figures"), tr("Figures"))
        self.copy = QPushButton(tr("Copy figures"))
        self.copy.setToolTip(tr("Copy the table of figures as CSV"))
        self.export = QPushButton(tr("&Export all figures…"))
        self.export.setToolTip(
            tr("Write a folder with every table (CSV), every plot (SVG, PNG, CSV) and agreement.json")
        )
        self.export.setProperty("primary", True)
        foot.addWidget(self.status, 1)
        foot.addWidget(self.copy)
        foot.addWidget(close_button(self))
        foot.addWidget(self.export)
        column.addLayout(foot)

    def _join(self) -> None:
        self.bar.changed.connect(self.computing.soon)
        self.bar.refresh_requested.connect(self.refresh)
        self.computing.found.connect(self._show)
        self.computing.state_changed.connect(self._show_state)
        self.computing.progressed.connect(self.status.show_progress)
        self.status.cancel_requested.connect(self.computing.cancel)
        self.drawn.asked.connect(self._taking.plot)
        self.counted.asked.connect(self._taking.plot)
        self.copy.clicked.connect(self._copy)
        self.export.clicked.connect(self.export_all)
        self._show_state(State.OUT_OF_DATE, "")

    def refresh(self) -> None:
        """Offer what the study has now, and compute."""
        session = self._context.studio.session
        if session is not None:
            offer(session, self.bar)
            self.computing.start()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not event.spontaneous() and self.computing.state is not State.CURRENT:
            self.refresh()

    def export_all(self) -> None:
        """Ask for a folder and write everything into a new one inside it."""
        session, found = self._context.studio.session, self._found
        if session is None or found is None:
            return
        parent = self._context.questions.folder(tr("Folder for the figures"))
        if parent is None:
            return
        drawn = [*found.drawn, *self.splits.every_plot(found.report), *found.counted]
        try:
            files = all_files(found.report, found.statistics, {plot.key: plot for plot in drawn}.values())
            made = write_folder(parent, f"{session.study.path.stem} agreement", files)
        except UserError as error:
            self._tell(f"{error.message} {error.hint}".strip())
        else:
            self._tell(
                tr("Wrote {count} to the folder {name}.").format(
                    count=trn("{count} file", "{count} files", len(files)), name=made.name
                )
            )

    def _question(self) -> Question | None:
        session = self._context.studio.session
        if session is None or not self.isVisible():
            return None
        offer(session, self.bar)
        return question_of(session, self.bar.comparison())

    def _show(self, found: Found) -> None:
        self._found = found
        report = found.report
        published = published_for(str(report.settings["scheme"])) if report.published else None
        self.figures.show_rows(
            rows.main_rows(report), tr("{name} paper").format(name=published.name) if published else ""
        )
        self.form.show_rows(rows.form_rows(report))
        self.tabs.setTabVisible(self.tabs.indexOf(self.form), bool(report.fields))
        self.drawn.set_hint(_what_is_missing(report))
        self.drawn.set_plots(found.drawn)
        self.counted.set_hint(_what_is_missing(report))
        self.counted.set_plots(found.counted)
        self.splits.show_report(report)

    def _show_state(self, state: State, text: str) -> None:
        working = state is State.WORKING
        self.bar.refresh.setProperty("primary", state is State.OUT_OF_DATE and self._found is not None)
        self.bar.refresh.style().polish(self.bar.refresh)
        for control in (self.copy, self.export):
            control.setEnabled(self._found is not None and not working)
        if state is State.CURRENT:
            text = _summary(self._found.report) if self._found is not None else ""
        elif state is State.OUT_OF_DATE and self._found is not None:
            text = tr("Out of date: the study has changed. Refresh computes the figures again.")
        if working:
            self.status.show_progress(0, 0, tr("Reading the study"))
        else:
            self._tell(text)

    def _tell(self, text: str) -> None:
        self.status.tell(text)

    def _copy(self) -> None:
        if self._found is not None:
            head, table = tables_of(self._found.report)["figures"]
            self._taking.copy(as_csv(head, table), tr("Figures"))


def _what_is_missing(report: Report) -> str:
    """Return what has to be done before there is agreement; "" where there is some."""
    if not report.settings["annotations"]:
        return tr("Nothing is marked yet. Mark segments in the main window: I at the start, O at the end.")
    if not report.settings["recordings_compared"]:
        return tr("Agreement needs a recording that two people annotated.")
    return ""


def _summary(report: Report) -> str:
    found, missing = report.settings, _what_is_missing(report)
    annotations, recordings = int(str(found["annotations"])), int(str(found["recordings"]))
    if not annotations:
        return missing
    compared = int(str(found["recordings_compared"]))
    text = tr("{annotations:,} annotations of {count}, {compared} by two or more.").format(
        annotations=annotations, count=trn("{count} recording", "{count} recordings", recordings), compared=compared
    )
    return f"{text} {missing}".strip()
