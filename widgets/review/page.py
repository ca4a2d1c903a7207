"""The page of the mode Review: who is compared, what differs, one item side by side, and the decision."""

from collections.abc import Sequence
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSplitter, QStackedLayout, QVBoxLayout, QWidget

from project.types import Decision
from resources.translation import later, tr
from widgets import theme
from widgets.empty_state import EmptyState
from widgets.review.decision_bar import DecisionBar
from widgets.review.item_list import ItemList
from widgets.review.pair_chooser import PairChooser
from widgets.review.shown import Comparison, ItemRow, State
from widgets.review.side_by_side import SideBySide


class Listed(StrEnum):
    """Which items are in the list."""

    WAITING = later("Waiting")
    DIFFERING = later("Differing")
    ALL = later("All")


class ReviewPage(QWidget):
    """Shows a review and says what the reviewer wants.

    Signals:
        item_chosen (str): key of the item that should be shown.
        decided (str, Decision, str): segment, what is said about it, and the note.
        withdraw_requested (str): segment.
        repeat_requested: play the item again and again, or stop doing so.
        visible_changed (bool): the page came into sight, or went.
    """

    item_chosen = Signal(str)
    decided = Signal(str, object, str)
    withdraw_requested = Signal(str)
    repeat_requested = Signal()
    visible_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Review"))
        self._rows: tuple[ItemRow, ...] = ()
        self._listed = Listed.DIFFERING
        self._reason = ""
        self.people = PairChooser()
        self.items = ItemList()
        self.side_by_side = SideBySide()
        self.decisions = DecisionBar()
        self._empty = EmptyState("list-checks", "", "")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._make())
        self.items.chosen.connect(self.item_chosen)
        self.side_by_side.column_chosen.connect(self._aim)
        self.decisions.decided.connect(self._decide)
        self.decisions.withdraw_requested.connect(self._withdraw)
        self.decisions.step_requested.connect(self.step)
        self.decisions.repeat_requested.connect(self.repeat_requested)

    def show_nothing(self, title: str, hint: str) -> None:
        """Say why there is nothing to review, and what to do."""
        self._rows = ()
        self.items.set_rows(())
        self.side_by_side.show_comparison(None)
        self._empty.set_text(title, hint)
        self._stack.setCurrentIndex(0)

    def set_rows(self, rows: Sequence[ItemRow], current: str) -> None:
        """Show these items; `current` is the key of the one that is shown side by side, or ""."""
        self._rows = tuple(rows)
        self._stack.setCurrentIndex(1)
        self._list(current)

    def set_writable(self, reason: str) -> None:
        """Allow decisions, or say why there are none."""
        self._reason = reason
        self._show_target()

    def show_item(self, key: str, shown: Comparison | None) -> None:
        """Show one item side by side."""
        if key not in {row.key for row in self.items.rows()}:
            self._list(key)
        self.items.set_current(key)
        self.side_by_side.show_comparison(shown)
        self._show_target()

    def step(self, by: int) -> None:
        """Go to the next or the previous item of the list."""
        rows, at = self.items.rows(), self.items.place()
        place = at + by if at >= 0 else 0
        if 0 <= place < len(rows):
            self.item_chosen.emit(rows[place].key)

    def next_waiting(self) -> str:
        """Return the key of the next item that waits, from the one after the current on and round; "" for none."""
        rows, at = self.items.rows(), self.items.place()
        order = [*rows[at + 1 :], *rows[: at + 1]]
        return next((row.key for row in order if row.state is State.WAITS), "")

    def write_note(self) -> None:
        """Let the reviewer type a note."""
        if self.decisions.note.isEnabled():
            self.decisions.note.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.decisions.note.selectAll()

    def agree(self) -> None:
        """Agree with the segment that is decided about."""
        self.decisions.decide(Decision.AGREE)

    def disagree(self) -> None:
        """Disagree with the segment that is decided about."""
        self.decisions.decide(Decision.DISAGREE)

    def withdraw(self) -> None:
        """Take back what was said about that segment."""
        if self.decisions.withdraw.isEnabled():
            self._withdraw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _make(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.people)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self._buttons: dict[Listed, QPushButton] = {}
        group = QButtonGroup(self)
        for listed in Listed:
            button = QPushButton(tr(listed.value))
            button.setProperty("segment", True)
            button.setCheckable(True)
            button.setChecked(listed is self._listed)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(tr("List: {value}").format(value=tr(listed.value).lower()))
            button.clicked.connect(lambda _=False, listed=listed: self._filter(listed))
            group.addButton(button)
            row.addWidget(button, 1)
            self._buttons[listed] = button
        column.addLayout(row)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        parts.addWidget(self.items)
        parts.addWidget(self.side_by_side)
        parts.setStretchFactor(0, 2)
        parts.setStretchFactor(1, 3)
        parts.setSizes([184, 300])
        column.addWidget(parts, 1)
        column.addWidget(self.decisions)
        return page

    def _list(self, current: str) -> None:
        kept = {
            Listed.WAITING: [row for row in self._rows if row.state is State.WAITS or row.key == current],
            Listed.DIFFERING: [row for row in self._rows if row.state is not State.ALIKE or row.key == current],
            Listed.ALL: list(self._rows),
        }
        counts = {
            Listed.WAITING: sum(row.state is State.WAITS for row in self._rows),
            Listed.DIFFERING: sum(row.state is not State.ALIKE for row in self._rows),
            Listed.ALL: len(self._rows),
        }
        for listed, button in self._buttons.items():
            button.setText(f"{tr(listed.value)} {counts[listed]}")
        self.items.set_rows(kept[self._listed], current)

    def _filter(self, listed: Listed) -> None:
        at = self.items.place()
        current = self.items.rows()[at].key if at >= 0 else ""
        self._listed = listed
        self._list(current)

    def _target(self) -> int:
        shown = self.side_by_side.comparison()
        return -1 if shown is None else shown.target

    def _show_target(self) -> None:
        shown, at = self.side_by_side.comparison(), self._target()
        if shown is None or at < 0:
            self.decisions.set_note("")
            self.decisions.set_decidable(False, False, self._reason or tr("There is nothing to decide here"))
            return
        self.decisions.set_note(shown.columns[at].note)
        self.decisions.set_decidable(not self._reason, shown.columns[at].decided, self._reason)

    def _aim(self, column: int) -> None:
        shown = self.side_by_side.comparison()
        if shown is not None:
            self.side_by_side.show_comparison(Comparison(shown.columns, shown.lines, column))
            self._show_target()

    def _decide(self, decision: Decision, note: str) -> None:
        shown = self.side_by_side.comparison()
        if shown is not None and shown.target >= 0:
            self.decided.emit(shown.columns[shown.target].segment_id, decision, note)

    def _withdraw(self) -> None:
        shown = self.side_by_side.comparison()
        if shown is not None and shown.target >= 0:
            self.withdraw_requested.emit(shown.columns[shown.target].segment_id)
