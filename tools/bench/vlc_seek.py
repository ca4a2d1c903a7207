"""What libVLC shows when it is asked for times while paused, tried in a process of its own that may be ended."""

import ctypes
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import numpy as np
import vlc
from numpy.typing import NDArray

from tests.builders.clips import number_of

Image = NDArray[np.uint8]

_START_SECONDS = 30
_SEEK_SECONDS = 3


@dataclass(frozen=True, slots=True)
class Shown:
    """The number of the frame that libVLC showed, and the seconds until a picture came."""

    number: int
    seconds: float


def shown_at(clip: Path, width: int, height: int, times_us: Sequence[int]) -> list[Shown]:
    """Seek to one time after the other in a child process.

    libVLC can wait for itself for ever. When the child is not done within the limit it is killed, and only the
    answers that it gave by then are returned.
    """
    command = [sys.executable, "-m", "tools.bench.vlc_seek", str(clip), str(width), str(height)]
    limit = _START_SECONDS + _SEEK_SECONDS * len(times_us)
    try:
        done = subprocess.run(
            command, input=json.dumps(list(times_us)).encode(), stdout=subprocess.PIPE, timeout=limit, check=False
        )
        printed = done.stdout
    except subprocess.TimeoutExpired as stuck:
        printed = stuck.stdout or b""
    whole = printed[: printed.rfind(b"\n") + 1]
    return [Shown(int(number), float(seconds)) for number, seconds in map(json.loads, whole.splitlines())]


class _PausedPlayer:
    def __init__(self, path: Path, width: int, height: int) -> None:
        self._pixels = np.zeros((height, width, 4), np.uint8)
        self._shown = Event()
        self._instance = vlc.Instance("--quiet", "--no-audio", "--no-video-title-show", "--aout=dummy")
        self._player = self._instance.media_player_new()
        self._player.set_media(self._instance.media_new_path(str(path)))
        self._callbacks = (
            vlc.CallbackDecorators.VideoLockCb(self._on_lock),
            vlc.CallbackDecorators.VideoUnlockCb(lambda _opaque, _picture, _planes: None),
            vlc.CallbackDecorators.VideoDisplayCb(lambda _opaque, _picture: self._shown.set()),
        )
        self._player.video_set_callbacks(*self._callbacks, None)
        self._player.video_set_format("RV32", width, height, width * 4)
        self._player.play()
        self._shown.wait(10)
        self._player.set_pause(1)
        self._settle()

    def at_time(self, time_us: int) -> tuple[Image, float]:
        """Seek and return the picture that is shown once nothing more comes, and the seconds to the first one."""
        self._shown.clear()
        start = time.perf_counter()
        self._player.set_time(time_us // 1000)
        self._shown.wait(_SEEK_SECONDS / 2)
        took = time.perf_counter() - start
        self._settle()
        return self._pixels[..., 2::-1].copy(), took

    def _settle(self) -> None:
        deadline = time.perf_counter() + _SEEK_SECONDS / 2
        while time.perf_counter() < deadline:
            self._shown.clear()
            if not self._shown.wait(0.3):
                return

    def _on_lock(self, _opaque: int, planes: "ctypes._Pointer[ctypes.c_void_p]") -> int:
        planes[0] = self._pixels.ctypes.data
        return 0


def _answer() -> None:
    clip, width, height = sys.argv[1:]
    times_us = json.load(sys.stdin)
    player = _PausedPlayer(Path(clip), int(width), int(height))
    for time_us in times_us:
        image, seconds = player.at_time(time_us)
        print(json.dumps([number_of(image), seconds]), flush=True)
    # Stopping the player is where it may wait for ever, and nothing of it is needed any more.
    os._exit(0)


if __name__ == "__main__":
    _answer()
