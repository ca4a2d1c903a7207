"""The field in which somebody types what a node says."""

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent

from resources.translation import tr
from widgets.text_area import TextArea


class WordField(TextArea):
    """Three lines that grow; Return and Esc leave it, because a node's text is one line however long.

    Signals:
        left: Return or Esc was pressed.
    """

    left = Signal()

    def __init__(self, flush: Callable[[], None]) -> None:
        super().__init__(flush)
        self.setAccessibleName(tr("What the node says"))
        self.setPlaceholderText(tr("What happens, or what somebody believes, intends, wants or feels"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.clearFocus()
            self.left.emit()
        else:
            super().keyPressEvent(event)
