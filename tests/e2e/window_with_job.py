"""Opens the real window on a study, as `greenroom open` does, and does in it what somebody would do with a job.

    python -m tests.e2e.window_with_job STUDY WHAT

WHAT is `start` (tracks faces, and stays), or `resume` (resumes what was interrupted, and closes the window with the job
going on). It prints a word for each thing that happens.
"""

import sys
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication

from app.gui.startup import make_application
from app.gui.study.dialogs import Dialogs
from app.gui.window.application import run
from app.gui.window.main_window import MainWindow
from app.gui.window.message_bar import MessageLevel

_LOOK_MS = 50


def say(word: str) -> None:
    """Print a word at once."""
    print(word, flush=True)


def begin(what: str) -> None:
    """Do what was asked for once the study is open."""
    windows = [widget for widget in QApplication.topLevelWidgets() if isinstance(widget, MainWindow)]
    if not windows or windows[0].studio.recording is None:
        QTimer.singleShot(_LOOK_MS, lambda: begin(what))
        return
    (window,) = windows
    Dialogs.leave_jobs = lambda *_args, **_how: "keep"
    told: list[str] = []

    def progressed(*_: object) -> None:
        if not told:
            told.append("running")
            say("running")
            if what == "resume":
                QTimer.singleShot(0, window, window.close)

    window.jobs.progressed.connect(progressed)
    if what == "resume":
        resume(window)
    else:
        window.menus.actions["track"].trigger()


def resume(window: MainWindow) -> None:
    """Press the first button of the message about interrupted jobs."""
    bar = window.messages
    if "interrupted" not in bar.message() or bar.level is not MessageLevel.WARNING:
        QTimer.singleShot(_LOOK_MS, window, lambda: resume(window))
        return
    say(bar.message())
    window.interrupted.acts["resume_interrupted"]()


if __name__ == "__main__":
    make_application()
    QTimer.singleShot(_LOOK_MS, lambda: begin(sys.argv[2]))
    sys.exit(run(Path(sys.argv[1]), recording="1"))
