"""Controls that keep their value while a page is scrolled over them."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QComboBox, QSlider, QWidget


class WheelWhenFocused:
    """The base of a control that takes the wheel only while it has the focus; else the page around it scrolls.

    A person who scrolls must not change a choice that passes under the mouse, nor give it the focus.
    """

    def __init__(self, *args: Any, **properties: Any) -> None:
        super().__init__(*args, **properties)
        assert isinstance(self, QWidget)
        # With Qt's own policy it would have the focus before the wheel comes.
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        assert isinstance(self, QWidget)
        if self.hasFocus():
            super().wheelEvent(event)  # type: ignore[misc]
        else:
            event.ignore()


class ComboBox(WheelWhenFocused, QComboBox):
    """A box to choose from."""


class Slider(WheelWhenFocused, QSlider):
    """A slider."""
