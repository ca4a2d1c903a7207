"""Runs the program's window.

Shows the first-start dialog, preloads modules, collects garbage while nobody waits, and closes the study on a signal.
"""

import logging
import signal
import socket  # noqa: TID251
import sys
import threading
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QCoreApplication, QObject, QSocketNotifier, Qt, QTimer
from PySide6.QtGui import QGuiApplication

from annotate.interchange.annotation_files import FORMATS
from anonymize.methods.face_methods import METHODS
from anonymize.release.release_plan import ReleasePlan
from anonymize.sound.voice_methods import VOICES
from app.gui.files.encryption import PassphrasePrompt
from app.gui.files.start_dialog import StartDialog
from app.gui.startup import check_screen, make_application
from app.gui.study.background import BackgroundPool
from app.gui.study.study_controller import StudyController
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import VIEW_TABS
from models.connection import network_sandbox
from project.codec import adapter
from project.encryption.passphrases import set_asker
from project.errors import UserError
from project.integrity.integrity_check import damage_error
from project.progress import Progress
from project.schema.format_versions import VERSIONS, expected_entries
from project.schemes.scheme_file import load_scheme, shipped_names
from project.session.gc_control import collect_all, collect_recent, disable_automatic_collection
from project.session.session import resolve_recording
from project.session.settings import log_path

_EVERY_MS = 500
_AWAY_MS = 10_000
"""How long another program must be in front, or no study open, before all is searched, and how often then."""
_FULL_GC_INTERVAL_MS = 3_600_000
"""So often all is searched whatever is in front: what goes on for days would fill the memory."""


class GarbageCollector(QObject):
    """Collects recent objects every half second, and all of them while another program is in front, or once an hour.

    A full pass pauses every thread for about 0.5 s. Only the window's thread collects, because destroying a QObject in
    another thread can deadlock.
    """

    def __init__(self, studio: StudyController) -> None:
        super().__init__(studio)
        self._studio = studio
        self._grown = False
        disable_automatic_collection()
        self._often = QTimer(self, interval=_EVERY_MS)
        self._often.timeout.connect(self._collect_recent)
        self._often.start()
        self._away = QTimer(self, interval=_AWAY_MS)
        self._away.timeout.connect(self._collect_all)
        self._at_least = QTimer(self, interval=_FULL_GC_INTERVAL_MS)
        self._at_least.timeout.connect(collect_all)
        self._at_least.start()
        studio.session_changed.connect(self._on_application_state)
        application = QCoreApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.applicationStateChanged.connect(self._on_application_state)

    def _on_application_state(self) -> None:
        in_front = QGuiApplication.applicationState() == Qt.ApplicationState.ApplicationActive
        if in_front and self._studio.session is not None:
            self._away.stop()
        elif not self._away.isActive():
            self._away.start()

    def _collect_recent(self) -> None:
        self._grown = collect_recent() or self._grown

    def _collect_all(self) -> None:
        if self._grown:
            self._grown = False
            collect_all()


class FirstStart:
    """Asks once, at the first start of the program, and never again."""

    def __init__(self, window: "MainWindow") -> None:
        self._window = window
        self.dialog: StartDialog | None = None

    def show_dialog(self) -> None:
        """Show the dialog over the window, where it was not shown before."""
        settings = self._window.studio.settings
        if settings.welcomed or settings.recent:
            return
        self.dialog = self._window.files.make_start_dialog(first=True)
        self.dialog.finished.connect(self._on_closed)
        self.dialog.open()

    def _on_closed(self, result: int) -> None:
        dialog, self.dialog = self.dialog, None
        if dialog is None:
            return
        self._window.studio.change_settings(lambda kept: replace(kept, welcomed=True))
        if result == StartDialog.DialogCode.Accepted:
            self._window.files.create_study(dialog.plan())
        dialog.deleteLater()


HELP_WINDOW = "app.gui.help.help_window:HelpWindow"
_LATE_MODULE = "numpy.ma"
"""What numpy loads when it is first asked which values there are."""
_PRELOAD_DELAY_MS = 1_500
"""Milliseconds after the start: what is on the screen comes first."""


