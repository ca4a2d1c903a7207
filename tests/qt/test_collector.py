"""While another program is in front, all is searched for garbage again and again, and not while somebody works."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.gui import collector
from app.gui.studio import Studio


@pytest.fixture
def studio(qapp: QApplication) -> Iterator[Studio]:
    thresholds = gc.get_threshold()
    studio = Studio()
    yield studio
    studio.close()
    studio.deleteLater()
    gc.set_threshold(*thresholds)


def test_all_is_searched_as_long_as_nobody_looks(studio: Studio, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    searched: list[str] = []
    monkeypatch.setattr(collector, "_EVERY_MS", 2)
    monkeypatch.setattr(collector, "_AWAY_MS", 10)
    monkeypatch.setattr(collector, "search_recent", lambda: True)
    monkeypatch.setattr(collector, "search_all", lambda: searched.append("all"))
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationInactive)
    watching = collector.Collector(studio)
    studio.session_changed.emit()
    qtbot.waitUntil(lambda: len(searched) >= 3)
    monkeypatch.setattr(QGuiApplication, "applicationState", lambda: Qt.ApplicationState.ApplicationActive)
    monkeypatch.setattr(studio, "session", object())
    studio.session_changed.emit()
    before = len(searched)
    qtbot.wait(60)
    assert len(searched) == before
    monkeypatch.setattr(studio, "session", None)
    watching.deleteLater()
