"""All models in groups: whether each is there, how large it is, what it is for."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeWidget, QTreeWidgetItem, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.plain_tip import plain_tip

COLUMNS = (tr("Model"), tr("State"), tr("Size"), tr("Licence"), tr("What it is for"), tr("Where it is used"))
_STATE, _SIZE, _LICENCE, _PURPOSE, _USED = range(1, 6)
_WIDTHS = (208, 144, 100, 108)
_LEAST_USED = 200
"""Pixels that the column of where a model is used gets in any case."""
_KEY = Qt.ItemDataRole.UserRole


class ModelState(StrEnum):
    """How it stands with a model, told apart by icon, colour and word."""

    ABSENT = "absent"
    PARTLY = "partly"
    INSTALLED = "installed"
    DAMAGED = "damaged"
    BUSY = "busy"


_ICONS: dict[ModelState, tuple[str, str | None]] = {
    ModelState.ABSENT: ("circle-dashed", "muted"),
    ModelState.PARTLY: ("circle-dashed", "uncertain"),
    ModelState.INSTALLED: ("circle-check", "competence"),
    ModelState.DAMAGED: ("circle-x", "error"),
    ModelState.BUSY: ("loader", None),
}


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model.

    Attributes:
        key: tells it from the others.
        said: its state in a word or two.
        size: on disk where it is there, else of what would be fetched; "" where a lab brings it.
    """

    key: str
    state: ModelState
    said: str
    size: str
    licence: str
    purpose: str
    used_in: str


@dataclass(frozen=True, slots=True)
class ModelGroup:
    """The models of one use."""

    key: str
    title: str
    rows: tuple[ModelRow, ...]


class ModelsTable(QTreeWidget):
    """Shows the models; changes nothing.

    Signals:
        chosen (str): key of the model that is now chosen.
    """

    chosen = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._items: dict[str, QTreeWidgetItem] = {}
        self._closed: set[str] = set()
        self.setAccessibleName(tr("Models"))
        self.setHeaderLabels(list(COLUMNS))
        self.setUniformRowHeights(True)
        self.setIndentation(theme.GRID * 2)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.header().setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        for column, width in enumerate(_WIDTHS):
            self.setColumnWidth(column, width)
        self.header().setStretchLastSection(False)
        self.header().setSectionResizeMode(_PURPOSE, QHeaderView.ResizeMode.Stretch)
        self.header().setSectionResizeMode(_USED, QHeaderView.ResizeMode.Fixed)
        self.itemCollapsed.connect(lambda item: self._closed.add(item.data(0, _KEY)))
        self.itemExpanded.connect(lambda item: self._closed.discard(item.data(0, _KEY)))
        self.currentItemChanged.connect(lambda *_: self.chosen.emit(self.current_key()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_room()

    def _share_room(self) -> None:
        """Give what a model is for, a sentence, its room first, then where it is used, then a long licence."""
        licence, purpose, used = (self.sizeHintForColumn(column) for column in (_LICENCE, _PURPOSE, _USED))
        room = self.viewport().width() - sum(self.columnWidth(column) for column in range(_LICENCE)) - purpose
        used = min(used, max(_LEAST_USED, room - _WIDTHS[_LICENCE]))
        self.setColumnWidth(_USED, used)
        self.setColumnWidth(_LICENCE, max(_WIDTHS[_LICENCE], min(licence, room - used)))

    def set_groups(self, groups: Sequence[ModelGroup]) -> None:
        """Show these; what was folded stays folded, and the place and the choice are kept."""
        top, current = self.verticalScrollBar().value(), self.current_key()
        self.blockSignals(True)
        self.clear()
        self._items = {}
        for group in groups:
            there = sum(row.state is ModelState.INSTALLED for row in group.rows)
            head = QTreeWidgetItem(
                [
                    tr("{title} ({there} of {rows} installed)").format(
                        title=group.title, there=there, rows=len(group.rows)
                    )
                ]
            )
            head.setData(0, _KEY, group.key)
            head.setFont(0, theme.font(semibold=True))
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.setSizeHint(0, QSize(0, theme.GRID * 7 // 2))
            self.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            for row in group.rows:
                # The space keeps the figures, which stand on the right, apart from the next column.
                size = f"{row.size}\u2003" if row.size else ""
                item = QTreeWidgetItem([row.key, row.said, size, row.licence, row.purpose, row.used_in])
                item.setData(0, _KEY, row.key)
                item.setTextAlignment(_SIZE, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                for column in range(len(COLUMNS)):
                    item.setToolTip(column, plain_tip(item.text(column).strip()))
                item.setIcon(_STATE, icon(*_ICONS[row.state]))
                head.addChild(item)
                self._items[row.key] = item
            head.setExpanded(group.key not in self._closed)
        if current in self._items:
            self.setCurrentItem(self._items[current])
        self.blockSignals(False)
        self._share_room()
        self.verticalScrollBar().setValue(top)

    def show_state(self, key: str, state: ModelState, said: str) -> None:
        """Show another state of one model."""
        item = self._items.get(key)
        if item is not None:
            item.setText(_STATE, said)
            item.setToolTip(_STATE, plain_tip(said))
            item.setIcon(_STATE, icon(*_ICONS[state]))

    def choose(self, key: str) -> None:
        """Choose a model."""
        if key in self._items:
            self.setCurrentItem(self._items[key])

    def current_key(self) -> str:
        """Return the key of the chosen model, or ""."""
        item = self.currentItem()
        return str(item.data(0, _KEY)) if item is not None and item.parent() is not None else ""

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return what is shown of each model, by its key."""
        return {
            key: tuple(item.text(column).strip() for column in range(len(COLUMNS))) for key, item in self._items.items()
        }
