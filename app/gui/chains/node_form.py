"""The form of the selected node: its kind, text, span and participants, and its reasons and results."""

from collections.abc import Callable, Collection, Mapping, Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QListWidget,
    QListWidgetItem,
    QMenu,
    QPushButton,
    QStackedLayout,
    QWidget,
)

from project.entities.causal_chains import ChainDecision, ChainGraph, ChainNode, NodeKind
from project.entities.study_records import Participant
from project.timebase import SECOND_US, format_time
from resources.translation import tr
from widgets import theme
from widgets.form.controls import SegmentBar, push_button, tool_button
from widgets.form.input_fields import GrowingTextEdit, TimeEdit
from widgets.form.layouts import FlowLayout, make_column, make_panel, make_row
from widgets.labels import DIGIT_KEYS, KIND_LOOKS, SIGN_PX, make_choice_button, sign_icon
from widgets.text_labels import PlainLabel, plain_tip


class KindRow(SegmentBar):
    """One of five is chosen."""

    def __init__(self) -> None:
        names = {kind: KIND_LOOKS[kind].name for kind in NodeKind}
        super().__init__(names, tr("Kind: {name}"), tr("The selected node is: {name}"))
        for button in self.buttons.values():
            button.setIconSize(QSize(SIGN_PX, SIGN_PX))
        theme.notifier.changed.connect(self._tint)
        self._tint()

    def _tint(self) -> None:
        for kind, button in self.buttons.items():
            button.setIcon(sign_icon(KIND_LOOKS[kind], self.devicePixelRatioF()))


_LIST_ROWS = 3


def node_text(node: ChainNode) -> str:
    """Return a node on one line: when, and what it says."""
    text = node.text or KIND_LOOKS[node.kind].name + tr(" without words")
    return f"{format_time(node.start_us).removeprefix('0:')}  {text}"


class NodeList(QListWidget):
    """Nodes that are gone to with Return or a double click, and taken out with Del.

    Signals:
        removal_requested (str): a node's id.
        opened (str): a node's id.
    """

    removal_requested = Signal(str)
    opened = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self.setIconSize(QSize(SIGN_PX, SIGN_PX))
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setFixedHeight(_LIST_ROWS * theme.scaled(22) + 6)
        self.itemDoubleClicked.connect(lambda item: self.opened.emit(item.data(Qt.ItemDataRole.UserRole)))

    def show_nodes(self, nodes: Sequence[ChainNode]) -> None:
        """Show these; the one that was current stays so."""
        before = self.current()
        self.clear()
        for node in nodes:
            item = QListWidgetItem(sign_icon(KIND_LOOKS[node.kind], self.devicePixelRatioF()), node_text(node))
            item.setData(Qt.ItemDataRole.UserRole, node.id)
            item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{KIND_LOOKS[node.kind].name}, {node_text(node)}")
            item.setToolTip(plain_tip(node_text(node)))
            self.addItem(item)
            if node.id == before:
                self.setCurrentItem(item)

    def current(self) -> str:
        """Return the id of the current node, or ""."""
        item = self.currentItem()
        return str(item.data(Qt.ItemDataRole.UserRole)) if item is not None else ""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current = self.current()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and current:
            self.opened.emit(current)
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and current:
            self.removal_requested.emit(current)
        else:
            super().keyPressEvent(event)


