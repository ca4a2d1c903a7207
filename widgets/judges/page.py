"""The page of the mode Judges: who is asked, what they say side by side, and what runs."""

from collections.abc import Mapping

from PySide6.QtCore import Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from project.types import Json
from resources.translation import tr
from widgets import theme
from widgets.empty_state import Choice, EmptyState
from widgets.judges.board import Board
from widgets.judges.choice_bar import ADD, ChoiceBar
from widgets.judges.queue_bar import QueueBar
from widgets.judges.shown import Table


class JudgesPage(QWidget):
    """Shows a segment through the eyes of judges and people.

    Signals:
        visible_changed (bool): the page came into sight, or went.
        add_requested: add a judge.
        looks_changed: something else is chosen, which is worth keeping.
    """

    visible_changed = Signal(bool)
    add_requested = Signal()
    looks_changed = Signal()

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Judges"))
        self.bar = ChoiceBar(keys)
        self.bar.changed.connect(self.looks_changed)
        self.board = Board()
        self.queue = QueueBar()
        self._no_judge = EmptyState(
            "list-checks",
            tr("No judge yet"),
            tr(
                "A judge is a model on this machine, a server, or a baseline. It says what it thinks of a segment, "
                "beside what people say."
            ),
            (Choice(ADD, tr("Add judge…"), primary=True),),
        )
        self._no_judge.chosen.connect(lambda _key: self.add_requested.emit())
        self._nothing = EmptyState("list-checks", "", "")
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.bar)
        self._stack = QStackedLayout()
        # In this order: a stack that is part of nothing shows its first widget as a window of its own.
        column.addLayout(self._stack, 1)
        for part in (self._no_judge, self._nothing, self.board):
            self._stack.addWidget(part)
        column.addWidget(self.queue)
        self.acts = {
            "ask": lambda: self.bar.ask.click(),
            "inspect": lambda: self.bar.inspect.click(),
            "cancel": lambda: self.queue.cancel_requested.emit(""),
            "add": self.add_requested.emit,
        }
        """What the window's menu can ask the page for."""

    def looks(self) -> dict[str, Json]:
        """Return who and what is chosen."""
        return self.bar.looks()

    def restore_looks(self, looks: Mapping[str, Json]) -> None:
        """Choose what was chosen."""
        self.bar.restore_looks(looks)

    def show_no_judge(self, writable: bool) -> None:
        """Say what judges are, and offer to add one."""
        self._no_judge.set_choosable(writable)
        self._stack.setCurrentWidget(self._no_judge)

    def show_nothing(self, title: str, hint: str) -> None:
        """Say why there is nothing to show, and what to do."""
        self._nothing.set_text(title, hint)
        self._stack.setCurrentWidget(self._nothing)

    def show_table(self, table: Table) -> None:
        """Show what everybody says."""
        self.board.show_table(table)
        self._stack.setCurrentWidget(self.board)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit(False)
