"""The one thread that calls libVLC: without a network, and without a word on standard error."""

import ctypes
import logging
import os
import queue
import sys
import threading
import weakref
from collections import Counter
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any, TypeVar

from app.core.machine.sound_output import SOUND_VARIABLE, SoundOutput, sound_output, tells_no_output
from models.connection.network_filter import refuse_network
from project.errors import UserError
from resources.translation import tr

_log = logging.getLogger(__name__)
_Result = TypeVar("_Result")

MISSING_HINT = tr("Install it with: sudo apt install libvlc5 vlc-plugin-base")
NO_SOUND = "dummy"
"""The output of libVLC that swallows the sound and keeps the time."""

OPTIONS = (
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
        """Return libVLC with its plugins, loaded once in a process: it takes a tenth of a second.

        Raises:
            UserError: its plugins are missing.
        """
        return self.call(lambda: self._load(vlc))

    def when_sound_fails(self, method: Callable[[], None]) -> None:
        """Let a bound method run in this thread when the sound's device turns out not to work."""
        self._without_sound.append(weakref.WeakMethod(method))

    def _lose_sound(self) -> None:
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
            output = os.environ.get(SOUND_VARIABLE) or (NO_SOUND if self.sound is SoundOutput.NONE else "")
            library = vlc.Instance([*OPTIONS, *([f"--aout={output}"] if output else [])])
            if library is None:
                raise UserError(tr("Playback with sound needs libVLC's plugins, which are missing."), MISSING_HINT)
            self._take_log(vlc, library)
            self._quiet_alsa()
            self._library = library
        return self._library

    def _take_log(self, vlc: ModuleType, library: Any) -> None:
        """Count what libVLC complains about, and print nothing of it."""
        counted = ctypes.CFUNCTYPE(
            None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p
        )

        def count(_data: object, level: int, _context: object, text: bytes | None, _arguments: object) -> None:
            if level < _ERROR:
                return
            said = (text or b"").decode("utf-8", "replace")
            self.errors[said] += 1
            if tells_no_output(said):
                self._lose_sound()

        self._log_callback = counted(count)
        vlc.dll.libvlc_log_set(library, self._log_callback, None)

    def _quiet_alsa(self) -> None:
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