class Neighbours(QWidget):
    """The list under its title, with buttons to add and to take out.

    Signals:
        add_requested: choose a node to add.
        removal_requested (str): take this node out.
        opened (str): go to this node.
    """

    add_requested = Signal()
    removal_requested = Signal(str)
    opened = Signal(str)

    def __init__(self, title: str, add: str, remove: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._title = title
        self.list = NodeList(title)
        self._head = PlainLabel(title, look="quiet")
        self.add = tool_button("plus", add, do=self.add_requested, side=14)
        self.remove = tool_button("x", remove, do=lambda: self.removal_requested.emit(self.list.current()), side=14)
        for button in (self.add, self.remove):
            button.setFixedSize(theme.GRID * 3, theme.GRID * 3)
        self.list.removal_requested.connect(self.removal_requested)
        self.list.opened.connect(self.opened)
        self.list.currentRowChanged.connect(lambda _row: self._enable())
        head = make_row(self._head, 1, self.add, self.remove, spacing=2)
        self.setLayout(make_column(head, self.list, spacing=2))
        self._editable = True
        self._enable()

    def show_nodes(self, nodes: Sequence[ChainNode], editable: bool) -> None:
        """Show these nodes."""
        self._editable = editable
        self._head.setText(f"{self._title} {len(nodes)}" if nodes else self._title)
        self.list.show_nodes(nodes)
        self._enable()

    def _enable(self) -> None:
        self.add.setEnabled(self._editable)
        self.remove.setEnabled(self._editable and bool(self.list.current()))


class PeopleRow(QWidget):
    """The first nine of the recording have a digit as their key; all others stand in a menu, with a new character.

    Signals:
        toggled (str, bool): a participant's id, and whether the node is theirs, by the user.
        character_requested: add a participant whose node it is.
    """

    toggled = Signal(str, bool)
    character_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._flow = FlowLayout(self)
        self._people: tuple[list[Participant], list[Participant]] = [], []
        self.buttons: dict[str, QPushButton] = {}
        self._others: dict[str, QAction] = {}
        self.more = make_choice_button(tr("Others"), tr("Choose further participants of the study, or add a character"))
        self.more.setProperty("opens", True)
        self.more.setCheckable(True)
        self.more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._menu = QMenu(self.more)
        self.more.setMenu(self._menu)
        self._flow.addWidget(self.more)
        self._fill_menu((), ())

    def set_people(self, here: Sequence[Participant], elsewhere: Sequence[Participant] = ()) -> None:
        """Offer the participants of the recording, in this order, and those of the study who are not in it."""
        if ([*here], [*elsewhere]) == self._people:
            return
        self._people = [*here], [*elsewhere]
        while self._flow.count():
            self._flow.takeAt(0)
        for gone in self.buttons.values():
            gone.deleteLater()
        self.buttons = {
            participant.id: self._button(number, participant) for number, participant in enumerate(here[:DIGIT_KEYS], 1)
        }
        self._fill_menu(here[DIGIT_KEYS:], elsewhere)
        for button in (*self.buttons.values(), self.more):
            self._flow.addWidget(button)
            button.show()
        self.updateGeometry()

    def show_people(self, chosen: Collection[str], editable: bool) -> None:
        """Show whose the node is."""
        for key, button in self.buttons.items():
            button.setChecked(key in chosen)
            button.setEnabled(editable)
        for key, entry in self._others.items():
            entry.setChecked(key in chosen)
        listed = [*self._people[0], *self._people[1]]
        names = [person.pseudonym for person in listed if person.id in self._others and person.id in chosen]
        self.more.setText(", ".join(names).replace("&", "&&") or tr("Others"))
        self.more.setChecked(bool(names))
        self.more.setEnabled(editable)

    def _fill_menu(self, here: Sequence[Participant], elsewhere: Sequence[Participant]) -> None:
        self._menu.clear()
        self._others = {person.id: self._entry(person, person.pseudonym) for person in here}
        for person in elsewhere:
            text = tr("{pseudonym}, not in this recording yet").format(pseudonym=person.pseudonym)
            self._others[person.id] = self._entry(person, text)
        self._menu.addSeparator()
        self._menu.addAction(tr("New character…") + "\tP", self.character_requested.emit)

    def _entry(self, participant: Participant, text: str) -> QAction:
        entry = self._menu.addAction(text.replace("&", "&&"))
        entry.setCheckable(True)
        entry.triggered.connect(lambda on: self.toggled.emit(participant.id, on))
        return entry

    def _button(self, number: int, participant: Participant) -> QPushButton:
        words = tr("It is an event or a state of {pseudonym}").format(pseudonym=participant.pseudonym)
        button = make_choice_button(f"{number} {participant.pseudonym}", f"{words} ({number})")
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda on: self.toggled.emit(participant.id, on))
        return button


