"""The tabs of time budgets and transitions: the figures of the command line, drawn, kept up to date, and exported."""

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment
from annotate.study.people import add_participant
from annotate.study.scheme_versions import use_shipped_scheme
from app.gui.pages.live import LiveState
from app.gui.statistics.counting_bar import CountingBar
from app.gui.statistics.counting_tab import CountingTab
from app.gui.statistics.statistics_plots import BUDGET_FIGURES, budget_figures
from app.gui.statistics.transitions_tab import TransitionsTab
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ParticipantRole
from tests.builders.marked_study import SECOND, WALK, mark, open_study
from tests.builders.scripted_dialogs import Answers
from tests.builders.terminal import Terminal
from tests.qt.conftest import OpenWindow
from widgets.plots.plot_data import PlotFormat


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with open_study(tmp_path_factory.mktemp("lab"), recordings=2) as session:
        use_shipped_scheme(session, "cues")
        people = [add_participant(session, name, ParticipantRole.USER, WALK)[0] for name in ("P01", "P02")]
        for number, label in enumerate(("gesture", "movement", "gesture", "handling", "gesture", "movement")):
            span, values = (number * 10 * SECOND, (number * 10 + 5) * SECOND), {"participant": people[number % 2]}
            add_segment(session, WALK, *span, label, values, scheme="cues", track="action")
        mark(session, "Ada", 0, 30)
        mark(session, "Ada", 30, 60, "competence")
        return session.study.path


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers()


@pytest.fixture(scope="module")
def window(open_shared_window: OpenWindow, study: Path, answers: Answers) -> MainWindow:
    return open_shared_window(study, "Ada", answers)


def opened(qtbot: QtBot, window: MainWindow, key: str) -> CountingTab:
    """Open a tab by its entry of the menu, on the track of actions."""
    window.menus.actions[key].trigger()
    found = window.windows.open_window(key)
    assert isinstance(found, CountingTab)
    qtbot.waitUntil(lambda: found.computing.state is LiveState.CURRENT)
    if found.bar.track.key() != "cues/action":
        with qtbot.waitSignal(found.computing.finished):
            found.bar.track.choose("cues/action")
        qtbot.waitUntil(lambda: found.computing.state is LiveState.CURRENT)
    return found


def test_the_first_track_that_has_segments_is_counted(qtbot: QtBot, tmp_path: Path) -> None:
    bar = CountingBar()
    qtbot.addWidget(bar)
    with open_study(tmp_path) as session:
        use_shipped_scheme(session, "cues")
        add_segment(session, WALK, 0, SECOND, "gesture", {}, scheme="cues", track="action")
        bar.offer(session)
        assert bar.track.key() == "cues/action"


def test_a_track_of_points_is_drawn_by_what_points_have() -> None:
    assert [*budget_figures(points=True)] == ["count", "rate", "latency"]
    assert [*budget_figures(points=False)] == [*BUDGET_FIGURES]


def test_the_budget_is_that_of_the_command_line(
    qtbot: QtBot, window: MainWindow, answers: Answers, study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    found = opened(qtbot, window, "time_budget")
    assert found.bar.by.ticked_keys() == {"participant"}
    assert found.line.text() == "6 segments in 2 groups."
    answers.give(save=tmp_path / "shown.csv")
    found.save.click()
    greenroom(
        *("study", "budget", str(study), "--scheme", "cues", "--track", "action", "--by", "participant"),
        *("--csv", str(tmp_path / "told.csv")),
    )
    assert (tmp_path / "shown.csv").read_bytes() == (tmp_path / "told.csv").read_bytes()
    assert found.table.texts()[0][:4] == ("P01", "Gesture", "3", "0.300")
    (plot,) = [view.plot for view in found.wall.views]
    assert plot.groups == ("P01", "P02")
    answers.give(save=tmp_path / "shown.svg")
    found.wall.action_requested.emit(plot, PlotFormat.SVG)
    assert b"<svg" in (tmp_path / "shown.svg").read_bytes()


def test_another_figure_phases_and_an_edit(qtbot: QtBot, window: MainWindow) -> None:
    found = opened(qtbot, window, "time_budget")
    found.drawn.choose("count")
    assert found.wall.views[0].plot.series[0].values[0].value == 3
    with qtbot.waitSignal(found.computing.finished):
        found.bar.phases.choose("shrec/segments")
    with qtbot.waitSignal(found.computing.finished):
        found.bar.by.set_ticked({"phase"})
        assert not found.save.isEnabled(), "a table of another choice is not saved"
    assert {texts[0] for texts in found.table.texts()} == {"Error", "Competence"}
    with qtbot.waitSignal(found.computing.finished):
        window.studio.edit(
            lambda session: add_segment(session, WALK, 0, SECOND, "contact", {}, scheme="cues", track="action")[1]
        )
    assert found.line.text() == "7 segments in 2 groups."
    window.studio.undo()


def test_the_transitions_are_drawn_and_listed(
    qtbot: QtBot, window: MainWindow, answers: Answers, study: Path, tmp_path: Path, greenroom: Terminal
) -> None:
    found = opened(qtbot, window, "transitions")
    assert isinstance(found, TransitionsTab)
    qtbot.waitUntil(lambda: found.line.text() == "4 transitions in 2 groups.")
    # P01 gestured all the time, P02 did this and that.
    assert [view.plot.title for view in found.wall.views] == ["P01", "P02"]
    assert found.table.texts() == [
        ("P01", "Gesture", "Gesture", "2", "1.000"),
        ("P02", "Movement", "Handling", "1", "1.000"),
        ("P02", "Handling", "Movement", "1", "1.000"),
    ]
    answers.give(save=tmp_path / "shown.csv")
    found.save.click()
    greenroom(
        *("study", "transitions", str(study), "--scheme", "cues", "--track", "action", "--by", "participant"),
        *("--csv", str(tmp_path / "told.csv")),
    )
    assert (tmp_path / "shown.csv").read_bytes() == (tmp_path / "told.csv").read_bytes()
    with qtbot.waitSignal(found.computing.finished):
        found.without_repeats.setChecked(True)
    assert found.line.text() == "2 transitions in 2 groups."
    found.without_repeats.setChecked(False)
