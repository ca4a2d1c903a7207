"""Presses keys, types, clicks and drags, as a person does."""

from itertools import pairwise

from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QKeySequence, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QWidget

NONE = Qt.KeyboardModifier.NoModifier
ALT = Qt.KeyboardModifier.AltModifier
CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
LEFT = Qt.MouseButton.LeftButton


def focused_widget(window: QWidget) -> QWidget:
    """Return where keys go: a popup of the window too."""
    return QApplication.activePopupWidget() or QApplication.focusWidget() or window.focusWidget() or window


def press(window: QWidget, *keys: str) -> None:
    """Press keys one after another, such as "I", "Return" or "Ctrl+Shift+E", wherever the focus is."""
    for key in keys:
        combination = QKeySequence.fromString(key)[0]
        QTest.keyClick(focused_widget(window), combination.key(), combination.keyboardModifiers())


def type_text(window: QWidget, text: str) -> None:
    """Type a text where the focus is."""
    QTest.keyClicks(focused_widget(window), text)


def click(widget: QWidget, place: QPointF | None = None, held: Qt.KeyboardModifier = NONE) -> None:
    """Click a widget, in its middle where no place is given."""
    QTest.mouseClick(_surface(widget), LEFT, held, QPoint() if place is None else place.toPoint())


def send_mouse(
    surface: QWidget, kind: QEvent.Type, place: QPointF, held: Qt.KeyboardModifier = NONE, button: Qt.MouseButton = LEFT
) -> None:
    """Send an event of the mouse with exact places; a move keeps the button down."""
    changed = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else button
    down = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else button
    event = QMouseEvent(kind, place, QPointF(surface.mapToGlobal(place)), changed, down, held)
    QApplication.sendEvent(surface, event)


def drag(widget: QWidget, *places: QPointF, held: Qt.KeyboardModifier = NONE) -> None:
    """Press at the first place, move over the middle of each way to the next, and let go at the last."""
    surface = _surface(widget)
    send_mouse(surface, QEvent.Type.MouseButtonPress, places[0], held)
    for start, end in pairwise(places):
        send_mouse(surface, QEvent.Type.MouseMove, (start + end) / 2, held)
        send_mouse(surface, QEvent.Type.MouseMove, end, held)
    send_mouse(surface, QEvent.Type.MouseButtonRelease, places[-1], held)


def _surface(widget: QWidget) -> QWidget:
    return widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
