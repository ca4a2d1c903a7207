"""The real main window, shown, with a study open."""

from pathlib import Path

from PySide6.QtTest import QTest

from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.study import background
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow


def show_window(
    study: Path | None = None,
    annotator: str | None = None,
    questions: Dialogs | None = None,
    runner: WorkerRunner | None = None,
) -> MainWindow:
    """Show the window and open a study in it, where one is named; for an annotator who is not that of the settings."""
    window = MainWindow(questions, runner=runner)
    window.resize(1360, 860)
    window.show()
    assert QTest.qWaitForWindowExposed(window)
    if study is not None and annotator is None:
        assert window.open_study(study)
    elif study is not None:
        window.studio.open(study, annotator)
    wait_for_turns()
    return window


def wait_for_turns() -> None:
    """Wait until what the window does in turns of the event loop is done, such as showing a study that was opened."""
    while background.turns().waiting:
        QTest.qWait(1)
