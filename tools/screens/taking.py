"""Takes pictures of widgets, one after another, once they stand still."""

import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QTimer
from PySide6.QtWidgets import QApplication, QLabel, QProgressBar, QTabWidget, QWidget

from app.gui.export.export_preview import BeforeAfter
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from project.session.session import Session
from tests.builders.waiting import HANG_S
from widgets.plots.plot_view import PlotView
from widgets.progress_bars import StatusLine

_POLL_MS = 20
_STILL_S = 0.12
"""How long nothing may happen before a picture is taken."""
_LOOK_MS = 300
_OPENS_S = 10.0
"""How long a dialog may take to come that does not wait until it is closed."""
_UNDER_WAY = ("Computing", "Drawing", "Looking at", "Looking for", "Finding the exact", "Reading")
"""How a line begins that says what is awaited."""


SCENES: "dict[str, Scene]" = {}
"""How the names of pictures begin -> what takes them; the study is open before and after, its last recording shown."""


def scene(*names: str) -> "Callable[[Scene], Scene]":
    """Register a function that takes the pictures whose names begin like these."""

    def register(take: Scene) -> Scene:
        SCENES.update(dict.fromkeys(names, take))
        return take

    return register


class WindowCamera:
    """Writes pictures into a folder; `wanted` are parts of names, all pictures where it is empty."""

    def __init__(self, window: MainWindow, folder: Path, wanted: tuple[str, ...] = ()) -> None:
        self.window = window
        self.taken: list[Path] = []
        self.seen: set[str] = set()
        """Classes of the widgets that were in sight in a picture."""
        self._folder = folder
        self._wanted = wanted

    @property
    def session(self) -> Session:
        """The session of the study that is open."""
        session = self.window.studio.session
        assert session is not None
        return session

    def wants(self, name: str) -> bool:
        """Return whether a picture of that name, or of a part of it, is asked for."""
        return not self._wanted or any(text in name for text in self._wanted)

    def settle(self, seconds: float = _STILL_S, until: Callable[[], bool] | None = None) -> None:
        """Let the window work until nothing is under way any more, and then a moment.

        Raises:
            TimeoutError: it does not end.
        """
        QApplication.processEvents()
        end = time.monotonic() + HANG_S
        still = time.monotonic() + seconds
        while time.monotonic() < still:
            _wait(_POLL_MS)
            if until is not None and not until():
                still = time.monotonic() + seconds
            if still > end:
                raise TimeoutError("what is awaited for a picture does not end")
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    def take(
        self, name: str, widget: QWidget | None = None, seconds: float = _STILL_S, *, while_busy: bool = False
    ) -> None:
        """Take a picture of a widget, or of the whole window, once it computes nothing; `while_busy` also before."""
        shown = widget or self.window
        self.settle(seconds, until=None if while_busy else lambda: not (self.window.background.busy or _busy(shown)))
        path = self._folder / f"{name}.png"
        shown.grab().save(str(path))
        self.taken.append(path)
        parts = (shown, *shown.findChildren(QWidget))
        self.seen |= {one.__name__ for part in parts if part.isVisible() for one in type(part).__mro__}

    def tabs(self, name: str, widget: QWidget, whole: QWidget | None = None, seconds: float = _STILL_S) -> None:
        """Take a picture of a widget, and one of each further tab in it."""
        self.take(name, whole or widget, seconds)
        found = [child for child in widget.findChildren(QTabWidget) if child.isVisible() and child.count() > 1][:1]
        for tabs in found:
            first = tabs.currentIndex()
            for at in range(tabs.count()):
                if at != first and tabs.isTabVisible(at) and tabs.isTabEnabled(at):
                    tabs.setCurrentIndex(at)
                    self.take(f"{name}-{_plain(tabs.tabText(at))}", whole or widget, seconds)
            tabs.setCurrentIndex(first)

    def popup(self, name: str) -> None:
        """Take a picture of the menu that is open, and close it."""
        self.settle()
        shown = QApplication.activePopupWidget()
        if shown is None:
            raise LookupError(f"no menu is open for {name}")
        self.take(name, shown)
        shown.close()

    def modal(
        self,
        name: str,
        ask: Callable[[], object],
        prepare: Callable[[QWidget], object] | None = None,
        *,
        while_busy: bool = False,
    ) -> None:
        """Take a picture of a dialog that `ask` opens, and close it; also of one that waits until it is closed.

        Args:
            name: of the picture.
            ask: opens it.
            prepare: does something in it first.
            while_busy: the dialog says that work goes on, and goes when the work ends: nothing is waited for.

        Raises:
            LookupError: nothing was opened.
        """
        before = {widget for widget in QApplication.topLevelWidgets() if widget.isVisible()}
        done: list[bool] = []
        # Over a busy window a dialog may take long to come, and one that nobody closes would wait for ever.
        looking = QTimer(interval=_LOOK_MS)

        def shoot() -> None:
            shown = [widget for widget in QApplication.topLevelWidgets() if widget.isVisible() and widget not in before]
            if not shown:
                return
            looking.stop()
            try:
                if prepare is not None:
                    prepare(shown[-1])
                if while_busy:
                    self.take(name, shown[-1], while_busy=True)
                else:
                    self.tabs(name, shown[-1])
            finally:
                done.append(True)
                for widget in shown:
                    widget.close()

        looking.timeout.connect(shoot)
        looking.start()
        ask()
        end = time.monotonic() + _OPENS_S
        while not done and time.monotonic() < end:
            self.settle()
        looking.stop()
        if not done:
            raise LookupError(f"nothing was opened for {name}")
        self.settle(0.5)


