"""The wheel over a control that nobody is editing scrolls the page, and changes nothing."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import QDate, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QComboBox,
    QDateEdit,
    QDial,
    QDoubleSpinBox,
    QLineEdit,
    QScrollArea,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from widgets.form.wheel_guard import WheelGuard


def combo() -> QComboBox:
    made = QComboBox()
    made.addItems(["Silence", "Beep", "Leave it to be heard"])
    return made


def editable_combo() -> QComboBox:
    made = combo()
    made.setEditable(True)
    return made


CONTROLS: list[Callable[[], QWidget]] = [
    *(combo, editable_combo, QSpinBox, QDoubleSpinBox, QSlider, QDial),
    lambda: QDateEdit(QDate(2026, 11, 28)),
]


def turn_wheel(control: QWidget) -> None:
    window = control.window()
    for notches in (-1, -1, 1):
        place = control.mapTo(window, control.rect().center()).toPointF()
        QTest.wheelEvent(window.windowHandle(), place, QPoint(0, 120 * notches))


@pytest.mark.parametrize("make", CONTROLS)
def test_the_wheel_changes_what_has_the_focus_and_nothing_else(qtbot: QtBot, make: Callable[[], QWidget]) -> None:
    WheelGuard.install()
    page, control, other = QScrollArea(widgetResizable=True), make(), QLineEdit()
    inner = QWidget()
    column = QVBoxLayout(inner)
    control.setMaximumHeight(100)
    for widget in (other, control):
        column.addWidget(widget)
    column.addStretch()
    inner.setMinimumHeight(4000)
    page.setWidget(inner)
    qtbot.addWidget(page)
    page.show()
    page.activateWindow()
    qtbot.waitUntil(page.isActiveWindow)
    other.setFocus()
    before = control.metaObject().userProperty().read(control)
    turn_wheel(control)
    assert control.metaObject().userProperty().read(control) == before
    assert page.verticalScrollBar().value() > 0
    assert control.focusPolicy() != Qt.FocusPolicy.WheelFocus, "Qt gives the focus before the wheel comes"
    scrolled = page.verticalScrollBar().value()
    control.setFocus()
    turn_wheel(control)
    assert page.verticalScrollBar().value() == scrolled
