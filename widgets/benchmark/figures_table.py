"""A table of figures in which a number leads to what it is made of."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QWidget

from widgets import theme
from widgets.plain_tip import plain_tip


@dataclass(frozen=True, slots=True)
class Figure:
    """One place of the table: what stands there, what is said under the mouse, and where it leads, "" for nowhere."""

    text: str
    tip: str = ""
    leads_to: str = ""
    strong: bool = False


@dataclass(frozen=True, slots=True)
class FigureLine:
    """One row; `aside` where it is no measurement of this study."""

    name: str
    figures: tuple[Figure, ...]
    tip: str = ""
    aside: bool = False


class FiguresTable(QTableWidget):
    """Figures that are read and followed, never written.

    Signals:
        followed (str): where the number leads that was clicked, or on which Return was pressed.
    """

    followed = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[FigureLine] = ()
        self.setAccessibleName(name)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.GRID * 7 // 2)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.cellClicked.connect(self._follow)
        self.cellActivated.connect(self._follow)
        theme.notifier.changed.connect(self._paint)

    def show_lines(self, corner: str, columns: Sequence[str], lines: Sequence[FigureLine]) -> None:
        """Show other figures: names first, then a column each."""
        self._lines = tuple(lines)
        self.clear()
        self.setColumnCount(1 + len(columns))
        self.setHorizontalHeaderLabels([corner, *columns])
        head = QTableWidgetItem(corner)
        head.setTextAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setHorizontalHeaderItem(0, head)
        self.setRowCount(len(lines))
        for row, line in enumerate(self._lines):
            self._put(row, 0, Figure(line.name, line.tip or line.name), left=True)
            for column, figure in enumerate(line.figures, 1):
                self._put(row, column, figure)
        self._paint()

    def texts(self) -> list[tuple[str, ...]]:
        """Return what is shown."""
        return [(line.name, *(one.text for one in line.figures)) for line in self._lines]

    def _put(self, row: int, column: int, figure: Figure, *, left: bool = False) -> None:
        item = QTableWidgetItem(figure.text)
        item.setToolTip(plain_tip(figure.tip or figure.text))
        side = Qt.AlignmentFlag.AlignLeft if left else Qt.AlignmentFlag.AlignRight
        item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
        if figure.strong:
            item.setFont(theme.font(semibold=True))
        self.setItem(row, column, item)

    def _paint(self) -> None:
        colours = theme.palette()
        for row, line in enumerate(self._lines):
            for column in range(self.columnCount()):
                item = self.item(row, column)
                if item is not None:
                    item.setForeground(colours.muted if line.aside else colours.text)

    def _follow(self, row: int, column: int) -> None:
        if column and self._lines[row].figures[column - 1].leads_to:
            self.followed.emit(self._lines[row].figures[column - 1].leads_to)
