"""Breaks agreement down by label, choice, recording, pair or annotator.

Shows a plot of one figure and a sortable table of all.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from annotate.agreement.agreement_report import AgreementReport
from annotate.agreement.study_agreement import build_report_tables, describe_figure
from app.gui.agreement import agreement_figures
from app.gui.agreement.agreement_figures import split_plot
from app.gui.pages.context import Context
from app.gui.pages.figure_export import PlotExporter
from project.text_format import to_csv
from resources.translation import tr
from widgets import theme
from widgets.form.layouts import FlowLayout
from widgets.plots.estimates_table import SplitRow
from widgets.plots.plot_data import Plot, PlottedValue, format_value
from widgets.plots.plot_view import PlotWall
from widgets.text_labels import PlainLabel, plain_tip

_KEY_ROLE = Qt.ItemDataRole.UserRole + 1


class SplitView(QTableWidget):
    """A row for each group; a value and its n share a cell.

    Signals:
        opened (str): key of the row to look at: a click on its name, or Return.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._leads = False
        self.setAccessibleName(tr("Figures by group"))
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.GRID * 7 // 2)
        head = self.horizontalHeader()
        head.setHighlightSections(False)
        head.setToolTip(tr("Click to sort"))
        head.setSortIndicatorClearable(True)
        self.setSortingEnabled(True)
        self.cellClicked.connect(lambda row, _column: self._open(row))

    def show_rows(
        self, title: str, columns: Sequence[tuple[str, str]], rows: Sequence[SplitRow], *, leads: bool
    ) -> None:
        """Show these.

        Args:
            title: of the column of names.
            columns: name and meaning of each figure.
            rows: with a figure for each column.
            leads: whether a row leads to something in the video.
        """
        self._leads = leads
        self.setSortingEnabled(False)
        self.clear()
        self.setColumnCount(1 + len(columns))
        self.setRowCount(len(rows))
        for column, (text, means) in enumerate([(title, tr("Click to sort")), *columns]):
            heading = QTableWidgetItem(text)
            heading.setToolTip(plain_tip(means))
            side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
            heading.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
            self.setHorizontalHeaderItem(column, heading)
        for index, row in enumerate(rows):
            name = _SortableItem(row.name, float(index))
            name.setData(_KEY_ROLE, row.key)
            name.setToolTip(plain_tip(f"{row.name}{tr(': click to look at it') if leads else ''}"))
            self.setItem(index, 0, name)
            for column, figure in enumerate(row.figures):
                self.setItem(index, column + 1, _figure_item(figure))
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.setAccessibleName(tr("Figures by {title}").format(title=title.lower()))
        self.resizeColumnsToContents()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setColumnWidth(0, min(320, max(160, self.columnWidth(0) + theme.GRID * 2)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentRow() >= 0:
            self._open(self.currentRow())
        else:
            super().keyPressEvent(event)

    def _open(self, row: int) -> None:
        item = self.item(row, 0)
        if self._leads and item is not None:
            self.opened.emit(str(item.data(_KEY_ROLE)))


class _SortableItem(QTableWidgetItem):
    """Sorts by its number; what is undefined comes first in rising order."""

    def __init__(self, text: str, number: float | None) -> None:
        super().__init__(text)
        self.number = float("-inf") if number is None else number

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return isinstance(other, _SortableItem) and self.number < other.number


def _figure_item(figure: PlottedValue | None) -> _SortableItem:
    if figure is None:
        return _SortableItem("", None)
    text = (
        f"{format_value(figure.value)}   n = {figure.n:,}"
        if figure.value is not None
        else f"{format_value(None)}   n = {figure.n:,}"
    )
    item = _SortableItem(text, figure.value)
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    if figure.value is None:
        item.setForeground(theme.palette().muted)
        item.setToolTip(plain_tip(figure.reason))
    elif figure.low is not None and figure.high is not None:
        item.setToolTip(
            plain_tip(
                tr("95 % interval {low} to {high}").format(low=format_value(figure.low), high=format_value(figure.high))
            )
        )
    return item


_DEFAULT_FIGURE = "verdict_agreement"
_RECORDING_SPLIT = "recording"


class SplitsPage(QWidget):
    """A click on a recording shows it in the main window."""

    def __init__(self, context: Context, taking: PlotExporter) -> None:
        super().__init__()
        self._report: AgreementReport | None = None
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
        self.wall.action_requested.connect(taking.export_plot)
        self.copy.clicked.connect(self._copy)
        self.save.clicked.connect(self._save)

    def show_report(self, report: AgreementReport) -> None:
        """Show other figures; what is chosen stays."""
        self._report = report
        _fill_combo(self.by, agreement_figures.available_splits(report), "label")
        self._show_split()

    def all_plots(self, report: AgreementReport) -> list[Plot]:
        """Return a plot of each figure by recording, pair and annotator, for a folder with everything."""
        return [
            _split_plot(report, key, figure)
            for key in (_RECORDING_SPLIT, "pair", "annotator")
            for figure in agreement_figures.split_columns(report.rows.get(key, ()))
        ]

    def _show_split(self) -> None:
        key = str(self.by.currentData() or "")
        if self._report is None or key not in self._report.rows:
            return
        found = self._report.rows[key]
        columns = agreement_figures.split_columns(found)
        _fill_combo(self.figure, {text: words.name for text, words in columns.items()}, _DEFAULT_FIGURE)
        shown = [(words.name, words.meaning) for words in columns.values()]
        self.table.show_rows(
            self.by.currentText(), shown, agreement_figures.split_rows(found, columns), leads=key == _RECORDING_SPLIT
        )
        self._draw()

    def _draw(self) -> None:
        key, figure = str(self.by.currentData() or ""), str(self.figure.currentData() or "")
        report = self._report
        there = report is not None and bool(report.settings.recordings_compared) and bool(figure)
        plots = [_split_plot(report, key, figure)] if report is not None and there else []
        self.wall.setVisible(there)
        self.wall.set_plots(plots)
        if plots:
            self.wall.setMaximumHeight(self.wall.page_height())

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


def _split_plot(report: AgreementReport, key: str, figure: str) -> Plot:
    title = tr("{figure}, by {split}").format(
        figure=describe_figure(figure).name, split=agreement_figures.available_splits(report).get(key, key).lower()
    )
    return split_plot(f"{figure}_by_{key}", title, report.rows[key], figure)


def _fill_combo(box: QComboBox, names: dict[str, str], first: str) -> None:
    """Offer these by key, and keep what is chosen where it is still there."""
    chosen = box.currentData() or first
    blocked = box.blockSignals(True)
    box.clear()
    for key, name in names.items():
        box.addItem(name, key)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(blocked)
