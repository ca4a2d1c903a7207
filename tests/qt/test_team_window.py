"""The Team window: plan, copies, merging, conflicts; marks in the list of recordings."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.segments.segment_edits import add_segment, edit_segment
from annotate.study.recording_edits import add_recordings, probe_file, rename_recording
from annotate.team.assignments import PlanOptions, make_plan
from annotate.team.study_copies import MediaWith
from app.gui.team.team_tab import TeamTab
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Verdict
from project.queries.annotator_rows import all_assignments
from project.queries.history_rows import count_unresolved
from project.queries.recording_rows import all_media, all_recordings
from project.queries.segment_rows import values_of
from project.session.session import Session
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.clips import make_clip
from tests.builders.main_windows import wait_for_turns
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, recordings=4, segments=0, annotators=1)
    return tmp_path / "lab.greenroom"


def test_it_says_what_is_refused_and_marks_show_in_the_list(window: MainWindow, study: Path) -> None:
    team: TeamTab = window.windows.open_window("team")
    assert team.merge.isEnabled()
    assert not team.conflicts.ours.isEnabled()
    assert not team.conflicts.theirs.isEnabled()
    team.merge_files([study])
    assert "study itself" in team.status.text()
    place = all_recordings(window.studio.session.study)[0].id
    window.choose_recording(place)
    for key, word in (("done", "done"), ("hold_out", "held out")):
        action = window.menus.actions[key]
        action.trigger()
        assert action.isChecked()
        assert word in window.recordings.model.row(place).describe()
        action.trigger()
        assert not action.isChecked()
        assert word not in window.recordings.model.row(place).describe()


def test_apart_and_together_with_a_conflict(qtbot: QtBot, window: MainWindow, answers: Answers, tmp_path: Path) -> None:
    team: TeamTab = window.windows.open_window("team")
    team.form.names.setText("Ada, Bo")
    qtbot.mouseClick(team.form.make, Qt.MouseButton.LeftButton)
    session = window.studio.session
    assert len(all_assignments(session.study)) == 8
    assert team.table.records_model.columnCount() == 3
    assert "0 of 4 done" in str(team.table.records_model.headerData(1, Qt.Orientation.Horizontal))

    session.annotator_name = "Ada"
    place = all_recordings(session.study)[0].id
    made: list[str] = []

    def add(session: Session) -> object:
        segment_id, changes = add_segment(session, place, 0, 1_000_000, Verdict.ERROR, {"rationale": "first"})
        made.append(segment_id)
        return changes

    assert window.studio.edit(add)
    qtbot.waitUntil(lambda: team.table.texts()[0][1] == "1 segment")
    team.ask_split = lambda names: (names[0], MediaWith.LEAVE)
    answers.give(copy_place=tmp_path / "for Ada")
    qtbot.mouseClick(team.split, Qt.MouseButton.LeftButton)
    copy = tmp_path / "for Ada.greenroom"
    qtbot.waitUntil(lambda: not team.copying.busy)
    assert copy.exists()
    with Session.open(copy, "Ada") as away:
        edit_segment(away, made[0], values={"rationale": "away"})
        add_segment(away, place, 2_000_000, 3_000_000, Verdict.COMPETENCE)
    window.studio.edit(lambda session: edit_segment(session, made[0], values={"rationale": "at home"}))
    answers.give(copies=[copy])
    qtbot.mouseClick(team.merge, Qt.MouseButton.LeftButton)
    assert "segments: 1 added" in team.status.text()
    assert team.tabs.currentWidget() is team.conflicts
    shown = [team.conflicts.table.item(0, place).text() for place in range(3)]
    assert shown == ["Rationale", "at home", "away"]
    qtbot.mouseClick(team.conflicts.theirs, Qt.MouseButton.LeftButton)
    assert values_of(session.study, made[0])["rationale"] == "away"
    assert count_unresolved(session.study) == 0
    assert team.conflicts.listing.count() == 0
    window.studio.undo()
    qtbot.waitUntil(lambda: team.conflicts.listing.count() == 1)
    qtbot.mouseClick(team.merge, Qt.MouseButton.LeftButton)
    assert "nothing new" in team.status.text()


def test_a_copy_opens_as_a_new_study_and_not_as_somebody_else_left_theirs(
    qtbot: QtBot, window: MainWindow, answers: Answers, tmp_path: Path
) -> None:
    team: TeamTab = window.windows.open_window("team")
    team.form.names.setText("Ada, Bo")
    qtbot.mouseClick(team.form.make, Qt.MouseButton.LeftButton)
    for name in ("Ada", "Bo"):
        team.ask_split = lambda _names, name=name: (name, MediaWith.LEAVE)
        answers.give(copy_place=tmp_path / name)
        qtbot.mouseClick(team.split, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda: not team.copying.busy)
    first, second, *_ = (recording.id for recording in all_recordings(window.studio.session.study))
    for name, opened in (("Ada", first), ("Bo", first), ("Ada", second)):
        assert window.open_study(tmp_path / f"{name}.greenroom")
        wait_for_turns()
        assert window.studio.recording.id == opened
        window.choose_recording(second)


@pytest.fixture
def copying(
    open_reused: OpenReused, answers: Answers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[MainWindow, TeamTab]:
    """A window that is asked for a copy with media; each piece of a file waits until the test lets it go on."""
    clip = make_clip(tmp_path / "walk.mp4", frames=30, size=(160, 120))
    with Session(Study.create(tmp_path / "lab.greenroom"), "Bo") as session:
        add_recordings(session, [probe_file(clip)])
        make_plan(session, PlanOptions(("Ada", "Bo")))
    (tmp_path / "away").mkdir()
    answers.give(copy_place=tmp_path / "away" / "for Ada")
    window = open_reused(tmp_path / "lab.greenroom", "Bo")
    team: TeamTab = window.windows.open_window("team")
    team.ask_split = lambda _names: ("Ada", MediaWith.COPY)
    monkeypatch.setattr("annotate.team.study_copies._CHUNK_BYTES", 1000)
    return window, team


def test_media_are_copied_meanwhile(qtbot: QtBot, copying: tuple[MainWindow, TeamTab], tmp_path: Path) -> None:
    window, team = copying
    qtbot.mouseClick(team.split, Qt.MouseButton.LeftButton)
    assert team.copying.busy
    assert not team.split.isEnabled()
    assert team.progress.isVisible()
    assert not (tmp_path / "away" / "for Ada.greenroom").exists()
    session = window.studio.session
    # An edit meanwhile: the copy that was begun before it is filled again.
    place = all_recordings(session.study)[0].id
    window.studio.edit(lambda session: rename_recording(session, place, "Renamed"))
    qtbot.waitUntil(lambda: not team.copying.busy)
    with Session.open(tmp_path / "away" / "for Ada.greenroom", "Ada") as away:
        assert all_recordings(away.study)[0].name == "Renamed"
        assert [medium.path for medium in all_media(away.study)] == ["for Ada media/0001 walk.mp4"]
    assert "Made" in team.status.text()
    assert team.split.isEnabled()
    assert not team.progress.isVisible()


@pytest.mark.parametrize("how", ["cancel", "close the study"])
def test_a_copy_that_is_given_up_leaves_nothing(
    qtbot: QtBot, copying: tuple[MainWindow, TeamTab], tmp_path: Path, how: str
) -> None:
    window, team = copying
    qtbot.mouseClick(team.split, Qt.MouseButton.LeftButton)
    {"cancel": team.progress.cancel.click, "close the study": window.close_study}[how]()
    qtbot.waitUntil(lambda: not [*(tmp_path / "away").iterdir()])
    assert not team.copying.busy
