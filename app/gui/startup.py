"""Creates the Qt application after checking that a screen is reachable; without one, Qt aborts the process.

Also keeps PySide from reading the source of every imported module.
"""

import ctypes
import os
import sys
from importlib import import_module

import PySide6.QtCore  # noqa: F401  `shibokensupport` is there once this was imported.
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from project.errors import UserError
from project.version import __version__
from resources import resource
from resources.translation import tr

_SWITCH_INTERVAL_S = 0.0005
"""How long a thread of the window may compute before another one of them has a turn.

While another thread computes, the window waits so long at each of its many calls of Qt and SQLite; Python's own
choice is 5 ms.
"""


def make_application() -> QApplication:
    """Return the application object; there is one for each process."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    sys.setswitchinterval(_SWITCH_INTERVAL_S)
    app.setApplicationName("Greenroom")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("greenroom")
    app.setWindowIcon(QIcon(str(resource("icons", "greenroom.svg"))))
    return app


def has_screen() -> bool:
    """Tell whether there is any screen that a window could be on."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if sys.platform != "linux" or platform not in ("", "xcb"):
        return True
    return bool(os.environ.get("DISPLAY") or (os.environ.get("WAYLAND_DISPLAY") and not platform))


def _is_display_reachable() -> bool:
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
    """Return quietly where a window can be opened."""
    if not has_screen():
        raise UserError(
            tr("There is no screen to open the window on."), tr("Commands that need no screen: greenroom --help")
        )
    only_x11 = os.environ.get("QT_QPA_PLATFORM", "xcb") == "xcb" and not os.environ.get("WAYLAND_DISPLAY")
    if sys.platform == "linux" and only_x11 and not _is_display_reachable():
        raise UserError(
            tr("The screen {name} cannot be reached.").format(name=os.environ["DISPLAY"]),
            tr("Start it on the screen's own machine, as the user who is logged in there, or set DISPLAY."),
        )


def leave_sources_unread() -> None:
    """Tell PySide that no module uses its other spellings (`from __feature__ import snake_case`), as none here does.

    By itself it reads the source of each module to see that, and keeps it: 870 files, a sixth of the time that the
    window's modules take to be imported, 17 MB. A PySide that looks for it in another way goes on doing so.
    """
    names = vars(import_module("shibokensupport.feature"))
    if "_mod_uses_pyside" in names:
        names["_mod_uses_pyside"] = lambda _module: False
