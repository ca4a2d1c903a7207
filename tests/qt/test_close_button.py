"""Every window about the study is closed by a button at its foot, and by Esc."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.gui.dialogs import Questions
from app.gui.main_window import MainWindow
from app.gui.study_windows import WINDOWS
from project.store import Study
from widgets.review.lane_form import LaneForm

_WORDS = {"Close", "Cancel"}


class Nothing(Questions):
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
    (found,) = [one for one in shown.findChildren(QPushButton) if one.isVisible() and one.text() in _WORDS]
    return found


def test_a_button_and_esc_close_each_window(qtbot: QtBot, window: MainWindow) -> None:
    for key in WINDOWS:
        shown = window.windows.open(key)
        QTest.mouseClick(_button(shown), Qt.MouseButton.LeftButton)
        assert not shown.isVisible(), key
        window.windows.open(key)
        qtbot.waitUntil(shown.isActiveWindow)
        QTest.keyClick(shown, Qt.Key.Key_Escape)
        assert not shown.isVisible(), key


def test_return_on_close_makes_no_lane(window: MainWindow) -> None:
    shown = window.windows.open("adjudicate")
    assert isinstance(shown, LaneForm)
    asked: list[object] = []
    shown.make_requested.connect(lambda *wanted: asked.append(wanted))
    QTest.keyClick(_button(shown), Qt.Key.Key_Return)
    assert not shown.isVisible()
    assert not asked
