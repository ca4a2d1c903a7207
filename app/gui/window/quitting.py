"""Closes the window, the study or the program while jobs run.

Asks what happens to the jobs, and can keep them running without a window.
"""

import os
import signal
import sys
import time
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QTimer
from PySide6.QtGui import QAction, QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from app.gui.jobs.job_center import Result
from app.gui.window.layout_state import WindowMemory
from app.gui.window.parts import WindowParts
from project.errors import UserError
from project.session.jobs import JobSpec, load_kind
from resources import resource
from resources.translation import tr, trn
from widgets.dialogs.dialog_windows import bring_to_front
from widgets.text_labels import plain_tip

_POLL_INTERVAL_MS = 500
_IDLE_POLLS = 2
"""So many looks in a row have to find no job: one may follow from the job that just ended."""
_SESSION_ENDS_S = 60.0
_MAX_LISTED = 6
OPEN_COMMAND = (sys.executable, "-m", "greenroom", "open", "--from-desktop")
"""What opens another study in a process of its own; the study comes last."""


class JobExitPolicy(StrEnum):
    """What becomes of jobs that run when their study is left."""

    KEEP = "keep"
    STOP = "stop"
    CANCEL = "cancel"


def exit_question(titles: Sequence[str], *, encrypted: bool, quits: bool) -> tuple[str, str]:
    """Return the question in a line, and what there is to know before answering.

    Args:
        titles: of the jobs that run or wait.
        encrypted: whether the study is encrypted.
        quits: whether the program ends, and not only the study is left.
    """
    head = trn("{count} job has not ended.", "{count} jobs have not ended.", len(titles))
    lines = [f"• {title}" for title in titles[:_MAX_LISTED]]
    if len(titles) > _MAX_LISTED:
        lines.append(trn("and {count} more", "and {count} more", len(titles) - _MAX_LISTED))
    kept = (
        tr("Jobs in the background run without a window until they end or you log out. Their results are saved.")
        if quits
        else tr("Jobs in the background run without a window. This study stays in use, and a new window opens.")
    )
    if encrypted:
        kept += " " + tr("The key of the study stays in memory until then.")
    stopped = tr("What is stopped can be resumed when the study is opened again.")
    return head, "\n\n".join(("\n".join(lines), kept, stopped))


