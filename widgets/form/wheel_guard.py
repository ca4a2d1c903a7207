"""Keeps the wheel from changing a value that nobody is editing."""

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QAbstractSlider, QAbstractSpinBox, QApplication, QComboBox, QScrollBar

_VALUE_CONTROLS = (QAbstractSlider, QAbstractSpinBox, QComboBox)


class WheelGuard(QObject):
    """The event filter of the application: over a control without the focus, the wheel scrolls what is around it.

    A person who scrolls a page must not change a choice that passes under the mouse, nor give it the focus.
    """

    @classmethod
    def install(cls) -> None:
        """Guard every control of the program, those that are made later too; once a process."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        if not app.findChildren(cls):
            app.installEventFilter(cls(app))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind not in (QEvent.Type.Wheel, QEvent.Type.Polish):
            return False
        if not isinstance(watched, _VALUE_CONTROLS) or isinstance(watched, QScrollBar):
            return False
        if kind == QEvent.Type.Polish:
            # Qt gives a control with this policy the focus before it delivers the wheel.
            if watched.focusPolicy() == Qt.FocusPolicy.WheelFocus:
                watched.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            return False
        if watched.hasFocus():
            return False
        event.ignore()
        return True
