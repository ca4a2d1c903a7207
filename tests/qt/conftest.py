"""The program's own look, and its window."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.files.start_dialog import StudyPlan
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from tests.builders.keyboard_walk import nameless, unexplained
from tests.builders.main_windows import show_window
from tests.builders.marked_study import open_study
from tests.builders.scripted_dialogs import Answers
from widgets import theme
from widgets.dialogs.dialog_windows import OwnDialog
from widgets.form.input_fields import EscapeKeys

OpenWindow = Callable[..., MainWindow]
"""Takes what `show_window` takes."""


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


@pytest.fixture(scope="module")
def unnamed_controls() -> Iterator[list[str]]:
    """Controls without a name in dialogs that tests of a module showed."""
    found: list[str] = []
    show = OwnDialog.showEvent

    def show_and_look(dialog: OwnDialog, event: QShowEvent) -> None:
        show(dialog, event)
        found.extend(f"{type(dialog).__name__}: {control}" for control in nameless(dialog) + unexplained(dialog))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OwnDialog, "showEvent", show_and_look)
        yield found


@pytest.fixture(autouse=True)
def dialogs_named(unnamed_controls: list[str]) -> Iterator[None]:
    """Every control of every dialog has a name for a screen reader; modes and windows are in test_own_windows."""
    yield
    found = [*unnamed_controls]
    unnamed_controls.clear()
    assert found == []


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


@pytest.fixture
def answers() -> Answers:
    """What the dialogs of `window` say; a test fills it in."""
    return Answers()


@pytest.fixture
def window(open_window: OpenWindow, study: Path, answers: Answers) -> MainWindow:
    """Ada's window on the usual study, or on that which a module's own `study` makes."""
    return open_window(study, "Ada", answers)


@pytest.fixture(scope="module")
def module_window(open_shared_window: OpenWindow) -> MainWindow:
    """A window without a study; see `reused_window`."""
    return open_shared_window(questions=Answers())


@pytest.fixture
def reused_window(module_window: MainWindow, study: Path) -> Iterator[MainWindow]:
    """Like `window`, where tests of a module open their studies one after another in one window: half as dear.

    What its dialogs say is `window.files.questions`.
    """
    answers: Answers = module_window.files.questions
    answers.answers.clear()
    answers.asked.clear()
    module_window.studio.open(study, "Ada")
    module_window.activateWindow()
    yield module_window
    module_window.close_study()
