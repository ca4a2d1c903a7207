"""What runs came to, a row for each judge and metric, with chance and published rows beside."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.rows_table import Row, RowsTable

COLUMNS = (tr("Judge"), tr("Metric"), tr("Mean ± sd"), tr("95 % interval"), "n", tr("Unparsed"), tr("Not known"))


class ResultsTab(QWidget):
    """A row leads to its items.

    Signals:
        changed: other rows are wanted.
        row_chosen (str): a row was chosen, by key.
        report_requested: the window of the report is wanted.
    """

    changed = Signal()
    row_chosen = Signal(str)
    report_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        self.published = QCheckBox(tr("P&ublished rows"))
        self.published.setChecked(True)
        self.published.setToolTip(tr("Show what the paper reports beside this study's own figures"))
        self.everything = QCheckBox(tr("&All sets"))
        self.everything.setToolTip(tr("Show the runs of every item set of this study"))
        self.report = QPushButton(tr("Re&port…"))
        self.report.setToolTip(tr("Tables and plots of all runs, to be looked at and written"))
        head.addWidget(self.published)
        head.addWidget(self.everything)
        head.addStretch(1)
        head.addWidget(self.report)
        column.addLayout(head)
        self.table = RowsTable(tr("Results"), COLUMNS)
        self.table.setToolTip(tr("Choose a row to see its items"))
        self.table.keep_names_short()
        column.addWidget(self.table, 1)
        self.status = PlainLabel(wordWrap=True)
        self.status.setAccessibleName(tr("State of the results"))
        self.status.setProperty("quiet", True)
        column.addWidget(self.status)
        self.published.toggled.connect(lambda _on: self.changed.emit())
        self.everything.toggled.connect(lambda _on: self.changed.emit())
        self.table.row_chosen.connect(lambda key, _time: self.row_chosen.emit(key))
        self.report.clicked.connect(self.report_requested)

    def show_rows(self, rows: Sequence[Row], status: str) -> None:
        """Show other rows, and a line about them."""
        self.table.show_rows(rows)
        self.status.setText(status)
