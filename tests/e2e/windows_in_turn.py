"""Opens a window of each kind, one after the other, on the screen that the environment names.

For each it prints a line of JSON: its name, its number at the X server and that of the main window; and it waits for a
line on standard input before the next.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QDialog, QWidget

from app.gui.startup import make_application
from app.gui.window.application import GarbageCollector
from app.gui.window.main_window import MainWindow
from widgets.dialogs.dialog_windows import ChoiceDialog

_SETTLED_MS = 120


def settle() -> None:
    """Let the window manager place what was shown."""
    loop = QEventLoop()
    QTimer.singleShot(_SETTLED_MS, loop.quit)
    loop.exec()


def tell(name: str, main: QWidget, window: QWidget) -> None:
    """Print which window is open, and wait until somebody has looked at it."""
    settle()
    print(json.dumps({"name": name, "main": int(main.winId()), "window": int(window.winId())}), flush=True)
    sys.stdin.readline()


def open_dialog(name: str, main: QWidget, trigger: Callable[[], None]) -> None:
    """Open a dialog, also one that waits in a loop of its own, tell of it, and close it."""
    seen: list[QWidget] = []

    def look() -> None:
        shown = [
            widget for widget in QApplication.topLevelWidgets() if isinstance(widget, QDialog) and widget.isVisible()
        ]
        if shown and not seen:
            seen.append(shown[0])
            tell(name, main, shown[0])
            shown[0].close()

    timer = QTimer()
    timer.timeout.connect(look)
    timer.start(50)
    trigger()
    while not seen:
        settle()
    timer.stop()
    settle()


def main() -> None:
    """Open the study that is named first on the command line, and then the windows."""
    make_application()
    window = MainWindow()
    GarbageCollector(window.studio)
    window.show()
    window.open_study(Path(sys.argv[1]))
    settle()
    for key in ("segments", "policy"):
        shown = window.windows.open_window(key).window()
        tell(key, window, shown)
        # Asked for again, it comes back from behind.
        window.activateWindow()
        window.raise_()
        settle()
        window.windows.open_window(key)
        tell(f"{key} again", window, shown)
        shown.close()
    shown = window.help.open_tutorial()
    tell("help", window, shown)
    shown.close()
    open_dialog("choice", window, lambda: ChoiceDialog("A", "B", "C", [("d", "D", "D")], ("E", "E")).show())
    for key in ("shortcuts", "about"):
        open_dialog(key, window, window.menus.actions[key].trigger)
    print(json.dumps({"name": ""}), flush=True)
    window.quitting.close_immediately()


if __name__ == "__main__":
    main()
