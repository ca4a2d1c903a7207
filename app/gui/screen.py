"""Whether there is a screen; without one, Qt itself would end the process with an abort."""

import ctypes
import os
import sys

from project.errors import UserError
from resources.translation import tr


def has_screen() -> bool:
    """Tell whether there is any screen that a window could be on."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if sys.platform != "linux" or platform not in ("", "xcb"):
        return True
    return bool(os.environ.get("DISPLAY") or (os.environ.get("WAYLAND_DISPLAY") and not platform))


def _answers() -> bool:
    """Tell whether the screen that `DISPLAY` names can be reached."""
    try:
        xcb = ctypes.CDLL("libxcb.so.1")
    except OSError:
        return True
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connection_has_error.argtypes = xcb.xcb_disconnect.argtypes = [ctypes.c_void_p]
    connection = xcb.xcb_connect(None, None)
    error = xcb.xcb_connection_has_error(connection)
    xcb.xcb_disconnect(connection)
    return not error


def check_screen() -> None:
    """Return quietly where a window can be opened.

    Raises:
        UserError: there is no screen, or it cannot be reached.
    """
    if not has_screen():
        raise UserError(
            tr("There is no screen to open the window on."), tr("Other commands work without: greenroom --help")
        )
    only_x11 = os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb" and not os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and only_x11 and not _answers():
        raise UserError(
            tr("The screen {name} cannot be reached.").format(name=os.environ["DISPLAY"]),
            tr("Start it on the screen's own machine, as the user who is logged in there, or set DISPLAY."),
        )
