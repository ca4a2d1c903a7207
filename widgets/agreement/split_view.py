"""The table of figures by label, choice, recording, pair or annotator: sortable by every column."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from resources.translation import tr
from widgets import theme
from widgets.agreement.figure_row import SplitRow
from widgets.plain_tip import plain_tip
from widgets.plots.scene import Measured, shown

_KEY = Qt.ItemDataRole.UserRole + 1


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
        for number, row in enumerate(rows):
            name = _Item(row.name, float(number))
            name.setData(_KEY, row.key)
            name.setToolTip(plain_tip(f"{row.name}{tr(': click to look at it') if leads else ''}"))
            self.setItem(number, 0, name)
            for column, figure in enumerate(row.figures):
                self.setItem(number, column + 1, _item(figure))
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
            self.opened.emit(str(item.data(_KEY)))


class _Item(QTableWidgetItem):
    """Sorts by its number; what is undefined comes first in rising order."""

    def __init__(self, text: str, number: float | None) -> None:
        super().__init__(text)
        self.number = float("-inf") if number is None else number

    def __lt__(self, other: QTableWidgetItem) -> bool:
        return isinstance(other, _Item) and self.number < other.number


def _item(figure: Measured | None) -> _Item:
    if figure is None:
        return _Item("", None)
    text = (
        f"{shown(figure.value)}   n = {figure.n:,}" if figure.value is not None else f"{shown(None)}   n = {figure.n:,}"
    )
    item = _Item(text, figure.value)
    item.setTextAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    if figure.value is None:
        item.setForeground(theme.palette().muted)
        item.setToolTip(plain_tip(figure.reason))
    elif figure.low is not None and figure.high is not None:
        item.setToolTip(
            plain_tip(tr("95 % interval {low} to {high}").format(low=shown(figure.low), high=shown(figure.high)))
        )
    return item
