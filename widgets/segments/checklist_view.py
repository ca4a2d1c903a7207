"""What is still to be done, in groups, each line a place to go to."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QTreeWidget, QTreeWidgetItem, QWidget

from resources.translation import tr
from widgets import theme
from widgets.plain_tip import plain_tip

_ID = Qt.ItemDataRole.UserRole


@dataclass(frozen=True, slots=True)
class TaskLine:
    """One thing to do; `key` tells it from the others."""

    key: str
    recording: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class TaskGroup:
    """The tasks of one kind; `key` tells it from the other groups."""

    key: str
    title: str
    tasks: tuple[TaskLine, ...]


class ChecklistView(QTreeWidget):
    """Shows groups with their counts; a click on a line goes there.

    Signals:
        opened (str): key of the task to look at.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._closed: set[str] = set()
        self.setAccessibleName(tr("What is still to be done"))
        self.setHeaderLabels([tr("Recording"), tr("Time"), tr("To do")])
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setColumnWidth(0, 220)
        self.setColumnWidth(1, 104)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)
        self.itemCollapsed.connect(lambda item: self._closed.add(item.data(0, _ID)))
        self.itemExpanded.connect(lambda item: self._closed.discard(item.data(0, _ID)))

    def set_groups(self, groups: Sequence[TaskGroup]) -> None:
        """Show these; what was folded stays folded, and the place is kept."""
        top = self.verticalScrollBar().value()
        self.blockSignals(True)
        self.clear()
        for group in groups:
            head = QTreeWidgetItem([f"{group.title} ({len(group.tasks):,})"])
            head.setData(0, _ID, group.key)
            head.setFont(0, theme.font(semibold=True))
            head.setSizeHint(0, QSize(0, theme.GRID * 7 // 2))
            head.setFlags(Qt.ItemFlag.ItemIsEnabled)
            head.addChildren([_line(task) for task in group.tasks])
            self.addTopLevelItem(head)
            head.setFirstColumnSpanned(True)
            head.setExpanded(group.key not in self._closed)
        self.blockSignals(False)
        self.verticalScrollBar().setValue(top)

    def _open(self, item: QTreeWidgetItem) -> None:
        if item.parent() is not None:
            self.opened.emit(item.data(0, _ID))


def _line(task: TaskLine) -> QTreeWidgetItem:
    item = QTreeWidgetItem([task.recording, task.time, task.text])
    item.setData(0, _ID, task.key)
    item.setToolTip(2, plain_tip(task.text))
    item.setSizeHint(0, QSize(0, theme.GRID * 3))
    return item
