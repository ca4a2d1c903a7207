"""A table in which one decides row by row with single keys."""

from collections.abc import Collection, Iterable, Sequence

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from widgets.long_table import LongTable
from widgets.pii.rows import UNDECIDED, DecisionRow, RowsModel

_ON = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


class DecisionTable(LongTable):
    """As many rows as there are; only those on screen are drawn.

    Signals:
        picked: other rows are selected.
        opened (str): key of the row to look at in the video: Return or a double click.
        play_requested: Space.
    """

    picked = Signal()
    opened = Signal(str)
    play_requested = Signal()

    def __init__(
        self,
        name: str,
        columns: Sequence[tuple[str, int]],
        state: int,
        numbers: Collection[int] = (),
        parent: QWidget | None = None,
    ) -> None:
        """Have columns of these titles and widths in pixels; the decision stands in the one at the place `state`.

        Numbers stand in those at the places `numbers`.
        """
        super().__init__(name, parent)
        self._telling = True
        self.rows_model = RowsModel([title for title, _ in columns], state, numbers, self)
        self.setModel(self.rows_model)
        head = self.horizontalHeader()
        for place, (_, width) in enumerate(columns):
            self.setColumnWidth(place, width)
        # What was found is read in its context: it gets the room there is.
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.selectionModel().selectionChanged.connect(self._tell)
        self.doubleClicked.connect(lambda where: self.opened.emit(self.rows_model.rows()[where.row()].key))

    def show_rows(self, rows: Sequence[DecisionRow]) -> None:
        """Show these; what was selected stays so where it is still there, else what came to stand in its place."""
        kept, at, top = self.selected(), self.currentIndex().row(), self.verticalScrollBar().value()
        self._telling = False
        try:
            if self.rows_model.set_rows(rows):
                here = [key for key in kept if self.rows_model.place(key) is not None]
                if not here and rows:
                    first = next((place for place, one in enumerate(rows) if one.state == UNDECIDED), 0)
                    here = [rows[first if at < 0 else min(at, len(rows) - 1)].key]
                self.select(here)
                self.verticalScrollBar().setValue(top)
        finally:
            self._telling = True
        self.picked.emit()

    def selected(self) -> list[str]:
        """Return the keys of the selected rows, in the order shown."""
        selection = self.selectionModel().selection()
        ranges = [selection.at(number) for number in range(selection.count())]
        rows = self.rows_model.rows()
        places = {place for one in ranges for place in range(one.top(), one.bottom() + 1)}
        return [rows[place].key for place in sorted(places)]

    def select(self, keys: Iterable[str]) -> None:
        """Select exactly these rows, and go to the first."""
        places = sorted(place for one in keys if (place := self.rows_model.place(one)) is not None)
        last = self.rows_model.columnCount() - 1
        chosen = QItemSelection()
        for place in places:
            chosen.select(self.rows_model.index(place, 0), self.rows_model.index(place, last))
        model = self.selectionModel()
        if places:
            first = self.rows_model.index(places[0], 0)
            model.setCurrentIndex(first, QItemSelectionModel.SelectionFlag.NoUpdate)
            self.scrollTo(first)
        model.select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def step_undecided(self, direction: int) -> bool:
        """Go to the next (1) or previous (-1) row that nobody decided on, round the end; tells whether there is one."""
        rows = self.rows_model.rows()
        at = self.currentIndex().row()
        for step in range(1, len(rows) + 1):
            place = (at + direction * step) % len(rows)
            if rows[place].state == UNDECIDED:
                self.select([rows[place].key])
                return True
        return False

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _ON and self.currentIndex().isValid():
            self.opened.emit(self.rows_model.rows()[self.currentIndex().row()].key)
        elif event.key() == Qt.Key.Key_Space:
            self.play_requested.emit()
        else:
            super().keyPressEvent(event)

    def keyboardSearch(self, _typed: str) -> None:
        """Letters decide; they do not search."""

    def _tell(self) -> None:
        if self._telling:
            self.picked.emit()
