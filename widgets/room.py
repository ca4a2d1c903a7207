"""How large a window is: its screen holds it with what the desktop puts around it, and its texts have their lines."""

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QDialog, QLayout, QWidget

_FRAME = QSize(16, 48)
"""What the desktop may put around a window."""


def within_screen(wanted: QSize, window: QWidget) -> QSize:
    """Return the size that a window gets of the one that it would like, on the screen that it is on."""
    return wanted.boundedTo(window.screen().availableSize() - _FRAME)


def fit_width(dialog: QDialog, layout: QLayout, width: int) -> None:
    """Give a dialog, whose layout is filled, a width and the height of its wrapped texts at it.

    Left alone, Qt takes the height from a narrower dialog, whose texts have more lines.
    """
    dialog.setMinimumWidth(width)
    dialog.resize(width, layout.totalHeightForWidth(width))
