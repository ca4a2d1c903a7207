"""The program that takes pictures of everything takes one, with its tabs, and names only what is there."""

from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest
from PySide6.QtGui import QImage

from app.gui.window.action_table import ACTIONS
from app.gui.window.main_window import MainWindow
from project.store.study import Study
from tests.builders.waiting import HANG_S
from tools.screens.shots import DIALOGS
from tools.screens.taking import WindowCamera
from widgets.dialogs.dialog_windows import TextDialog


def test_a_window_is_taken_with_each_of_its_tabs(open_window: Callable[..., MainWindow], tmp_path: Path) -> None:
    path = tmp_path / "lab.greenroom"
    Study.create(path).close()
    window = open_window(path, "Ada")
    camera = WindowCamera(window, tmp_path, ("activity", "whole"))
    assert not camera.wants("20-window-team")
    camera.take("whole")
    camera.tabs("activity", window.windows.open_window("activity"))
    assert [file.name for file in camera.taken] == ["whole.png", "activity.png", "activity-by-day.png"]
    assert QImage(str(camera.taken[0])).size() == window.size() * window.devicePixelRatioF()


def test_a_dialog_is_taken_while_it_says_that_work_goes_on(
    open_window: Callable[..., MainWindow], tmp_path: Path
) -> None:
    path = tmp_path / "lab.greenroom"
    Study.create(path).close()
    window = open_window(path, "Ada")
    over = Event()
    camera = WindowCamera(window, tmp_path)
    camera.modal(
        *("working", lambda: window.studio.apart.run(lambda _: over.wait(HANG_S), "Opening…")),
        *(lambda _shown: over.set(),),
        while_busy=True,
    )
    assert [file.name for file in camera.taken] == ["working.png"]


def test_a_dialog_that_takes_its_time_to_come_is_closed_all_the_same(
    open_window: Callable[..., MainWindow], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "lab.greenroom"
    Study.create(path).close()
    window = open_window(path, "Ada")
    camera = WindowCamera(window, tmp_path)

    def ask() -> None:
        camera.settle(0.7)
        TextDialog("Rename", "Name", "before", window).exec()

    camera.modal("late", ask)
    assert [file.name for file in camera.taken] == ["late.png"]
    monkeypatch.setattr("tools.screens.taking._OPENS_S", 0.1)
    with pytest.raises(LookupError, match="nothing was opened"):
        camera.modal("none", lambda: None)


def test_the_dialogs_that_are_taken_are_there() -> None:
    assert {*DIALOGS} <= {spec.key for spec in ACTIONS}
