"""Asks for a line of text."""

from PySide6.QtWidgets import QDialog, QLineEdit, QVBoxLayout, QWidget

from resources.translation import tr
from widgets import theme
from widgets.dialog_buttons import DialogButtons
from widgets.own_window import OwnDialog
from widgets.plain_label import PlainLabel

_WIDTH = 400


class TextDialog(OwnDialog):
    """One field under the question, with the text that was there before; Enter takes it."""

    def __init__(self, title: str, question: str, before: str, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setMinimumWidth(_WIDTH)
        column = QVBoxLayout(self)
        column.setContentsMargins(*[theme.GRID * 2] * 4)
        column.setSpacing(theme.GRID)
        label = PlainLabel(question)
        self.field = QLineEdit(before)
        self.field.setAccessibleName(title)
        self.field.setAccessibleDescription(question)
        self.field.selectAll()
        label.setBuddy(self.field)
        column.addWidget(label)
        column.addWidget(self.field)
        column.addSpacing(theme.GRID // 2)
        self.buttons = DialogButtons(self, tr("OK"), tr("Leave everything as it was"))
        self.buttons.go_on.clicked.connect(self.accept)
        column.addLayout(self.buttons)

    def text(self) -> str | None:
        """Ask, and return what was typed, without blanks around it; None where the user gave up."""
        return self.field.text().strip() if self.exec() == QDialog.DialogCode.Accepted else None
