"""The program's own look, and its window."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.files.start_dialog import StudyPlan
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from widgets import theme
from widgets.form.input_fields import EscapeKeys


@pytest.fixture(scope="session", autouse=True)
def look(qapp: QApplication) -> None:
    """Sizes depend on the typeface and the style, so every test has them, whichever comes first."""
    theme.apply(qapp, "dark")
    EscapeKeys.install()


@pytest.fixture(autouse=True)
def forgotten(look: None) -> Iterator[None]:
    """Windows of a test are gone before the next: Qt keeps them until some event loop runs, and styles them again."""
    yield
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture(autouse=True)
def jobs_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows of tests close without a question about jobs; a test of the question answers it itself."""
    monkeypatch.setattr(Dialogs, "leave_jobs", lambda *_args, **_how: "stop")


@pytest.fixture(autouse=True)
def study_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new study is begun where `new_study` says; a test of the dialog shows it itself."""

    def ask(questions: Dialogs, _make: object) -> object:
        path = questions.new_study()
        return SimpleNamespace(plan=lambda: StudyPlan("", path)) if path is not None else None

    monkeypatch.setattr(Dialogs, "ask", ask)


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Callable[..., MainWindow]]:
    """Opens a study in the real window, for an annotator where one is named, with other answers to its questions."""
    opened: list[MainWindow] = []

    def make(study: Path, annotator: str | None = None, questions: Dialogs | None = None) -> MainWindow:
        window = MainWindow(questions)
        opened.append(window)
        qtbot.addWidget(window)
        window.resize(1360, 860)
        window.show()
        qtbot.waitExposed(window)
        if annotator is None:
            assert window.open_study(study)
        else:
            window.studio.open(study, annotator)
        return window

    yield make
    for window in opened:
        window.close()
