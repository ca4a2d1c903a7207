"""The page of the mode Chains: which chain, its graph, and below it the node, the checks and the review."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QPushButton,
    QSplitter,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from resources.translation import later, tr
from widgets import theme
from widgets.chain_page.chain_bar import ChainBar
from widgets.chain_page.checks_list import ChecksList
from widgets.chain_page.node_form import NodeForm
from widgets.chain_page.node_picker import NodePicker
from widgets.chain_page.review_box import ReviewBox
from widgets.chain_page.shown import ShownCheck
from widgets.chains.graph_view import ChainGraphView
from widgets.empty_state import Choice, EmptyState
from widgets.plain_tip import plain_tip
from widgets.rich_label import RichLabel

_NO_CHAIN = (
    tr("No chain in this recording yet"),
    tr(
        "A chain says how events and states of mind cause one another. Begin one here, or press N "
        "where something happens."
    ),
)
_HELP = tr(
    "<b>N</b> then <b>E B I D M</b> new event, belief, intent, desire, emotion · <b>Return</b> words · "
    "<b>1 2 3</b> whose · <b>E</b> edge to a result · <b>R</b> a reason · <b>[ ]</b> start, end here · "
    "<b>Ctrl+F1</b> all keys"
)


class Part(StrEnum):
    """What is shown below the graph."""

    NODE = later("Node")
    CHECKS = later("Checks")
    REVIEW = later("Review")


class ChainsPage(QWidget):
    """Lays the parts out; what they do is joined elsewhere.

    Signals:
        visible_changed (bool): the page came into sight, or went.
        asked (str): the key of an action of the window.

    Attributes:
        acts: what the window's menu may ask for, by name.
    """

    visible_changed = Signal(bool)
    asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Chains"))
        self.acts: Mapping[str, Callable[[], object]] = {}
        self._usual = _HELP
        self.bar = ChainBar()
        self.bar.asked.connect(self.asked)
        self.graph = ChainGraphView()
        self.form = NodeForm()
        self.checks = ChecksList()
        self.review = ReviewBox()
        self.picker = NodePicker(self)
        self._no_recording = EmptyState(
            "list-checks", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
        )
        ways = (
            Choice("chain_new", tr("New chain"), "Ctrl+Shift+N", primary=True),
            Choice("chain_import", tr("Read one from a file…")),
        )
        self._no_chain = EmptyState("list-checks", *_NO_CHAIN, ways)
        self._no_chain.chosen.connect(self.asked)
        self._stack = QStackedLayout(self)
        for part in (self._no_recording, self._no_chain, self._make()):
            self._stack.addWidget(part)
        self.show_part(Part.NODE)

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self._stack.setCurrentIndex(0)

    def show_no_chain(self, writable: bool, reason: str) -> None:
        """Show that this recording has no chain, and how to get one."""
        self._no_chain.set_choosable(writable)
        self._no_chain.setToolTip(plain_tip(reason))
        self._stack.setCurrentIndex(1)

    def show_chain(self, read_only: str) -> None:
        """Show the parts of a chain; `read_only` says why it cannot be changed, "" where it can."""
        self._usual = read_only or _HELP
        self._help.setText(self._usual)
        self.graph.set_editable(not read_only)
        self._stack.setCurrentIndex(2)

    def show_hint(self, hint: str) -> None:
        """Say something in place of the usual keys; "" for those."""
        self._help.setText(hint or self._usual)

    def show_checks(self, checks: Sequence[ShownCheck]) -> None:
        """Show what is wrong, and how much on the button."""
        self.checks.show_checks(checks)
        button = self._buttons[Part.CHECKS]
        errors = sum(not one.warning for one in checks)
        button.setText(f"{tr(Part.CHECKS)} {len(checks)}" if checks else tr(Part.CHECKS))
        button.setToolTip(
            plain_tip(
                tr("{errors} to put right, {warnings} to look at").format(errors=errors, warnings=len(checks) - errors)
                if checks
                else tr("Nothing is wrong")
            )
        )

    def set_reviews(self, count: int) -> None:
        """Say on the button how many people said something."""
        self._buttons[Part.REVIEW].setText(f"{tr(Part.REVIEW)} {count}" if count else tr(Part.REVIEW))

    def show_part(self, part: Part) -> None:
        """Show the node, the checks or the review below the graph."""
        self._buttons[part].setChecked(True)
        self._parts.setCurrentIndex([*Part].index(part))

    def part(self) -> Part:
        """Return what is shown below the graph."""
        return [*Part][self._parts.currentIndex()]

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.visible_changed.emit(True)

    def hideEvent(self, event: QHideEvent) -> None:
        self.form.flush()
        super().hideEvent(event)
        self.visible_changed.emit(False)

    def _make(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(*[theme.GRID * 3 // 2] * 4)
        column.setSpacing(theme.GRID)
        column.addWidget(self.bar)
        halves = QSplitter(Qt.Orientation.Vertical)
        halves.setChildrenCollapsible(False)
        halves.addWidget(self.graph)
        halves.addWidget(self._make_lower())
        halves.setStretchFactor(0, 1)
        halves.setStretchFactor(1, 1)
        halves.setSizes([360, 330])
        column.addWidget(halves, 1)
        self._help = RichLabel(wordWrap=True)
        self._help.setProperty("quiet", True)
        column.addWidget(self._help)
        return page

    def _make_lower(self) -> QWidget:
        lower = QWidget()
        column = QVBoxLayout(lower)
        column.setContentsMargins(0, theme.GRID // 2, 0, 0)
        column.setSpacing(theme.GRID)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self._buttons: dict[Part, QPushButton] = {}
        group = QButtonGroup(self)
        for part in Part:
            button = QPushButton(tr(part.value))
            button.setProperty("segment", True)
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(tr("Show: {value}").format(value=tr(part.value).lower()))
            button.clicked.connect(lambda _=False, part=part: self.show_part(part))
            group.addButton(button)
            row.addWidget(button, 1)
            self._buttons[part] = button
        column.addLayout(row)
        self._parts = QStackedLayout()
        # In this order: a stack that is part of nothing shows its first widget as a window of its own.
        column.addLayout(self._parts, 1)
        for widget in (self.form, self.checks, self.review):
            self._parts.addWidget(widget)
        return lower
