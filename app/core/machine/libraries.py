"""The libraries that come with the operating system and not with a Python package."""

import ctypes
import os
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum


class Use(StrEnum):
    """What a library is for."""

    WINDOW = "the window"
    X11 = "a window on X11"
    PLAYBACK = "playback with sound"


@dataclass(frozen=True, slots=True)
class Library:
    """One of them.

    Attributes:
        file: the name that the loader looks for.
        package: under the name that Debian and Ubuntu give it.
    """

    file: str
    package: str
    use: Use


LIBRARIES = tuple(
    Library(file, package, use)
    for use, files in {
        Use.WINDOW: {
            "libEGL.so.1": "libegl1",
            "libGL.so.1": "libgl1",
            "libGLESv2.so.2": "libgles2",
            "libglib-2.0.so.0": "libglib2.0-0",
            "libfontconfig.so.1": "libfontconfig1",
            "libdbus-1.so.3": "libdbus-1-3",
            "libxkbcommon.so.0": "libxkbcommon0",
        },
        Use.X11: {
            "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
            "libX11-xcb.so.1": "libx11-xcb1",
            "libxcb-cursor.so.0": "libxcb-cursor0",
            "libxcb-icccm.so.4": "libxcb-icccm4",
            "libxcb-image.so.0": "libxcb-image0",
            "libxcb-keysyms.so.1": "libxcb-keysyms1",
            "libxcb-randr.so.0": "libxcb-randr0",
            "libxcb-render-util.so.0": "libxcb-render-util0",
            "libxcb-shape.so.0": "libxcb-shape0",
            "libxcb-xkb.so.1": "libxcb-xkb1",
        },
        Use.PLAYBACK: {"libvlc.so.5": "libvlc5"},
    }.items()
    for file, package in files.items()
)

VLC_PLUGINS = "vlc-plugin-base"
"""The package of libVLC's decoders and outputs, which lie in a folder of their own and not where the loader looks."""


def missing(uses: Iterable[Use]) -> list[Library]:
    """Return the libraries for these uses that cannot be loaded; none elsewhere than on Linux."""
    wanted = set(uses)
    return [one for one in LIBRARIES if one.use in wanted and not _loads(one.file)] if sys.platform == "linux" else []


def uses_of_the_window() -> set[Use]:
    """Return what a window needs on the screen that it would open on."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    on_x11 = platform == "xcb" or (not platform and bool(os.environ.get("DISPLAY")))
    return {Use.WINDOW, Use.X11} if on_x11 else {Use.WINDOW}


def line(one: Library) -> str:
    """Return a line about a library that is missing."""
    return f"{one.file} is missing, which {one.use} needs: {install_command([one.package])}"


def install_command(packages: Iterable[str]) -> str:
    """Return what installs packages of the system, as far as that is known."""
    names = " ".join(dict.fromkeys(packages))
    if shutil.which("apt-get") or shutil.which("apt"):
        return f"sudo apt install {names}"
    return f"install what Debian calls {names}"


def _loads(file: str) -> bool:
    try:
        ctypes.CDLL(file)
    except OSError:
        return False
    return True
