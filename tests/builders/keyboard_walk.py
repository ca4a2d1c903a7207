"""Walks over a widget's controls, as somebody does who has no mouse or no screen."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
    QPushButton,
    QScrollBar,
    QWidget,
)

CONTROLS = (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QPlainTextEdit,
)


def controls(widget: QWidget) -> list[QWidget]:
    """The visible controls, without the parts that Qt makes inside its own."""
    inside_own = (QLineEdit, QAbstractItemView, QAbstractSpinBox, QComboBox)
    return [
        child
        for child in widget.findChildren(QWidget)
        if isinstance(child, CONTROLS)
        and not isinstance(child, QScrollBar)
        and not isinstance(child.parent(), inside_own)
        and child.isVisibleTo(widget)
    ]


def nameless(widget: QWidget) -> list[str]:
    """Controls that a screen reader has no name for."""
    found = []
    for control in controls(widget):
        interface = QAccessible.queryAccessibleInterface(control)
        if not interface.text(QAccessible.Text.Name).strip():
            found.append(f"{type(control).__name__} {control.toolTip()}")
    return found


def unexplained(widget: QWidget) -> list[str]:
    """Buttons that show an icon alone and have no tooltip."""
    return [
        f"{type(control).__name__} {control.accessibleName()}"
        for control in controls(widget)
        if isinstance(control, QAbstractButton) and not control.icon().isNull() and not control.toolTip()
        # A tool button may have a text that it does not show.
        if not (isinstance(control, QPushButton) and control.text())
    ]


def tab_walk(first: QWidget) -> list[QWidget]:
    """Presses Tab from `first` until it comes round, and returns everything that had the focus."""
    first.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    for _ in range(200):
        focused = QApplication.focusWidget()
        if focused is None or focused in seen:
            break
        seen.append(focused)
        QTest.keyClick(focused, Qt.Key.Key_Tab)
    return seen
