"""Blind mode: while somebody answers blind, the window shows the answer room and nothing else of the study."""

import shiboken6
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QApplication, QStackedWidget, QToolTip, QWidget

from app.gui.window.parts import WindowParts

_TOP_LEVEL_TYPES = (Qt.WindowType.Window, Qt.WindowType.Dialog, Qt.WindowType.Tool)
"""Kinds of windows that come back; menus and tooltips do not."""


class BlindMode(QObject):
    """Takes the place of player, timeline, lists and pages, puts every other window away, and shuts the menus.

    What tells what is right stands in many places: lanes, tooltips, tables, plots, what judges say. None of them is
    asked to hide something; all of them are gone while this is on.

    Signals:
        changed: it was begun or ended.
    """

    changed = Signal()

    def __init__(self, window: WindowParts, content: QStackedWidget) -> None:
        super().__init__(window)
        self._window = window
        self._content = content
        self._room: QWidget | None = None
        self._before: QWidget | None = None
        self._away: list[QWidget] = []

    @property
    def is_active(self) -> bool:
        """Whether somebody answers blind now."""
        return self._room is not None

    def enter(self, room: QWidget) -> None:
        """Show nothing but a room, which is deleted in the end."""
        window = self._window
        window.commands.leave_full_screen()
        window.player.pause()
        window.messages.dismiss()
        QToolTip.hideText()
        shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget is not window]
        for widget in shown:
            widget.hide()
        self._away = [widget for widget in shown if widget.windowType() in _TOP_LEVEL_TYPES]
        self._room, self._before = room, self._content.currentWidget()
        self._content.addWidget(room)
        self._content.setCurrentWidget(room)
        self.changed.emit()
        window.activateWindow()
        room.setFocus()

    def leave(self) -> None:
        """Show everything again."""
        room, self._room = self._room, None
        if room is None:
            return
        if self._content.currentWidget() is room and self._before is not None:
            self._content.setCurrentWidget(self._before)
        self._content.removeWidget(room)
        room.deleteLater()
        for widget in self._away:
            if shiboken6.isValid(widget):
                widget.show()
        self._away.clear()
        self.changed.emit()
        self._window.activateWindow()