class ModulePreloader(QObject):
    """A thread of its own that imports, and ends by itself."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._thread = BackgroundPool(self, threads=1)
        self.done = False
        QTimer.singleShot(_PRELOAD_DELAY_MS, self, self._start)

    def close(self) -> None:
        """Stop, and wait until the thread is gone."""
        self._thread.close()

    def _start(self) -> None:
        self._thread.run(_preload_modules, self._end)

    def _end(self, _nothing: object) -> None:
        self.done = True


def _preload_modules(progress: Progress) -> None:
    from benchmark.metrics.published_figures import published_scores

    registered = (*FORMATS.values(), *METHODS.values(), *VOICES.values())
    for factory in (*(tab.factory for tab in VIEW_TABS), HELP_WINDOW, *registered):
        progress.check_cancelled()
        import_module(factory.split(":")[0])
    import_module(_LATE_MODULE)
    for name in shipped_names():
        progress.check_cancelled()
        load_scheme(name)
    published_scores()
    expected_entries(len(VERSIONS))
    adapter(ReleasePlan)


_log = logging.getLogger("greenroom")
_SWEEP_DELAY_MS = 3_000
"""Milliseconds after the start: what is on the screen comes first."""


def run(
    study: Path | None = None,
    annotator: str | None = None,
    recording: str | None = None,
    at_us: int | None = None,
    stay: bool = False,
    recordings: Sequence[Path] = (),
    demo: bool = False,
) -> int:
    """Open the window, on a study if one is given, and return when it is closed.

    Args:
        study: what to open.
        annotator: under whose name edits are recorded; by default the one of the settings.
        recording: number, file name or id of the one to show; the one that was shown last when None.
        at_us: the time to show; where the recording was left when None.
        stay: open the window in any case, and say in it what is wrong with the study.
        recordings: files of which the window offers to make a study.
        demo: whether the study is the demo's, whose steps are done as jobs of the window.
    """
    network_sandbox.install_audit_hook()
    check_screen()
    log = log_path()
    logging.basicConfig(filename=log, level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    app = make_application()
    window = MainWindow()
    set_asker(PassphrasePrompt(window).ask)
    _report_bugs(window, log)
    signals = CloseOnSignals(window)
    warming = ModulePreloader(window)
    GarbageCollector(window.studio)
    QTimer.singleShot(_SWEEP_DELAY_MS, window, lambda: window.background.run(_remove_leftovers, lambda _nothing: None))
    place = None
    if study is not None and stay:
        window.show()
        window.open_study(study)
    elif study is not None:
        try:
            if not window.files.confirm_not_busy(study):
                window.close()
                return 0
            window.studio.open(study, annotator)
            place = _find_recording_id(window, recording)
        except UserError:
            window.quitting.close_immediately()
            raise
    window.show()
    if place is not None and at_us is not None:
        window.look_at(place, at_us)
    elif place is not None:
        window.choose_recording(place)
    if demo:
        window.demo.start()
    if recordings:
        QTimer.singleShot(0, window, lambda: window.files.new_study_with(recordings))
    start = FirstStart(window)
    if study is None and not recordings:
        start.show_dialog()
    code = app.exec()
    warming.close()
    signals.close()
    return code


def _remove_leftovers(_progress: Progress) -> None:
    from anonymize.local_files.file_traces import remove_leftovers

    remove_leftovers()


def _find_recording_id(window: MainWindow, recording: str | None) -> str | None:
    session = window.studio.session
    return resolve_recording(session, recording).id if session is not None and recording is not None else None


def _report_bugs(window: MainWindow, log: Path) -> None:
    def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            window.quitting.close_immediately()
        elif isinstance(error, UserError):
            window.show_failure(error)
        elif (damage := _damage_error(window, error)) is not None:
            _log.error("A damaged study", exc_info=(kind, error, trace))
            window.show_error(damage)
        else:
            _log.error("Unexpected error", exc_info=(kind, error, trace))
            window.show_bug(f"{kind.__name__}: {error}", log)

    def report_thread(args: threading.ExceptHookArgs) -> None:
        _log.error("Unexpected error in %s: %s", args.thread, args.exc_value)

    sys.excepthook = report
    threading.excepthook = report_thread


def _damage_error(window: MainWindow, error: BaseException) -> UserError | None:
    """Return what to say where the open study, and not the program, is why something failed."""
    session = window.studio.session
    return None if session is None else damage_error(error, [session.study.path])


class CloseOnSignals(QObject):
    """Lets Ctrl+C, a polite kill and the end of a terminal close the study as the window's own button does, at once.

    Jobs that run are noted as interrupted. SIGUSR1 shows the window, also one that was closed while its jobs go on.

    Python runs a signal's handler between two of its own instructions; the byte that it writes wakes it up to do so.
    """

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        # Both ends stay referenced as long as the notifier lives: a closed end reads as ready forever, and its number
        # may be another file's by the time a signal writes to it.
        self._reading, self._writing = socket.socketpair()
        for end in (self._reading, self._writing):
            end.setblocking(False)
        self._notifier = QSocketNotifier(self._reading.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._on_wakeup)
        signal.set_wakeup_fd(self._writing.fileno(), warn_on_full_buffer=False)
        for signal_number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(signal_number, lambda *_: window.quitting.close_immediately())
        signal.signal(signal.SIGUSR1, lambda *_: window.quitting.return_to_front())

    def close(self) -> None:
        """Listen no more."""
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        self._reading.close()
        self._writing.close()

    def _on_wakeup(self) -> None:
        self._reading.recv(64)
