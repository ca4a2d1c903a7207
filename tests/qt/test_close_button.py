"""Every window about the study is closed by a button at its foot, and by Esc."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.gui.review.adjudication_tab import LaneForm
from app.gui.study.dialogs import Dialogs
from app.gui.window.main_window import MainWindow
from app.gui.window.page_registry import WINDOWS
from project.store.study import Study

_WORDS = {"Close", "Cancel"}


class Nothing(Dialogs):
    """Says that somebody chose no file."""

    def __init__(self) -> None:
        pass

    def annotations(self, window: QWidget | None = None) -> Path | None:
        return None


@pytest.fixture
def window(open_window: Callable[..., MainWindow], tmp_path: Path) -> MainWindow:
    Study.create(tmp_path / "lab.greenroom").close()
    return open_window(tmp_path / "lab.greenroom", questions=Nothing())


def _button(shown: QWidget) -> QPushButton:
    (found,) = [child for child in shown.findChildren(QPushButton) if child.isVisible() and child.text() in _WORDS]
    return found


def test_a_button_and_esc_close_each_window(qtbot: QtBot, window: MainWindow) -> None:
    for key in WINDOWS:
        shown = window.windows.open_window(key)
        QTest.mouseClick(_button(shown), Qt.MouseButton.LeftButton)
        assert not shown.isVisible(), key
        window.windows.open_window(key)
        qtbot.waitUntil(shown.isActiveWindow)
        QTest.keyClick(shown, Qt.Key.Key_Escape)
        assert not shown.isVisible(), key


def test_return_on_close_makes_no_lane(window: MainWindow) -> None:
    shown = window.windows.open_window("adjudicate")
    assert isinstance(shown, LaneForm)
    asked: list[object] = []
    shown.make_requested.connect(lambda *wanted: asked.append(wanted))
    QTest.keyClick(_button(shown), Qt.Key.Key_Return)
    assert not shown.isVisible()
    assert not asked
