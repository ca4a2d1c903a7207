"""The form of the selected node."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QToolButton, QVBoxLayout, QWidget

from project.timebase import SECOND
from project.types import Participant
from resources.translation import tr
from widgets import theme
from widgets.chain_page.kind_row import KindRow
from widgets.chain_page.neighbours import Neighbours
from widgets.chain_page.people_row import PeopleRow
from widgets.chain_page.shown import ShownNode
from widgets.chain_page.word_field import WordField
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.time_edit import TimeEdit

_PAUSE_MS = 400


class NodeForm(QWidget):
    """Shows one node; says what should change about it.

    Signals:
        kind_chosen (str): another kind.
        text_typed (str, str): the node's id and its words, at each pause of typing.
        text_left: Return or Esc was pressed in the words.
        span_entered (object, object): start and end in microseconds.
        range_requested: take the marked range.
        rejected (str): why what was typed cannot be.
        person_toggled (str, bool): a participant's id, and whether the node is theirs.
        reason_requested, result_requested: choose one to add.
        reason_removed (str), result_removed (str): take this one out.
        opened (str): go to a reason or a result.
        play_requested, delete_requested: of the node.
    """

    kind_chosen = Signal(str)
    text_typed = Signal(str, str)
    text_left = Signal()
    span_entered = Signal(object, object)
    range_requested = Signal()
    rejected = Signal(str)
    person_toggled = Signal(str, bool)
    reason_requested = Signal()
    result_requested = Signal()
    reason_removed = Signal(str)
    result_removed = Signal(str)
    opened = Signal(str)
    play_requested = Signal()
    delete_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown: ShownNode | None = None
        self._typed = False
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.flush)
        self.kinds = KindRow()
        self.kinds.chosen.connect(self._choose_kind)
        self.words = WordField(self.flush)
        self.words.textChanged.connect(self._type)
        self.words.left.connect(self.text_left)
        self.start, self.end = TimeEdit(tr("Start of the node")), TimeEdit(tr("End of the node"))
        self.start.setToolTip(tr("Start: type a time, or take the playhead's ([)"))
        self.end.setToolTip(tr("End: type a time, or take the playhead's (])"))
        self.people = PeopleRow()
        self.people.toggled.connect(self._toggle)
        self.reasons = Neighbours(tr("Reasons"), tr("Add a reason (R)"), tr("Take the chosen reason out (Del)"))
        self.results = Neighbours(tr("Results"), tr("Add a result (Shift+R)"), tr("Take the chosen result out (Del)"))
        self._flags = PlainLabel(wordWrap=True)
        self._empty = PlainLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter)
        self._empty.setProperty("quiet", True)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self._make())
        self._join()

    def show_nothing(self, hint: str) -> None:
        """Say what to do to see a node here."""
        self.flush()
        self._shown = None
        self._empty.setText(hint)
        self._stack.setCurrentIndex(0)

    def show_node(self, shown: ShownNode, people: Sequence[Participant], editable: bool) -> None:
        """Show a node; what is being typed is left alone while it is the same one."""
        before, node = self._shown, shown.node
        if before is not None and before.node.id != node.id:
            self.flush()
        same = before is not None and before.node.id == node.id
        self._shown = shown
        self.kinds.show_kind(node.kind)
        self.kinds.setEnabled(editable)
        if not (same and self._typed):
            self._fill(node.text)
        self.words.setReadOnly(not editable)
        for edit, time in ((self.start, node.start_us), (self.end, node.end_us)):
            if not same:
                edit.discard()
            edit.set_time(time)
            edit.setReadOnly(not editable)
        self._length.setText(f"{(node.end_us - node.start_us) / SECOND:.3f} s")
        self._range.setEnabled(editable)
        self._delete.setEnabled(editable)
        self.people.offer(people)
        self.people.show_people(node.people, editable)
        self.reasons.show_nodes(shown.reasons, editable)
        self.results.show_nodes(shown.results, editable)
        self._flags.setText(shown.flags)
        self._flags.setVisible(bool(shown.flags))
        self._stack.setCurrentIndex(1)

    def type_words(self) -> None:
        """Let what the node says be typed."""
        if self._shown is not None and not self.words.isReadOnly():
            self.words.setFocus(Qt.FocusReason.ShortcutFocusReason)
            self.words.selectAll()

    def flush(self) -> None:
        """Say what was typed, now."""
        self._pause.stop()
        typed, self._typed = self._typed, False
        if typed and self._shown is not None and self.words.toPlainText() != self._shown.node.text:
            self.text_typed.emit(self._shown.node.id, self.words.toPlainText())

    def _make(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        column.addWidget(self.kinds)
        column.addWidget(self.words)
        times = QHBoxLayout()
        times.setSpacing(theme.GRID // 2)
        times.addWidget(self.start)
        times.addWidget(PlainLabel("–"))  # noqa: RUF001 an en dash is what stands between two times
        times.addWidget(self.end)
        self._length = PlainLabel()
        self._length.setProperty("quiet", True)
        times.addWidget(self._length)
        times.addStretch()
        self._range = QPushButton(tr("Take range"))
        self._range.setToolTip(tr("Take the start and end that are marked above the timeline (S)"))
        self._range.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._play = _tool("play", tr("Play this node"), "Shift+Space")
        self._delete = _tool("trash-2", tr("Delete this node"), "Del")
        for button in (self._range, self._play, self._delete):
            times.addWidget(button)
        column.addLayout(times)
        column.addWidget(self.people)
        both = QHBoxLayout()
        both.setSpacing(theme.GRID)
        both.addWidget(self.reasons, 1)
        both.addWidget(self.results, 1)
        column.addLayout(both)
        column.addWidget(self._flags)
        column.addStretch(1)
        theme.notifier.changed.connect(self._tint)
        self._tint()
        return page

    def _join(self) -> None:
        self.start.time_entered.connect(lambda start: self._enter(start, self.end.time_us()))
        self.end.time_entered.connect(lambda end: self._enter(self.start.time_us(), end))
        for edit in (self.start, self.end):
            edit.rejected.connect(self.rejected)
        self._range.clicked.connect(self.range_requested)
        self._play.clicked.connect(self.play_requested)
        self._delete.clicked.connect(self.delete_requested)
        self.reasons.add_requested.connect(self.reason_requested)
        self.results.add_requested.connect(self.result_requested)
        self.reasons.removal_requested.connect(self.reason_removed)
        self.results.removal_requested.connect(self.result_removed)
        self.reasons.opened.connect(self.opened)
        self.results.opened.connect(self.opened)

    def _fill(self, text: str) -> None:
        blocked = self.words.blockSignals(True)
        self.words.replace(text)
        self.words.blockSignals(blocked)

    def _type(self) -> None:
        self._typed = True
        self._pause.start()

    def _choose_kind(self, kind: str) -> None:
        if self._shown is not None:
            # What is shown follows the study, not the click.
            self.kinds.show_kind(self._shown.node.kind)
            if kind != self._shown.node.kind.value:
                self.kind_chosen.emit(kind)

    def _toggle(self, participant_id: str, has: bool) -> None:
        if self._shown is not None:
            self.people.show_people(self._shown.node.people, editable=True)
            self.person_toggled.emit(participant_id, has)

    def _enter(self, start_us: int, end_us: int) -> None:
        shown = self._shown
        if shown is None or (start_us, end_us) == (shown.node.start_us, shown.node.end_us):
            return
        if start_us >= end_us:
            self.start.set_time(shown.node.start_us)
            self.end.set_time(shown.node.end_us)
            self.rejected.emit(tr("A node must start before it ends. Change the other time first."))
            return
        self.span_entered.emit(start_us, end_us)

    def _tint(self) -> None:
        self._flags.setStyleSheet(f"color: {theme.palette().uncertain.name()};")


def _tool(picture: str, text: str, key: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(picture))
    button.setIconSize(QSize(16, 16))
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setToolTip(plain_tip(f"{text} ({key})"))
    button.setAccessibleName(text)
    return button
