"""Where somebody at the keyboard takes their turn."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QPushButton, QWidget

from project.turns import Act, Turn
from resources.translation import tr
from widgets import theme

_NAMES = {
    Act.SPEAK: tr("Say"),
    Act.NONVERBAL: tr("Non-verbal"),
    Act.ACTION: tr("Do"),
    Act.NONE: tr("Nothing"),
    Act.LEAVE: tr("Leave"),
}
_HINTS = {
    Act.SPEAK: tr("What you say"),
    Act.NONVERBAL: tr("A gesture, a look, a face, such as nods"),
    Act.ACTION: tr("What you do, such as opens the door"),
    Act.NONE: tr("You stay silent"),
    Act.LEAVE: tr("Last words, or nothing; the episode ends"),
}
_WITHOUT_WORDS = frozenset({Act.NONE, Act.LEAVE})


class TurnBar(QWidget):
    """What kind of turn, its words, and a button; Enter takes the turn.

    Signals:
        taken (Turn): the turn was taken; what was typed stays until `clear`.
    """

    taken = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.act = QComboBox()
        self.act.setAccessibleName(tr("Kind of turn"))
        self.act.setToolTip(tr("What kind of turn it is"))
        for act, name in _NAMES.items():
            self.act.addItem(name, act)
        self.words = QLineEdit()
        self.words.setAccessibleName(tr("What you say or do"))
        self.take = QPushButton(tr("Take turn"))
        self.take.setProperty("primary", True)
        self.take.setToolTip(tr("Take your turn (Enter)"))
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(theme.GRID)
        row.addWidget(self.act)
        row.addWidget(self.words, 1)
        row.addWidget(self.take)
        self.act.currentIndexChanged.connect(self._show)
        self.words.textChanged.connect(self._show)
        self.words.returnPressed.connect(self._take)
        self.take.clicked.connect(self._take)
        self._show()

    def clear(self) -> None:
        """Begin another turn."""
        self.words.clear()
        self.act.setCurrentIndex(0)
        self.words.setFocus()

    def _kind(self) -> Act:
        return Act(self.act.currentData())

    def _show(self) -> None:
        kind = self._kind()
        self.words.setPlaceholderText(_HINTS[kind])
        self.words.setEnabled(kind is not Act.NONE)
        self.take.setEnabled(kind in _WITHOUT_WORDS or bool(self.words.text().strip()))

    def _take(self) -> None:
        if self.take.isEnabled():
            kind = self._kind()
            text = "" if kind is Act.NONE else self.words.text().strip()
            self.taken.emit(Turn(kind, text))
