"""The items of a set: what each judge made of them, and the way to their moment in the video."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.rows_table import Row, RowsTable

ALL = "all"


class ItemsTab(QWidget):
    """Choosing a row shows its moment, a double click plays it.

    Signals:
        changed: other items are wanted.
        show_requested (str): an item was chosen, by id.
        play_requested (str): its moment is to be played.
    """

    changed = Signal()
    show_requested = Signal(str)
    play_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, theme.GRID, 0, 0)
        column.setSpacing(theme.GRID)
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        self.which, self.run = QComboBox(), QComboBox()
        for box, name, tip in (
            (self.which, tr("Which items"), tr("Show only items of which this is so")),
            (self.run, tr("Of which judge"), tr("Whose answers decide which items are shown")),
        ):
            box.setAccessibleName(name)
            box.setToolTip(plain_tip(tip))
            head.addWidget(box)
        head.addStretch(1)
        self.count = PlainLabel()
        self.count.setProperty("quiet", True)
        head.addWidget(self.count)
        column.addLayout(head)
        self._holder = QVBoxLayout()
        column.addLayout(self._holder, 1)
        self.table = RowsTable(tr("Items"), (tr("Item"),))
        self._holder.addWidget(self.table)
        self._columns: tuple[str, ...] = ()
        self.note = PlainLabel(wordWrap=True)
        self.note.setProperty("quiet", True)
        column.addWidget(self.note)
        for box in (self.which, self.run):
            box.currentIndexChanged.connect(lambda _at: self.changed.emit())

    def set_choices(self, which: Mapping[str, str], runs: Mapping[str, str]) -> None:
        """Offer what items can be filtered by, and whose answers: key -> name."""
        for combo, choices in ((self.which, which), (self.run, runs)):
            before = combo.currentData()
            with QSignalBlocker(combo):
                combo.clear()
                for key, name in choices.items():
                    combo.addItem(name, key)
                combo.setCurrentIndex(max(0, combo.findData(before)))
        self.run.setVisible(bool(runs))

    def choose(self, which: str, run: str) -> None:
        """Show the items of one number."""
        for combo, key in ((self.which, which), (self.run, run)):
            at = combo.findData(key)
            if at >= 0:
                with QSignalBlocker(combo):
                    combo.setCurrentIndex(at)
        self.changed.emit()

    def chosen(self) -> tuple[str, str]:
        """Return by what items are filtered, and whose answers decide."""
        return str(self.which.currentData() or ALL), str(self.run.currentData() or "")

    def show_items(self, columns: Sequence[str], rows: Sequence[Row], count: str, note: str) -> None:
        """Show items, a column for each judge."""
        if tuple(columns) != self._columns:
            self._columns = tuple(columns)
            self._holder.removeWidget(self.table)
            self.table.deleteLater()
            self.table = RowsTable(tr("Items"), columns)
            self.table.keep_names_short(1)
            self.table.row_chosen.connect(lambda key, _time: self.show_requested.emit(key))
            self.table.doubleClicked.connect(lambda _index: self._play())
            self._holder.addWidget(self.table)
        self.table.show_rows(rows)
        self.count.setText(count)
        self.note.setText(note)

    def _play(self) -> None:
        if key := self.table.current_key():
            self.play_requested.emit(key)
