"""What can be decided about the places or words that are selected."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.segments.flow import FlowLayout

Pairs = Sequence[tuple[str, str]]


class DecisionBar(QWidget):
    """Buttons that say their keys.

    Signals:
        hide_requested: hide what is selected.
        keep_requested: keep what is selected.
        hide_everywhere_requested: hide the words that are selected wherever they stand.
        keep_everywhere_requested: they are personal nowhere.
        undecide_requested: take the decision back.
        person_chosen (str): id of the participant whose name it is.
        kind_chosen (str): what it is.
        play_requested: play the sound of the place.
        jump_requested: show it in the main window.
        step_requested (int): go to the next (1) or previous (-1) that nobody decided on.
    """

    hide_requested = Signal()
    keep_requested = Signal()
    hide_everywhere_requested = Signal()
    keep_everywhere_requested = Signal()
    undecide_requested = Signal()
    person_chosen = Signal(str)
    kind_chosen = Signal(str)
    play_requested = Signal()
    jump_requested = Signal()
    step_requested = Signal(int)

    def __init__(self, kinds: Pairs, parent: QWidget | None = None) -> None:
        """Offer kinds as pairs of key and title."""
        super().__init__(parent)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        inside = QWidget()
        self._flow = FlowLayout()
        inside.setLayout(self._flow)
        row.addWidget(inside, 1)
        self.hide_one = self._button(tr("Hide"), "H", tr("Cover it in texts and sound that leave"), "shield-check")
        self.keep_one = self._button(tr("Keep"), "K", tr("Leave it as it stands and as it is said"), "check")
        self.hide_all = self._button(
            tr("Hide everywhere"), "Shift+H", tr("Hide this word wherever it stands, now and later")
        )
        self.keep_all = self._button(
            tr("Keep everywhere"), "Shift+K", tr("This word is personal nowhere in this study")
        )
        self.again = self._button(tr("Take back"), "Backspace", tr("Nobody decided about it any more"), "undo-2")
        self.person = self._list(tr("Whose name"), tr("Whose name it is: hidden everywhere under one stand-in (P)"))
        self.kind = self._list(tr("Kind"), tr("What it is (C)"))
        self.kind.setPlaceholderText(tr("What it is…"))
        for key, title in kinds:
            self.kind.addItem(title, key)
        self.play = self._button(tr("Play"), "Space", tr("Play the place with a second around it"), "play")
        self.jump = self._button(tr("Show"), "Return", tr("Show the place in the main window"))
        self.back = self._button("", "Shift+N", tr("Previous that nobody decided on"), "skip-back")
        self.on = self._button("", "N", tr("Next that nobody decided on"), "skip-forward")
        self.count = PlainLabel()
        self.count.setAccessibleName(tr("How many nobody decided on"))
        self.count.setFont(theme.font(semibold=True))
        self.count.setMinimumHeight(self.hide_one.sizeHint().height())
        self.chosen = PlainLabel()
        self.chosen.setAccessibleName(tr("How many are selected"))
        self.chosen.setStyleSheet(f"color: {theme.palette().muted.name()};")
        self.chosen.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.chosen.hide()
        figures = QVBoxLayout()
        figures.setSpacing(0)
        figures.addWidget(self.count)
        figures.addWidget(self.chosen)
        figures.addStretch(1)
        row.addLayout(figures)
        self._edits = (self.hide_one, self.keep_one, self.hide_all, self.keep_all, self.again, self.person, self.kind)
        for button, signal in (
            (self.hide_one, self.hide_requested),
            (self.keep_one, self.keep_requested),
            (self.hide_all, self.hide_everywhere_requested),
            (self.keep_all, self.keep_everywhere_requested),
            (self.again, self.undecide_requested),
            (self.play, self.play_requested),
            (self.jump, self.jump_requested),
        ):
            button.clicked.connect(signal)
        self.back.clicked.connect(lambda: self.step_requested.emit(-1))
        self.on.clicked.connect(lambda: self.step_requested.emit(1))
        self.person.activated.connect(lambda _place: self._choose(self.person, self.person_chosen.emit))
        self.kind.activated.connect(lambda _place: self._choose(self.kind, self.kind_chosen.emit))

    def set_people(self, people: Pairs) -> None:
        """Offer participants as pairs of id and pseudonym."""
        blocker = QSignalBlocker(self.person)
        self.person.clear()
        self.person.addItem(tr("Whose name…"), "")
        for key, name in people:
            self.person.addItem(name, key)
        blocker.unblock()

    def show_left(self, left: int, every: int) -> None:
        """Say how many nobody decided on; where none is left, there is none to go to."""
        self.count.setText(tr("{left:,} of {every:,} undecided").format(left=left, every=every))
        for button in (self.back, self.on):
            button.setEnabled(left > 0)

    def show_selected(self, rows: str) -> None:
        """Say what is selected, such as `3 places in 2 recordings`; "" for a single place, or none."""
        self.chosen.setText(tr("{rows} selected").format(rows=rows) if rows else "")
        self.chosen.setVisible(bool(rows))

    def show_choice(self, *, chosen: bool, usable: bool, spoken: bool, kind: str, person: str) -> None:
        """Offer what fits; `kind` and `person` are keys of what is selected, or ""."""
        for edit in self._edits:
            edit.setEnabled(usable)
        self.jump.setEnabled(chosen)
        self.play.setEnabled(spoken)
        for box, key in ((self.kind, kind), (self.person, person)):
            box.setCurrentIndex(box.findData(key))

    def _choose(self, box: QComboBox, tell: Callable[[str], None]) -> None:
        key = str(box.currentData() or "")
        if key:
            tell(key)

    def _list(self, name: str, tip: str) -> QComboBox:
        box = QComboBox()
        box.setAccessibleName(name)
        box.setToolTip(plain_tip(tip))
        box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._flow.addWidget(box)
        return box

    def _button(self, text: str, keys: str, tip: str, sign: str = "") -> QPushButton:
        button = QPushButton(f"{' ' if sign else ''}{text}  {keys}" if text else "")
        button.setAccessibleName(text or tip)
        button.setToolTip(plain_tip(f"{tip} ({keys})"))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        if sign:
            button.setIcon(icon(sign))
        self._flow.addWidget(button)
        return button
