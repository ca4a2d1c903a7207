"""Importing and exporting annotations in the window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.gui.files.annotation_export import ExportWindow
from app.gui.files.annotation_import import ImportWindow
from app.gui.window.main_window import MainWindow
from project.queries.recording_rows import all_recordings
from project.queries.segment_rows import all_segments
from project.queries.study_schemes import schemes_in_use
from project.store.study import Study
from project.synthetic.synthetic_segments import fill_study
from tests.builders.main_windows import wait_for_turns
from tests.builders.mouse_and_keys import press
from tests.builders.scripted_dialogs import Answers
from tests.qt.conftest import OpenReused

TABLE = "annotator,start_s,end_s,label,why\nBo,1,2,Error,It is late.\nBo,3,3,stroke,\nBo,4,5,competence,\n"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with Study.create(tmp_path / "lab.greenroom") as made:
        fill_study(made, 2, 10, 2)
    return tmp_path / "lab.greenroom"


def open_import(window: MainWindow, qtbot: QtBot) -> ImportWindow:
    window.menus.actions["import_annotations"].trigger()
    found: ImportWindow = window.windows.open_window("import_annotations")
    qtbot.waitUntil(lambda: bool(found.total.text() or found.status.text()))
    return found


def wait_for_plan(window: MainWindow, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: not window.background.busy)


def segments(window: MainWindow) -> int:
    return len(all_segments(window.studio.session.study))


def test_an_import_is_previewed_and_one_step(
    window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    file = tmp_path / "coded.csv"
    file.write_text(TABLE, "utf-8")
    answers.give(annotations=[file])
    importing = open_import(window, qtbot)
    lanes = importing.lanes.model()
    lanes.setData(lanes.index(0, 1), "shrec.segments")
    wait_for_plan(window, qtbot)
    assert importing.total.text() == "2 new, 1 left out"
    assert "“stroke” is no label" in importing.notes.toPlainText()
    lanes.setData(lanes.index(0, 1), "out")
    wait_for_plan(window, qtbot)
    assert importing.total.text() == "0 new, 3 left out"
    assert not importing.apply.isEnabled()
    importing.window().close()
    assert segments(window) == 10, "a preview writes nothing"

    importing = open_import(window, qtbot)
    lanes.setData(lanes.index(0, 1), "shrec.segments")
    wait_for_plan(window, qtbot)
    details = importing.details.model()
    texts = [cells[0] for cells in importing.details.texts()]
    details.setData(details.index(texts.index("“stroke”"), 2), "none")
    details.setData(details.index(texts.index("Value why"), 2), "rationale")
    wait_for_plan(window, qtbot)
    assert importing.total.text() == "3 new, 0 left out"
    with qtbot.waitSignal(window.studio.message) as told:
        importing.apply.click()
    assert told.args == ["Imported 3 annotations from coded.csv."]
    assert not importing.isVisible()
    assert segments(window) == 13
    window.commands.undo()
    assert segments(window) == 10

    (tmp_path / "bad.eaf").write_bytes(b"<ANNOTATION_DOCUMENT><x")
    answers.give(annotations=[tmp_path / "bad.eaf"])
    importing = open_import(window, qtbot)
    assert "bad.eaf cannot be read" in importing.status.text()
    assert not importing.apply.isEnabled()


def test_tiers_that_fit_nothing_become_tracks_of_a_scheme_and_several_files_come_at_once(
    window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    files = [tmp_path / f"visit {number}.csv" for number in (1, 2)]
    for number, file in enumerate(files, start=1):
        file.write_text(f"annotator,start_s,end_s,label,side\nBo,1,2,stroke {number},left\nBo,3,4,hold,left\n", "utf-8")
    answers.give(annotations=files)
    importing = open_import(window, qtbot)
    assert importing.file.text() == "2 files"
    assert importing.total.text() == "0 new, 4 left out"
    assert importing.tabs.currentWidget() is importing.parts_page
    importing.make_missing.click()
    wait_for_plan(window, qtbot)
    assert importing.total.text() == "4 new, 0 left out"
    assert [cells[:2] for cells in importing.lanes.texts()] == [("Bo", "New track")]
    assert next(cells[1:] for cells in importing.first_rows.texts()) == (
        *("0:00:01.000", "0:00:02.000"),
        *("stroke 1", "stroke 1"),
    )
    details = importing.details.model()
    texts = [cells[0] for cells in importing.details.texts()]
    details.setData(details.index(texts.index("“stroke 2”"), 2), "stroke 1")
    wait_for_plan(window, qtbot)
    assert "with the track Bo." in importing.notes.toPlainText()
    before = [recording.id for recording in all_recordings(window.studio.session.study)]
    importing.apply.click()
    study = window.studio.session.study
    assert [label.key for label in window.studio.session.schemes.get("visit-1").track("Bo").labels] == [
        *("stroke 1", "hold")
    ]
    made = {segment.recording_id for segment in all_segments(study) if segment.scheme == "visit-1"}
    assert len(made - {*before}) == 2
    window.commands.undo()
    assert not window.studio.session.schemes.is_in_use("visit-1")
    assert [recording.id for recording in all_recordings(study)] == before


def test_what_is_imported_into_an_empty_study_is_shown_and_coded_with_keys_at_once(
    open_reused: OpenReused, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    Study.create(tmp_path / "empty.greenroom").close()
    window = open_reused(tmp_path / "empty.greenroom")
    (tmp_path / "gaze.csv").write_text("annotator,start_s,end_s,label\nBo,1,2,face\nBo,3,4,hand\n", "utf-8")
    answers.give(annotations=[tmp_path / "gaze.csv"])
    importing = open_import(window, qtbot)
    importing.make_missing.click()
    wait_for_plan(window, qtbot)
    assert "Keys of Bo: 1 face, 2 hand." in importing.notes.toPlainText()
    importing.apply.click()
    wait_for_turns()
    assert window.studio.recording is not None
    assert window.studio.recording.name == "gaze"
    window.activateWindow()
    window.timeline.setFocus()
    qtbot.waitUntil(window.timeline.hasFocus)
    press(window, "I", "Right", "O", "2")
    found = [(segment.scheme, segment.label) for segment in all_segments(window.studio.session.study)]
    assert sorted(found) == [("gaze", "face"), ("gaze", "hand"), ("gaze", "hand")]
    window.commands.undo()
    window.commands.undo()
    assert schemes_in_use(window.studio.session.study) == ["shrec"]


def test_what_lies_outside_the_recording_on_screen_is_not_proposed_for_it_and_shown_once_imported(
    window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot
) -> None:
    late = window.studio.recording.duration_us // 1_000_000
    rows = "".join(f"Bo,{late + start},{late + start + 1},face\n" for start in range(3))
    (tmp_path / "visits.csv").write_text("annotator,start_s,end_s,label\n" + rows, "utf-8")
    answers.give(annotations=[tmp_path / "visits.csv"])
    importing = open_import(window, qtbot)
    assert importing.total.text() == "0 new, 3 left out"
    assert importing.tabs.currentWidget() is importing.parts_page
    importing.make_missing.click()
    wait_for_plan(window, qtbot)
    importing.apply.click()
    wait_for_turns()
    assert window.studio.recording.name == "visits"
    window.commands.undo()


def test_an_export_writes_what_is_ticked(window: MainWindow, answers: Answers, tmp_path: Path, qtbot: QtBot) -> None:
    window.menus.actions["export_annotations"].trigger()
    found: ExportWindow = window.windows.open_window("export_annotations")
    found.recordings.item(1).setCheckState(Qt.CheckState.Unchecked)
    found.annotators.item(0).setCheckState(Qt.CheckState.Unchecked)
    answers.give(save=tmp_path / "out.eaf")
    found.apply.click()
    assert found.line.isVisible()
    assert not found.apply.isEnabled()
    qtbot.waitUntil(lambda: not found.isVisible())
    text = (tmp_path / "out.eaf").read_text("utf-8")
    assert "Annotator 2 shrec.segments" in text
    assert "Annotator 1 shrec.segments" not in text
