"""Items in two versions: a list of them, and the versions side by side with what differs marked."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QListWidgetItem,
    QPushButton,
    QSplitter,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.empty_hint import EmptyHint
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.short_list import ShortList

_ID = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class Versions:
    """One item: what it is about, whose the other version is, and (name, ours, theirs) for all that is in either.

    `deleted` is `ours` or `theirs` where one side deleted it, else "".
    """

    id: str
    title: str
    source: str
    lines: tuple[tuple[str, str, str], ...]
    deleted: str = ""


class ConflictsView(QWidget):
    """Shows one item at a time; keys: Ctrl+Left keeps the study's version, Ctrl+Right takes the other.

    Signals:
        chosen (str, str): id of the item, and `ours` or `theirs`.
    """

    chosen = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[str, Versions] = {}
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.listing = ShortList()
        self.listing.setAccessibleName(tr("Conflicts"))
        self.listing.setSpacing(theme.GRID // 4)
        self.listing.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        EmptyHint(self.listing, tr("No conflicts"))
        self.listing.currentItemChanged.connect(lambda *_: self._show_current())
        self.table = QTableWidget(0, 3)
        self.table.setAccessibleName(tr("Both versions"))
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.table.setShowGrid(False)
        self.table.setWordWrap(True)
        self.table.verticalHeader().hide()
        header = self.table.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.ResizeToContents)
        for section in (1, 2):
            header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)
        self.note = PlainLabel()
        self.note.setProperty("quiet", "true")
        self.note.setWordWrap(True)
        split = QSplitter()
        split.addWidget(self.listing)
        split.addWidget(self.table)
        split.setSizes([368, 640])
        split.setStretchFactor(1, 1)
        split.setChildrenCollapsible(False)
        column.addWidget(split, 1)
        column.addLayout(self._foot())
        self.show_items(())

    def show_items(self, items: Sequence[Versions]) -> None:
        """Show these items; the one that was shown stays where it is still there."""
        before = self._current()
        self._items = {one.id: one for one in items}
        self.listing.blockSignals(True)
        self.listing.clear()
        for one in items:
            entry = QListWidgetItem(one.title)
            entry.setData(_ID, one.id)
            entry.setToolTip(
                plain_tip(tr("{title}; the other version is from {source}").format(title=one.title, source=one.source))
            )
            self.listing.addItem(entry)
        places = [place for place, one in enumerate(items) if before is not None and one.id == before.id]
        self.listing.setCurrentRow(places[0] if places else 0 if items else -1)
        self.listing.blockSignals(False)
        self._show_current()

    def _foot(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(theme.GRID)
        self.ours = QPushButton(tr("Keep ours"))
        self.theirs = QPushButton(tr("Take theirs"))
        for button, side, key, text in (
            (self.ours, "ours", "Ctrl+Left", tr("Leave the study as it is")),
            (self.theirs, "theirs", "Ctrl+Right", tr("Put the other version in place")),
        ):
            button.setShortcut(key)
            button.setToolTip(plain_tip(tr("{text} ({key}); Undo takes it back").format(text=text, key=key)))
            button.clicked.connect(lambda _=False, side=side: self._choose(side))
        row.addWidget(self.note, 1)
        row.addWidget(self.ours)
        row.addWidget(self.theirs)
        return row

    def _current(self) -> Versions | None:
        item = self.listing.currentItem()
        return None if item is None else self._items.get(item.data(_ID))

    def _choose(self, side: str) -> None:
        one = self._current()
        if one is not None:
            self.chosen.emit(one.id, side)

    def _show_current(self) -> None:
        one = self._current()
        for button in (self.ours, self.theirs):
            button.setEnabled(one is not None)
        self.table.setRowCount(0 if one is None else len(one.lines))
        if one is None:
            self.table.setHorizontalHeaderLabels(["", tr("Ours"), tr("Theirs")])
            self.note.setText(tr("There are no conflicts. They come up when copies are merged."))
            return
        self.table.setHorizontalHeaderLabels(["", tr("Ours"), one.source])
        for row, (name, ours, theirs) in enumerate(one.lines):
            for place, text in enumerate((name, ours, theirs)):
                self.table.setItem(row, place, _cell(text, marked=ours != theirs and not one.deleted, name=place == 0))
        self.table.resizeRowsToContents()
        words = {"ours": tr("It was deleted here."), "theirs": tr("{source} deleted it.").format(source=one.source)}
        self.note.setText(words.get(one.deleted, tr("What differs is marked.")))


def _cell(text: str, *, marked: bool, name: bool) -> QTableWidgetItem:
    colours = theme.palette()
    item = QTableWidgetItem(text)
    item.setToolTip(plain_tip(text))
    item.setForeground(colours.text if marked else colours.muted)
    if marked:
        item.setFont(theme.font(semibold=True))
        if not name:
            item.setBackground(colours.selection)
    return item
