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
from tests.builders.main_windows import show_window, wait_for_turns
from tests.builders.marked_study import open_study
from tests.builders.scripted_dialogs import Answers
from widgets import theme
from widgets.form.input_fields import EscapeKeys

OpenWindow = Callable[..., MainWindow]
"""Takes what `show_window` takes."""
OpenReused = Callable[..., MainWindow]
"""Takes a study and an annotator; without one, it is that of the copy or of the settings."""


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


@pytest.fixture(scope="module", autouse=True)
def dialogs_answered() -> Iterator[None]:
    """Windows close without a question about jobs, and a new study is begun where `new_study` says.

    A test of one of these dialogs answers or shows it itself.
    """

    def ask(questions: Dialogs, _make: object) -> object:
        path = questions.new_study()
        return SimpleNamespace(plan=lambda: StudyPlan("", path)) if path is not None else None

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Dialogs, "leave_jobs", lambda *_args, **_how: "stop")
        patch.setattr(Dialogs, "ask", ask)
        yield


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[OpenWindow]:
    """Opens studies in real windows, which the test has for itself."""
    opened: list[MainWindow] = []

    def make(*args: object, **more: object) -> MainWindow:
        opened.append(show_window(*args, **more))
        qtbot.addWidget(opened[-1])
        return opened[-1]

    yield make
    for window in opened:
        window.close()


@pytest.fixture(scope="module")
def open_shared_window(look: None, homes: Iterator[Path]) -> Iterator[OpenWindow]:
    """Opens studies in real windows that the tests of a module share: those read them, or leave them as they were."""
    opened: list[MainWindow] = []
    home = next(homes)

    def make(*args: object, **more: object) -> MainWindow:
        opened.append(show_window(*args, **more))
        return opened[-1]

    with pytest.MonkeyPatch.context() as patch:
        for name in ("CONFIG", "CACHE", "DATA", "STATE"):
            patch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
        yield make
        for window in opened:
            window.close()
            window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """The usual study: one long recording that has no file."""
    with open_study(tmp_path) as session:
        return session.study.path


@pytest.fixture(scope="module")
def module_window(open_shared_window: OpenWindow) -> MainWindow:
    """A window without a study; see `open_reused`."""
    return open_shared_window(questions=Answers())


@pytest.fixture
def answers(module_window: MainWindow) -> Answers:
    """What the dialogs of the module's window say; a test fills it in."""
    answers: Answers = module_window.files.questions
    answers.answers.clear()
    answers.asked.clear()
    return answers


@pytest.fixture
def open_reused(qtbot: QtBot, module_window: MainWindow, answers: Answers) -> Iterator[OpenReused]:
    """Opens the studies of a module's tests one after another in one window, which is half as dear as one for each."""

    def make(study: Path, annotator: str | None = "Ada") -> MainWindow:
        if annotator is None:
            assert module_window.open_study(study)
        else:
            module_window.studio.open(study, annotator)
        wait_for_turns()
        module_window.activateWindow()
        return module_window

    yield make
    module_window.close_study()
    qtbot.waitUntil(lambda: not module_window.jobs.busy)


@pytest.fixture
def window(open_reused: OpenReused, study: Path) -> MainWindow:
    """Ada's window on the usual study, or on that which a module's own `study` makes; it may not be closed."""
    return open_reused(study)