class QuitController(QObject):
    """Decides whether the window may close, and holds it while it is closed and its jobs go on.

    Attributes:
        background: the window is closed, and jobs go on.
    """

    def __init__(self, window: WindowParts, memory: WindowMemory) -> None:
        super().__init__(window)
        self._window = window
        self._memory = memory
        self.background = False
        self._at_once = False
        self._session_ends = 0.0
        self._idle = 0
        self._ended: list[str] = []
        self._tray: QSystemTrayIcon | None = None
        self._hangup: Any = signal.SIG_DFL
        self._timer = QTimer(self, interval=_POLL_INTERVAL_MS)
        self._timer.timeout.connect(self._poll_jobs)
        window.jobs.done.connect(self._note_done)
        window.jobs.stopped.connect(self._note_stopped)
        window.studio.may_close_study = self.may_close_study
        app = QApplication.instance()
        if isinstance(app, QGuiApplication):
            app.commitDataRequest.connect(self._end_session)

    def may_close(self) -> bool:
        """Ask about jobs that run; tells whether the window may close now."""
        ends = self._at_once or time.monotonic() < self._session_ends
        choice = JobExitPolicy.STOP if ends else self._ask_exit_policy(quits=True)
        if choice is JobExitPolicy.KEEP:
            self.go_to_background()
        return choice is JobExitPolicy.STOP

    def may_close_study(self, path: Path | None) -> bool:
        """Ask about jobs that run before another study is opened, or none; tells whether it may be left here.

        Where the jobs go on, the other study opens in a window of its own.
        """
        choice = self._ask_exit_policy(quits=False)
        if choice is JobExitPolicy.KEEP:
            if not open_elsewhere(path):
                self._window.studio.failed.emit(
                    UserError(tr("Another window could not be opened."), tr("Wait for the jobs, or cancel them."))
                )
                return False
            self.go_to_background()
        return choice is JobExitPolicy.STOP

    def close_immediately(self) -> None:
        """Close without a question, as when the system ends the program: jobs are interrupted, and noted as that."""
        self._at_once = True
        self._window.close()

    def quit_from_background(self) -> None:
        """End the program once the window was closed: nothing else does where it was not in sight."""
        if self.background:
            self._leave_background()
            QApplication.quit()

    def go_to_background(self) -> None:
        """Close every window; the process ends once no job is left."""
        window, session = self._window, self._window.studio.session
        if session is None or self.background:
            return
        window.inspecting.flush()
        window.player.pause()
        window.commands.leave_full_screen()
        self._memory.save_window()
        self._memory.save_view()
        session.study.announce_background(True)
        self.background, self._idle = True, 0
        self._ended.clear()
        QApplication.setQuitOnLastWindowClosed(False)
        window.studio.apart.quiet = True
        window.windows.hide_all()
        window.help.close()
        for other in QApplication.topLevelWidgets():
            if other is not window and other.isVisible():
                other.close()
        window.hide()
        # A terminal that the program was started from is closed after the window.
        self._hangup = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self._show_tray()
        self._timer.start()
        if sys.stderr is not None and sys.stderr.isatty():
            print(
                trn(
                    "Greenroom: {count} job goes on in the background (process {process}).",
                    "Greenroom: {count} jobs go on in the background (process {process}).",
                    len(window.jobs.titles()),
                ).format(process=os.getpid()),
                file=sys.stderr,
            )

    def return_to_front(self) -> None:
        """Show the window, again or in front."""
        window, session = self._window, self._window.studio.session
        if self.background:
            self._leave_background()
            if session is not None:
                session.study.announce_background(False)
            window.windows.restore_state(window.windows.save_state())
        bring_to_front(window)
        self._report(self._ended)
        self._ended.clear()

    def report_ended_jobs(self) -> None:
        """Say what came of jobs that ended while no window was there."""
        notes = self._window.jobs.notes
        if notes is not None:
            self._report(notes.take_messages())

    def _ask_exit_policy(self, *, quits: bool) -> JobExitPolicy:
        session = self._window.studio.session
        titles = self._window.jobs.titles()
        if session is None or not titles or self.background:
            return JobExitPolicy.STOP
        head, more = exit_question(titles, encrypted=session.study.encryption_key is not None, quits=quits)
        return JobExitPolicy(self._window.files.questions.leave_jobs(head, more, quits=quits))

    def _poll_jobs(self) -> None:
        self._idle = 0 if self._window.jobs.titles() or self._window.studio.apart.busy else self._idle + 1
        if self._tray is not None:
            self._tray.setToolTip(plain_tip(self._tray_text()))
        if self._idle >= _IDLE_POLLS:
            if self._window.jobs.notes is not None:
                self._window.jobs.notes.keep_messages(self._ended)
            self.close_immediately()

    def _leave_background(self) -> None:
        self.background = False
        signal.signal(signal.SIGHUP, self._hangup)
        self._timer.stop()
        if self._tray is not None:
            self._tray.hide()
            self._tray.deleteLater()
            self._tray = None
        self._window.studio.apart.quiet = False
        QApplication.setQuitOnLastWindowClosed(True)

    def _note_done(self, work: JobSpec, result: Result) -> None:
        if self.background:
            self._ended.append(f"{work.title}: {load_kind(work.kind).summarize(work, result)}")

    def _note_stopped(self, work: JobSpec) -> None:
        problem = self._window.jobs.failure_of(work)
        if self.background and problem is not None:
            self._ended.append(f"{work.title}: {problem}")

    def _report(self, lines: Sequence[str]) -> None:
        if lines:
            head = trn("{count} job ended in the background.", "{count} jobs ended in the background.", len(lines))
            self._window.messages.show_message(f"{head} {lines[-1]}")

    def _end_session(self) -> None:
        self._session_ends = time.monotonic() + _SESSION_ENDS_S

    def _tray_text(self) -> str:
        count = len(self._window.jobs.titles())
        return trn("Greenroom: {count} job runs", "Greenroom: {count} jobs run", count)

    def _show_tray(self) -> None:
        """Put a sign where the desktop keeps those of programs without a window, if it does."""
        if not QSystemTrayIcon.isSystemTrayAvailable():
            return
        self._tray = QSystemTrayIcon(QIcon(str(resource("icons", "greenroom.svg"))), self)
        self._tray.setToolTip(plain_tip(self._tray_text()))
        menu = QMenu(self._window)
        for text, act in ((tr("Show Greenroom"), self.return_to_front), (tr("Stop and quit"), self.close_immediately)):
            action = QAction(text, menu)
            action.triggered.connect(act)
            menu.addAction(action)
        self._tray.setContextMenu(menu)
        self._tray.activated.connect(lambda _reason: self.return_to_front())
        self._tray.show()


def open_elsewhere(path: Path | None) -> bool:
    """Start another process of the program, on a study where one is named; tells whether it was started."""
    program, *arguments = OPEN_COMMAND
    started = QProcess.startDetached(program, [*arguments, *([str(path)] if path is not None else [])])
    return bool(started[0] if isinstance(started, tuple) else started)
