"""Several clips at once in the window: a row for each and one for all, what fails, what is cancelled, what is left."""

import json
import sys
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_queue import ClipState
from anonymize.faces.face_review_edits import dismiss_faces
from app.gui.export.clip_export import ExportResult, Findings
from app.gui.export.export_dialog import ExportRequest
from app.gui.jobs.jobs_panel import JobState
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.window.main_window import MainWindow
from project.codec import dump
from project.queries.history_rows import runs_of
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.face_study import SIZE, found_faces, open_lab
from tests.builders.job_results import exported
from tests.builders.shown_texts import shown_texts
from tests.qt.conftest import OpenWindow

WORKER = """
import json, sys
request = json.loads(sys.stdin.readline())
parameters = request["parameters"]
with open(LOG, "a") as log:
    log.write(json.dumps(parameters) + chr(10))
print(json.dumps({"progress": [1, 2, "half"]}), flush=True)
if parameters.get("method", "pixelate") == "pixelate":
    sys.stdin.readline()
    print(json.dumps({"cancelled": True}), flush=True)
elif parameters["method"] == "blur":
    print(json.dumps({"error": {"message": "There is no room left.", "hint": "Make some."}}), flush=True)
else:
    print(json.dumps({"result": {**RESULT, "output": parameters["output"]}}), flush=True)
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    with open_lab(tmp_path) as session:
        found_faces(session, [(20, 50, 24, 24)])
        add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", size=SIZE, frames=4, fps=25))])
    return tmp_path / "lab.greenroom"


@pytest.fixture
def window(open_window: OpenWindow, study: Path, tmp_path: Path) -> MainWindow:
    script = tmp_path / "worker.py"
    script.write_text(f"LOG, RESULT = {str(tmp_path / 'log')!r}, {dump(exported(tmp_path, 6))!r}\n{WORKER}")
    return open_window(study, runner=WorkerRunner(command=(sys.executable, str(script))))


def recordings(window: MainWindow) -> list[str]:
    return [recording for (recording,) in window.studio.session.study.rows("SELECT id FROM recording ORDER BY number")]


def start(window: MainWindow, folder: Path, *methods: str, recording: int = 0) -> None:
    chosen = (recordings(window)[recording],)
    window.exports.start(ExportRequest({name: {} for name in methods}, chosen, folder, None, False, False))


def test_each_clip_has_a_row_and_what_fails_stops_no_other(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    start(window, tmp_path / "clips", "blur", "solid")
    panel = window.workspace.jobs_panel
    assert window.messages.message() == "Exporting 2 clips, one by one. Jobs shows how far it is."
    qtbot.waitUntil(lambda: panel.state("group-1") in (JobState.DONE, JobState.FAILED))
    assert [panel.state(f"job-{n}") for n in (1, 2)] == [JobState.FAILED, JobState.DONE]
    assert panel.text("group-1") == "1 of 2 clips made, 1 failed"
    assert "There is no room left." in window.messages.message() or "1 failed" in window.messages.message()
    again = rendering_queue.load_unfinished(window.studio.session)
    assert [(clip.method, clip.problem) for clip in again.pending] == [("blur", "There is no room left. Make some.")]


def test_cancelling_takes_back_every_clip_and_leaving_keeps_them(
    qtbot: QtBot, window: MainWindow, study: Path, tmp_path: Path
) -> None:
    start(window, tmp_path / "clips", "pixelate", "solid")
    panel = window.workspace.jobs_panel
    qtbot.waitUntil(lambda: panel.state("job-1") is JobState.RUNNING)
    panel.cancel_requested.emit("group-1")
    qtbot.waitUntil(lambda: panel.state("group-1") is JobState.CANCELLED)
    assert [panel.state(f"job-{n}") for n in (1, 2)] == [JobState.CANCELLED, JobState.CANCELLED]
    assert rendering_queue.load_unfinished(window.studio.session) is None
    assert runs_of(window.studio.session.study, recordings(window)[0], "anonymize") == []
    start(window, tmp_path / "clips", "pixelate", "solid")
    qtbot.waitUntil(lambda: panel.state("job-3") is JobState.RUNNING)
    window.close()
    with Session.open(study) as session:
        again = rendering_queue.load_unfinished(session)
        assert [clip.method for clip in again.pending] == ["pixelate", "solid"]


def test_what_waits_is_made_with_the_faces_of_its_turn(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    session, recording = window.studio.session, recordings(window)[0]
    track = str(session.study.rows("SELECT id FROM face_track")[0][0])
    start(window, tmp_path / "clips", "pixelate", "solid")
    panel = window.workspace.jobs_panel
    qtbot.waitUntil(lambda: panel.state("job-1") is JobState.RUNNING)
    dismiss_faces(session, [track])
    panel.cancel_requested.emit("job-1")
    qtbot.waitUntil(lambda: panel.state("job-2") is JobState.DONE)
    first, second = (json.loads(line) for line in (tmp_path / "log").read_text().splitlines())
    assert first["mask_state"] != second["mask_state"]
    (run,) = runs_of(session.study, recording, "anonymize")
    assert run.parameters["mask_state"] == second["mask_state"]
    assert run.result["outdated"] is False


def test_an_export_that_a_crash_interrupted_goes_on(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    session, recording = window.studio.session, recordings(window)[0]
    queue = rendering_queue.make_queue(session, [recording], {"blur": {}, "solid": {}}, tmp_path / "clips")
    first, second = queue.clips
    queue = queue.with_state(first, ClipState.DONE).with_state(second, ClipState.RUNNING)
    rendering_queue.save_queue(session, queue)
    window.studio.session_changed.emit()
    qtbot.waitUntil(lambda: window.messages.message() == "1 job was interrupted.")
    (job,) = window.interrupted.list_jobs()
    number = session.recording(recording).number
    assert (job.kind, job.title) == ("export", f"Export of recording {number} (solid)")
    window.commands.ask_export()
    window.exports.dialog.resume.click()
    qtbot.waitUntil(lambda: rendering_queue.load_unfinished(window.studio.session) is None)
    (run,) = runs_of(window.studio.session.study, recording, "anonymize")
    assert run.backend == "solid"


def test_stopping_the_search_for_faces_exports_nothing(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    start(window, tmp_path / "clips", "solid", recording=1)
    assert window.messages.message() == "Looking for faces in recording 2 first; its export follows."
    qtbot.waitUntil(lambda: window.jobs.runner.running_job is not None)
    with qtbot.waitSignal(window.jobs.stopped):
        window.jobs.cancel(window.jobs.runner.running_job)
    assert window.messages.message() == "Looking for faces was stopped, so recording 2 is not exported."
    assert not (tmp_path / "clips").exists()
    start(window, tmp_path / "clips", "solid", recording=1)
    assert window.jobs.busy


@pytest.mark.parametrize("kept", [0, 1])
def test_faces_that_were_to_stay_are_not_denied(qtbot: QtBot, tmp_path: Path, kept: int) -> None:
    result = ExportResult(tmp_path / "clip.mp4", Findings(exempt_count=kept))
    qtbot.addWidget(result)
    assert ("robots" in " ".join(shown_texts(result))) is bool(kept)


def test_without_face_tracks_the_dialog_says_that_an_export_makes_them(qtbot: QtBot, window: MainWindow) -> None:
    window.choose_recording(recordings(window)[1])
    window.exports.ask(None)
    dialog = window.exports.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: "Export tracks them first." in dialog.pane.pictures.text())
    assert dialog.export.isEnabled()
    dialog.reject()
