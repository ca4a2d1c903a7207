"""Plays a file with libVLC, which decodes, keeps time and outputs sound; pictures arrive in memory.

One thread makes all libVLC calls, without network access. No mark is taken from libVLC's clock: when playback pauses or
steps, the player shows the exact frame of the file's index.
"""

import ctypes
import logging
import os
import queue
import sys
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QImage

from app.diagnostics.system_facts import SOUND_VARIABLE, SoundOutput, is_no_output_message, sound_output
from models.connection.network_sandbox import refuse_network
from project.errors import UserError
from project.timebase import SECOND_US
from resources.translation import tr

if TYPE_CHECKING:
    from media.source import CheckedFile

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")

MISSING_HINT = tr("Install it with: sudo apt install libvlc5 vlc-plugin-base")
NO_SOUND_OUTPUT = "dummy"
"""The output of libVLC that swallows the sound and keeps the time."""

VLC_OPTIONS = (
    "--quiet",
    "--no-osd",
    "--no-spu",
    "--no-xlib",
    "--no-video-title-show",
    "--demux=avformat",
    "--no-sub-autodetect-file",
    "--no-auto-preparse",
    "--no-metadata-network-access",
    "--no-interact",
    "--no-stats",
)
"""One demuxer, no files beside the one that plays, nothing fetched, nothing asked."""

_ERROR = 4


class PlaybackThread:
    """Runs calls of libVLC one after the other, in a thread that lost the network before libVLC was loaded.

    libVLC's own threads are started by calls from here, or by such threads, so the kernel takes the network from all of
    them. The window's other threads keep it: the workers that they start may connect where a policy allows it.

    Attributes:
        confined: whether the kernel took the filter.
        sound: where the sound goes.
        errors: how often libVLC complained, by what it said, without what it said it about.
    """

    def __init__(self) -> None:
        self.confined = False
        self.sound = sound_output()
        self.errors: Counter[str] = Counter()
        self._without_sound: list[weakref.WeakMethod[Callable[[], None]]] = []
        self._library: Any = None
        self._log_callback: Any = None
        self._alsa_callback: Any = None
        self._calls: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="playback", daemon=True)
        self._thread.start()
        self._ready.wait()

    def post(self, function: Callable[[], object]) -> None:
        """Run a function after those that were posted before, and go on meanwhile."""

        def logged() -> None:
            try:
                function()
            except Exception:
                _log.exception("Playback failed")

        self._calls.put(logged)

    def call(self, function: Callable[[], _Result]) -> _Result:
        """Run a function after those that were posted before, and return what it returns or raise what it raises."""
        if threading.current_thread() is self._thread:
            return function()
        done = threading.Event()
        result: list[_Result] = []
        raised: list[BaseException] = []

        def answered() -> None:
            try:
                result.append(function())
            except BaseException as error:
                raised.append(error)
            finally:
                done.set()

        self._calls.put(answered)
        done.wait()
        if raised:
            raise raised[0]
        return result[0]

    def library(self, vlc: ModuleType) -> Any:
        """Return libVLC with its plugins, loaded once in a process: it takes a tenth of a second."""
        return self.call(lambda: self._load(vlc))

    def on_sound_failure(self, method: Callable[[], None]) -> None:
        """Let a bound method run in this thread when the sound's device turns out not to work."""
        self._without_sound.append(weakref.WeakMethod(method))

    def _disable_sound(self) -> None:
        if self.sound is not SoundOutput.NONE:
            self.sound = SoundOutput.NONE
            for reference in self._without_sound:
                if (method := reference()) is not None:
                    self.post(method)

    def _run(self) -> None:
        self.confined = refuse_network(local_sockets=self.sound is not SoundOutput.NONE)
        self._ready.set()
        while True:
            self._calls.get()()

    def _load(self, vlc: ModuleType) -> Any:
        if self._library is None:
            output = os.environ.get(SOUND_VARIABLE) or (NO_SOUND_OUTPUT if self.sound is SoundOutput.NONE else "")
            library = vlc.Instance([*VLC_OPTIONS, *([f"--aout={output}"] if output else [])])
            if library is None:
                raise UserError(
                    tr("libVLC's plugins, which play sound, are missing."),
                    MISSING_HINT,
                )
            self._redirect_log(vlc, library)
            self._silence_alsa()
            self._library = library
        return self._library

    def _redirect_log(self, vlc: ModuleType, library: Any) -> None:
        """Count what libVLC complains about, and print nothing of it."""
        counted = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
        )

        def count(_data: object, level: int, _context: object, text: bytes | None, _arguments: object) -> None:
            if level < _ERROR:
                return
            said = (text or b"").decode("utf-8", "replace")
            self.errors[said] += 1
            if is_no_output_message(said):
                self._disable_sound()

        self._log_callback = counted(count)
        vlc.dll.libvlc_log_set(library, self._log_callback, None)

    def _silence_alsa(self) -> None:
        """Let ALSA print nothing: with a card that does not work, it would eight lines for each attempt."""
        if self.sound is SoundOutput.NONE or sys.platform != "linux":
            return
        handler = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p)
        try:
            alsa = ctypes.CDLL("libasound.so.2")
            self._alsa_callback = handler(lambda *_said: self.errors.update(["ALSA"]))
            alsa.snd_lib_error_set_handler(self._alsa_callback)
        except (OSError, AttributeError):
            return


