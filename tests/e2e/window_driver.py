"""Uses the real window as a person does, at random from a seed: menus, dialogs, modes, files and studies.

    python -m tests.e2e.window_driver SEED SECONDS STUDY OTHER_STUDY

Mouse and keys go through the X server, so the window manager has its say. A logged error, a warning of Qt or a
traceback ends it with code 1 and the last steps.
"""

import logging
import os
import random
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QRect, Qt, QTimer, QtMsgType, QUrl, Slot, qInstallMessageHandler
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QFileDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from app.gui.startup import make_application
from app.gui.window.application import run
from app.gui.window.main_window import MainWindow
from tests.builders.screen_input import ScreenInput

_STEP_MS = 90
"""Between two steps: the window shows what the last one did, as it does for quick hands."""
_KEPT_STEPS = 40
_HIDDEN_S = 5.0
"""How long jobs may go on without a window before the program is started again, which shows it."""
_CONTROLS = (
    *(QAbstractButton, QAbstractItemView, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit),
    *(QPlainTextEdit, QTabBar),
)
_EDITING_KEYS = (
    *"IOAECNSXZRT12PVWYQKGD[],.",
    *("Space", "Return", "Esc", "Left", "Right", "Home", "End", "Tab", "Down"),
)
_WORDS = ("a", "ada", "0:01", "12", "one two", "study", "sample.mp4", "x-1", "")
_HARMLESS = "This plugin does not support"


class WindowDriver(QObject):
    """Takes a step whenever its timer asks for one, in dialogs that wait too."""

    def __init__(self, seed: str, seconds: float, studies: list[Path]) -> None:
        super().__init__()
        self._random, self._studies = random.Random(seed), studies
        self._end = time.monotonic() + seconds
        self._input = ScreenInput()
        self._entries: list[list[QAction]] = []
        self._path: list[QAction] = []
        self._hidden_since: float | None = None
        self.steps: deque[str] = deque(maxlen=_KEPT_STEPS)
        self.count = 0
        self.failures: list[str] = []
        self._timer = QTimer(self, interval=_STEP_MS)
        self._timer.timeout.connect(self._step)
        self._timer.start()
        for scheme in ("http", "https", "file", "mailto"):
            QDesktopServices.setUrlHandler(scheme, self, "open_outside")

    @Slot(QUrl)
    def open_outside(self, _url: QUrl) -> None:
        """Open nothing beside the program."""

    def fail(self, text: str) -> None:
        """Note a fault, and stop."""
        self.failures.append(text)
        self._timer.stop()
        QTimer.singleShot(0, lambda: os.kill(os.getpid(), signal.SIGTERM))

    def _step(self) -> None:
        window = next((widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)), None)
        if window is None:
            return
        if time.monotonic() > self._end:
            self._timer.stop()
            os.kill(os.getpid(), signal.SIGTERM)
        elif not window.isVisible():
            self._return_from_background()
        else:
            self._hidden_since = None
            self._act(window)

    def _return_from_background(self) -> None:
        self._hidden_since = self._hidden_since or time.monotonic()
        if time.monotonic() - self._hidden_since > _HIDDEN_S:
            self._hidden_since = None
            os.kill(os.getpid(), signal.SIGUSR1)

    def _act(self, window: MainWindow) -> None:
        popup, modal = QApplication.activePopupWidget(), QApplication.activeModalWidget()
        active = modal or QApplication.activeWindow() or window
        if isinstance(popup, QMenu):
            self._use_menu(popup)
        elif popup is not None:
            self._press(self._random.choice(["Down", "Down", "Return", "Esc"]))
        elif isinstance(active, QFileDialog):
            self._use_file_dialog(active)
        elif active is not window:
            self._use_dialog(active)
        else:
            self._use_window(window)

    # Where to act

    def _use_menu(self, menu: QMenu) -> None:
        wanted = self._path.pop(0) if self._path else None
        if wanted is None and self._random.random() < 0.5:
            possible = [action for action in menu.actions() if action.isEnabled() and not action.isSeparator()]
            wanted = self._random.choice(possible) if possible else None
        if wanted is None or wanted not in menu.actions() or not wanted.isEnabled():
            self._path = []
            self._press("Esc")
            return
        _, mark, after = wanted.text().partition("&")
        if mark and after[:1].isalnum() and self._random.random() < 0.5:
            self._press(after[0])
        else:
            place = menu.actionGeometry(wanted).center()
            self._note(f"entry {wanted.text()}")
            self._input.click(menu.mapToGlobal(place))

    def _use_file_dialog(self, dialog: QFileDialog) -> None:
        if self._random.random() < 0.5:
            study = self._random.choice(self._studies)
            name = self._random.choice([str(study), study.name[:3], f"{study.parent}/", "new-1", "no/such", *_WORDS])
            self._press("Ctrl+A")
            self._note(f"types {name!r} into {dialog.windowTitle()}")
            self._input.type_text(name)
        else:
            self._press(self._random.choice(["Return", "Return", "Esc", "Down", "Tab"]))

    def _use_dialog(self, window: QWidget) -> None:
        chance = self._random.random()
        if chance < 0.12:
            self._press("Esc")
        elif chance < 0.2:
            self._press("Alt+F4")
        elif chance < 0.3:
            self._press(self._random.choice(["Return", "Tab", "F1", "Space", "Down"]))
        else:
            self._use_control(window)

    def _use_window(self, window: MainWindow) -> None:
        steps: list[tuple[int, Callable[[MainWindow], None]]] = [
            (6, self._open_menu),
            (2, self._press_shortcut),
            (2, lambda _window: self._press(f"Ctrl+{self._random.randint(1, 8)}")),
            (5, self._use_control),
            (2, self._use_timeline),
            (3, lambda _window: self._press(self._random.choice(_EDITING_KEYS))),
            (1, self._use_palette),
        ]
        chosen = self._random.choices([step for _, step in steps], [weight for weight, _ in steps])
        chosen[0](window)

    def _open_menu(self, window: MainWindow) -> None:
        """Begin to open the entry of the menus whose turn it is."""
        bar = window.menuBar()
        if not bar.isVisible():
            self._press("Esc")
            return
        if not self._entries:
            self._entries = [[action, *rest] for action in bar.actions() for rest in _leaves(action.menu())]
            self._random.shuffle(self._entries)
        first, *self._path = self._entries.pop()
        _, mark, after = first.text().partition("&")
        if mark and self._random.random() < 0.4:
            self._press(f"Alt+{after[0]}")
        else:
            self._note(f"menu {first.text()}")
            self._input.click(bar.mapToGlobal(bar.actionGeometry(first).center()))

    def _press_shortcut(self, window: MainWindow) -> None:
        keys = [key.toString() for action in window.menus.actions.values() for key in action.shortcuts()]
        self._press(self._random.choice(keys))

    def _use_timeline(self, window: MainWindow) -> None:
        area = window.timeline.viewport()
        start, end = (self._point_in(area, area.rect()) for _ in range(2))
        if not area.isVisible():
            return
        self._note("timeline")
        if self._random.random() < 0.5:
            self._input.drag(start, end)
        else:
            self._input.click(start, self._random.choice([1, 1, 3]))

    def _use_palette(self, _window: MainWindow) -> None:
        self._press("Ctrl+K")
        self._input.type_text(self._random.choice(["rev", "exp", "stu", "seg", "mod", "no"]))
        self._press("Return")

    def _use_control(self, window: QWidget) -> None:
        """Click a control that is in sight, turn the wheel over it, or type into it."""
        found = [
            widget
            for widget in window.findChildren(QWidget)
            if isinstance(widget, _CONTROLS)
            and widget.isVisible()
            and widget.isEnabled()
            and widget.window() is window
            and not widget.visibleRegion().isEmpty()
        ]
        if not found:
            self._press("Esc")
            return
        control = self._random.choice(found)
        name = control.accessibleName() or getattr(control, "text", str)()
        self._note(f"{type(control).__name__} {name!r} in {window.windowTitle()!r}")
        place = self._point_in(control, control.visibleRegion().boundingRect())
        if QApplication.topLevelAt(place) is not window:
            return
        if self._random.random() < 0.15:
            self._input.click(place, self._random.choice([4, 5]))
            return
        self._input.click(place, 3 if self._random.random() < 0.05 else 1)
        if isinstance(control, QLineEdit | QPlainTextEdit | QAbstractSpinBox):
            self._input.type_text(self._random.choice(_WORDS))

    # How to act

    def _point_in(self, widget: QWidget, room: QRect) -> QPoint:
        x, y = self._random.random(), self._random.random()
        if not isinstance(widget, QAbstractItemView | QTabBar):
            x, y = 0.3 + 0.4 * x, 0.3 + 0.4 * y
        return widget.mapToGlobal(room.topLeft() + QPoint(int(x * room.width()), int(y * room.height())))

    def _press(self, keys: str) -> None:
        self._note(f"key {keys}")
        self._input.press(keys)

    def _note(self, step: str) -> None:
        self.count += 1
        self.steps.append(step)


