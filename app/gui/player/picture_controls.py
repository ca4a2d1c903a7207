"""Magnifies the picture that is in front, changes its brightness, and says in full screen what is hidden there."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPointF

from app.gui.player.playback import Playback
from app.gui.player.player import Player
from app.gui.study.study_controller import ActiveTrack, StudyController
from project.timebase import format_time
from resources.translation import tr
from widgets.player.camera_grid import ViewsGrid
from widgets.player.full_screen_line import FullScreenLine
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


class FullScreenHints(QObject):
    """Says in full screen what the hidden parts of the window say: the time, the active track and its label keys."""

    def __init__(
        self,
        studio: StudyController,
        player: Player,
        active: ActiveTrack,
        grid: ViewsGrid,
        coding_text: Callable[[], str],
        parent: QObject | None = None,
    ) -> None:
        """Make them; `coding_text` says what coding mode waits for, or "" while it is off."""
        super().__init__(parent)
        self._studio = studio
        self._player = player
        self._coding_text = coding_text
        self._active = active
        self.line = FullScreenLine(grid)
        self._on = False
        player.position_changed.connect(self._follow)
        for signal in (
            *(grid.mouse_moved, player.playing_changed, studio.selection_changed, studio.marks_changed),
            *(active.changed, active.label_changed),
        ):
            signal.connect(self._wake)
        studio.message.connect(self._show_message)
        studio.failed.connect(lambda error: self._show_message(str(error)))

    def set_full_screen(self, on: bool) -> None:
        """Begin, or end."""
        self._on = on
        if on:
            self._wake()
        else:
            self.line.end()

    def _follow(self, _time_us: int) -> None:
        if not self._player.playing:
            self._wake()
        elif self._on and not self.line.isHidden():
            self.line.set_text(self._text())

    def _wake(self, *_about: object) -> None:
        if self._on:
            self.line.set_text(self._text())
            self.line.wake()

    def _show_message(self, text: str) -> None:
        if self._on:
            self.line.set_text(text)
            self.line.wake()

    def _text(self) -> str:
        time = f"{format_time(self._player.position_us)} / {format_time(self._player.duration_us)}"
        parts, track = [time], self._active.track
        start, end = self._studio.mark_in, self._studio.mark_out
        if start is not None or end is not None:
            shown = ("…" if mark is None else format_time(mark) for mark in (start, end))
            parts.append(tr("marked {start} to {end}").format(start=next(shown), end=next(shown)))
        coding = self._coding_text()
        if coding:
            return f"{time}   ·   {coding}"
        if track is not None:
            keys = ", ".join(f"{label.shortcut} {label.name}" for label in track.offered_labels if label.shortcut)
            parts.append(f"{track.name}: {keys}" if keys else track.name)
        if self._active.label is not None:
            parts.append(tr("active label {name}").format(name=self._active.label.name))
        return "   ·   ".join(parts)
