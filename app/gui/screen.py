"""Whether a window can be opened at all; Qt itself would end the process with an abort."""

import ctypes
import os
import sys

from project.errors import UserError

_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def missing_libraries() -> list[str]:
    """Return the packages, under their Debian names, that Qt needs for X11 and that are not there."""
    missing = []
    for name, package in _LIBRARIES.items():
        try:
            ctypes.CDLL(name)
        except OSError:
            missing.append(package)
    return missing


def has_screen() -> bool:
    """Tell whether there is any screen that a window could be on."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if sys.platform != "linux" or platform not in ("", "xcb"):
        return True
    return bool(os.environ.get("DISPLAY") or (os.environ.get("WAYLAND_DISPLAY") and not platform))


def check_screen() -> None:
    """Return quietly where a window can be opened.

    Raises:
        UserError: there is no screen, or system libraries are missing.
    """
    if not has_screen():
        raise UserError("There is no screen to open the window on.", "Other commands work without: greenroom --help")
    if sys.platform != "linux" or os.environ.get("QT_QPA_PLATFORM", "xcb") != "xcb" or not os.environ.get("DISPLAY"):
        return
    missing = missing_libraries()
    if missing:
        hint = f"Install them with: sudo apt install {' '.join(missing)}"
        raise UserError("System libraries that the window needs are missing.", hint)
