"""A training round in the window."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.gui.main_window import MainWindow
from project.queries.recordings import all_recordings
from project.types import Segment
from tests.unit.core.training_round import copy_for, open_round

Open = Callable[[Path], MainWindow]


@pytest.fixture
def open_window(qtbot: QtBot) -> Iterator[Open]:
    opened: list[MainWindow] = []

    def make(study: Path) -> MainWindow:
        window = MainWindow()
        opened.append(window)
        qtbot.addWidget(window)
        window.resize(1360, 860)
        window.show()
        qtbot.waitExposed(window)
        assert window.open_study(study)
        return window

    yield make
    for window in opened:
        window.close()


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    with open_round(tmp_path) as session:
        return copy_for(session, "Ada")


def titles(window: MainWindow) -> set[str]:
    return {lane.title for lane in window.timeline.model.lanes}


def shown(window: MainWindow) -> list[Segment]:
    model = window.timeline.model
    return [one for lane in model.lanes for one in model.track(lane.key).items]


def show_first(window: MainWindow) -> str:
    assert window.studio.session is not None
    first = all_recordings(window.studio.session.study)[0].id
    window.choose_recording(first)
    return first


def test_the_reference_appears_when_the_training_is_done_and_goes_with_undo(open_window: Open, copy: Path) -> None:
    window = open_window(copy)
    assert window.studio.session is not None
    assert window.studio.session.annotator_name == "Ada"
    show_first(window)
    assert "Olga" not in titles(window)
    window.windows.open("segments")
    assert shown(window) == []
    window.menus.actions["done"].trigger()
    assert "Olga" in titles(window)
    hers = shown(window)
    assert len(hers) == 2
    window.studio.select([hers[0].id])
    window.studio.undo()
    assert "Olga" not in titles(window)
    assert shown(window) == []
    assert window.studio.selected == ()
