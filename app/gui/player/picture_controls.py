"""Magnifies the picture that is in front, and changes brightness and contrast of what is shown."""

from PySide6.QtCore import QObject, QPointF

from app.gui.player.playback import Playback
from resources.translation import tr
from widgets.player.camera_grid import ViewsGrid
from widgets.player.picture_adjustment import BrighteningPopup
from widgets.player.transport_bar import TransportBar

_PAN_SHARE = 0.1
"""How far a key moves the magnified picture, as a share of the room."""


class PictureControls(QObject):
    """Acts on the large picture where there are several; only what is shown changes."""

    def __init__(self, playback: Playback, grid: ViewsGrid, bar: TransportBar, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._playback = playback
        self._grid = grid
        self._bar = bar
        self.popup = BrighteningPopup(grid)
        self.popup.changed.connect(grid.set_brightening)
        bar.brightness_requested.connect(self.open_brightness)
        playback.recording_opened.connect(grid.reset_magnification)

    def magnify(self, notches: int) -> None:
        """Show the picture larger, or smaller with a negative number."""
        self._grid.views()[0].magnify(notches)

    def pan(self, right: int, down: int) -> None:
        """Show what lies beside the part that is magnified."""
        view = self._grid.views()[0]
        if view.magnification.factor <= 1:
            self._playback.message.emit(tr("The whole picture is shown. The wheel or Alt++ magnifies it."))
        view.pan(QPointF(-right * view.width() * _PAN_SHARE, -down * view.height() * _PAN_SHARE))

    def open_brightness(self) -> None:
        """Open the sliders above their button; where that is hidden, over the foot of the picture."""
        button = self._bar.brightness
        corner = button.rect().topRight() if button.isVisible() else self._grid.rect().bottomRight()
        self.popup.open_at((button if button.isVisible() else self._grid).mapToGlobal(corner))
