"""The program that takes pictures of everything takes one, with its tabs, and names only what is there."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtGui import QImage

from app.gui.actions.table import ACTIONS
from app.gui.main_window import MainWindow
from project.store import Study
from tests.screens.shots import DIALOGS
from tests.screens.taking import Camera


def test_a_window_is_taken_with_each_of_its_tabs(open_window: Callable[..., MainWindow], tmp_path: Path) -> None:
    path = tmp_path / "lab.greenroom"
    Study.create(path).close()
    window = open_window(path, "Ada")
    camera = Camera(window, tmp_path, ("activity", "whole"))
    assert not camera.wants("20-window-team")
    camera.take("whole")
    camera.tabs("activity", window.windows.open("activity"))
    assert [one.name for one in camera.taken] == ["whole.png", "activity.png", "activity-by-day.png"]
    assert QImage(str(camera.taken[0])).size() == window.size() * window.devicePixelRatioF()


def test_the_dialogs_that_are_taken_are_there() -> None:
    assert {*DIALOGS} <= {one.key for one in ACTIONS}
