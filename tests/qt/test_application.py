"""What the program does before its window is there."""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QSocketNotifier
from pytestqt.qtbot import QtBot

from app.gui.window.application import CloseOnSignals
from app.gui.window.main_window import MainWindow


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
