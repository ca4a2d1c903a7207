"""Input fields for notes, numbers, text and times.

In each, Esc takes back what was typed, and leaves the field when pressed again.
"""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, runtime_checkable

from PySide6.QtCore import QEvent, QObject, QPoint, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QKeySequence, QResizeEvent, QTextCursor
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
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from project.errors import UserError
from project.timebase import format_time, parse_time
from widgets import theme
from widgets.form.wheel_guard import ComboBox, WheelWhenFocused
from widgets.text_labels import describe, plain_tip


class NoteEdit(QLineEdit):
    """Return leaves it with what was typed, and Esc once nothing is being typed.

    Signals:
        exited: one of them was pressed.
    """

    exited = Signal()

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
            self.exited.emit()
        else:
            super().keyPressEvent(event)


_NUMBER_MARGIN = 7
"""Pixels at the left: the style sheet's padding does not reach the field inside such a box."""
_MIN_COMPACT_CHARS = 6


class IntegerBox(WheelWhenFocused, QSpinBox):
    """A box for whole numbers; takes Qt's properties by name."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.lineEdit().setTextMargins(_NUMBER_MARGIN, 0, 0, 0)


class DecimalBox(WheelWhenFocused, QDoubleSpinBox):
    """A box for numbers with decimals; takes Qt's properties by name."""

    def __init__(self, parent: QWidget | None = None, **properties: Any) -> None:
        super().__init__(parent, **properties)
        self.lineEdit().setTextMargins(_NUMBER_MARGIN, 0, 0, 0)


Offered = str | tuple[str, str]
"""What a choice is called, and what it is where that needs words."""


class ChoiceBox(ComboBox):
    """A box to choose one of several keys, each shown by its name."""

    def __init__(
        self,
        name: str,
        tip: str = "",
        names: Mapping[Any, Offered] | None = None,
        parent: QWidget | None = None,
        *,
        compact: bool = False,
    ) -> None:
        """Make it; a `compact` one may be narrower than its longest name."""
        super().__init__(parent)
        describe(self, name, tip or name)
        if compact:
            self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            self.setMinimumContentsLength(_MIN_COMPACT_CHARS)
        self.offer(names or {})

    def offer(self, names: Mapping[Any, Offered], first: Any = None) -> None:
        """Offer these by key, without a signal; what is chosen stays where it is there still.

        Args:
            names: by key; a name, or a name and what it is.
            first: chosen where nothing was; by default the first one.
        """
        before = self.currentData()
        with QSignalBlocker(self):
            self.clear()
            for place, (key, offered) in enumerate(names.items()):
                name, about = (offered, "") if isinstance(offered, str) else offered
                self.addItem(name, key)
                if about:
                    self.setItemData(place, plain_tip(about), Qt.ItemDataRole.ToolTipRole)
            if not self.choose(before) and not self.choose(first) and names:
                self.setCurrentIndex(0)

    def choose(self, key: Any) -> bool:
        """Choose a key; return whether it is offered."""
        place = -1 if key is None else self.findData(key, flags=Qt.MatchFlag.MatchExactly)
        if place >= 0:
            self.setCurrentIndex(place)
        return place >= 0

    def key(self) -> str:
        """Return the key of what is chosen; "" where nothing is."""
        return str(self.currentData() or "")


_VERTICAL_PADDING = 20
"""Pixels for the frame and the margins; with any less, the last line would be scrolled to."""


class GrowingTextEdit(QPlainTextEdit):
    """Three lines that grow with the text. Tab and Ctrl+Return leave it; undo is the study's, not the field's own."""

    def __init__(self, flush: Callable[[], None]) -> None:
        super().__init__()
        self._flush = flush
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.textChanged.connect(self._fit_height)
        theme.notifier.changed.connect(self._fit_height)
        self._fit_height()

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

    def replace_text(self, text: str) -> None:
        """Change only what differs, so that the cursor stays where the user left it."""
        old = self.toPlainText()
        limit = min(len(old), len(text))
        head = next((i for i in range(limit) if old[i] != text[i]), limit)
        tail = next((i for i in range(limit - head) if old[-1 - i] != text[-1 - i]), limit - head)
        cursor = QTextCursor(self.document())
        cursor.setPosition(_utf16_length(old[:head]))
        cursor.setPosition(_utf16_length(old[: len(old) - tail]), QTextCursor.MoveMode.KeepAnchor)
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
            self._fit_height()

    def _fit_height(self) -> None:
        lines = min(8, max(3, int(self.document().size().height())))
        self.setFixedHeight(lines * self.fontMetrics().lineSpacing() + _VERTICAL_PADDING)


