"""How large a window may be: its screen holds it, with what the desktop puts around it."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

_FRAME = QSize(16, 48)
"""What the desktop may put around a window."""


def within_screen(wanted: QSize, window: QWidget) -> QSize:
    """Return the size that a window gets of the one that it would like, on the screen that it is on."""
    return wanted.boundedTo(window.screen().availableSize() - _FRAME)
