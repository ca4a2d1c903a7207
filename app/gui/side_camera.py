"""The picture of a further camera, at the moment that the player's clock shows."""

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtGui import QImage

from app.core.session import LocatedMedium, MediaState
from app.gui.frame_service import FrameService
from project.errors import UserError
from project.timebase import FrameTimes
from resources.translation import tr
from widgets.views_grid import Plate

_MEMORY = 128 << 20
_LATE_MS = 200
"""How long the picture before may stand in for the exact one before the view says that it is not."""

_JUMP = 15
"""Frames; while playing, requests are closer together than this."""

_NOT_YET = Plate("video-off", tr("Not recording yet"), tr("This camera was started later."))
_OVER = Plate("video-off", tr("No longer recording"), tr("This camera was stopped before."))
_READING = Plate("loader", tr("Reading the file"), tr("The first time, its frames are counted."))


class SideCamera(QObject):
    """Frames come from a decoder of its own, chosen by time stamp: it cannot run away from the clock it is given.

    Times are those of the recording; the medium's offset says where its own zero lies.

    Signals:
        picture_changed: (QImage) what to paint.
        plate_changed: (Plate) there is no picture now, and why.
        exact_changed: (bool or None) whether the picture is the very frame of the moment; None while playing.
    """

    picture_changed = Signal(QImage)
    plate_changed = Signal(object)
    exact_changed = Signal(object)

    def __init__(self, located: LocatedMedium, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.located = located
        self.offset_us = located.medium.offset_us
        self.times: FrameTimes | None = None
        self._frames: FrameService | None = None
        self._generation = 0
        self._plate: Plate | None = None
        self._at_us = 0
        self._standing = True
        self._longest = 0
        self._asked: tuple[int, int] | None = None
        self._since = 0
        self._late = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(lambda: self.exact_changed.emit(False))

    def open(self) -> None:
        """Begin to read the file, or say why that cannot be."""
        state = self.located.state
        if state is not MediaState.PRESENT:
            titles = {
                MediaState.REPLACED: tr("Another file is in its place"),
                MediaState.OUTSIDE: tr("The file is outside the study's folder"),
            }
            title = titles.get(state, tr("The file is missing"))
            self._show_plate(Plate("video-off", title, self.located.path.name, tr("Locate…")))
            return
        self._show_plate(_READING)
        self._frames = frames = FrameService(self, _MEMORY)
        queued = Qt.ConnectionType.QueuedConnection
        frames.opened.connect(self._on_opened, queued)
        frames.failed.connect(self._on_failed, queued)
        frames.ready.connect(self._on_ready, queued)
        self._generation = frames.open(self.located.path)

    @property
    def usable(self) -> bool:
        """Whether its file is there."""
        return self.located.state is MediaState.PRESENT

    def move(self, offset_us: int) -> None:
        """Let the file begin elsewhere in the recording."""
        self.offset_us = offset_us
        self._asked = None
        self._show()

    def stand(self, time_us: int) -> None:
        """Show the exact frame of a moment."""
        self._at_us, self._standing = time_us, True
        self._show()

    def follow(self, time_us: int, longest: int) -> None:
        """Show the frame of a moment in passing, no side of it longer than `longest` pixels."""
        if self._standing:
            self._late.stop()
            self.exact_changed.emit(None)
        self._at_us, self._standing, self._longest = time_us, False, max(longest, 64)
        self._show()

    def close(self) -> None:
        """End the decoder."""
        if self._frames is not None:
            self._frames.close()
            self._frames = None

    def _show(self) -> None:
        if self.times is None or self._frames is None:
            return
        own = self._at_us - self.offset_us
        if own < self.times.time_of(0) or own >= self.times.end_us:
            self._asked = None
            self._show_plate(_NOT_YET if own < self.times.time_of(0) else _OVER)
            return
        wanted = (self.times.frame_at(own), 0 if self._standing else self._longest)
        if wanted != self._asked:
            if self._standing or self._asked is None or abs(wanted[0] - self._asked[0]) > _JUMP:
                self._since = wanted[0]
            self._asked = wanted
            if self._standing:
                self._late.start()
            self._frames.request_time(self.times.time_of(wanted[0]), wanted[1])

    def _show_plate(self, plate: Plate) -> None:
        self._late.stop()
        if plate != self._plate:
            self._plate = plate
            self.exact_changed.emit(None)
            self.plate_changed.emit(plate)

    def _on_opened(self, generation: int, times: FrameTimes) -> None:
        if generation == self._generation and self._frames is not None:
            self.times = times
            self._show()

    def _on_failed(self, generation: int, error: UserError) -> None:
        if generation == self._generation and self._frames is not None:
            self._asked = None
            self._show_plate(Plate("video-off", error.message, error.hint))

    def _on_ready(self, generation: int, index: int, _time_us: int, image: QImage) -> None:
        if generation != self._generation or self._asked is None:
            return
        # What was asked for before a jump lies elsewhere, and would flash up.
        if not min(self._since, self._asked[0]) <= index <= max(self._since, self._asked[0]):
            return
        self._plate = None
        self.picture_changed.emit(image)
        if self._standing and self._asked == (index, 0):
            self._late.stop()
            self.exact_changed.emit(True)
