"""The page of the mode Chains: the list of chains, the graph, and below it the node, the checks and the review."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from functools import partial

from PySide6.QtCore import QPoint, QSize, Qt, Signal
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import (
    QComboBox,
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStackedLayout,
    QToolButton,
    QWidget,
)

from app.gui.chains.node_form import DECISIONS, NodeForm, node_text
from app.gui.pages.context import Context
from app.gui.pages.study_view import StudyView
from project.entities.causal_chains import ChainDecision, ChainNode
from resources.translation import later, tr
from widgets import theme
from widgets.dialogs.command_palette import FilterListPopup
from widgets.empty_state import EmptyState, EmptyStateAction
from widgets.form.controls import SegmentBar, line_edit, push_button, tool_button
from widgets.form.input_fields import NoteEdit
from widgets.form.layouts import make_column, make_panel, make_row, make_splitter, make_stack, wrap_in_scroll_area
from widgets.form.wheel_guard import ComboBox
from widgets.graph.graph_view import ChainGraphView
from widgets.labels import KIND_LOOKS, SIGN_PX, sign_icon
from widgets.table.lists import ShortList
from widgets.text_labels import PlainLabel, RichLabel, describe, plain_tip
from widgets.theme import icon

_CHAIN_BUTTONS = (
    ("chain_new", "plus", tr("New chain (Ctrl+Shift+N)")),
    ("chain_rename", "pencil", tr("Rename this chain (F2)")),
    ("chain_delete", "trash-2", tr("Delete this chain")),
)


class ChainBar(QWidget):
    """A list to choose from, and buttons.

    Signals:
        chain_chosen (str): the id of a chain, by the user.
        action_requested (str): the key of the window's action that a button stands for.
    """

    chain_chosen = Signal(str)
    action_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.combo = _ChainBox()
        describe(self.combo, tr("Chain"), tr("The chains of this recording (V: the next one)"))
        self.combo.setMinimumContentsLength(12)
        self.combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.combo.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.combo.activated.connect(lambda place: self.chain_chosen.emit(self.combo.itemData(place)))
        self.buttons = {
            key: tool_button(picture, text, do=lambda _=False, key=key: self.action_requested.emit(key))
            for key, picture, text in _CHAIN_BUTTONS
        }
        self.more = tool_button(
            "download",
            tr("Save a picture or a file of this chain, or read one"),
            popupMode=QToolButton.ToolButtonPopupMode.InstantPopup,
        )
        menu = QMenu(self.more)
        for key, text in (
            ("chain_svg", tr("Save a picture as SVG…")),
            ("chain_png", tr("Save a picture as PNG…")),
            ("chain_json", tr("Save as JSON…")),
            ("chain_graphml", tr("Save as GraphML…")),
            ("chain_import", tr("Read a chain from a file…")),
        ):
            menu.addAction(text, partial(self.action_requested.emit, key))
        self.more.setMenu(menu)
        self.setLayout(make_row(self.combo, 1, *self.buttons.values(), self.more, spacing=theme.GRID // 2))

    def show_chains(self, chains: Mapping[str, str], chosen: str) -> None:
        """Offer these chains: id -> name, who drew it, and its size."""
        blocked = self.combo.blockSignals(True)
        self.combo.clear()
        for chain_id, text in chains.items():
            self.combo.addItem(text, chain_id)
        self.combo.setCurrentIndex(self.combo.findData(chosen))
        self.combo.blockSignals(blocked)

    def set_permissions(self, writable: bool, own: bool, deletable: bool) -> None:
        """Switch off what cannot be done with the chosen chain."""
        self.buttons["chain_new"].setEnabled(writable)
        self.buttons["chain_rename"].setEnabled(writable and own)
        self.buttons["chain_delete"].setEnabled(writable and deletable)


class _ChainBox(ComboBox):
    """A list that shows each chain's whole line where there is room."""

    def showPopup(self) -> None:
        self.view().setTextElideMode(Qt.TextElideMode.ElideRight)
        super().showPopup()


