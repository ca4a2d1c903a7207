"""While another program is in front, all is searched for garbage again and again, and not while somebody works."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui.study.study_controller import StudyController
from app.gui.window import application as collector
from project.session import gc_control as garbage
from project.session.gc_control import collect_recent


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


def test_a_library_that_enables_collection_does_not_do_so_for_long(studio: StudyController) -> None:
    gc.enable()
    collect_recent()
    assert not gc.isenabled()
    gc.collect()
    assert not collect_recent(), "a few new objects wait"
