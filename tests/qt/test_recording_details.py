"""The details of a recording: its name, collection, files, and who is in it."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from annotate.study.participant_variables import variables_by_participant
from annotate.study.recording_edits import add_medium, add_recordings, probe_file
from app.gui.recordings.participants_table import ParticipantsTable
from app.gui.recordings.recording_dialog import RecordingDialog
from app.gui.window.main_window import MainWindow
from project.entities.study_records import ConsentUse, MediumRole, ParticipantRole
from project.queries.recording_rows import all_collections, all_participants, consents, media_of, participants_in
from project.session.session import Session
from project.store.study import Study
from tests.builders.clips import make_clip, make_sound_tracks, tone
from tests.builders.marked_study import open_study
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused


@pytest.fixture
def window(open_reused: OpenReused, answers: Answers, tmp_path: Path) -> MainWindow:
    clip, other = make_clip(tmp_path / "clip.mp4", frames=30), make_clip(tmp_path / "other.mp4", frames=40)
    with Session(Study.create(tmp_path / "lab.greenroom", "Lab")) as session:
        add_recordings(session, [probe_file(clip)])
    answers.give(videos=[other])
    return open_reused(tmp_path / "lab.greenroom")


@pytest.fixture
def dialog(window: MainWindow) -> RecordingDialog:
    window.menus.actions["details"].trigger()
    return window.details.dialog


def study_of(window: MainWindow) -> Study:
    return window.studio.session.study


def here(window: MainWindow) -> str:
    return window.studio.recording.id


def test_name_collection_and_agent_are_saved_at_once(qtbot: QtBot, window: MainWindow, dialog: RecordingDialog) -> None:
    before = study_of(window).undo_name
    for field in (dialog.name, dialog.agent):
        field.editingFinished.emit()
    assert study_of(window).undo_name == before, "a field that is left as it was is no edit"
    dialog.name.setText("First visit")
    dialog.name.editingFinished.emit()
    dialog.collection.setEditText("Coach")
    dialog.collection.lineEdit().editingFinished.emit()
    qtbot.waitUntil(lambda: dialog.collection.currentText() == "Coach")
    dialog.agent.setText("wellness coach robot")
    dialog.agent.editingFinished.emit()
    (collection,) = all_collections(study_of(window))
    assert (collection.name, collection.agent_context) == ("Coach", "wellness coach robot")
    (row,) = window.recordings.model.rows()
    assert (row.name, row.collection) == ("First visit", "Coach")
    for _ in range(3):
        window.commands.undo()
    assert [collection.name for collection in all_collections(study_of(window))] == ["Recordings"]


def test_a_microphone_is_added_with_an_offset(qtbot: QtBot, window: MainWindow, dialog: RecordingDialog) -> None:
    dialog.role.setCurrentIndex(dialog.role.findData(MediumRole.MICROPHONE))
    dialog.offset.setValue(-1.25)
    with qtbot.waitSignal(window.studio.bridge.changed):
        dialog.add.click()
    _, added = media_of(study_of(window), here(window))
    assert (added.role, added.offset_us) == (MediumRole.MICROPHONE, -1_250_000)
    qtbot.waitUntil(lambda: "other.mp4, separate microphone" in dialog.files.text())
    field = dialog.files.offsets[added.id]
    assert field.value() == -1.25
    field.setValue(-0.25)
    field.editingFinished.emit()
    assert media_of(study_of(window), here(window))[1].offset_us == -250_000
    window.studio.undo()
    qtbot.waitUntil(lambda: field.value() == -1.25)
    before = study_of(window).undo_name
    field.editingFinished.emit()
    assert study_of(window).undo_name == before


def test_a_recording_without_a_file_gets_one_and_shows_it(
    qtbot: QtBot, open_reused: OpenReused, answers: Answers, tmp_path: Path
) -> None:
    with open_study(tmp_path) as session:
        study = session.study.path
    answers.give(videos=[make_clip(tmp_path / "clip.mp4", frames=30)])
    window = open_reused(study)
    assert window.player.times is None
    window.menus.actions["details"].trigger()
    assert window.details.dialog.role.currentText() == "Main file"
    window.details.dialog.add.click()
    qtbot.waitUntil(lambda: window.player.times is not None)
    qtbot.waitUntil(lambda: window.details.dialog.role.currentText() == "Second camera")
    window.studio.undo()
    assert window.player.times is None


def test_the_offset_is_found_by_sound_as_one_step(qtbot: QtBot, open_reused: OpenReused, tmp_path: Path) -> None:
    main = make_clip(tmp_path / "main.mp4", size=(64, 48), frames=50, fps=10, sound=True)
    late = make_clip(tmp_path / "late.mp4", size=(64, 48), frames=50, fps=10, sound=True, sound_offset_us=700_000)
    silent = make_clip(tmp_path / "silent.mp4", size=(64, 48), frames=10)
    with Session(Study.create(tmp_path / "two.greenroom", "Two")) as session:
        (recording,), _ = add_recordings(session, [probe_file(main)])
        add_medium(session, recording, probe_file(late), MediumRole.CAMERA)
        add_medium(session, recording, probe_file(silent), MediumRole.CAMERA)
    window = open_reused(tmp_path / "two.greenroom")
    window.details.open()
    files = window.details.dialog.files
    session = window.studio.session
    _, camera, mute = media_of(session.study, recording)
    assert not files.searches[mute.id].isEnabled()
    assert not files.moves[camera.id].isVisible()
    with qtbot.waitSignal(window.jobs.done):
        files.searches[camera.id].click()
        qtbot.waitUntil(lambda: not files.searches[camera.id].isEnabled())
    qtbot.waitUntil(lambda: files.moves[camera.id].isVisible())
    assert "-0.699 s" in files.answers[camera.id].text()
    assert media_of(session.study, recording)[1].offset_us == 0, "nothing moves before it is applied"
    undo = session.study.undo_name
    files.moves[camera.id].click()
    qtbot.waitUntil(lambda: files.moves[camera.id].text() == "It is there")
    assert media_of(session.study, recording)[1].offset_us == pytest.approx(-700_000, abs=1500)
    window.studio.undo()
    assert session.study.undo_name == undo
    assert media_of(session.study, recording)[1].offset_us == 0


def test_another_sound_track_is_chosen_as_one_step(qtbot: QtBot, open_reused: OpenReused, tmp_path: Path) -> None:
    clip = make_sound_tracks(tmp_path / "talk.mp4", [tone(0.1), tone(0.3), tone(0.6)], default=2, picture=True)
    with Session(Study.create(tmp_path / "tracks.greenroom", "Tracks")) as session:
        add_recordings(session, [probe_file(clip)])
    window = open_reused(tmp_path / "tracks.greenroom")

    def shows(level: float) -> bool:
        peaks = window.timeline.peaks
        return peaks is not None and abs(peaks.peaks(200_000, 800_000, 1)[0, 1] - level) < 0.06

    qtbot.waitUntil(lambda: shows(0.3))
    window.details.open()
    (medium,) = media_of(study_of(window), here(window))
    box = window.details.dialog.files.sound_tracks[medium.id]
    assert box.currentText() == "Sound track 2 of 3"
    box.setCurrentIndex(2)
    box.activated.emit(2)
    qtbot.waitUntil(lambda: shows(0.6))
    assert media_of(study_of(window), here(window))[0].sound_track == 3
    window.studio.undo()
    qtbot.waitUntil(lambda: shows(0.3) and box.currentText() == "Sound track 2 of 3")


def test_consent_is_denied_until_it_is_ticked(qtbot: QtBot, window: MainWindow, dialog: RecordingDialog) -> None:
    table = dialog.participants
    table.name.setText("P01")
    qtbot.keyClick(table.name, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(table.table.records()) == 1)
    assert dialog.isVisible(), "Return adds the participant and does not close the dialog"
    (person,) = all_participants(study_of(window))
    assert not any(consents(study_of(window), person.id).values())
    model = table.table.records_model
    here_column, release_column = (column_of(table, title) for title in ("Here", "Release"))
    model.setData(model.index(0, release_column), Qt.CheckState.Checked)
    assert consents(study_of(window), person.id)[ConsentUse.RELEASE]
    model.setData(model.index(0, column_of(table, "Role")), ParticipantRole.ROBOT.value)
    assert all_participants(study_of(window))[0].role is ParticipantRole.ROBOT
    model.setData(model.index(0, here_column), Qt.CheckState.Unchecked)
    assert not participants_in(study_of(window), here(window))
    window.commands.undo()
    qtbot.waitUntil(lambda: table.table.records()[0].is_present)


def test_a_variable_is_a_column_that_is_filled_in(qtbot: QtBot, window: MainWindow, dialog: RecordingDialog) -> None:
    table = dialog.participants
    table.name.setText("P01")
    table.add.click()
    qtbot.waitUntil(lambda: len(table.table.records()) == 1)
    table.variable.setText("age")
    qtbot.keyClick(table.variable, Qt.Key.Key_Return)
    assert dialog.isVisible()
    model, age = table.table.records_model, column_of(table, "age")
    model.setData(model.index(0, age), "23")
    assert list(variables_by_participant(study_of(window)).values()) == [{"age": "23"}]
    model.setData(model.index(0, age), "about thirty")
    assert list(variables_by_participant(study_of(window)).values()) == [{"age": "23"}], "it is a number"
    qtbot.waitUntil(lambda: table.table.texts()[0][age] == "23")
    window.commands.undo()
    qtbot.waitUntil(lambda: table.table.texts()[0][age] == "")


def column_of(table: ParticipantsTable, title: str) -> int:
    return [column.title for column in table.table.records_model.columns].index(title)
