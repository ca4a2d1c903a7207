"""What lies over a window and is narrowed down by letters: the keys that the command palette and the nodes share."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QLineEdit, QWidget

from widgets.escape import OVERLAY

_WALKS = frozenset({Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown})


class Narrowing(QFrame):
    """A field for letters over a list: Up and Down choose, Return takes, Esc gives up; the focus stays in the field.

    Whoever derives from it calls `narrow_by` and says what is taken, and how it is left.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.setAutoFillBackground(True)
        self.setProperty(OVERLAY, True)

    def narrow_by(self, field: QLineEdit, found: QAbstractItemView) -> None:
        """Use this field and this list."""
        self._field, self._found = field, found
        field.installEventFilter(self)
        found.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        found.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusProxy(field)

    def take(self) -> None:
        """Take what is chosen."""
        raise NotImplementedError

    def leave(self) -> None:
        """Go away: the focus went elsewhere."""
        raise NotImplementedError

    def give_up(self) -> None:
        """Go away: Esc was pressed."""
        self.leave()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.FocusOut:
            self.leave()
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            # The window may use Esc itself; it is this one's as long as it is open.
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.give_up()
            return True
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _WALKS:
            self._found.keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.take()
        else:
            super().keyPressEvent(event)
