"""The button at the foot of a window that closes it, and the key that does the same."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QPushButton, QWidget

from resources.translation import tr


def close_button(window: QWidget, *, by_escape: bool = True) -> QPushButton:
    """Return one for a window, which Esc closes too; not `by_escape` where Esc has something else to do before."""
    button = QPushButton(tr("Close"))
    button.setToolTip(tr("Close this window (Esc)"))
    button.setAutoDefault(True)
    button.clicked.connect(window.close)
    if by_escape:
        QShortcut(QKeySequence(Qt.Key.Key_Escape), window).activated.connect(window.close)
    return button
