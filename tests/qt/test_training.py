"""A training round in the window."""

from pathlib import Path

import pytest

from app.gui.team.training_tab import TrainingTab
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Segment
from project.queries.recording_rows import all_recordings
from tests.builders.training_round import SECOND, copy_for, open_round
from tests.qt.conftest import OpenReused
from widgets.table.record_table import TableRow


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    with open_round(tmp_path) as session:
        return copy_for(session, "Ada")


def titles(window: MainWindow) -> set[str]:
    return {lane.title for lane in window.timeline.model.lanes}


def shown(window: MainWindow) -> list[Segment]:
    model = window.timeline.model
    return [item for lane in model.lanes for item in model.track(lane.key).items]


def show_first(window: MainWindow) -> str:
    first = all_recordings(window.studio.session.study)[0].id
    window.choose_recording(first)
    return first


def test_the_reference_comes_when_the_training_is_done_and_goes_with_undo(open_reused: OpenReused, copy: Path) -> None:
    window = open_reused(copy, None)
    assert window.studio.session.annotator_name == "Ada"
    show_first(window)
    assert "Olga" not in titles(window)
    window.windows.open_window("segments")
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


def test_who_trains_sees_why_work_is_closed_and_their_figures_at_once(open_reused: OpenReused, copy: Path) -> None:
    window = open_reused(copy, None)
    second = all_recordings(window.studio.session.study)[1].id
    window.choose_recording(second)
    line = window.workspace.gate_line
    assert line.text().startswith("You have not finished the training yet: ")
    assert not window.editing.create(SECOND, 2 * SECOND, "error")
    line.button.click()
    training: TrainingTab = window.windows.open_window("training")
    assert not training.tabs.isTabVisible(1), "a copy is not set up"
    assert training.figures.texts() == [
        (
            "Ada",
            "\N{EN DASH} (needed 0.50)",
            "\N{EN DASH} (needed 0.80)",
            "nothing to compare",
            "0 of 1 recordings done",
        )
    ]
    assert training.recordings.texts()[0][1] == "to do"
    first = show_first(window)
    assert line.text() == ""
    assert window.editing.create(SECOND, 3 * SECOND, "error")
    (own,) = window.studio.selected
    window.menus.actions["done"].trigger()
    assert "0:00:01.000, Attributes, Channel, Rationale, Correction is missing" in window.messages.message()
    needed = {"attributes": ["emotions"], "channel": "both", "rationale": "Too early.", "correction": "Wait."}
    for field, value in needed.items():
        window.editing.set_field(own, field, value)
    window.menus.actions["done"].trigger()
    assert training.figures.texts()[0][1:3] == ("0.50, passes (needed 0.50)", "1.00, passes (needed 0.80)")
    assert training.figures.texts()[0][-1] == "Passed: the work is open"
    assert [text[-1] for text in training.lines.texts()] == ["Channel", "Only the reference marked this"]
    window.choose_recording(second)
    assert line.text() == ""
    training.lines.chosen.emit(TableRow(f"{first} 5000000", (), time_us=5 * SECOND))
    assert window.studio.recording.id == first


def test_the_owner_sets_it_up_and_ends_it(open_reused: OpenReused, tmp_path: Path) -> None:
    with open_round(tmp_path) as session:
        path = session.study.path
    window = open_reused(path, None)
    training: TrainingTab = window.windows.open_window("training")
    assert [text[0] for text in training.figures.texts()] == ["Ada", "Bo"]
    assert training.tabs.isTabVisible(1)
    tick, least = training.form.minimum["attributes"]
    tick.setChecked(True)
    least.setValue(0.75)
    training.form.start.click()
    assert "attributes 0.75" in training.heading.text()
    training.form.off.click()
    assert training.heading.text() == "There is no training in this study."
    window.studio.undo()
    window.studio.undo()
    assert "attributes" not in training.heading.text()
    assert "boundaries 0.50" in training.heading.text()
