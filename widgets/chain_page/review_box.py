"""What people say about a chain that one of them drew: agree, change or discuss, with a note."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from project.chains import ChainDecision
from resources.translation import tr
from widgets import theme
from widgets.chain_page.shown import DECISIONS, SaidReview, ShownReviews
from widgets.icons import icon
from widgets.note_edit import NoteEdit
from widgets.plain_label import PlainLabel
from widgets.plain_tip import plain_tip
from widgets.short_list import ShortList

_ICONS = {
    ChainDecision.AGREE: "circle-check",
    ChainDecision.CHANGE: "pencil",
    ChainDecision.DISCUSS: "circle-alert",
}
_TELLS = {
    ChainDecision.AGREE: tr("The chain is right as it is"),
    ChainDecision.CHANGE: tr("Something has to be changed: say what, or draw your own version"),
    ChainDecision.DISCUSS: tr("Talk about it before it counts"),
}


class ReviewBox(QWidget):
    """Shows where a chain comes from and who said what, and lets a second expert say it.

    Signals:
        decided (str, str): what is said, and the note.
        withdraw_requested: take back what one said.
        copy_requested: draw a version of one's own.
        agreed_requested: make it the agreed version.
    """

    decided = Signal(str, str)
    withdraw_requested = Signal()
    copy_requested = Signal()
    agreed_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chain = ""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID)
        self._lines = PlainLabel(wordWrap=True)
        self.said = ShortList()
        self.said.setAccessibleName(tr("What people said about this chain"))
        self.said.setWordWrap(True)
        self._nobody = PlainLabel(tr("Nobody said anything about this chain yet."))
        self._nobody.setProperty("quiet", True)
        self.note = NoteEdit(placeholderText=tr("Note: what is missing, what is wrong"), clearButtonEnabled=True)
        self.note.setAccessibleName(tr("Note about this chain"))
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        self.buttons: dict[ChainDecision, QPushButton] = {}
        for decision, (name, key) in DECISIONS.items():
            button = QPushButton(f" {name} ({key})")
            button.setIcon(icon(_ICONS[decision]))
            button.setCheckable(True)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            button.setAccessibleName(f"{name}: {_TELLS[decision]}")
            button.clicked.connect(lambda _=False, decision=decision: self.decide(decision))
            self.buttons[decision] = button
            row.addWidget(button, 1)
        self.withdraw = _button(tr("Take back (W)"), tr("Take back what you said about this chain"))
        self.withdraw.clicked.connect(self.withdraw_requested)
        row.addWidget(self.withdraw)
        last = QHBoxLayout()
        last.setSpacing(theme.GRID // 2)
        self.copy = _button(tr("My own version"), tr("Copy this chain as yours, to draw what should be different"))
        self.copy.clicked.connect(self.copy_requested)
        self.agreed = _button(
            tr("Make it the agreed version"), tr("Copy this chain as the version that both of you agreed on")
        )
        self.agreed.clicked.connect(self.agreed_requested)
        last.addWidget(self.copy, 1)
        last.addWidget(self.agreed, 1)
        for part in (self._lines, self._nobody):
            column.addWidget(part)
        column.addWidget(self.said, 1)
        column.addWidget(self.note)
        column.addLayout(row)
        column.addLayout(last)

    def show_reviews(self, shown: ShownReviews) -> None:
        """Show what was said; a note that is being typed about this chain is left alone."""
        self._lines.setText("\n".join(shown.lines))
        self.said.clear()
        for one in shown.said:
            self.said.addItem(_line(one))
        self.said.setVisible(bool(shown.said))
        self._nobody.setVisible(not shown.said)
        if self._chain != shown.chain_id or not self.note.isModified():
            self._chain = shown.chain_id
            self.note.setText(shown.note)
            self.note.setModified(False)
        self.note.setEnabled(shown.decidable)
        for decision, button in self.buttons.items():
            button.setChecked(decision is shown.mine)
            button.setEnabled(shown.decidable)
            button.setToolTip(plain_tip(shown.why_not or _TELLS[decision]))
        self.note.setToolTip(plain_tip(shown.why_not))
        self.withdraw.setEnabled(shown.decidable and shown.mine is not None)
        self.copy.setEnabled(shown.copyable)
        self.agreed.setEnabled(shown.agreeable)

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


def _line(one: SaidReview) -> str:
    name = DECISIONS[one.decision][0].lower()
    says = {"agree": "agrees", "change": tr("wants a change"), "discuss": tr("wants to discuss")}[name]
    note = f": “{one.note}”" if one.note else ""
    return f"{one.who} {says}{note} ({one.when}{tr(', before it was changed') if one.outdated else ''})"


def _button(text: str, told: str) -> QPushButton:
    button = QPushButton(text)
    button.setToolTip(plain_tip(told))
    button.setAccessibleName(told)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return button