def _utf16_length(text: str) -> int:
    """Return the length as Qt counts it: characters outside the basic plane count twice."""
    return len(text.encode("utf-16-le")) // 2


SEARCH_PROPERTY = "search_field"
"""A property: what was in this field before is nothing, whatever stood there when it was entered."""
OVERLAY_PROPERTY = "overlay"
"""A property of what lies over a window, as a menu does: one Esc closes it."""

_EDIT_START_EVENTS = frozenset(
    {
        *(QEvent.Type.KeyPress, QEvent.Type.ShortcutOverride, QEvent.Type.InputMethod, QEvent.Type.MouseButtonPress),
        *(QEvent.Type.ContextMenu, QEvent.Type.DragEnter),
    }
)
"""What comes before anybody changes a text."""
_RETURN_KEYS = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})

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
        field_exited: Esc left a field of the main window.
    """

    field_exited = Signal()

    def __init__(self, app: QApplication) -> None:
        super().__init__(app)
        self._field: Field | None = None
        self._before: str | float = ""
        app.focusChanged.connect(self._on_focus_changed)

    @classmethod
    def install(cls) -> "EscapeKeys":
        """Return the one of the program, made where it is not there yet."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        return next(iter(app.findChildren(cls)), None) or cls(app)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        field = self._field
        if field is None or event.type() not in _EDIT_START_EVENTS:
            return False
        if not _is_modified(field):
            self._before = _field_value(field)
        if watched is not field or not isinstance(event, QKeyEvent):
            return False
        if (
            event.key() in _RETURN_KEYS
            and event.type() == QEvent.Type.KeyPress
            and not isinstance(field, QPlainTextEdit)
        ):
            QTimer.singleShot(0, self, lambda: self._remember_value(field))
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
            QTimer.singleShot(0, self, lambda: self._exit_field(field))
            return False
        event.accept()
        return True

    def _on_focus_changed(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self._field is not None and isValid(self._field):
            for watched in _watched_widgets(self._field):
                watched.removeEventFilter(self)
        self._field = now if isinstance(now, Field) and _is_escapable(now) else None
        if self._field is not None:
            for watched in _watched_widgets(self._field):
                watched.installEventFilter(self)
            self._remember_value(self._field)

    def _remember_value(self, field: Field) -> None:
        if field is self._field and isValid(field):
            self._before = _field_value(field)

    def _is_edited(self, field: Field) -> bool:
        if isinstance(field, OwnValue):
            return field.is_edited()
        if field.property(SEARCH_PROPERTY):
            return _field_text(field) != ""
        return _is_modified(field) and _field_text(field) != _format_value(self._old_value(field), field)

    def _old_value(self, field: Field) -> str | float:
        return "" if field.property(SEARCH_PROPERTY) else self._before

    def _restore(self, field: Field) -> None:
        old = self._old_value(field)
        line = _line_edit(field)
        if isinstance(field, OwnValue):
            field.discard()
        elif isinstance(field, QSpinBox | QDoubleSpinBox):
            field.setValue(old)  # type: ignore[arg-type]
            field.selectAll()
        elif isinstance(field, GrowingTextEdit):
            field.replace_text(str(old))
        elif isinstance(field, QPlainTextEdit | QTextEdit):
            cursor = QTextCursor(field.document())
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.insertText(str(old))
            field.document().setModified(False)
        elif line is not None:
            # Typed, not set: what follows the typing is told, and Ctrl+Z brings the words back.
            line.selectAll()
            line.insert(str(old))

    def _exit_field(self, field: Field) -> None:
        if isValid(field) and field.hasFocus() and field.isVisible():
            field.clearFocus()
        self.field_exited.emit()


def mark_search_field(field: QLineEdit) -> None:
    """Let Esc empty a field that searches, whatever stood in it before."""
    field.setProperty(SEARCH_PROPERTY, True)


def _is_escapable(field: Field) -> bool:
    """Tell whether something can be typed in a field, and it is no part of what one Esc closes."""
    parent: QWidget | None = field
    while parent is not None and not parent.isWindow():
        if parent.property(OVERLAY_PROPERTY):
            return False
        parent = parent.parentWidget()
    if isinstance(field, QComboBox):
        return field.isEditable()
    return not field.isReadOnly()


def _watched_widgets(field: Field) -> list[QWidget]:
    """Return a field with its parts that take the mouse."""
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return [field, field.viewport()]
    line = _line_edit(field)
    return [field] if line is None or line is field else [field, line]


def _line_edit(field: Field) -> QLineEdit | None:
    return field if isinstance(field, QLineEdit) else field.findChild(QLineEdit)


def _field_text(field: Field) -> str:
    if isinstance(field, QPlainTextEdit | QTextEdit):
        return field.toPlainText()
    line = _line_edit(field)
    return "" if line is None else line.text()


def _field_value(field: Field) -> str | float:
    return field.value() if isinstance(field, QSpinBox | QDoubleSpinBox) else _field_text(field)


def _format_value(value: str | float, field: Field) -> str:
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
    line = _line_edit(field)
    return line is not None and line.isModified()


class TimeEdit(QLineEdit):
    """Takes `83.456`, `1:23.456` or `0:01:23.456`; Return or leaving the field enters it, Esc takes it back.

    Signals:
        time_entered (object): microseconds, an int; Qt's own int is too small for hours.
        rejected (str): one line that says what is wrong with the text; it is also shown under the field.
    """

    time_entered = Signal(object)
    rejected = Signal(str)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._time_us = 0
        self._editing = False
        self.setFont(theme.font())
        self.setAccessibleName(name)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._fit_width()
        theme.notifier.changed.connect(self._fit_width)
        self.textEdited.connect(self._start_editing)
        self.returnPressed.connect(self._on_return)
        self._show()

    def _fit_width(self) -> None:
        self.setFixedWidth(QFontMetrics(self.font()).horizontalAdvance("0:00:00.000") + 20)

    def set_time(self, time_us: int) -> None:
        """Show a time; text that is being typed is left alone."""
        self._time_us = time_us
        if not self._editing:
            self._show()

    def time_us(self) -> int:
        """Return the time shown, in microseconds; what is being typed does not count yet."""
        return self._time_us

    def flush(self) -> None:
        """Enter what is being typed."""
        if self._editing:
            self._commit()

    def is_edited(self) -> bool:
        """Tell whether another time is being typed."""
        return self._editing

    def discard(self) -> None:
        """Show the time again in place of what is being typed."""
        self._editing = False
        self._set_invalid(False)
        self._show()

    def event(self, event: QEvent) -> bool:
        # The window may use Esc itself; while a time is being edited it is the field's.
        if (
            isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.ShortcutOverride
            and event.key() == Qt.Key.Key_Escape
        ):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.discard()
            self.clearFocus()
            return
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            # A line edit hands Return on, and the window would make a segment of it.
            event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self.selectAll()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._editing and event.reason() != Qt.FocusReason.PopupFocusReason:
            self._commit()
            # Nothing may stay behind that looks like a time and is none.
            self.discard()

    def _start_editing(self) -> None:
        self._editing = True
        self._set_invalid(False)

    def _on_return(self) -> None:
        if not self._editing:
            self.time_entered.emit(self._time_us)
        elif not self._commit():
            return
        # The keys go back to the window: Space plays from here.
        self.clearFocus()

    def _commit(self) -> bool:
        try:
            time_us = parse_time(self.text())
        except UserError as error:
            self._set_invalid(True)
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), plain_tip(str(error)), self)
            self.rejected.emit(str(error))
            return False
        self._editing = False
        self._set_invalid(False)
        changed = time_us != self._time_us
        self._time_us = time_us
        self._show()
        if changed:
            self.time_entered.emit(time_us)
        return True

    def _show(self) -> None:
        text = format_time(self._time_us)
        if text != self.text():
            self.setText(text)

    def _set_invalid(self, bad: bool) -> None:
        if bool(self.property("bad")) != bad:
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)
