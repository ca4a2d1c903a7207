"""The menus under the right button of the mouse: some of the window's actions, about what is pointed at."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from app.gui.main_window import MainWindow

_ON_RECORDING = ("details", "rename", "track", "export", "locate")
_ON_SEGMENT = ("play_segment", "loop", "split", "trim_start", "trim_end", "node_from_selected", "what_if", "delete")
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
        window = self._window
        if segment_id in window.studio.selected_utterances:
            window.spoken.menu(where, self._menu())
        elif segment_id in window.studio.selected_nodes:
            window.chains.menu(where, self._menu())
        elif window.prelabels.of_kind(segment_id):
            window.prelabels.menu(where, self._menu(), segment_id)
        elif segment_id:
            self._popup(_ON_SEGMENT, where)
        else:
            self._popup(_ON_TIMELINE, where, self._window.menus.label_actions)

    def _popup(self, keys: Sequence[str], where: QPoint, more: Sequence[QAction] = ()) -> None:
        menu = self._menu()
        menu.addActions([*(self._window.menus.actions[key] for key in keys), *more])
        menu.popup(where)

    def _menu(self) -> QMenu:
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu
