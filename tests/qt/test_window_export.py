"""Several clips at once in the window: a row for each and one for all, what fails, what is cancelled, what is left."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from annotate.study.recording_edits import add_recordings, probe_file
from anonymize.export import export_queue as rendering_queue
from anonymize.export.export_queue import ClipState
from anonymize.faces.face_review_edits import dismiss_faces
from app.gui.export.export_dialog import ExportDialog, ExportRequest
from app.gui.jobs.jobs_panel import JobState
from app.gui.jobs.worker_runner import WorkerRunner
from app.gui.window.main_window import MainWindow
from project.entities.study_records import Recording
from project.queries.history_rows import runs_of
from project.session.session import Session
from tests.builders.clips import make_clip
from tests.builders.face_study import SIZE, found_faces, open_lab

WORKER = """
import json, sys
request = json.loads(sys.stdin.readline())
parameters = request["parameters"]
with open(LOG, "a") as log:
    log.write(json.dumps(parameters) + chr(10))
print(json.dumps({"progress": [1, 2, "half"]}), flush=True)
if parameters["method"] == "pixelate":
    sys.stdin.readline()
    print(json.dumps({"cancelled": True}), flush=True)
elif parameters["method"] == "blur":
    print(json.dumps({"error": {"message": "There is no room left.", "hint": "Make some."}}), flush=True)
else:
    told = {"output": parameters["output"], "frames": 6, "faces_left": [], "doubtful": [], "blanked": [], "undrawn": [],
            "checked_by": "centerface", "independent": False, "seconds": 1.0}
    print(json.dumps({"result": told}), flush=True)
"""


@pytest.fixture
def window(qtbot: QtBot, tmp_path: Path) -> Iterator[MainWindow]:
    with open_lab(tmp_path) as session:
        found_faces(session, [(20, 50, 24, 24)])
        add_recordings(session, [probe_file(make_clip(tmp_path / "talk.mp4", size=SIZE, frames=4, fps=25))])
    script = tmp_path / "worker.py"
    script.write_text(f"LOG = {str(tmp_path / 'log')!r}\n{WORKER}")
    window = MainWindow(runner=WorkerRunner(command=(sys.executable, str(script))))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitExposed(window)
    assert window.open_study(tmp_path / "lab.greenroom")
    yield window
    window.close()


def session_of(window: MainWindow) -> Session:
    assert window.studio.session is not None
    return window.studio.session


def shown(window: MainWindow) -> Recording:
    assert window.studio.recording is not None
    return window.studio.recording


def start(window: MainWindow, folder: Path, *methods: str) -> None:
    first = str(session_of(window).study.rows("SELECT id FROM recording ORDER BY number")[0][0])
    window.exports.start(ExportRequest({name: {} for name in methods}, (first,), folder, None, False, False))


def test_one_row_a_clip_and_one_for_all_and_what_fails_does_not_stop_the_rest(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    start(window, tmp_path / "clips", "blur", "solid")
    panel = window.workspace.jobs_panel
    assert window.messages.message() == "Exporting 2 clips, one by one. Jobs shows how far it is."
    qtbot.waitUntil(lambda: panel.state("group-1") in (JobState.DONE, JobState.FAILED))
    assert [panel.state(f"job-{n}") for n in (1, 2)] == [JobState.FAILED, JobState.DONE]
    assert panel.text("group-1") == "1 of 2 clips made, 1 failed"
    assert "There is no room left." in window.messages.message() or "1 failed" in window.messages.message()
    again = rendering_queue.load_unfinished(session_of(window))
    assert [(clip.method, clip.problem) for clip in again.pending] == [("blur", "There is no room left. Make some.")]


def test_cancelling_the_row_for_all_takes_back_every_clip(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    start(window, tmp_path / "clips", "pixelate", "solid")
    panel = window.workspace.jobs_panel
    qtbot.waitUntil(lambda: panel.state("job-1") is JobState.RUNNING)
    panel.cancel_requested.emit("group-1")
    qtbot.waitUntil(lambda: panel.state("group-1") is JobState.CANCELLED)
    assert [panel.state(f"job-{n}") for n in (1, 2)] == [JobState.CANCELLED, JobState.CANCELLED]
    assert rendering_queue.load_unfinished(session_of(window)) is None
    assert runs_of(session_of(window).study, shown(window).id, "anonymize") == []


def test_what_waits_is_made_with_the_faces_as_they_are_when_its_turn_comes(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    session = session_of(window)
    recording = str(session.study.rows("SELECT id FROM recording ORDER BY number")[0][0])
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


def test_an_export_that_a_crash_interrupted_is_told_and_gone_on_with(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    session = session_of(window)
    recording = str(session.study.rows("SELECT id FROM recording ORDER BY number")[0][0])
    queue = rendering_queue.make_queue(session, [recording], {"blur": {}, "solid": {}}, tmp_path / "clips")
    first, second = queue.clips
    queue = replace(queue.with_state(first, ClipState.DONE).with_state(second, ClipState.RUNNING))
    rendering_queue.save_queue(session, queue)
    window.studio.session_changed.emit()
    qtbot.waitUntil(lambda: window.messages.message() == "1 job was interrupted.")
    (job,) = window.interrupted.list_jobs()
    number = session.recording(recording).number
    assert (job.kind, job.title) == ("export", f"Export of recording {number} (solid)")
    window.commands.ask_export()
    dialog = window.exports.dialog
    assert isinstance(dialog, ExportDialog)
    dialog.resume.click()
    qtbot.waitUntil(lambda: rendering_queue.load_unfinished(session_of(window)) is None)
    (run,) = runs_of(session_of(window).study, recording, "anonymize")
    assert run.backend == "solid"


def test_leaving_the_study_keeps_what_is_left(qtbot: QtBot, window: MainWindow, tmp_path: Path) -> None:
    start(window, tmp_path / "clips", "pixelate", "solid")
    qtbot.waitUntil(lambda: window.workspace.jobs_panel.state("job-1") is JobState.RUNNING)
    window.close()
    with Session.open(tmp_path / "lab.greenroom") as session:
        again = rendering_queue.load_unfinished(session)
        assert [clip.method for clip in again.pending] == ["pixelate", "solid"]
