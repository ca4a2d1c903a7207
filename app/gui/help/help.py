"""Opens the documentation, at the page that belongs to what is in sight."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication

from app.gui.help.topics import OF_DIALOGS, OF_MODES, OF_WINDOWS, START, TUTORIAL
from widgets.own_window import bring_to_front, change_owner

if TYPE_CHECKING:
    from app.gui.help.window import HelpWindow
    from app.gui.main_window import MainWindow

_ACTION = "documentation"


class Help(QObject):
    """Keeps one help window, which belongs to the main window, or to the dialog that waits for an answer.

    So it stays in front of that dialog, which does not block it.
    A dialog that waits gets the key for help when it comes into sight; one that blocks every other window gets a help
    window of its own.
    """

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self._shown: HelpWindow | None = None
        app = QApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._give_keys)

    def open(self, page: str) -> "HelpWindow":
        """Show a page, given as `NAME` or `NAME#PLACE`, in front."""
        found = self._reachable()
        found.show_page(page)
        bring_to_front(found)
        self._join_owner()
        return found

    def open_tutorial(self) -> "HelpWindow":
        """Show the page to begin with."""
        return self.open(TUTORIAL)

    def open_here(self) -> "HelpWindow":
        """Show the page about the dialog, window or mode that is used."""
        return self.open(self.topic())

    def topic(self) -> str:
        """Return the page about what is in sight."""
        active = QApplication.activeModalWidget() or QApplication.activeWindow()
        if active is not None and active is self._shown:
            return self._shown.page
        while active is not None and active is not self._window:
            found = OF_WINDOWS.get(self._window.windows.key_of(active)) or OF_DIALOGS.get(type(active).__name__)
            if found:
                return found
            behind = active.parentWidget()
            active = behind.window() if behind is not None else None
        return OF_MODES[self._window.mode()] if self._window.studio.session is not None else START

    def close(self) -> None:
        """Close the window."""
        if self._shown is not None:
            self._shown.close()
            self._shown.deleteLater()
            self._shown = None

    def _reachable(self) -> "HelpWindow":
        """Return a help window that can be used now."""
        from app.gui.help.window import HelpWindow

        modal = QApplication.activeModalWidget()
        if modal is not None and modal.windowModality() == Qt.WindowModality.ApplicationModal:
            own = modal.findChild(HelpWindow) or HelpWindow(modal)
            own.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            return own
        if self._shown is None:
            self._shown = HelpWindow(self._window)
        return self._shown

    def _join_owner(self) -> None:
        """Let the help window belong to the dialog that waits for an answer, or to the main window."""
        if self._shown is not None:
            change_owner(self._shown, QApplication.activeModalWidget() or self._window)

    def _give_keys(self) -> None:
        """Let a dialog that waits have the keys for help; the window's own do not reach it."""
        self._join_owner()
        modal = QApplication.activeModalWidget()
        if modal is None or modal.property(_ACTION):
            return
        modal.setProperty(_ACTION, True)
        for key in self._window.shortcuts.keys(_ACTION):
            QShortcut(QKeySequence(key), modal).activated.connect(self.open_here)
