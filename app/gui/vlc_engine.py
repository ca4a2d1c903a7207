"""libVLC decodes, keeps time and plays sound; its pictures arrive in memory and leave as images.

In libVLC's callbacks nothing is done but copy and emit: a call into libVLC from there would lock it up.
"""

import ctypes
import os
import time
from pathlib import Path
from types import ModuleType
from typing import Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from media.playlists import require_no_playlist
from project.errors import UserError
from project.timebase import SECOND
from resources.translation import tr

_LONGEST_SIDE = 1920
_STALE_S = 0.03

MISSING_HINT = tr("Install it with: sudo apt install libvlc5 vlc-plugin-base")


def load_vlc() -> ModuleType:
    """Import python-vlc.

    Raises:
        UserError: libVLC is not on this machine.
    """
    try:
        import vlc
    # python-vlc ends the program where the library that it is told of cannot be loaded.
    except (ImportError, OSError, NameError, AttributeError, SystemExit) as error:
        raise UserError(tr("Playback with sound needs libVLC, which is missing."), MISSING_HINT) from error
    if getattr(vlc, "dll", None) is None:
        raise UserError(tr("Playback with sound needs libVLC, which is missing."), MISSING_HINT)
    return vlc


_libraries: dict[tuple[str, ...], Any] = {}


def _library(vlc: ModuleType) -> Any:
    """Return libVLC with its plugins, loaded once in a process: it takes a tenth of a second.

    Raises:
        UserError: its plugins are missing.
    """
    options = ["--no-video-title-show", "--quiet", "--no-osd", "--no-spu", "--demux=avformat,any", "--no-xlib"]
    sound = os.environ.get("GREENROOM_AOUT")
    if sound:
        options.append(f"--aout={sound}")
    key = tuple(options)
    if key not in _libraries:
        found = vlc.Instance(options)
        if found is None:
            raise UserError(tr("Playback with sound needs libVLC's plugins, which are missing."), MISSING_HINT)
        _libraries[key] = found
    return _libraries[key]


class VlcEngine(QObject):
    """One file in libVLC, played forward.

    Positions are those of the file's own axis: libVLC's avformat demuxer subtracts the container's start time,
    as the media floor does, and seeks to the exact frame where its own mp4 demuxer takes the nearest key frame.

    Signals:
        picture: a frame was shown; ask `latest()` for it.
        ended: the end of the file was reached.
    """

    picture = Signal()
    ended = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        """Load libVLC.

        Raises:
            UserError: libVLC or its plugins are missing.
        """
        super().__init__(parent)
        self._vlc = load_vlc()
        self._instance = _library(self._vlc)
        self._player = self._instance.media_player_new()
        self._path: Path | None = None
        self._loaded = False
        self._size = (0, 0)
        self._with_picture = True
        self._buffer: Any = None
        self._shown: bytes | None = None
        self._shown_from = 0.0
        self._observation: tuple[int, float] | None = None
        self._keep_callbacks()

    def open(self, path: Path, width: int, height: int) -> None:
        """Take a file; nothing is decoded before `start`. `width` and `height` are 0 for sound alone."""
        self.stop()
        self._path = path
        self._with_picture = width > 0
        scale = min(1.0, _LONGEST_SIDE / max(width, height, 1))
        self._size = (max(2, round(width * scale)), max(2, round(height * scale)))
        stride = self._size[0] * 4
        self._buffer = ctypes.create_string_buffer(stride * self._size[1] + 64)
        self._player.video_set_callbacks(self._lock, None, self._display, None)
        self._player.video_set_format("RV32", self._size[0], self._size[1], stride)

    def start(self, time_us: int, rate: float) -> None:
        """Play from a position."""
        if self._path is None:
            return
        self._observation = None
        self._shown_from = time.monotonic() + _STALE_S
        state = self._player.get_state()
        if self._loaded and state in (self._vlc.State.Paused, self._vlc.State.Playing):
            self._player.set_rate(rate)
            self._player.set_time(time_us // 1000)
            self._player.set_pause(0)
            return
        self._player.stop()
        # libVLC opens whatever a playlist names, also at other machines; who decodes the frames says that it is one.
        try:
            require_no_playlist(self._path)
        except (UserError, OSError):
            return
        medium = self._instance.media_new_path(os.fsencode(self._path).decode("utf-8", "surrogateescape"))
        medium.add_option(f":start-time={time_us / SECOND:.3f}")
        if not self._with_picture:
            medium.add_option(":no-video")
        self._player.set_media(medium)
        medium.release()
        self._player.play()
        self._player.set_rate(rate)
        self._loaded = True

    def pause(self) -> None:
        """Stand still; pictures that come late are dropped."""
        self._shown_from = float("inf")
        if self._loaded:
            self._player.set_pause(1)

    def stop(self) -> None:
        """Let go of the file and of libVLC's threads."""
        self._shown_from = float("inf")
        self._player.stop()
        self._loaded = False
        self._shown = None

    def release(self) -> None:
        """Stop, and free the player. The engine cannot be used afterwards."""
        self.stop()
        events = self._player.event_manager()
        for kind in (self._vlc.EventType.MediaPlayerTimeChanged, self._vlc.EventType.MediaPlayerEndReached):
            events.event_detach(kind)
        self._player.release()

    def seek(self, time_us: int) -> None:
        """Go elsewhere while playing."""
        self._observation = None
        self._player.set_time(time_us // 1000)

    def set_rate(self, rate: float) -> None:
        """Change the speed while playing."""
        self._player.set_rate(rate)

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, 0 to 100."""
        self._player.audio_set_volume(percent)

    def running(self) -> bool:
        """Whether libVLC says that it plays."""
        return bool(self._loaded and self._player.get_state() == self._vlc.State.Playing)

    def failed(self) -> bool:
        """Whether libVLC gave up on the file."""
        return bool(self._loaded and self._player.get_state() == self._vlc.State.Error)

    def observation(self) -> tuple[int, float] | None:
        """Return the newest (position in microseconds, monotonic seconds) since the last `start`, once."""
        found, self._observation = self._observation, None
        return found

    def latest(self) -> QImage | None:
        """Return the picture shown last, or None."""
        pixels = self._shown
        if pixels is None:
            return None
        width, height = self._size
        return QImage(pixels, width, height, width * 4, QImage.Format.Format_RGB32).copy()

    def _keep_callbacks(self) -> None:
        decorators = self._vlc.CallbackDecorators
        self._lock = decorators.VideoLockCb(self._on_lock)
        self._display = decorators.VideoDisplayCb(self._on_display)
        events = self._player.event_manager()
        events.event_attach(self._vlc.EventType.MediaPlayerTimeChanged, self._on_time)
        events.event_attach(self._vlc.EventType.MediaPlayerEndReached, self._on_end)

    def _on_lock(self, _opaque: object, planes: Any) -> None:
        planes[0] = ctypes.addressof(self._buffer)

    def _on_display(self, _opaque: object, _picture: object) -> None:
        if time.monotonic() < self._shown_from:
            return
        width, height = self._size
        self._shown = ctypes.string_at(self._buffer, width * height * 4)
        self.picture.emit()

    def _on_time(self, event: Any) -> None:
        self._observation = (event.u.new_time * 1000, time.monotonic())

    def _on_end(self, _event: object) -> None:
        self.ended.emit()
