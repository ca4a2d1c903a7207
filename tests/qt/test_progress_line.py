"""How far something is, in a line; told by a clock that a test turns."""

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from widgets.progress_bars import ProgressLine, StatusLine


@pytest.fixture
def now() -> list[float]:
    return [0.0]


@pytest.fixture
def line(qtbot: QtBot, now: list[float]) -> ProgressLine:
    made = ProgressLine("Export", clock=lambda: now[0])
    qtbot.addWidget(made)
    return made


def test_it_says_how_long_it_still_takes_while_its_text_changes(line: ProgressLine, now: list[float]) -> None:
    line.show_progress(0, 400, "one.eaf")
    assert line.text.text() == "one.eaf: 0 of 400"
    now[0] = 10.0
    line.show_progress(100, 400, "hundred.eaf")
    assert line.text.text() == "hundred.eaf: 100 of 400, about 30 s left"
    line.hide()
    now[0] = 100.0
    line.show_progress(100, 400, "Reading")
    assert line.text.text() == "Reading: 100 of 400", "what is shown after that is another piece of work"


def test_without_words_it_shows_the_share(line: ProgressLine) -> None:
    line.show_progress(1, 4, "")
    assert line.text.text() == "25 %"
    line.show_progress(0, 0, "")
    assert (line.text.text(), line.bar.maximum()) == ("", 0)
    line.show_progress(0, 0, "Reading")
    assert line.text.text() == "Reading…"


def test_a_status_gives_way_to_progress_and_comes_back(qtbot: QtBot) -> None:
    status = StatusLine("State", "Figures")
    qtbot.addWidget(status)
    status.show()
    status.show_text("Out of date")
    status.show_progress(0, 0, "Reading")
    assert status.line.isVisible()
    with qtbot.waitSignal(status.cancel_requested):
        qtbot.mouseClick(status.line.cancel, Qt.MouseButton.LeftButton)
    status.show_last_text()
    assert not status.line.isVisible()
    assert status.text() == "Out of date"
