"""Keeps single keys with the control that a person went to with Tab, where the window would take them."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QToolButton,
    QWidget,
)

_BY_KEY = frozenset(
    {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason, Qt.FocusReason.ShortcutFocusReason}
)
_MOVES = frozenset({Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Home, Qt.Key.Key_End})
_RETURN = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_CONTROLS: tuple[type[QWidget], ...] = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
)
_PLAIN = Qt.KeyboardModifier.NoModifier | Qt.KeyboardModifier.KeypadModifier


class KeyGuard(QObject):
    """An event filter for controls; one for all widgets of the program would slow every repaint down.

    Somebody who walks to a button with Tab means the button when pressing Space or Return; somebody who has just
    clicked it with the mouse means the player. Text fields look after themselves.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._by_key = False

    def watch(self, root: QWidget) -> None:
        """Look after the controls inside a widget."""
        for kind in _CONTROLS:
            for control in root.findChildren(kind):
                control.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind == QEvent.Type.MouseButtonPress:
            self._by_key = False
        elif kind == QEvent.Type.FocusIn and isinstance(event, QFocusEvent):
            if event.reason() in _BY_KEY or event.reason() == Qt.FocusReason.MouseFocusReason:
                self._by_key = event.reason() in _BY_KEY
        elif isinstance(event, QKeyEvent) and self._by_key and watched is QApplication.focusWidget():
            if event.modifiers() | _PLAIN != _PLAIN or not isinstance(watched, QWidget):
                return False
            if kind == QEvent.Type.ShortcutOverride and _belongs(watched, event):
                event.accept()
                return True
            if kind == QEvent.Type.KeyPress and event.key() in _RETURN and isinstance(watched, QAbstractButton):
                _press(watched)
                return True
        return False


def _belongs(widget: QWidget, event: QKeyEvent) -> bool:
    key = event.key()
    if isinstance(widget, QAbstractButton):
        return key == Qt.Key.Key_Space or key in _RETURN
    if isinstance(widget, QAbstractItemView):
        return key in (Qt.Key.Key_Home, Qt.Key.Key_End)
    if isinstance(widget, QComboBox):
        return key in _MOVES or key == Qt.Key.Key_Space or bool(event.text().strip())
    return isinstance(widget, QAbstractSlider | QAbstractSpinBox) and key in _MOVES


def _press(button: QAbstractButton) -> None:
    if isinstance(button, QToolButton) and button.menu() is not None:
        button.showMenu()
    else:
        button.click()
