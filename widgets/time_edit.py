"""A field for a time, shown as h:mm:ss.mmm."""

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QToolTip, QWidget

from project.errors import UserError
from project.timebase import format_time, parse_time
from widgets import theme
from widgets.plain_tip import plain_tip


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
        self.setFixedWidth(QFontMetrics(self.font()).horizontalAdvance("0:00:00.000") + 20)
        self.textEdited.connect(self._begin)
        self.returnPressed.connect(self._return)
        self._show()

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
            self._enter()

    def is_edited(self) -> bool:
        """Tell whether another time is being typed."""
        return self._editing

    def discard(self) -> None:
        """Show the time again in place of what is being typed."""
        self._editing = False
        self._mark_bad(False)
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
            self._enter()
            # Nothing may stay behind that looks like a time and is none.
            self.discard()

    def _begin(self) -> None:
        self._editing = True
        self._mark_bad(False)

    def _return(self) -> None:
        if not self._editing:
            self.time_entered.emit(self._time_us)
        elif not self._enter():
            return
        # The keys go back to the window: Space plays from here.
        self.clearFocus()

    def _enter(self) -> bool:
        try:
            time_us = parse_time(self.text())
        except UserError as error:
            self._mark_bad(True)
            QToolTip.showText(self.mapToGlobal(QPoint(0, self.height())), plain_tip(str(error)), self)
            self.rejected.emit(str(error))
            return False
        self._editing = False
        self._mark_bad(False)
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

    def _mark_bad(self, bad: bool) -> None:
        if bool(self.property("bad")) != bad:
            self.setProperty("bad", bad)
            self.style().unpolish(self)
            self.style().polish(self)