Scene = Callable[[WindowCamera], None]


@contextmanager
def sample_window(study: Path, folder: Path, questions: Dialogs | None = None) -> Iterator[WindowCamera]:
    """Show the only recording of a study in a window of its own; `questions` answer its dialogs."""
    from app.gui.startup import make_application
    from project.queries.recording_rows import all_recordings
    from tools.screens.answers import NobodyThere

    app = make_application()
    window = MainWindow(questions or NobodyThere(Path.cwd()))
    window.commands.set_theme("light")
    window.resize(1280, 800)
    window.show()
    window.studio.open(study, "Ada")
    camera = WindowCamera(window, folder)
    (recording,) = all_recordings(camera.session.study)
    window.choose_recording(recording.id)
    yield camera
    window.close()
    app.processEvents()


def offscreen_platform(folder: Path, width: int, height: int) -> str:
    """Return the platform of Qt's that has one screen of a size, which a file in a folder describes."""
    screen = {"name": "screen", "x": 0, "y": 0, "width": width, "height": height}
    layout = folder / "screen.json"
    layout.write_text(json.dumps({"screens": [{**screen, "logicalDpi": 96, "logicalBaseDpi": 96, "dpr": 1}]}))
    return f"offscreen:configfile={layout}"


def use_own_folders(folder: str, platform: str = "offscreen") -> None:
    """Let this process keep settings and caches in a folder, have no screen, and work there."""
    os.environ |= {"QT_QPA_PLATFORM": platform, "GREENROOM_AOUT": "dummy"}
    for name in ("CONFIG", "CACHE", "DATA", "STATE"):
        os.environ[f"XDG_{name}_HOME"] = f"{folder}/{name.lower()}"
    os.chdir(folder)


def _wait(milliseconds: int) -> None:
    """Let the window work; QTest.qWait would leave threads little time, because it sleeps with Python's lock."""
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def _busy(widget: QWidget) -> bool:
    """Return whether it says that it computes something."""
    bars = (child for child in widget.findChildren(QProgressBar) if child.isVisible() and not child.maximum())
    labels: list[QLabel | BeforeAfter] = [*widget.findChildren(QLabel), *widget.findChildren(BeforeAfter)]
    lines = (label for label in labels if label.isVisible() and label.text().startswith(_UNDER_WAY))
    told = (child for child in widget.findChildren(StatusLine) if child.line.isVisible())
    plots = (view for view in widget.findChildren(PlotView) if not view.is_drawn and not view.visibleRegion().isEmpty())
    return any(True for _ in chain(bars, lines, told, plots))


def _plain(text: str) -> str:
    return "".join(one if one.isalnum() else "-" for one in text.replace("&", "").lower()).strip("-")
