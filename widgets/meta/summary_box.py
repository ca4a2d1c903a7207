"""A summary that is read and written, above what judges suggest for it."""

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.meta.answer_picker import AnswerPicker
from widgets.plain_label import PlainLabel


class _Text(QPlainTextEdit):
    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.left.emit()


class SummaryBox(QWidget):
    """Its text is handed over when the field is left.

    Signals:
        edited (str): somebody wrote another text.
        suggest_requested: ask the chosen judges for one.
    """

    edited = Signal(str)
    suggest_requested = Signal()

    def __init__(self, title: str, hint: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept = ""
        self.setAccessibleName(title)
        name = PlainLabel(title)
        name.setFont(theme.font(semibold=True))
        self.note = PlainLabel()
        self.note.setProperty("quiet", True)
        self.suggest = QPushButton(tr("Suggest"))
        self.suggest.clicked.connect(self.suggest_requested)
        self.text = _Text()
        self.text.setAccessibleName(title)
        self.text.setPlaceholderText(hint)
        self.text.setTabChangesFocus(True)
        self.text.left.connect(self.flush)
        self.answers = AnswerPicker(title.lower())
        head = QHBoxLayout()
        head.setSpacing(theme.GRID)
        head.addWidget(name)
        head.addWidget(self.note, 1)
        head.addWidget(self.suggest)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(theme.GRID // 2)
        column.addLayout(head)
        column.addWidget(self.text, 1)
        column.addWidget(self.answers)

    def show_text(self, text: str, note: str) -> None:
        """Show what the study has, and who wrote it; what is being typed stays."""
        self.note.setText(note)
        if text == self._kept:
            return
        self._kept = text
        with QSignalBlocker(self.text):
            self.text.setPlainText(text)

    def set_writable(self, writable: bool) -> None:
        """Allow writing, or only reading."""
        self.text.setReadOnly(not writable)
        self.answers.accept.setEnabled(writable)

    def flush(self) -> None:
        """Hand over what was typed."""
        typed = self.text.toPlainText()
        if typed.strip() != self._kept.strip():
            self._kept = typed
            self.edited.emit(typed)
