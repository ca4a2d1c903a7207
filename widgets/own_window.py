"""Windows of their own: each belongs to the window that it was opened from, lies over it, and comes to the front.

A window manager keeps a window over another where its property `WM_TRANSIENT_FOR` names that one. Qt sets it for
dialogs alone, never for plain windows, so whatever opens beside the main window is a dialog to Qt, with the buttons of
a window.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QPushButton, QWidget

_WINDOW = (
    Qt.WindowType.Dialog
    | Qt.WindowType.WindowTitleHint
    | Qt.WindowType.WindowSystemMenuHint
    | Qt.WindowType.WindowMinMaxButtonsHint
    | Qt.WindowType.WindowCloseButtonHint
)


def owning_window(preferred: QWidget | None = None) -> QWidget | None:
    """Return the window that a new one belongs to: the one that is used now, else `preferred`, else the main window."""
    used = QApplication.activeModalWidget() or QApplication.activeWindow()
    if used is not None and used.windowType() is not Qt.WindowType.Popup:
        return used
    if preferred is not None:
        return preferred.window()
    return next((one for one in QApplication.topLevelWidgets() if isinstance(one, QMainWindow)), None)


def attach(window: QWidget, owner: QWidget | None) -> None:
    """Make a widget a window that belongs to another; it is hidden by that, as by `QWidget.setParent`."""
    window.setParent(owner.window() if owner is not None else None, _WINDOW)


def change_owner(window: QWidget, owner: QWidget) -> None:
    """Let a window that is open belong to another one; a dialog that blocks other windows does not block its own."""
    handle, of = window.windowHandle(), owner.window().windowHandle()
    if handle is not None and of is not None and handle is not of and handle.transientParent() is not of:
        handle.setTransientParent(of)


def bring_to_front(window: QWidget) -> None:
    """Show a window over the one that it belongs to, also where it was an icon, and let it have the keys."""
    if window.isMinimized():
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowMinimized)
    window.show()
    _raise(window)


class OwnDialog(QDialog):
    """A dialog that belongs to the window that is used now, where none is named, and is in front when it is shown.

    Every dialog of the program is one.
    """

    def __init__(self, parent: QWidget | None = None, flags: Qt.WindowType = Qt.WindowType.Dialog) -> None:
        super().__init__(parent if parent is not None else owning_window(), flags)

    def showEvent(self, event: QShowEvent) -> None:
        """Come to the front."""
        super().showEvent(event)
        _raise(self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Let Enter press the button that has the keys.

        Qt would press the default button, also where somebody went to Cancel. A dialog whose default button leads away
        keeps that: Enter gives nothing up there.
        """
        button = self.focusWidget()
        if (
            event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
            and isinstance(button, QPushButton)
            and not button.property("careful")
        ):
            button.click()
            return
        super().keyPressEvent(event)


def _raise(window: QWidget) -> None:
    window.raise_()
    window.activateWindow()
