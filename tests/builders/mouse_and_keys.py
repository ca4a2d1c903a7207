"""Presses keys, types, clicks, drags, drops files and turns the wheel, as a person does."""

from itertools import pairwise
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QKeySequence, QMouseEvent, QWheelEvent
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


def drop(widget: QWidget, *paths: Path, words: str = "") -> bool:
    """Drop files, or words, on a widget; returns whether it takes them."""
    content = QMimeData()
    if words:
        content.setText(words)
    else:
        content.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    how = (Qt.DropAction.CopyAction, content, LEFT, NONE)
    entering = QDragEnterEvent(QPoint(5, 5), *how)
    entering.ignore()
    QApplication.sendEvent(widget, entering)
    if entering.isAccepted():
        QApplication.sendEvent(widget, QDropEvent(QPointF(5, 5), *how))
    return entering.isAccepted()


def turn_wheel(widget: QWidget, place: QPointF, notches: float, held: Qt.KeyboardModifier = NONE) -> None:
    """Turn the wheel away from oneself, or towards oneself where notches are negative."""
    surface = _surface(widget)
    event = QWheelEvent(
        *(place, QPointF(surface.mapToGlobal(place)), QPoint(), QPoint(0, round(120 * notches))),
        *(Qt.MouseButton.NoButton, held, Qt.ScrollPhase.NoScrollPhase, False),
    )
    QApplication.sendEvent(surface, event)


def _surface(widget: QWidget) -> QWidget:
    return widget.viewport() if isinstance(widget, QAbstractScrollArea) else widget
