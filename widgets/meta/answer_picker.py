"""What judges suggest for one part, one of them in view, with a button to take it over."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QPlainTextEdit, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme

_LINES = 3


@dataclass(frozen=True, slots=True)
class Answer:
    """What one judge suggests: its key, the judge with the time, and the words."""

    key: str
    name: str
    text: str


class AnswerPicker(QWidget):
    """Hidden where nobody suggested anything. Whatever a judge wrote is shown as plain text.

    Signals:
        accept_requested (str): take over the suggestion with this key.
    """

    accept_requested = Signal(str)

    def __init__(self, what: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._answers: tuple[Answer, ...] = ()
        self.choice = QComboBox()
        self.choice.setAccessibleName(tr("Suggestions for {what}").format(what=what))
        self.choice.setToolTip(tr("Whose suggestion is shown; the newest is the first"))
        self.choice.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.accept = QPushButton(tr("Accept"))
        self.text = QPlainTextEdit(readOnly=True)
        self.text.setAccessibleName(tr("Suggestion for {what}").format(what=what))
        self.text.setTabChangesFocus(True)
        self.text.setFixedHeight(_LINES * self.fontMetrics().lineSpacing() + theme.GRID * 2)
        row = QHBoxLayout()
        row.setSpacing(theme.GRID // 2)
        row.addWidget(self.choice, 1)
        row.addWidget(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        column.addLayout(row)
        column.addWidget(self.text)
        self.choice.currentIndexChanged.connect(self._show)
        self.accept.clicked.connect(lambda: self.accept_requested.emit(self.chosen()))
        self.set_replacing(False)
        self.hide()

    def show_answers(self, answers: Sequence[Answer]) -> None:
        """Offer suggestions, newest first; the one that was in view stays in view unless a newer one came."""
        new = tuple(answers)
        if new == self._answers:
            return
        before = self.chosen() if new[:1] == self._answers[:1] else ""
        self._answers = new
        with QSignalBlocker(self.choice):
            self.choice.clear()
            for one in new:
                self.choice.addItem(one.name, one.key)
            self.choice.setCurrentIndex(max(0, self.choice.findData(before)) if new else -1)
        self.setVisible(bool(new))
        self._show()

    def set_replacing(self, replacing: bool) -> None:
        """Say whether what a person wrote would give way."""
        self.accept.setText(tr("Replace mine") if replacing else tr("Accept"))
        self.accept.setToolTip(
            tr("Put this in the place of what a person wrote; undo brings that back")
            if replacing
            else tr("Take this over; undo takes it back")
        )

    def chosen(self) -> str:
        """Return the key of the suggestion in view, or ""."""
        return str(self.choice.currentData() or "")

    def _show(self) -> None:
        found = next((one.text for one in self._answers if one.key == self.chosen()), "")
        self.text.setPlainText(found)