class ChecksList(QListWidget):
    """Errors and warnings; a click or Return goes to the node.

    Signals:
        opened (str): a node's id.
    """

    opened = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("What to look at in this chain"))
        self.setWordWrap(True)
        self.itemClicked.connect(self._open)
        self.itemActivated.connect(self._open)

    def show_checks(self, checks: Sequence[tuple[str, str, bool]]) -> None:
        """Show these, or that there is nothing: node's id ("" for the chain), text, whether it is a warning."""
        self.clear()
        if not checks:
            self.addItem(QListWidgetItem(icon("circle-check"), tr("Nothing to put right, and nothing to look at.")))
        for node_id, text, warning in checks:
            item = QListWidgetItem(icon("triangle-alert" if warning else "circle-x"), text)
            item.setData(Qt.ItemDataRole.UserRole, node_id)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{tr('Warning') if warning else tr('Error')}: {text}")
            self.addItem(item)

    def _open(self, item: QListWidgetItem) -> None:
        found = item.data(Qt.ItemDataRole.UserRole)
        if found:
            self.opened.emit(found)


_PICKER_SIZE = QSize(440, 260)
_PICKER_MARGIN = theme.GRID


class NodePicker(FilterListPopup):
    """Lies over its page: letters narrow the list down, Up and Down choose, Return takes, Esc gives up.

    The last entry is a new node that says what was typed.

    Signals:
        node_picked (str): the id of a node.
        new_node_requested (str): what a new node says; may be empty.
        cancelled: Esc was pressed.
    """

    node_picked = Signal(str)
    new_node_requested = Signal(str)
    cancelled = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._under = parent
        self.hide()
        self._nodes: Sequence[ChainNode] = ()
        self._title = PlainLabel()
        self.field = line_edit(tr("Letters of the node"), tr("Letters of what it says, or the words of a new one"))
        self.field.textChanged.connect(self._filter)
        self.list = ShortList()
        self.list.setAccessibleName(tr("Nodes to choose from"))
        self.list.setIconSize(QSize(SIGN_PX, SIGN_PX))
        self.list.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.list.itemClicked.connect(lambda _item: self.accept_current())
        self.setLayout(make_column(self._title, self.field, self.list, margin=theme.GRID, spacing=theme.GRID // 2))
        self.set_widgets(self.field, self.list)
        self.resize(_PICKER_SIZE)

    def open_at(self, title: str, nodes: Sequence[ChainNode], where: QPoint) -> None:
        """Open near a point of the page with these nodes, of which the first is chosen."""
        self._nodes = nodes
        self._title.setText(title)
        self.field.clear()
        self._filter("")
        room = self._under.rect().adjusted(_PICKER_MARGIN, _PICKER_MARGIN, -_PICKER_MARGIN, -_PICKER_MARGIN)
        self.resize(_PICKER_SIZE.boundedTo(room.size()))
        left, top = min(where.x(), room.right() - self.width()), min(where.y(), room.bottom() - self.height())
        self.move(max(room.left(), left), max(room.top(), top))
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def dismiss(self) -> None:
        self.hide()

    def cancel(self) -> None:
        self.hide()
        self.cancelled.emit()

    def _filter(self, text: str) -> None:
        wanted = text.casefold().split()
        self.list.clear()
        for node in self._nodes:
            words = f"{KIND_LOOKS[node.kind].name} {node_text(node)}"
            if all(part in words.casefold() for part in wanted):
                item = QListWidgetItem(sign_icon(KIND_LOOKS[node.kind], self.devicePixelRatioF()), node_text(node))
                item.setData(Qt.ItemDataRole.UserRole, node.id)
                item.setData(Qt.ItemDataRole.AccessibleTextRole, words)
                self.list.addItem(item)
        words = text.strip()
        new = tr("New node: “{words}”").format(words=words) if words else tr("New node")
        self.list.addItem(QListWidgetItem(icon("plus"), new))
        self.list.setCurrentRow(0)

    def accept_current(self) -> None:
        node_id = self.list.currentItem().data(Qt.ItemDataRole.UserRole)
        self.hide()
        if node_id:
            self.node_picked.emit(node_id)
        else:
            self.new_node_requested.emit(self.field.text().strip())


_DECISION_ICONS = {
    ChainDecision.AGREE: "circle-check",
    ChainDecision.CHANGE: "pencil",
    ChainDecision.DISCUSS: "circle-alert",
}
_DECISION_TIPS = {
    ChainDecision.AGREE: tr("The chain is right as it is"),
    ChainDecision.CHANGE: tr("Something has to be changed: say what, or draw your own version"),
    ChainDecision.DISCUSS: tr("Talk about it before it counts"),
}


class ReviewBox(QWidget):
    """Shows where a chain comes from and who said what, and lets a second expert say it.

    Signals:
        decided (str, str): what is said, and the note.
    """

    decided = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chain = ""
        self._lines = PlainLabel(wordWrap=True)
        self.said = ShortList()
        self.said.setAccessibleName(tr("What people said about this chain"))
        self.said.setWordWrap(True)
        self._nobody = PlainLabel(tr("Nobody has reviewed this chain yet."), look="quiet")
        self.note = NoteEdit(placeholderText=tr("Note: what is missing, what is wrong"), clearButtonEnabled=True)
        self.note.setAccessibleName(tr("Note about this chain"))
        self.buttons: dict[ChainDecision, QPushButton] = {}
        for decision, (name, key) in DECISIONS.items():
            button = push_button(
                f" {name} ({key})",
                do=lambda _=False, decision=decision: self.decide(decision),
                name=f"{name}: {_DECISION_TIPS[decision]}",
                icon=_DECISION_ICONS[decision],
                checkable=True,
                focusPolicy=Qt.FocusPolicy.TabFocus,
            )
            self.buttons[decision] = button
        shares = (part for button in self.buttons.values() for part in (button, 1))
        self.withdraw = _make_button(tr("Take back (W)"), tr("Take back your review of this chain"))
        self.copy = _make_button(tr("My own version"), tr("Copy this chain as yours, to draw what should be different"))
        self.agreed = _make_button(
            tr("Make it the agreed version"), tr("Copy this chain as the version that both of you agreed on")
        )
        self.setLayout(
            make_column(
                self._lines,
                self._nobody,
                self.said,
                1,
                self.note,
                make_row(*shares, self.withdraw, spacing=theme.GRID // 2),
                make_row(self.copy, 1, self.agreed, 1, spacing=theme.GRID // 2),
            )
        )

    def show_reviews(
        self,
        chain_id: str,
        lines: Sequence[str],
        reviews: Sequence[str],
        own: tuple[ChainDecision | None, str],
        *,
        copyable: bool,
        agreeable: bool,
        why_not: str,
    ) -> None:
        """Show what was said; a note that is being typed about this chain is left alone.

        Args:
            chain_id: of the chain.
            lines: where the chain comes from.
            reviews: what people said about it.
            own: what the current annotator said last, and their note.
            copyable: whether they may make a version of their own of it.
            agreeable: whether it may be made the agreed version.
            why_not: why they can say nothing; "" where they can.
        """
        decision, note = own
        self._lines.setText("\n".join(lines))
        self.said.clear()
        self.said.addItems(reviews)
        self.said.setVisible(bool(reviews))
        self._nobody.setVisible(not reviews)
        if self._chain != chain_id or not self.note.isModified():
            self._chain = chain_id
            self.note.setText(note)
            self.note.setModified(False)
        self.note.setEnabled(not why_not)
        for offered, button in self.buttons.items():
            button.setChecked(offered is decision)
            button.setEnabled(not why_not)
            button.setToolTip(plain_tip(why_not or _DECISION_TIPS[offered]))
        self.note.setToolTip(plain_tip(why_not))
        self.withdraw.setEnabled(not why_not and decision is not None)
        self.copy.setEnabled(copyable)
        self.agreed.setEnabled(agreeable)

    def decide(self, decision: ChainDecision) -> None:
        """Say this, with the note that stands there, where that is possible."""
        button = self.buttons[decision]
        button.setChecked(False)
        if button.isEnabled():
            self.note.setModified(False)
            self.decided.emit(decision.value, self.note.text())

    def write_note(self) -> None:
        """Let a note be typed."""
        self.note.setFocus(Qt.FocusReason.ShortcutFocusReason)


def _make_button(text: str, told: str) -> QPushButton:
    return push_button(text, told, name=told, focusPolicy=Qt.FocusPolicy.TabFocus)


_NO_CHAIN = (
    tr("No chain in this recording yet"),
    tr(
        "A chain says how events and states of mind cause one another. Begin one here, or press N "
        "where something happens."
    ),
)
_KEYS_HELP = tr(
    "<b>N</b> then <b>E B I D M</b> new event, belief, intent, desire, emotion · <b>Return</b> words · "
    "<b>1 2 3</b> whose · <b>E</b> edge to a result · <b>R</b> a reason · <b>[ ]</b> start, end here · "
    "<b>Ctrl+F1</b> all keys"
)


_WORDS_HINT = tr(
    "Type what happens, or what somebody believes, wants or feels. <b>Return</b> keeps it and goes back to the keys · "
    "<b>Esc</b> takes it back"
)


class ChainPageTab(StrEnum):
    """What is shown below the graph."""

    NODE = later("Node")
    CHECKS = later("Checks")
    REVIEW = later("Review")


class ChainsPage(StudyView):
    """Lays the parts out; what they do is joined elsewhere.

    Signals:
        action_requested (str): the key of an action of the window.

    Attributes:
        acts: what the window's menu may ask for, by name.
    """

    action_requested = Signal(str)
    title = tr("Chains")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.acts: Mapping[str, Callable[[], object]] = {}
        self._usual, self._hint = _KEYS_HELP, ""
        self.bar = ChainBar()
        self.bar.action_requested.connect(self.action_requested)
        self.graph = ChainGraphView()
        self.form = NodeForm()
        self.form.words.focus_changed.connect(lambda on: self.show_hint(_WORDS_HINT if on else ""))
        self.checks = ChecksList()
        self.review = ReviewBox()
        self.picker = NodePicker(self)
        self._no_recording = EmptyState(
            "list-checks", tr("No recording is open"), tr("Choose one on the left, or add some: Ctrl+O.")
        )
        ways = (
            EmptyStateAction("chain_new", tr("New chain"), "Ctrl+Shift+N", primary=True),
            EmptyStateAction("chain_import", tr("Read one from a file…")),
        )
        self._no_chain = EmptyState("list-checks", *_NO_CHAIN, ways)
        self._no_chain.button_clicked.connect(self.action_requested)
        self._stack = QStackedLayout(self)
        for part in (self._no_recording, self._no_chain, self._make()):
            self._stack.addWidget(part)
        self.show_tab(ChainPageTab.NODE)

    def show_nothing(self) -> None:
        """Show that no recording is open."""
        self._stack.setCurrentIndex(0)

    def show_no_chain(self, writable: bool, reason: str) -> None:
        """Show that this recording has no chain, and how to get one."""
        self._no_chain.set_buttons_enabled(writable)
        self._no_chain.setToolTip(plain_tip(reason))
        self._stack.setCurrentIndex(1)

    def show_chain(self, read_only: str) -> None:
        """Show the parts of a chain; `read_only` says why it cannot be changed, "" where it can."""
        self._usual = read_only or _KEYS_HELP
        self.show_hint(self._hint)
        self.graph.set_editable(not read_only)
        self._stack.setCurrentIndex(2)

    def show_hint(self, hint: str) -> None:
        """Say something in place of the usual keys; "" for those."""
        self._hint = hint
        self._help.setText(hint or self._usual)

    def show_checks(self, checks: Sequence[tuple[str, str, bool]]) -> None:
        """Show what is wrong, and how much on the button."""
        self.checks.show_checks(checks)
        button = self.tabs.buttons[ChainPageTab.CHECKS]
        errors = sum(not warning for _, _, warning in checks)
        button.setText(f"{tr(ChainPageTab.CHECKS)} {len(checks)}" if checks else tr(ChainPageTab.CHECKS))
        button.setToolTip(
            plain_tip(
                tr("{errors} to put right, {warnings} to look at").format(errors=errors, warnings=len(checks) - errors)
                if checks
                else tr("Nothing is wrong")
            )
        )

    def set_review_count(self, count: int) -> None:
        """Say on the button how many people said something."""
        self.tabs.buttons[ChainPageTab.REVIEW].setText(
            f"{tr(ChainPageTab.REVIEW)} {count}" if count else tr(ChainPageTab.REVIEW)
        )

    def show_tab(self, part: ChainPageTab) -> None:
        """Show the node, the checks or the review below the graph."""
        self.tabs.choose(part)
        self._parts.setCurrentIndex([*ChainPageTab].index(part))

    def current_tab(self) -> ChainPageTab:
        """Return what is shown below the graph."""
        found: ChainPageTab = self.tabs.key()
        return found

    def hideEvent(self, event: QHideEvent) -> None:
        self.form.flush()
        super().hideEvent(event)

    def _make(self) -> QWidget:
        halves = make_splitter(Qt.Orientation.Vertical, self.graph, 1, self._make_lower(), 1, sizes=[360, 330])
        self._help = RichLabel(wordWrap=True, look="quiet")
        return make_panel(make_column(self.bar, halves, 1, self._help, margin=theme.GRID * 3 // 2))

    def _make_lower(self) -> QWidget:
        self.tabs = SegmentBar({part: tr(part.value) for part in ChainPageTab}, tr("Show: {name}"))
        self.tabs.chosen.connect(self.show_tab)
        self._parts = make_stack(wrap_in_scroll_area(self.form), self.checks, self.review)
        return make_panel(make_column(self.tabs, self._parts, 1, margin=(0, theme.GRID // 2, 0, 0)))
