"""A field for free text whose typing is never lost."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QPlainTextEdit

_AROUND = 20
"""Pixels for the frame and the margins; with any less, the last line would be scrolled to."""


class TextArea(QPlainTextEdit):
    """Three lines that grow with the text. Tab and Ctrl+Return leave it; undo is the study's, not the field's own."""

    def __init__(self, flush: Callable[[], None]) -> None:
        super().__init__()
        self._flush = flush
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.textChanged.connect(self._grow)
        self._grow()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                return True
            for history in (QKeySequence.StandardKey.Undo, QKeySequence.StandardKey.Redo):
                if event.matches(history):
                    self._flush()
                    event.ignore()
                    return False
        return super().event(event)

    def replace(self, text: str) -> None:
        """Change only what differs, so that the cursor stays where the user left it."""
        old = self.toPlainText()
        limit = min(len(old), len(text))
        head = next((i for i in range(limit) if old[i] != text[i]), limit)
        tail = next((i for i in range(limit - head) if old[-1 - i] != text[-1 - i]), limit - head)
        cursor = QTextCursor(self.document())
        cursor.setPosition(_units(old[:head]))
        cursor.setPosition(_units(old[: len(old) - tail]), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text[head : len(text) - tail])
        # What stands there is what Esc brings back.
        self.document().setModified(False)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._flush()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        held = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        finished = held and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if finished or event.key() == Qt.Key.Key_Escape:
            self.clearFocus()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._grow()

    def _grow(self) -> None:
        lines = min(8, max(3, int(self.document().size().height())))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + _AROUND)


def _units(text: str) -> int:
    """Return the length as Qt counts it: characters outside the basic plane count twice."""
    return len(text.encode("utf-16-le")) // 2
