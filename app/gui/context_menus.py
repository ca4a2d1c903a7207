"""The menus under the right button of the mouse: some of the window's actions, about what is pointed at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

_ON_RECORDING = ("details", "rename", "track", "export", "locate")
_ON_SEGMENT = ("play_segment", "loop", "split", "trim_start", "trim_end", "delete")
_ON_TIMELINE = ("mark_in", "mark_out", "zoom_fit")


class ContextMenus:
    """Opens them where the mouse is, a point of the screen."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window

    def on_recording(self, recording_id: str, where: QPoint) -> None:
        """Show a recording, and what can be done with it."""
        self._window.choose_recording(recording_id)
        self._popup(_ON_RECORDING, where)

    def on_timeline(self, where: QPoint, segment_id: str, _time_us: int) -> None:
        """Offer what can be done with a segment, or with the marks where there is none."""
        if segment_id:
            self._popup(_ON_SEGMENT, where)
        else:
            self._popup(_ON_TIMELINE, where, self._window.menus.label_actions)

    def _popup(self, keys: Sequence[str], where: QPoint, more: Sequence[QAction] = ()) -> None:
        menu = QMenu(self._window)
        menu.addActions([*(self._window.menus.actions[key] for key in keys), *more])
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(where)
