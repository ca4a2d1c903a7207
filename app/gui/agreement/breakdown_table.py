"""Breaks agreement down by label, choice, participant, recording, pair or annotator.

Shows a plot of one figure and a sortable table of all.
"""

from collections.abc import Sequence

from PySide6.QtWidgets import QWidget

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.study_agreement import build_report_tables
from app.gui.agreement import agreement_figures
from app.gui.agreement.agreement_figures import split_plot
from app.gui.pages.context import Context
from app.gui.pages.figure_export import PlotExporter
from project.text_format import to_csv
from resources.translation import tr
from widgets import theme
from widgets.form.controls import push_button
from widgets.form.input_fields import ChoiceBox
from widgets.form.layouts import FlowLayout, label_control, make_column
from widgets.plots.estimates_table import SplitRow
from widgets.plots.plot_data import Plot, PlottedValue, format_value
from widgets.plots.plot_view import PlotWall
from widgets.table.record_table import RecordColumn, RecordTable


def split_columns(title: str, columns: Sequence[tuple[str, str]], *, leads: bool) -> list[RecordColumn[SplitRow]]:
    """Return the columns of the figures by group.

    Args:
        title: of the column of names.
        columns: name and meaning of each figure.
        leads: whether a row leads to something in the video.
    """
    hint = tr(": click to look at it") if leads else ""
    names = RecordColumn[SplitRow](
        title,
        lambda row: row.name,
        title_tip=tr("Click to sort"),
        stretch=True,
        number=False,
        tip=lambda row: f"{row.name}{hint}",
        sort=lambda row: row.name.casefold(),
    )
    return [names, *(_figure_column(name, meaning, place) for place, (name, meaning) in enumerate(columns))]


def _figure_column(name: str, meaning: str, place: int) -> RecordColumn[SplitRow]:
    def text(row: SplitRow) -> str:
        figure = row.figures[place]
        return "" if figure is None else f"{format_value(figure.value)}   n = {figure.n:,}"

    def colour(row: SplitRow) -> str:
        figure = row.figures[place]
        return "muted" if figure is not None and figure.value is None else "text"

    def value(row: SplitRow) -> float | None:
        figure = row.figures[place]
        return None if figure is None else figure.value

    return RecordColumn(
        name,
        text,
        title_tip=meaning,
        number=True,
        colour=colour,
        tip=lambda row: _figure_tip(row.figures[place]),
        sort=value,
    )


def _figure_tip(figure: PlottedValue | None) -> str:
    if figure is None:
        return ""
    if figure.value is None:
        return figure.reason
    if figure.low is None or figure.high is None:
        return ""
    return tr("95 % interval {low} to {high}").format(low=format_value(figure.low), high=format_value(figure.high))


_DEFAULT_FIGURE = "verdict_agreement"
_RECORDING_SPLIT = "recording"


class SplitsPage(QWidget):
    """A click on a recording shows it in the main window."""

    def __init__(self, context: Context, taking: PlotExporter) -> None:
        super().__init__()
        self._report: AgreementReport | None = None
        self._taking = taking
        self.by = ChoiceBox(tr("Split by"), tr("What the figures are split by"))
        self.figure = ChoiceBox(tr("Figure to draw"), tr("The figure that is drawn above the table"))
        self.copy = push_button(tr("Copy table"), tr("Copy the table as CSV"), self._copy)
        self.save = push_button(tr("Save table as CSV…"), tr("Save the table as CSV"), self._save)
        self.wall = PlotWall(tr("Plot of one figure by group"), low=True)
        self.table: RecordTable[SplitRow] = RecordTable(tr("Figures by group"), (), sortable=True)
        head = QWidget()
        row = FlowLayout(head)
        for part in (label_control(tr("By"), self.by), label_control(tr("Draw"), self.figure), self.copy, self.save):
            row.addWidget(part)
        self.setLayout(make_column(head, self.wall, 3, self.table, 2, margin=(0, theme.GRID, 0, 0)))
        self.by.currentIndexChanged.connect(lambda _: self._show_split())
        self.figure.currentIndexChanged.connect(lambda _: self._draw())
        self.table.chosen.connect(
            lambda row: context.look_at(row.key, 0) if self.by.currentData() == _RECORDING_SPLIT else None
        )
        self.wall.action_requested.connect(taking.export_plot)

    def show_report(self, report: AgreementReport) -> None:
        """Show other figures; what is chosen stays."""
        self._report = report
        self.by.offer(agreement_figures.available_splits(report), first="label")
        self._show_split()

    def all_plots(self, report: AgreementReport) -> list[Plot]:
        """Return a plot of each figure by participant, recording, pair and annotator, for a folder with everything."""
        return [
            split_plot(report, key, figure)
            for key in ("participant", _RECORDING_SPLIT, "pair", "annotator")
            for figure in agreement_figures.split_columns(report, key)
        ]

    def _show_split(self) -> None:
        key = self.by.key()
        if self._report is None or key not in self._report.rows:
            return
        found = self._report.rows[key]
        columns = agreement_figures.split_columns(self._report, key)
        self.figure.offer({text: words.name for text, words in columns.items()}, first=_DEFAULT_FIGURE)
        shown = [(words.name, words.meaning) for words in columns.values()]
        self.table.set_columns(split_columns(self.by.currentText(), shown, leads=key == _RECORDING_SPLIT))
        self.table.show_records(agreement_figures.split_rows(found, columns))
        self.table.setAccessibleName(tr("Figures by {title}").format(title=self.by.currentText().lower()))
        self._draw()

    def _draw(self) -> None:
        key, figure = self.by.key(), self.figure.key()
        report = self._report
        there = report is not None and bool(report.settings.recordings_compared) and bool(figure)
        plots = [split_plot(report, key, figure)] if report is not None and there else []
        self.wall.setVisible(there)
        self.wall.set_plots(plots)

    def _copy(self) -> None:
        if self._report is not None:
            self._taking.copy_table(self._csv(self._report), self.by.currentText())

    def _save(self) -> None:
        if self._report is not None:
            name = f"by_{self.by.currentData()}"
            self._taking.save_table(
                self._csv(self._report), tr("By {value}").format(value=self.by.currentText().lower()), name
            )

    def _csv(self, report: AgreementReport) -> str:
        head, table = build_report_tables(report)[f"by_{self.by.currentData()}"]
        return to_csv(head, table)
