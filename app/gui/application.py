"""Starts the window."""

import logging
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, QSocketNotifier, QTimer
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.core.lookup import recording_called
from app.core.settings import log_path
from app.gui.collector import Collector
from app.gui.first_start import FirstStart
from app.gui.main_window import MainWindow
from app.gui.passphrase import Asking
from app.gui.screen import check_screen
from app.gui.warming import Warming
from models.connection import sentinel
from project.damage import damage_behind
from project.errors import UserError
from project.progress import Progress
from project.sealing.passphrases import ask_with
from project.version import __version__
from resources import resource

_log = logging.getLogger("greenroom")
_AFTER_MS = 3_000
"""Milliseconds after the start: what is on the screen comes first."""
_SWITCH_S = 0.0005
"""How long a thread of the window may compute before another one of them has a turn.

While another thread computes, the window waits so long at each of its many calls of Qt and SQLite; Python's own
choice is 5 ms.
"""


def run(
    study: Path | None = None,
    annotator: str | None = None,
    recording: str | None = None,
    at_us: int | None = None,
    stay: bool = False,
    recordings: Sequence[Path] = (),
) -> int:
    """Open the window, on a study if one is given, and return when it is closed.

    Args:
        study: what to open.
        annotator: under whose name edits are recorded; by default the one of the settings.
        recording: number, file name or id of the one to show; the one that was shown last when None.
        at_us: the time to show; where the recording was left when None.
        stay: open the window in any case, and say in it what is wrong with the study.
        recordings: files of which the window offers to make a study.

    Raises:
        UserError: there is no screen, or the study cannot be opened, or has no such recording.
    """
    sentinel.install()
    check_screen()
    log = log_path()
    logging.basicConfig(filename=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    app = make_application()
    window = MainWindow()
    ask_with(Asking(window).ask)
    _report_bugs(window, log)
    signals = CloseOnSignals(window)
    warming = Warming(window)
    Collector(window.studio)
    QTimer.singleShot(_AFTER_MS, window, lambda: window.background.run(_sweep, lambda _nothing: None))
    place = None
    if study is not None and stay:
        window.show()
        window.open_study(study)
    elif study is not None:
        try:
            if not window.files.make_way(study):
                window.close()
                return 0
            window.studio.open(study, annotator)
            place = _place(window, recording)
        except UserError:
            window.quitting.close_at_once()
            raise
    window.show()
    if place is not None and at_us is not None:
        window.look_at(place, at_us)
    elif place is not None:
        window.choose_recording(place)
    if recordings:
        QTimer.singleShot(0, window, lambda: window.files.begin_with(recordings))
    start = FirstStart(window)
    if study is None and not recordings:
        start.ask()
    code = app.exec()
    warming.close()
    signals.close()
    return code


def _sweep(_progress: Progress) -> None:
    from app.core.leftovers import sweep_leftovers

    sweep_leftovers()


def _place(window: MainWindow, recording: str | None) -> str | None:
    session = window.studio.session
    return recording_called(session, recording).id if session is not None and recording is not None else None


def make_application() -> QApplication:
    """Return the application object; there is one for each process."""
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    sys.setswitchinterval(_SWITCH_S)
    app.setApplicationName("Greenroom")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("greenroom")
    app.setWindowIcon(QIcon(str(resource("icons", "greenroom.svg"))))
    return app


def _report_bugs(window: MainWindow, log: Path) -> None:
    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.quitting.close_at_once()
        elif isinstance(error, UserError):
            window.show_error(error)
        elif (damage := _damage(window, error)) is not None:
            _log.error("A damaged study", exc_info=(kind, error, trace))
            window.show_error(damage)
        else:
            _log.error("Unexpected error", exc_info=(kind, error, trace))
            window.show_bug(f"{kind.__name__}: {error}", log)

    def report_thread(args: threading.ExceptHookArgs) -> None:
        _log.error("Unexpected error in %s: %s", args.thread, args.exc_value)

    sys.excepthook = report
    threading.excepthook = report_thread


def _damage(window: MainWindow, error: BaseException) -> UserError | None:
    """Return what to say where the open study, and not the program, is why something failed."""
    session = window.studio.session
    return None if session is None else damage_behind(error, [session.study.path])


class CloseOnSignals(QObject):
    """Lets Ctrl+C, a polite kill and the end of a terminal close the study as the window's own button does, at once.

    Jobs that run are noted as interrupted. SIGUSR1 shows the window, also one that was closed while its jobs go on.

    Python runs a signal's handler between two of its own instructions; the byte that it writes wakes it up to do so.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        # Both ends stay referenced as long as the notifier lives: a closed end reads as ready for ever, and its number
        # may be another file's by the time a signal writes to it.
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._woken)
        signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: window.quitting.close_at_once())
        signal.signal(signal.SIGUSR1, lambda *_: window.quitting.return_to_front())

    def close(self) -> None:
        """Listen no more."""
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()

    def _woken(self) -> None:
        self._reading.recv(64)
