"""The program that takes pictures of everything takes one, with its tabs, and names only what is there."""

from pathlib import Path
from threading import Event

import pytest
from PySide6.QtGui import QImage

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from tests.builders.waiting import HANG_S
from tools.screens.shots import DIALOGS
from tools.screens.taking import WindowCamera
from widgets.dialogs.dialog_windows import TextDialog


def test_windows_with_tabs_and_dialogs_are_taken(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    camera = WindowCamera(window, tmp_path, ("activity", "whole", "working", "late", "none"))
    assert not camera.wants("20-window-team")
    camera.take("whole")
    camera.tabs("activity", window.windows.open_window("activity"))
    assert QImage(str(camera.taken[0])).size() == window.size() * window.devicePixelRatioF()
    over = Event()
    run = window.studio.apart.run
    camera.modal(
        *("working", lambda: run(lambda _: over.wait(HANG_S), "Opening…"), lambda _shown: over.set()), while_busy=True
    )
    camera.modal("late", lambda: (camera.settle(0.7), TextDialog("Rename", "Name", "before", window).exec()))
    taken = ["whole.png", "activity.png", "activity-by-day.png", "working.png", "late.png"]
    assert [file.name for file in camera.taken] == taken
    monkeypatch.setattr("tools.screens.taking._OPENS_S", 0.1)
    with pytest.raises(LookupError, match="nothing was opened"):
        camera.modal("none", lambda: None)


def test_the_dialogs_that_are_taken_are_there() -> None:
    assert {*DIALOGS} <= {spec.key for spec in ACTIONS}
