"""Where a reviewer says what they think of the segment that is shown."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QVBoxLayout, QWidget

from project.types import Decision
from resources.translation import tr
from widgets import theme
from widgets.icons import icon
from widgets.note_edit import NoteEdit
from widgets.plain_tip import plain_tip


class DecisionBar(QWidget):
    """A note, and buttons to decide, to take it back, and to go on.

    Signals:
        decided (Decision, str): with the note.
        withdraw_requested: take back what was said.
        step_requested (int): 1 for the next item, -1 for the previous one.
        repeat_requested: play the item again and again, or stop doing so.
    """

    decided = Signal(object, str)
    withdraw_requested = Signal()
    step_requested = Signal(int)
    repeat_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self.note = NoteEdit()
        self.note.setAccessibleName(tr("Note on your decision"))
        self.note.setPlaceholderText(tr("Why (T)"))
        self.note.setToolTip(tr("Why you agree or disagree; saved with the decision (T; Return goes back to the keys)"))
        upper, row = QHBoxLayout(), QHBoxLayout()
        upper.setSpacing(theme.GRID // 2)
        row.setSpacing(theme.GRID)
        upper.addWidget(self.note, 1)
        self.agree = self._decision(Decision.AGREE, tr("Agree"), "circle-check", "Y")
        self.disagree = self._decision(Decision.DISAGREE, tr("Disagree"), "circle-x", "X")
        row.addWidget(self.agree, 1)
        row.addWidget(self.disagree, 1)
        self.withdraw = _tool("undo-2", tr("Take back what you said about this segment"), "W")
        self.withdraw.clicked.connect(self.withdraw_requested)
        before = _tool("skip-back", tr("Previous item"), "P")
        before.clicked.connect(lambda: self.step_requested.emit(-1))
        after = _tool("skip-forward", tr("Next item"), "N")
        after.clicked.connect(lambda: self.step_requested.emit(1))
        repeat = _tool("repeat", tr("Repeat the span of this item"), "R")
        repeat.clicked.connect(self.repeat_requested)
        self.steps = (before, after, repeat)
        for button in (self.withdraw, *self.steps):
            upper.addWidget(button)
        column.addLayout(upper)
        column.addLayout(row)

    def set_note(self, text: str) -> None:
        """Show what was noted before."""
        if text != self.note.text():
            self.note.setText(text)

    def set_decidable(self, decidable: bool, decided: bool, reason: str = "") -> None:
        """Allow a decision, and to take it back where there is one; the reason why not is a tooltip."""
        for widget in (self.note, self.agree, self.disagree):
            widget.setEnabled(decidable)
        self.withdraw.setEnabled(decidable and decided)
        self.agree.setToolTip(plain_tip(reason or tr("Agree with this segment, and go on (Y)")))
        self.disagree.setToolTip(plain_tip(reason or tr("Disagree with this segment, and go on (X)")))

    def decide(self, decision: Decision) -> None:
        """Decide with the note that stands there, where that is possible."""
        if self.agree.isEnabled():
            self.decided.emit(decision, self.note.text())

    def _decision(self, decision: Decision, text: str, picture: str, key: str) -> QPushButton:
        button = QPushButton(f" {text} ({key})")
        button.setIcon(icon(picture))
        button.setAccessibleName(tr("{text} with this segment").format(text=text))
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.decide(decision))
        return button


def _tool(picture: str, text: str, key: str) -> QToolButton:
    button = QToolButton()
    button.setIcon(icon(picture))
    button.setToolTip(plain_tip(f"{text} ({key})"))
    button.setAccessibleName(text)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
