"""The page of figures by label, choice, recording, pair and annotator: a plot of one figure and a table of all."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QSplitter, QVBoxLayout, QWidget

from app.core.agreement.figure_words import words_of
from app.core.agreement.tables import tables_of
from app.core.csv_cells import as_csv
from app.gui.agreement import rows
from app.gui.agreement.plots import split_plot
from app.gui.agreement.taking import Taking
from app.gui.context import Context
from benchmark.agreement.report import Report
from resources.translation import tr
from widgets import theme
from widgets.agreement.split_view import SplitView
from widgets.plain_label import PlainLabel
from widgets.plots.scene import Plot
from widgets.plots.wall import PlotWall
from widgets.segments.flow import FlowLayout

_FIRST = "verdict_agreement"
_RECORDING = "recording"


class SplitsPage(QWidget):
    """A click on a recording shows it in the main window."""

    def __init__(self, context: Context, taking: Taking) -> None:
        super().__init__()
        self._report: Report | None = None
        self._taking = taking
        self.by, self.figure = QComboBox(), QComboBox()
        self.by.setAccessibleName(tr("Split by"))
        self.by.setToolTip(tr("What the figures are split by"))
        self.figure.setAccessibleName(tr("Figure to draw"))
        self.figure.setToolTip(tr("The figure that is drawn above the table"))
        self.copy, self.save = QPushButton(tr("Copy table")), QPushButton(tr("Save table as CSV…"))
        self.copy.setToolTip(tr("Copy the table as CSV"))
        self.save.setToolTip(tr("Save the table as CSV"))
        self.wall, self.table = PlotWall(tr("Plot of one figure by group")), SplitView()
        head = QWidget()
        row = FlowLayout(head)
        row.setContentsMargins(0, 0, 0, 0)
        for name, box in ((tr("By"), self.by), (tr("Draw"), self.figure)):
            label = PlainLabel(name)
            label.setBuddy(box)
            both = QWidget()
            inner = QHBoxLayout(both)
            inner.setContentsMargins(0, 0, theme.GRID, 0)
            inner.setSpacing(theme.GRID // 2)
            inner.addWidget(label)
            inner.addWidget(box)
            row.addWidget(both)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        split = QSplitter(Qt.Orientation.Vertical)
        split.setChildrenCollapsible(False)
        split.addWidget(self.wall)
        split.addWidget(self.table)
        split.setSizes([320, 300])
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(head)
        column.addWidget(split, 1)
        self.by.currentIndexChanged.connect(lambda _: self._show_split())
        self.figure.currentIndexChanged.connect(lambda _: self._draw())
        self.table.opened.connect(lambda key: context.look_at(key, 0))
        self.wall.asked.connect(taking.plot)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._save)

    def show_report(self, report: Report) -> None:
        """Show other figures; what is chosen stays."""
        self._report = report
        _offer(self.by, rows.splits_of(report), "label")
        self._show_split()

    def every_plot(self, report: Report) -> list[Plot]:
        """Return a plot of each figure by recording, pair and annotator, for a folder with everything."""
        return [
            _plot(report, key, figure)
            for key in (_RECORDING, "pair", "annotator")
            for figure in rows.split_columns(report.rows.get(key, ()))
        ]

    def _show_split(self) -> None:
        key = str(self.by.currentData() or "")
        if self._report is None or key not in self._report.rows:
            return
        found = self._report.rows[key]
        columns = rows.split_columns(found)
        _offer(self.figure, {one: words.name for one, words in columns.items()}, _FIRST)
        shown = [(words.name, words.means) for words in columns.values()]
        self.table.show_rows(self.by.currentText(), shown, rows.split_rows(found, columns), leads=key == _RECORDING)
        self._draw()

    def _draw(self) -> None:
        key, figure = str(self.by.currentData() or ""), str(self.figure.currentData() or "")
        report = self._report
        there = report is not None and bool(report.settings["recordings_compared"]) and bool(figure)
        plots = [_plot(report, key, figure)] if report is not None and there else []
        self.wall.setVisible(there)
        self.wall.set_plots(plots)
        if plots:
            self.wall.setMaximumHeight(self.wall.page_height())

    def _copy(self) -> None:
        if self._report is not None:
            self._taking.copy(self._csv(self._report), self.by.currentText())

    def _save(self) -> None:
        if self._report is not None:
            name = f"by_{self.by.currentData()}"
            self._taking.save_table(
                self._csv(self._report), tr("By {value}").format(value=self.by.currentText().lower()), name
            )

    def _csv(self, report: Report) -> str:
        head, table = tables_of(report)[f"by_{self.by.currentData()}"]
        return as_csv(head, table)


def _plot(report: Report, key: str, figure: str) -> Plot:
    title = tr("{figure}, by {split}").format(
        figure=words_of(figure).name, split=rows.splits_of(report).get(key, key).lower()
    )
    return split_plot(f"{figure}_by_{key}", title, report.rows[key], figure)


def _offer(box: QComboBox, names: dict[str, str], first: str) -> None:
    """Offer these by key, and keep what is chosen where it is still there."""
    chosen = box.currentData() or first
    blocked = box.blockSignals(True)
    box.clear()
    for key, name in names.items():
        box.addItem(name, key)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(blocked)
