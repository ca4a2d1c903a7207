"""The page of the mode Questions: the list, and beside it one question to verify, to ask judges, or to write."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from resources.translation import tr
from widgets import theme
from widgets.chains.graph_view import ChainGraphView
from widgets.elided_label import ElidedLabel
from widgets.empty_state import Choice, EmptyState
from widgets.questions.ask_bar import AskBar
from widgets.questions.list_bar import ListBar
from widgets.questions.question_list import QuestionList
from widgets.questions.shown import Check, QuestionRow
from widgets.questions.verify_panel import VerifyPanel
from widgets.questions.write_panel import WritePanel

VERIFY, ANSWERS, WRITE = "verify", "answers", "write"
_LEAST_LIST = 88
"""Pixels: two questions."""
_TABS = ((VERIFY, tr("Verify")), (ANSWERS, tr("Answers")), (WRITE, tr("Stump the model")))


class QuestionsPage(QWidget):
    """Shows questions and says what the user wants.

    Signals:
        visible_changed (bool): the page came into sight, or went.
        question_chosen (str): id of the question that should be shown.
        tab_changed (str): another tab is on.
        empty_chosen (str): a button where there is no question was pressed.
    """

    visible_changed = Signal(bool)
    question_chosen = Signal(str)
    tab_changed = Signal(str)
    empty_chosen = Signal(str)

    def __init__(
        self,
        makers: Sequence[tuple[str, str]],
        checklists: Mapping[str, tuple[str, Sequence[Check]]],
        difficulties: Sequence[str],
        settings: Mapping[str, str],
        wrong: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Questions"))
        self.bar = ListBar(makers)
        self.list = QuestionList()
        self.list.chosen.connect(self.question_chosen)
        self.progress = ElidedLabel()
        self.progress.setProperty("muted", True)
        self.agreement = ElidedLabel()
        self.agreement.setProperty("muted", True)
        self.verify = VerifyPanel(checklists, difficulties)
        self.asking = AskBar(tr("Ask"), settings, all_too=True)
        self.write = WritePanel(settings, wrong)
        self.graph = ChainGraphView(tools=False)
        self.graph.set_editable(False)
        self._empty = EmptyState("list-checks", "", "", [Choice(*one) for one in makers[:1]])
        self._empty.chosen.connect(self.empty_chosen)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.bar)
        column.addWidget(self.progress)
        column.addWidget(self.agreement)
        parts = QSplitter(Qt.Orientation.Vertical)
        parts.setChildrenCollapsible(False)
        self._held = QWidget()
        self._lists = QStackedLayout(self._held)
        self._lists.setContentsMargins(0, 0, 0, 0)
        self._lists.addWidget(self.list)
        self._lists.addWidget(self._empty)
        parts.addWidget(self._held)
        parts.addWidget(self._make_one())
        # What one has to read at once, the question with its options and checks, gives way last.
        parts.setStretchFactor(0, 1)
        parts.setStretchFactor(1, 0)
        parts.setSizes([136, 620])
        column.addWidget(parts, 1)
        self.choose_tab(VERIFY)

    def show_rows(self, rows: Sequence[QuestionRow], current: str) -> None:
        """List these questions; where there is none, say what to do."""
        self.list.set_rows(rows, current)
        self._lists.setCurrentIndex(0 if rows else 1)
        # Without a minimum of its own it is as high as what is said where there is nothing.
        self._held.setMinimumHeight(_LEAST_LIST if rows else 0)
        self._show_panels()

    def say_empty(self, title: str, hint: str) -> None:
        """Say why nothing is listed."""
        self._empty.set_text(title, hint)

    def step(self, by: int) -> None:
        """Go to the next or the previous question of the list."""
        keys = [row.key for row in self.list.rows()]
        current = self.list.current()
        place = keys.index(current) + by if current in keys else 0
        if 0 <= place < len(keys):
            self.question_chosen.emit(keys[place])

    def tab(self) -> str:
        """Return the key of the tab that is on."""
        return next(key for key, button in self._tabs.items() if button.isChecked())

    def choose_tab(self, key: str) -> None:
        """Turn a tab on."""
        self._tabs[key].setChecked(True)
        self._panels.setCurrentIndex([*self._tabs].index(key))
        self._show_panels()
        self.tab_changed.emit(key)

    def _show_panels(self) -> None:
        """Where there is no question, nothing can be said about one: only another can be written."""
        self._panels.setVisible(self._lists.currentIndex() == 0 or self.tab() == WRITE)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _make_one(self) -> QWidget:
        one = QWidget()
        column = QVBoxLayout(one)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self._tabs: dict[str, QPushButton] = {}
        group = QButtonGroup(self)
        for key, name in _TABS:
            button = QPushButton(name)
            button.setProperty("segment", True)
            button.setCheckable(True)
            button.setAccessibleName(tr("Show: {name}").format(name=name.lower()))
            button.clicked.connect(lambda _=False, key=key: self.choose_tab(key))
            group.addButton(button)
            row.addWidget(button, 1)
            self._tabs[key] = button
        column.addLayout(row)
        self._panels = QStackedWidget()
        verifying = QSplitter(Qt.Orientation.Vertical)
        verifying.setChildrenCollapsible(False)
        verifying.addWidget(self.verify)
        verifying.addWidget(self.graph)
        verifying.setStretchFactor(0, 0)
        verifying.setStretchFactor(1, 1)
        verifying.setSizes([410, 160])
        for panel in (verifying, self.asking, self.write):
            self._panels.addWidget(panel)
        column.addWidget(self._panels, 1)
        column.addStretch()
        return one