@cache
def playback_thread() -> PlaybackThread:
    """Return the thread of this process."""
    return PlaybackThread()


_MAX_SIDE_PX = 1920
_STALE_S = 0.03


def load_vlc() -> ModuleType:
    """Import python-vlc."""
    try:
        import vlc
    # python-vlc ends the program where the library that it is told of cannot be loaded.
    except (ImportError, OSError, NameError, AttributeError, SystemExit) as error:
        raise UserError(tr("libVLC, which plays sound, is missing."), MISSING_HINT) from error
    if getattr(vlc, "dll", None) is None:
        raise UserError(tr("libVLC, which plays sound, is missing."), MISSING_HINT)
    return vlc


def _load_library(vlc: ModuleType) -> Any:
    return playback_thread().library(vlc)


class VlcEngine(QObject):
    """One file in libVLC, played forward.

    Positions are those of the file's own axis: libVLC's avformat demuxer subtracts the container's start time,
    as the media floor does, and seeks to the exact frame where its own mp4 demuxer takes the nearest key frame.

    What is asked for is done in the playback thread, so that nobody waits for a slow disk. What was asked for later
    takes the place of a start that still waits.

    Signals:
        picture_ready: a frame was shown; ask `latest_image()` for it.
        ended: the end of the file was reached.
    """

    picture_ready = Signal()
    ended = Signal()
    _end_reached = Signal(int)

    def __init__(self, parent: QObject | None = None) -> None:
        """Load libVLC."""
        super().__init__(parent)
        self._vlc = load_vlc()
        self._thread = playback_thread()
        self._instance = _load_library(self._vlc)
        self._lock_counts = threading.Lock()
        self._waiting = 0
        self._wish = 0
        self._run = 0
        self._failed_run = -1
        self._path: Path | None = None
        self._file: CheckedFile | None = None
        self._refusal: UserError | None = None
        self._loaded = False
        self._rate = 1.0
        self._size = (0, 0)
        self._with_picture = True
        self._track = 0
        self._buffer: Any = None
        self._shown: tuple[bytes, int, int] | None = None
        self._shown_from = float("inf")
        self._observation: tuple[int, float] | None = None
        self._end_reached.connect(self._emit_ended, Qt.ConnectionType.QueuedConnection)
        self._player: Any = self._thread.call(self._make_player)
        self._thread.on_sound_failure(self._restart_without_sound)

    def open(self, path: Path, width: int, height: int, track: int = 0) -> None:
        """Take a file; nothing is decoded before `start`.

        Args:
            path: of the file.
            width: of the picture as shown; 0 for sound alone.
            height: likewise.
            track: which sound track is heard, from 1; libVLC chooses with 0.
        """
        self._shown_from = float("inf")
        self._shown = None
        scale = min(1.0, _MAX_SIDE_PX / max(width, height, 1))
        size = (max(2, round(width * scale)), max(2, round(height * scale)))
        self._post(lambda _wish: self._open(path, size, width > 0, track))

    def start(self, time_us: int, rate: float) -> None:
        """Play from a position."""
        self._observation = None
        self._post(lambda wish: self._start(wish, time_us, rate))

    def pause(self) -> None:
        """Stand still; pictures that come late are dropped."""
        self._shown_from = float("inf")
        self._post(lambda _wish: self._pause())

    def stop(self) -> None:
        """Let go of the file and of libVLC's threads."""
        self._shown_from = float("inf")
        self._shown = None
        self._post(lambda _wish: self._stop())

    def release(self) -> None:
        """Stop, and free the player. The engine cannot be used afterwards."""
        self._shown_from = float("inf")
        self._wish += 1
        self._thread.call(self._release)

    def seek(self, time_us: int) -> None:
        """Go elsewhere while playing."""
        self._observation = None
        self._thread.post(lambda: self._player and self._player.set_time(time_us // 1000))

    def set_rate(self, rate: float) -> None:
        """Change the speed while playing."""
        self._thread.post(lambda: self._player and self._player.set_rate(rate))

    def set_volume(self, percent: int) -> None:
        """Set how loud it is, 0 to 100."""
        self._thread.post(lambda: self._player and self._player.audio_set_volume(percent))

    def running(self) -> bool:
        """Whether libVLC says that it plays what it was asked for last."""
        player = self._player
        if player is None or self._waiting or not self._loaded:
            return False
        return bool(player.get_state() == self._vlc.State.Playing)

    def failed(self) -> bool:
        """Whether libVLC, or the reader before it, gave up on the file."""
        return self._waiting == 0 and (self._refusal is not None or self._failed_run == self._wish)

    @property
    def refusal(self) -> UserError | None:
        """Why the reader took the file for no recording, so that libVLC was not given it."""
        return self._refusal

    @property
    def lacks_sound(self) -> bool:
        """Whether there is no device that could make a sound, though nobody chose to do without one."""
        return self._thread.sound is SoundOutput.NONE and not os.environ.get(SOUND_VARIABLE)

    def take_observation(self) -> tuple[int, float] | None:
        """Return the newest (position in microseconds, monotonic seconds) since the last `start`, once."""
        found, self._observation = self._observation, None
        return found

    def latest_image(self) -> QImage | None:
        """Return the picture shown last, or None."""
        shown = self._shown
        if shown is None:
            return None
        pixels, width, height = shown
        return QImage(pixels, width, height, width * 4, QImage.Format.Format_RGB32).copy()

    def _post(self, function: Callable[[int], None]) -> None:
        with self._lock_counts:
            self._waiting += 1
        self._wish = wish = self._wish + 1

        def counted() -> None:
            try:
                if self._player is not None:
                    function(wish)
            finally:
                with self._lock_counts:
                    self._waiting -= 1

        self._thread.post(counted)

    @Slot(int)
    def _emit_ended(self, run: int) -> None:
        if run == self._wish:
            self.ended.emit()

    # What follows runs in the playback thread.

    def _make_player(self) -> Any:
        player = self._instance.media_player_new()
        decorators = self._vlc.CallbackDecorators
        self._callbacks = (decorators.VideoLockCb(self._on_lock), decorators.VideoDisplayCb(self._on_display))
        events = player.event_manager()
        events.event_attach(self._vlc.EventType.MediaPlayerTimeChanged, self._on_time)
        events.event_attach(self._vlc.EventType.MediaPlayerEndReached, self._on_end)
        events.event_attach(self._vlc.EventType.MediaPlayerEncounteredError, self._on_error)
        return player

    def _open(self, path: Path, size: tuple[int, int], with_picture: bool, track: int) -> None:
        self._stop()
        self._path, self._size, self._with_picture, self._track = path, size, with_picture, track
        stride = size[0] * 4
        self._buffer = ctypes.create_string_buffer(stride * size[1] + 64)
        lock, display = self._callbacks
        self._player.video_set_callbacks(lock, None, display, None)
        self._player.video_set_format("RV32", size[0], size[1], stride)

    def _start(self, wish: int, time_us: int, rate: float) -> None:
        if self._path is None or wish != self._wish:
            return
        self._observation = None
        self._run, self._rate = wish, rate
        self._shown_from = time.monotonic() + _STALE_S
        state = self._player.get_state()
        if self._loaded and state in (self._vlc.State.Paused, self._vlc.State.Playing):
            self._player.set_rate(rate)
            self._player.set_time(time_us // 1000)
            self._player.set_pause(0)
            return
        from media.source import open_checked

        self._stop_player()
        try:
            self._file = open_checked(self._path)
        except UserError as error:
            self._refusal = error
            return
        medium = self._medium(self._file)
        medium.add_option(f":start-time={time_us / SECOND_US:.3f}")
        medium.add_option(f":audio-track={self._track - 1}")
        if not self._with_picture:
            medium.add_option(":no-video")
        if self._thread.sound is SoundOutput.NONE:
            self._player.audio_output_set(NO_SOUND_OUTPUT)
        self._player.set_media(medium)
        medium.release()
        self._player.play()
        self._player.set_rate(rate)
        self._loaded = True

    def _medium(self, file: "CheckedFile") -> Any:
        medium = self._instance.media_new_fd(file.handle)
        # The demuxer reads lists of other files and descriptions of streams too, if it is left to choose.
        options = ["demux=avformat", f"avformat-format={file.reader}", "no-sub-autodetect-file"]
        # What refers to a picture that was never decoded would be grey, and is no picture of the index either.
        for option in (*options, "no-avcodec-corrupted"):
            medium.add_option(f":{option}")
        return medium

    def _pause(self) -> None:
        if self._loaded:
            self._player.set_pause(1)

    def _stop(self) -> None:
        self._stop_player()
        self._shown = None

    def _stop_player(self) -> None:
        self._player.stop()
        self._loaded = False
        self._refusal = None
        if self._file is not None:
            os.close(self._file.handle)
            self._file = None

    def _release(self) -> None:
        if self._player is None:
            return
        self._stop()
        events = self._player.event_manager()
        kinds = self._vlc.EventType
        for kind in (kinds.MediaPlayerTimeChanged, kinds.MediaPlayerEndReached, kinds.MediaPlayerEncounteredError):
            events.event_detach(kind)
        self._player.release()
        self._player = None

    def _restart_without_sound(self) -> None:
        if self._player is None or not self._loaded:
            return
        at_us = max(self._player.get_time(), 0) * 1000
        self._stop_player()
        self._start(self._run, at_us, self._rate)

    # What follows runs in threads of libVLC.

    def _on_lock(self, _opaque: object, planes: Any) -> None:
        planes[0] = ctypes.addressof(self._buffer)

    def _on_display(self, _opaque: object, _picture: object) -> None:
        if time.monotonic() < self._shown_from:
            return
        width, height = self._size
        self._shown = (ctypes.string_at(self._buffer, width * height * 4), width, height)
        self.picture_ready.emit()

    def _on_time(self, event: Any) -> None:
        self._observation = (event.u.new_time * 1000, time.monotonic())

    def _on_end(self, _event: object) -> None:
        self._end_reached.emit(self._run)

    def _on_error(self, _event: object) -> None:
        self._failed_run = self._run
