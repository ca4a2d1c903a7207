"""A table of as many rows as there are, of which only those on screen are drawn."""

from PySide6.QtCore import QAbstractItemModel, QItemSelectionModel
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from widgets import theme
from widgets.segments.drawing import CellDelegate


class LongTable(QTableView):
    """Rows of one line each; whole rows are selected, as many as one likes, and Tab leaves the table."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setItemDelegate(CellDelegate(self, cut=True))
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        upright = self.verticalHeader()
        upright.hide()
        upright.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        upright.setDefaultSectionSize(theme.GRID * 7 // 2)
        self.horizontalHeader().setHighlightSections(False)

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            # Qt's header asks for each column whether every row of it is selected, whatever it is told to highlight.
            head = self.horizontalHeader()
            head.setSelectionModel(QItemSelectionModel(model, head))