DECISIONS: Mapping[ChainDecision, tuple[str, str]] = {
    ChainDecision.AGREE: (tr("Agree"), "Y"),
    ChainDecision.CHANGE: (tr("Change"), "X"),
    ChainDecision.DISCUSS: (tr("Discuss"), "Q"),
}
"""What can be said about a chain: its name and its key."""


class WordField(GrowingTextEdit):
    """Three lines that grow; Return and Esc leave it, because a node's text is one line however long.

    Signals:
        editing_finished: Return or Esc was pressed.
        focus_changed (bool): whether what is typed goes here.
    """

    editing_finished = Signal()
    focus_changed = Signal(bool)

    def __init__(self, flush: Callable[[], None]) -> None:
        super().__init__(flush)
        self.setAccessibleName(tr("What the node says"))
        self.setPlaceholderText(tr("What happens, or what somebody believes, intends, wants or feels"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.clearFocus()
            self.editing_finished.emit()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.focus_changed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_changed.emit(False)


_TYPING_PAUSE_MS = 400


class NodeForm(QWidget):
    """Shows one node; says what should change about it.

    Signals:
        kind_chosen (str): another kind.
        text_typed (str, str): the node's id and its words, at each pause of typing.
        editing_finished: Return or Esc was pressed in the words.
        span_entered (object, object): start and end in microseconds.
        rejected (str): why what was typed cannot be.
        person_toggled (str, bool): a participant's id, and whether the node is theirs.
        reason_requested, result_requested: choose one to add.
        reason_removed (str), result_removed (str): take this one out.
        opened (str): go to a reason or a result.
        play_requested, delete_requested: of the node.
    """

    kind_chosen = Signal(str)
    text_typed = Signal(str, str)
    editing_finished = Signal()
    span_entered = Signal(object, object)
    rejected = Signal(str)
    person_toggled = Signal(str, bool)
    result_requested = Signal()
    opened = Signal(str)
    play_requested = Signal()
    delete_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._node: ChainNode | None = None
        self._typed = False
        self._pause = QTimer(self, singleShot=True, interval=_TYPING_PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self.kinds = KindRow()
        self.kinds.chosen.connect(self._choose_kind)
        self.words = WordField(self.flush)
        self.words.textChanged.connect(self._on_typed)
        self.words.editing_finished.connect(self.editing_finished)
        self.start, self.end = TimeEdit(tr("Start of the node")), TimeEdit(tr("End of the node"))
        self.start.setToolTip(tr("Start: type a time, or take the playhead's ([)"))
        self.end.setToolTip(tr("End: type a time, or take the playhead's (])"))
        self.people = PeopleRow()
        self.people.toggled.connect(self._on_person_toggled)
        self.reasons = Neighbours(tr("Reasons"), tr("Add a reason (R)"), tr("Take the chosen reason out (Del)"))
        self.results = Neighbours(tr("Results"), tr("Add a result (Shift+R)"), tr("Take the chosen result out (Del)"))
        self._flags = PlainLabel(wordWrap=True)
        self._empty = PlainLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter, look="quiet")
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._make())
        self._connect_signals()

    def show_nothing(self, hint: str) -> None:
        """Say what to do to see a node here."""
        self.flush()
        self._node = None
        self._empty.setText(hint)
        self._stack.setCurrentIndex(0)

    def show_node(self, node: ChainNode, graph: ChainGraph, flags: str, editable: bool) -> None:
        """Show a node of a chain; what is being typed is left alone while it is the same one.

        Args:
            node: the node.
            graph: its chain.
            flags: what is wrong with it, in lines; "" for nothing.
            editable: whether it may be changed.
        """
        same = self._node is not None and self._node.id == node.id
        if not same:
            self.flush()
        self._node = node
        self.kinds.choose(node.kind)
        self.kinds.setEnabled(editable)
        if not (same and self._typed):
            self._fill(node.text)
        self.words.setReadOnly(not editable)
        for edit, time in ((self.start, node.start_us), (self.end, node.end_us)):
            if not same:
                edit.discard()
            edit.set_time(time)
            edit.setReadOnly(not editable)
        self._length.setText(f"{(node.end_us - node.start_us) / SECOND_US:.3f} s")
        self.range.setEnabled(editable)
        self._delete.setEnabled(editable)
        self.people.show_people(node.people, editable)
        for neighbours, ids in ((self.reasons, graph.reasons[node.id]), (self.results, graph.results[node.id])):
            neighbours.show_nodes([graph.nodes_by_id[node_id] for node_id in ids], editable)
        self._flags.setText(flags)
        self._flags.setVisible(bool(flags))
        self._stack.setCurrentIndex(1)

    def edit_text(self) -> None:
        """Let what the node says be typed."""
        if self._node is not None and not self.words.isReadOnly():
            self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.words.selectAll()

    def flush(self) -> None:
        """Say what was typed, now."""
        self._pause.stop()
        typed, self._typed = self._typed, False
        if typed and self._node is not None and self.words.toPlainText() != self._node.text:
            self.text_typed.emit(self._node.id, self.words.toPlainText())

    def _make(self) -> QWidget:
        self._length = PlainLabel(look="quiet")
        self.range = push_button(
            tr("Take range"),
            tr("Take the start and end that are marked above the timeline (S)"),
            focusPolicy=Qt.FocusPolicy.TabFocus,
        )
        self._play = tool_button("play", tr("Play this node"), do=self.play_requested, keys="Shift+Space")
        self._delete = tool_button("trash-2", tr("Delete this node"), do=self.delete_requested, keys="Del")
        times = (self.start, PlainLabel("\N{EN DASH}"), self.end, self._length)
        when = make_row(*times, None, self.range, self._play, self._delete, spacing=theme.GRID // 2)
        neighbours = make_row(self.reasons, 1, self.results, 1)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        return make_panel(make_column(self.kinds, self.words, when, self.people, neighbours, self._flags, None))

    def _connect_signals(self) -> None:
        self.start.time_entered.connect(lambda start: self._on_span_entered(start, self.end.time_us()))
        self.end.time_entered.connect(lambda end: self._on_span_entered(self.start.time_us(), end))
        for edit in (self.start, self.end):
            edit.rejected.connect(self.rejected)
        self.results.add_requested.connect(self.result_requested)
        self.reasons.opened.connect(self.opened)
        self.results.opened.connect(self.opened)

    def _fill(self, text: str) -> None:
        blocked = self.words.blockSignals(True)
        self.words.replace_text(text)
        self.words.blockSignals(blocked)

    def _on_typed(self) -> None:
        self._typed = True
        self._pause.start()

    def _choose_kind(self, kind: NodeKind) -> None:
        if self._node is not None:
            # What is shown follows the study, not the click.
            self.kinds.choose(self._node.kind)
            if kind is not self._node.kind:
                self.kind_chosen.emit(kind.value)

    def _on_person_toggled(self, participant_id: str, has: bool) -> None:
        if self._node is not None:
            self.people.show_people(self._node.people, editable=True)
            self.person_toggled.emit(participant_id, has)

    def _on_span_entered(self, start_us: int, end_us: int) -> None:
        node = self._node
        if node is None or (start_us, end_us) == (node.start_us, node.end_us):
            return
        if start_us >= end_us:
            self.start.set_time(node.start_us)
            self.end.set_time(node.end_us)
            self.rejected.emit(tr("A node must start before it ends. Change the other time first."))
            return
        self.span_entered.emit(start_us, end_us)

    def _tint(self) -> None:
        self._flags.setStyleSheet(f"color: {theme.palette().uncertain.name()};")