def _leaves(menu: QMenu | None) -> Iterator[list[QAction]]:
    """Yield the entries of a menu, each after the menus inside it that lead there."""
    for action in menu.actions() if menu is not None else ():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from ([action, *rest] for rest in _leaves(inner))
        elif not action.isSeparator():
            yield [action]


class FaultLog(logging.Handler):
    """Hands what is logged as a warning or worse to the driver."""

    def __init__(self, driver: WindowDriver) -> None:
        super().__init__(logging.WARNING)
        self._driver = driver

    def emit(self, record: logging.LogRecord) -> None:
        self._driver.fail(self.format(record))


def main() -> int:
    """Open the first study and use the window; returns the exit code."""
    seed, seconds, *studies = sys.argv[1:]
    make_application()
    QApplication.instance().setAttribute(Qt.ApplicationAttribute.AA_DontUseNativeDialogs)
    driver = WindowDriver(seed, float(seconds), [*map(Path, studies)])

    def look_at_message(kind: QtMsgType, _context: object, text: str) -> None:
        if kind not in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) and _HARMLESS not in text:
            driver.fail(f"Qt: {text}")

    qInstallMessageHandler(look_at_message)
    QTimer.singleShot(0, lambda: logging.getLogger().addHandler(FaultLog(driver)))
    code = run(Path(studies[0]), recording="1", stay=True)
    print("\n".join([f"Seed {seed}, {driver.count} steps. The last ones:", *driver.steps, "", *driver.failures]))
    return 1 if driver.failures else code


if __name__ == "__main__":
    sys.exit(main())
