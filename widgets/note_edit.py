"""A line in which somebody writes a note while keys mean something else around it."""

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class NoteEdit(QLineEdit):
    """Return leaves it with what was typed, and Esc once nothing is being typed.

    Signals:
        left: one of them was pressed.
    """

    left = Signal()

    def event(self, event: QEvent) -> bool:
        # The window uses Esc itself; while a note is being typed it is the field's.
        override = event.type() == QEvent.Type.ShortcutOverride
        if override and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.clearFocus()
            self.left.emit()
        else:
            super().keyPressEvent(event)
