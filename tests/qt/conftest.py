"""The program's own look, and its window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.dialogs import Questions
from app.gui.main_window import MainWindow
from app.gui.starting import StudyPlan
from widgets import theme
from widgets.escape import EscapeKeys


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
    monkeypatch.setattr(Questions, "leave_jobs", lambda *_args, **_how: "stop")


@pytest.fixture(autouse=True)
def study_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """A new study is begun where `new_study` says; a test of the dialog shows it itself."""

    def plan(questions: Questions, _dialog: object) -> StudyPlan | None:
        path = questions.new_study()
        return StudyPlan("", path) if path is not None else None

    monkeypatch.setattr(Questions, "plan_study", plan)


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Callable[..., MainWindow]]:
    """Opens a study in the real window, for an annotator where one is named, with other answers to its questions."""
    opened: list[MainWindow] = []

    def make(study: Path, annotator: str | None = None, questions: Questions | None = None) -> MainWindow:
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
