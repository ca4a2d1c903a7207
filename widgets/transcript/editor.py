"""The field in which the text of an utterance is typed, in its place in the list."""

from PySide6.QtCore import QEvent, QMimeData, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from resources.translation import tr
from widgets import theme
from widgets.transcript.looks import TEXT_POINTS

_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_FLUSHING = frozenset({Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason})


class WordsEditor(QPlainTextEdit):
    """One line of text that wraps. What its keys mean is said by signals; what is typed can be undone in it.

    Signals:
        accepted: Return: the text is right, go on.
        taken_back: Esc: it was better before; the old text stands there again.
        cancelled: Esc once more: stop typing.
        split_wanted: Shift+Return: cut the utterance at the cursor.
        merge_wanted: Backspace at the very start: join it to the one before.
        replay_wanted: Tab: let it be heard again.
        doubt_wanted: Ctrl+D: select the next doubtful word.
        left: the focus went elsewhere for good.
        paused: the focus went elsewhere for a moment.
    """

    accepted = Signal()
    taken_back = Signal()
    cancelled = Signal()
    split_wanted = Signal()
    merge_wanted = Signal()
    replay_wanted = Signal()
    doubt_wanted = Signal()
    left = Signal()
    paused = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFont(theme.font(TEXT_POINTS))
        self.document().setDocumentMargin(1)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Text of the utterance"))
        self._old = ""
        self.hide()

    def begin(self, text: str, at: int | None) -> None:
        """Take a text, with the cursor before one of its characters, or all selected."""
        self._old = text
        self.setPlainText(text)
        cursor = self.textCursor()
        if at is None:
            cursor.select(QTextCursor.SelectionType.Document)
        else:
            cursor.setPosition(_units(text[:at]))
        self.setTextCursor(cursor)

    def is_edited(self) -> bool:
        """Tell whether another text is being typed."""
        return self.toPlainText() != self._old

    def discard(self) -> None:
        """Show the text as it was before somebody typed."""
        self.begin(self._old, len(self._old))
        self.taken_back.emit()

    def halves(self) -> tuple[str, str]:
        """Return the text before and after the cursor."""
        text = self.toPlainText()
        units, at = self.textCursor().position(), 0
        while at < len(text) and units > 0:
            units -= _units(text[at])
            at += 1
        return text[:at], text[at:]

    def select_span(self, start: int, end: int) -> None:
        """Select from one character to another."""
        text, cursor = self.toPlainText(), self.textCursor()
        cursor.setPosition(_units(text[:start]))
        cursor.setPosition(_units(text[:end]), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(cursor)

    def wanted_height(self) -> int:
        """Return how high it must be to show all its lines."""
        return round(self.document().size().height() * self.fontMetrics().lineSpacing()) + 8

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Tab, *_RETURN) or _next_doubt(event):
                event.accept()
                return True
            undone = event.matches(QKeySequence.StandardKey.Undo) and not self.document().isUndoAvailable()
            redone = event.matches(QKeySequence.StandardKey.Redo) and not self.document().isRedoAvailable()
            if undone or redone:
                event.ignore()
                return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        at_start = self.textCursor().position() == 0 and not self.textCursor().hasSelection()
        if event.key() in _RETURN:
            (self.split_wanted if shift else self.accepted).emit()
        elif event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        elif _next_doubt(event):
            self.doubt_wanted.emit()
        elif event.key() == Qt.Key.Key_Tab:
            self.replay_wanted.emit()
        elif event.key() == Qt.Key.Key_Backspace and at_start and not event.isAutoRepeat():
            self.merge_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, _next: bool) -> bool:
        return False

    def insertFromMimeData(self, source: QMimeData) -> None:
        self.insertPlainText(" ".join(source.text().split()))

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        (self.paused if event.reason() in _FLUSHING else self.left).emit()


def _next_doubt(event: QKeyEvent) -> bool:
    return event.key() == Qt.Key.Key_D and event.modifiers() == Qt.KeyboardModifier.ControlModifier


def _units(text: str) -> int:
    """Return the length as Qt counts it: characters outside the basic plane count twice."""
    return len(text.encode("utf-16-le")) // 2
