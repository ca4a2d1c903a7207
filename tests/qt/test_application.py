"""What the program does before its window is there, and beside it: the screen, signals, garbage."""

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, QSocketNotifier, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui import startup as screen
from app.gui.study.study_controller import StudyController
from app.gui.window import application as collector
from app.gui.window.application import CloseOnSignals
from app.gui.window.main_window import MainWindow
from project.errors import UserError
from project.session import gc_control as garbage
from project.session.gc_control import collect_recent


@pytest.fixture
def no_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)


def test_without_a_screen_it_is_one_line(no_screen: None) -> None:
    with pytest.raises(UserError, match="There is no screen"):
        screen.check_screen()


def test_a_screen_that_does_not_answer_is_one_line(no_screen: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":4711")
    with pytest.raises(UserError, match="The screen :4711 cannot be reached"):
        screen.check_screen()


@pytest.mark.parametrize(
    "variables",
    [{"QT_QPA_PLATFORM": "offscreen"}, {"WAYLAND_DISPLAY": "wayland-0"}, {"WAYLAND_DISPLAY": "w", "DISPLAY": ":4711"}],
)
def test_what_needs_no_x11_is_not_asked(
    no_screen: None, variables: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    screen.check_screen()


_PROGRAM = """
import linecache, sys
sys.path.insert(0, sys.argv[1])
from app.gui.startup import leave_sources_unread
if sys.argv[2] == "told":
    leave_sources_unread()
import newcomer
print(newcomer.__file__ in linecache.cache)
"""


@pytest.mark.parametrize(("told", "read"), [("told", "False"), ("untold", "True")])
def test_pyside_is_kept_from_reading(tmp_path: Path, told: str, read: str) -> None:
    (tmp_path / "newcomer.py").write_text("import PySide6.QtCore\n")
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(tmp_path), told], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == read


@pytest.fixture
def signals_kept() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)


def test_a_polite_kill_closes_the_window_and_waiting_for_it_costs_nothing(qtbot: QtBot, signals_kept: None) -> None:
    window = MainWindow()
    qtbot.addWidget(window)
    window.show()
    signals = CloseOnSignals(window)
    (notifier,) = window.findChildren(QSocketNotifier)
    woken: list[int] = []
    notifier.activated.connect(lambda: woken.append(1))
    gc.collect()
    qtbot.wait(50)
    assert not woken, "an end of the pair that is closed would wake the window up without end"
    os.kill(os.getpid(), signal.SIGTERM)
    qtbot.waitUntil(lambda: not window.isVisible())
    signals.close()


@pytest.fixture
def studio(qapp: QApplication) -> Iterator[StudyController]:
    studio = StudyController()
    yield studio
    studio.close()
    studio.deleteLater()
    gc.disable()


def test_all_is_searched_as_long_as_nobody_looks(
    studio: StudyController, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    monkeypatch.setattr(collector, "_EVERY_MS", 2)
    monkeypatch.setattr(collector, "_AWAY_MS", 10)
    monkeypatch.setattr(collector, "collect_recent", lambda: True)
    monkeypatch.setattr(collector, "collect_all", lambda: searched.append("all"))
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationInactive)
    watching = collector.GarbageCollector(studio)
    studio.session_changed.emit()
    qtbot.waitUntil(lambda: len(searched) >= 3)
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationActive)
    monkeypatch.setattr(studio, "session", object())
    studio.session_changed.emit()
    before = len(searched)
    qtbot.wait(30)
    assert len(searched) == before
    monkeypatch.setattr(studio, "session", None)
    watching.deleteLater()


def test_only_the_window_s_thread_destroys_what_nobody_holds(
    studio: StudyController, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_MIN_NEW_OBJECTS", 1)
    gc.enable()
    watching = collector.GarbageCollector(studio)
    destroyed: list[str] = []

    class Held(QObject):
        itself: "Held"

        def __del__(self) -> None:
            destroyed.append(threading.current_thread().name)

    left = Held()
    left.itself = left
    del left
    work = threading.Thread(target=lambda: [[number] for number in range(100_000)], name="work")
    work.start()
    work.join()
    assert destroyed == []
    assert collect_recent()
    assert destroyed == [threading.main_thread().name]
    watching.deleteLater()
