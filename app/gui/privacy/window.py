"""The window about exports: figures of each, red where over a limit, plots, faces, and the way to the worst frame."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSplitter, QTabWidget, QVBoxLayout, QWidget

from app.core.jobs import Work
from app.core.privacy import job as measuring
from app.core.privacy.exports import KIND, Export, exports, place_of
from app.core.privacy.limits import (
    PrivacyLimits,
    not_measured,
    over_limit,
    privacy_limits,
    set_privacy_limits,
)
from app.gui.agreement.taking import Taking
from app.gui.context import Context
from app.gui.privacy import cells, plots
from app.gui.privacy.limits_bar import LimitsBar
from project.errors import UserError
from project.timebase import format_time
from project.types import Changes
from resources.translation import tr
from widgets import theme
from widgets.close_button import close_button
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.plots.wall import PlotWall
from widgets.rows_table import Row, RowsTable

_NOTHING = tr("Nothing was exported yet. Export a recording first: Ctrl+E.")
_MATTERS = frozenset({"run", "property", "recording"})


def make(context: Context) -> QWidget:
    """Make the window."""
    return PrivacyWindow(context)


class PrivacyWindow(QWidget):
    """Measures exports and shows what came of it."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self._context = context
        self._studio = context.studio
        self._exports: list[Export] = []
        self.setWindowTitle(tr("Privacy of exports"))
        self.setAccessibleName(tr("Privacy of exports"))
        self.setAutoFillBackground(True)
        self.resize(1160, 760)
        self.limits = LimitsBar()
        self.table = RowsTable(tr("Exports"), cells.EXPORTS)
        self.verdict = PlainLabel(wordWrap=True)
        self.verdict.setAccessibleName(tr("What is over a limit"))
        self.methods = PlotWall(tr("Plots of methods"))
        self.alike = PlotWall(tr("Plot of similarities"))
        for wall in (self.methods, self.alike):
            wall.set_hint(tr("Measure an export to see this plot."))
        self.tracks = RowsTable(tr("Faces of the export"), cells.TRACKS)
        self.figures = RowsTable(tr("All figures of the export"), cells.FIGURE_COLUMNS)
        self.notes = PlainLabel(wordWrap=True)
        EmptyHint(self.table, tr("No clip was exported yet. Export one: Ctrl+E."))
        for table in (self.tracks, self.figures):
            EmptyHint(table, tr("Measure an export to see its figures."))
        self.notes.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._taking = Taking(context, self._tell)
        self._lay_out()
        self._join()
        self.reload()

    def reload(self) -> None:
        """Show the study as it is now."""
        session = self._studio.session
        if session is None:
            return
        allowed = privacy_limits(session.study)
        self.limits.show_limits(allowed)
        self.limits.setEnabled(self._studio.writable)
        self._exports = exports(session)
        self.table.show_rows([Row(one.run.id, cells.export_cells(one), _icon(one, allowed)) for one in self._exports])
        self._redden(allowed)
        self.methods.set_plots(plots.method_plots(self._exports))
        if self._exports and self.table.current_row() < 0:
            self.table.selectRow(0)
        self._show_chosen()

    def chosen(self) -> Export | None:
        """Return the export that is chosen."""
        key = self.table.current_key()
        return next((one for one in self._exports if one.run.id == key), None)

    def measure(self) -> None:
        """Measure the chosen export; asks for its folder where it is not beside the study."""
        session, export = self._studio.session, self.chosen()
        if session is None or export is None:
            return
        try:
            clip = self._place(export)
            if clip is not None:
                self._context.jobs.start(measuring.prepare(session, clip, export))
        except UserError as error:
            self._tell(str(error))

    def show_worst(self) -> None:
        """Go to the frame of the chosen export that should be looked at first."""
        export = self.chosen()
        if export is not None and export.report is not None and export.report.worst_us is not None:
            self._context.look_at(export.recording.id, export.report.worst_us)

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.limits)
        self.tabs = QTabWidget(documentMode=True)
        for page, name in (
            (self.tracks, tr("F&aces")),
            (self.figures, tr("All &figures")),
            (self.alike, tr("&Similarities")),
            (self.methods, tr("&Methods")),
        ):
            self.tabs.addTab(page, name)
        below = QWidget()
        under = QVBoxLayout(below)
        under.setContentsMargins(0, 0, 0, 0)
        under.setSpacing(theme.GRID)
        under.addWidget(self.verdict)
        under.addWidget(self.tabs, 1)
        under.addWidget(self.notes)
        split = QSplitter(Qt.Orientation.Vertical)
        split.addWidget(self.table)
        split.addWidget(below)
        split.setStretchFactor(1, 2)
        split.setSizes([220, 460])
        split.setChildrenCollapsible(False)
        column.addWidget(split, 1)
        column.addLayout(self._foot())

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.status = PlainLabel(wordWrap=True)
        self.status.setAccessibleName(tr("State"))
        self.go = QPushButton(tr("&Go to the worst frame"))
        self.go.setToolTip(tr("Show the frame of this export that should be looked at first"))
        self.start = QPushButton(tr("&Measure"))
        self.start.setToolTip(tr("Measure the chosen export against its recording"))
        self.start.setProperty("primary", True)
        row.addWidget(self.status, 1)
        for button in (self.go, close_button(self), self.start):
            row.addWidget(button)
        return row

    def _join(self) -> None:
        self.table.chosen_changed.connect(self._show_chosen)
        self.tracks.row_chosen.connect(self._jump)
        self.limits.changed.connect(self._set_limits)
        self.start.clicked.connect(self.measure)
        self.go.clicked.connect(self.show_worst)
        self.methods.asked.connect(self._taking.plot)
        self.alike.asked.connect(self._taking.plot)
        self._studio.bridge.changed.connect(self._apply)
        jobs = self._context.jobs
        jobs.started.connect(self._started)
        jobs.done.connect(self._done)
        jobs.stopped.connect(self._stopped)
        theme.notifier.changed.connect(self.reload)

    def _apply(self, changes: Changes, _initiator: object) -> None:
        if _MATTERS & changes.tables.keys():
            self.reload()

    def _started(self, work: Work) -> None:
        if work.kind == KIND:
            self._tell(tr("Measuring…"))

    def _done(self, work: Work, _result: object) -> None:
        if work.kind == KIND:
            self._tell(tr("Measured."))

    def _stopped(self, work: Work) -> None:
        if work.kind == KIND:
            self._tell(tr("Measuring was stopped."))

    def _show_chosen(self) -> None:
        export, session = self.chosen(), self._studio.session
        report = export.report if export is not None else None
        self.start.setEnabled(export is not None and self._studio.writable)
        self.go.setEnabled(report is not None and report.worst_us is not None)
        self.tracks.show_rows(
            [Row(key, texts, time_us=time) for key, texts, time in cells.track_rows(report)] if report else []
        )
        self.figures.show_rows([Row(key, texts) for key, texts in cells.figure_rows(report)] if report else [])
        alike = plots.similarity_plot(report) if report else None
        self.alike.set_plots([] if alike is None else [alike])
        missing = not_measured(report) if report else []
        notes = [*missing, *(report.notes if report else ())]
        self.notes.setText("\n".join(notes))
        self.notes.setVisible(bool(notes))
        self.go.setText(
            tr("&Go to the worst frame, {worst_us}").format(worst_us=format_time(report.worst_us))
            if report is not None and report.worst_us is not None
            else tr("&Go to the worst frame")
        )
        if export is None or session is None:
            self.verdict.setText(_NOTHING)
        elif report is None:
            self.verdict.setText(tr("This export was not measured yet. Measure compares it with its recording."))
        else:
            over = over_limit(report, privacy_limits(session.study))
            self.verdict.setText(
                tr("Over the limit: ") + " ".join(over) if over else tr("Nothing that was measured is over its limit.")
            )

    def _redden(self, allowed: PrivacyLimits) -> None:
        self.table.mark_over(
            {
                (place, column)
                for place, one in enumerate(self._exports)
                if one.report is not None
                for column in cells.over_columns(one.report, allowed)
            }
        )

    def _place(self, export: Export) -> Path | None:
        session = self._studio.session
        assert session is not None
        try:
            return place_of(session, export)
        except UserError:
            folder = self._context.questions.folder(tr("Folder of {clip}").format(clip=export.clip))
            return None if folder is None else folder / export.clip

    def _jump(self, _track: str, time_us: int) -> None:
        export = self.chosen()
        if export is not None:
            self._context.look_at(export.recording.id, time_us)

    def _set_limits(self, limits: PrivacyLimits) -> None:
        self._studio.edit(partial(set_privacy_limits, limits=limits), self)

    def _tell(self, text: str) -> None:
        self.status.setText(text)


def _icon(export: Export, allowed: PrivacyLimits) -> str:
    if export.report is None:
        return "circle-dashed"
    if over_limit(export.report, allowed):
        return "triangle-alert"
    return "circle-alert" if not_measured(export.report) else "circle-check"
