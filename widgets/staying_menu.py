"""A menu that stays open while things are ticked in it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QMenu

_TICKS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class StayingMenu(QMenu):
    """Ticks what is clicked or chosen by key, and stays; what cannot be ticked closes it as ever."""

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if not self._ticked():
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _TICKS or not self._ticked():
            super().keyPressEvent(event)

    def _ticked(self) -> bool:
        action = self.activeAction()
        if action is None or not action.isCheckable() or not action.isEnabled():
            return False
        action.trigger()
        return True
