"""What Esc means in every field: it takes back what was typed; once more, it leaves the field or closes the window."""

from typing import Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QSpinBox,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from widgets.text_area import TextArea

SEARCH = "search_field"
"""A property: what was in this field before is nothing, whatever stood there when it was entered."""
OVERLAY = "overlay"
"""A property of what lies over a window, as a menu does: one Esc closes it."""

_BEGINNINGS = frozenset(
    {
        *(QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.InputMethod, QEvent.Type.MouseButtonPress),
        *(QEvent.Type.ContextMenu, QEvent.Type.DragEnter),
    }
)
"""What comes before anybody changes a text."""
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})

Field = QLineEdit | QPlainTextEdit | QTextEdit | QAbstractSpinBox | QComboBox


@runtime_checkable
class OwnValue(Protocol):
    """A field that knows its old value itself."""

    def is_edited(self) -> bool:
        """Tell whether something else is being typed."""

    def discard(self) -> None:
        """Show the old value."""


class EscapeKeys(QObject):
    """Follows the focus; there is one for the program. Fields need nothing of their own for it.

    The old value of a field is what stood there when somebody went into it, pressed Return in it, or when the program
    showed another one.

    Signals:
        left: Esc left a field of the main window.
    """

    left = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._field: Field | None = None
        self._before: str | float = ""
        app.focusChanged.connect(self._follow)

    @classmethod
    def install(cls) -> "EscapeKeys":
        """Return the one of the program, made where it is not there yet."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        return next(iter(app.findChildren(cls)), None) or cls(app)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        field = self._field
        if field is None or event.type() not in _BEGINNINGS:
            return False
        if not _is_modified(field):
            self._before = _value(field)
        if watched is not field or not isinstance(event, QKeyEvent):
            return False
        if event.key() in _RETURN and event.type() == QEvent.Type.KeyPress and not isinstance(field, QPlainTextEdit):
            QTimer.singleShot(0, self, lambda: self._note(field))
        if event.key() != Qt.Key.Key_Escape or event.modifiers() != Qt.KeyboardModifier.NoModifier:
            return False
        pressed = event.type() == QEvent.Type.KeyPress
        if self._is_edited(field):
            if pressed:
                self._restore(field)
            event.accept()
            return True
        if not isinstance(field.window(), QMainWindow):
            return False
        if pressed:
            # Fields that do more when they are left do it first.
            QTimer.singleShot(0, self, lambda: self._leave(field))
            return False
        event.accept()
        return True

    def _follow(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._field is not None and isValid(self._field):
            for watched in _watched(self._field):
                watched.removeEventFilter(self)
        self._field = now if isinstance(now, Field) and _is_free(now) else None
        if self._field is not None:
            for watched in _watched(self._field):
                watched.installEventFilter(self)
            self._note(self._field)

    def _note(self, field: Field) -> None:
        if field is self._field and isValid(field):
            self._before = _value(field)

    def _is_edited(self, field: Field) -> bool:
        if isinstance(field, OwnValue):
            return field.is_edited()
        if field.property(SEARCH):
            return _text(field) != ""
        return _is_modified(field) and _text(field) != _text_of(self._old(field), field)

    def _old(self, field: Field) -> str | float:
        return "" if field.property(SEARCH) else self._before

    def _restore(self, field: Field) -> None:
        old = self._old(field)
        line = _line(field)
        if isinstance(field, OwnValue):
            field.discard()
        elif isinstance(field, QSpinBox | QDoubleSpinBox):
            field.setValue(old)  # type: ignore[arg-type]
            field.selectAll()
        elif isinstance(field, TextArea):
            field.replace(str(old))
        elif isinstance(field, QPlainTextEdit | QTextEdit):
            cursor = QTextCursor(field.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(str(old))
            field.document().setModified(False)
        elif line is not None:
            # Typed, not set: what follows the typing is told, and Ctrl+Z brings the words back.
            line.selectAll()
            line.insert(str(old))

    def _leave(self, field: Field) -> None:
        if isValid(field) and field.hasFocus() and field.isVisible():
            field.clearFocus()
        self.left.emit()


def mark_search(field: QLineEdit) -> None:
    """Let Esc empty a field that searches, whatever stood in it before."""
    field.setProperty(SEARCH, True)


def _is_free(field: Field) -> bool:
    """Tell whether something can be typed in a field, and it is no part of what one Esc closes."""
    parent: QWidget | None = field
    while parent is not None and not parent.isWindow():
        if parent.property(OVERLAY):
            return False
        parent = parent.parentWidget()
    if isinstance(field, QComboBox):
        return field.isEditable()
    return not field.isReadOnly()


def _watched(field: Field) -> list[QWidget]:
    """Return a field with its parts that take the mouse."""
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return [field, field.viewport()]
    line = _line(field)
    return [field] if line is None or line is field else [field, line]


def _line(field: Field) -> QLineEdit | None:
    return field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)


def _text(field: Field) -> str:
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return field.toPlainText()
    line = _line(field)
    return "" if line is None else line.text()


def _value(field: Field) -> str | float:
    return field.value() if isinstance(field, QSpinBox | QDoubleSpinBox) else _text(field)


def _text_of(value: str | float, field: Field) -> str:
    """Return how a field shows a value."""
    if isinstance(field, QSpinBox | QDoubleSpinBox) and not isinstance(value, str):
        if value == field.minimum() and field.specialValueText():
            return field.specialValueText()
        return f"{field.prefix()}{field.textFromValue(value)}{field.suffix()}"  # type: ignore[arg-type]
    return str(value)


def _is_modified(field: Field) -> bool:
    """Tell whether somebody typed since the program put a text there."""
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return field.document().isModified()
    line = _line(field)
    return line is not None and line.isModified()
